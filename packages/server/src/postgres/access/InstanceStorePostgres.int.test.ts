import { assert, layer } from "@effect/vitest"
import { Access } from "@rapport/core/access/Access.ts"
import { Instances } from "@rapport/core/access/Instances.ts"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccessFixtures } from "../../testing/AccessFixtures.ts"
import { defaultTicketStatuses } from "./InstanceStorePostgres.ts"

const secret = Redacted.make("пароль-їжака")

// contract §11: instance create, list, enable, disable; §7: "Default: new 1".
layer(AccessFixtures.layer)("an instance", (it) => {
  it.effect("an instance is created ready, with ticket statuses and an administrator", () =>
    Effect.gen(function* () {
      const instances = yield* Instances
      const { administratorId, instanceId } = yield* instances.create({
        name: "Їжа та ко",
        adminLogin: "administrator",
        adminPassword: secret
      })
      const pair = yield* (yield* Access).login({
        login: "Administrator",
        password: Redacted.value(secret)
      })
      assert.strictEqual(pair.user.id, administratorId)
      assert.deepStrictEqual(pair.user.roles, ["administrator"])
      const found = (yield* instances.list).find(({ id }) => id === instanceId)
      assert.deepInclude(found, { name: "Їжа та ко", capabilityEnabled: true, contextStoreReady: true })
      const sql = yield* SqlClient.SqlClient
      const rows =
        yield* sql`select name, position::int4 as position, status_group as group from ticket_statuses
        where instance_id = ${instanceId} order by position`
      assert.deepStrictEqual(rows, [...defaultTicketStatuses])
    })
  )

  it.effect("an instance gets the requested id, and the next one follows it", () =>
    Effect.gen(function* () {
      const instances = yield* Instances
      const given = { name: "Seven", adminLogin: "seven", adminPassword: secret, id: 7_000 }
      assert.strictEqual((yield* instances.create(given)).instanceId, 7_000)
      const next = yield* instances.create({ name: "Next", adminLogin: "next", adminPassword: secret })
      assert.strictEqual(next.instanceId, 7_001)
    })
  )

  it.effect("an instance with a name, login or password out of bounds is refused with all faults", () =>
    Effect.gen(function* () {
      const instances = yield* Instances
      const refusal = yield* Effect.flip(
        instances.create({ name: "", adminLogin: "", adminPassword: Redacted.make("short") })
      )
      const common = { name: "Common", adminLogin: "common", adminPassword: Redacted.make("Пароль123") }
      assert.deepInclude(yield* Effect.flip(instances.create(common)), {
        errors: [{ path: "adminPassword", message: "must not be a common password" }]
      })
      assert.deepInclude(refusal, {
        errors: [
          { path: "name", message: "must have 1 to 255 characters" },
          { path: "adminLogin", message: "must have 1 to 255 characters" },
          { path: "adminPassword", message: "must have 8 to 128 characters" }
        ]
      })
    })
  )
})
