// The largest and smallest values of the contract in every filter of every list.
import { assert, layer } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { type Field, collectionIn, operatorsOf } from "@rapport/contract/lists/Collection.ts"
import { Effect } from "effect"
import { newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

const outermost = (field: Field): ReadonlyArray<string> => {
  switch (field) {
    case "id":
    case "ids":
      return ["1", String(2 ** 53 - 1)]
    case "integer":
      return ["0", "1", String(2 ** 31), String(2 ** 53 - 1)]
    case "number":
      return ["-1.7e308", "5e-324", "1.7e308"]
    case "time":
      return ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"]
    case "date":
      return ["0001-01-01", "9999-12-31"]
    default:
      return []
  }
}

interface List {
  readonly path: string
  readonly fields: Readonly<Record<string, Field>>
}
const lists: ReadonlyArray<List> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).flatMap((endpoint) => {
    const collection = collectionIn(endpoint.query)
    return collection === undefined ? [] : [{ path: endpoint.path, fields: collection.fields }]
  })
)

layer(RestFixtures, { excludeTestServices: true, timeout: "120 seconds" })("every list", (it) => {
  it.effect("every list accepts the outermost values of every filter", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      let requests = 0
      assert.isAbove(lists.length, 10)
      for (const { fields, path } of lists) {
        for (const [name, field] of Object.entries(fields)) {
          for (const operator of operatorsOf(field)) {
            for (const value of operator === "isNull" ? [] : outermost(field)) {
              const filter = `filter[${name}]${operator === "eq" ? "" : `[${operator}]`}`
              const target = path.replace(/:[a-zA-Z_]+/gu, "1")
              const answer = yield* admin.get(`${target}?${filter}=${encodeURIComponent(value)}`)
              // A field may have narrower bounds than the contract's integers; the value is refused then.
              assert.include([200, 400, 404], answer.status, `${target}?${filter}=${value}: ${answer.text}`)
              requests++
            }
          }
        }
      }
      assert.isAbove(requests, 500)
    })
  )
})
