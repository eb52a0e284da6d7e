// The names of property definitions (contract §3.2, properties).
import { assert, describe, it } from "@effect/vitest"
import { rulesOf } from "../values/Checks.ts"
import { collectFaults } from "../values/CollectFaults.ts"
import { propertyEntities, PropertyRequest, recordMembers } from "./PropertiesApi.ts"

const definition = (entity: string, name: string) => ({ entity, name, label: "L", type: "string" })
const faultsOf = (body: Record<string, unknown>) => ({
  rules: rulesOf(PropertyRequest)(body).map(({ path }) => path),
  decoded: collectFaults(PropertyRequest, body).map(({ path }) => path)
})

describe("PropertyRequest", () => {
  const members = propertyEntities.flatMap((entity) =>
    Object.keys(recordMembers[entity]).map((name) => [entity, name] as const)
  )

  it.each(members)("of %s is refused with the name of its record's member %s", (entity, name) => {
    const body = definition(entity, name)
    assert.deepStrictEqual(faultsOf(body), { rules: ["name"], decoded: ["name"] })
  })

  it("may have the name of a member of another record, or of every object", () => {
    for (const [entity, name] of [
      ["subject", "email"],
      ["client", "displayName"],
      ["operator", "name"],
      ["skill_group", "alias"],
      ["client", "constructor"],
      ["client", "toString"]
    ] as const)
      assert.deepStrictEqual(
        faultsOf(definition(entity, name)),
        { rules: [], decoded: [] },
        `${entity} ${name}`
      )
  })
})
