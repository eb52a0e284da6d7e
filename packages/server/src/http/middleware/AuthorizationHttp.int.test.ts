// Refused requests in the audit log of their instance, on a real PostgreSQL (contract §9, "Audit log").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

layer(RestFixtures, { excludeTestServices: true })("a refused request", (it) => {
  it.effect("a refused request is audited in its instance, at most the first five of a minute", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const { admin: stranger } = yield* newInstance
      const analyst = yield* rest.user(instance, ["analyst"])
      for (let i = 0; i < 8; i++) expectStatus(yield* analyst.get("/OpChatRooms/list"), 403)
      const entriesOf = (who: typeof admin) => who.get("/audit-log?filter[action]=request.access_denied")
      while ((yield* entriesOf(admin)).body.total < 5) yield* Effect.sleep("50 millis")
      yield* Effect.sleep("300 millis")
      const { body } = yield* entriesOf(admin)
      assert.strictEqual(body.total, 5)
      const [entry] = body.data
      assert.deepInclude(entry, { actorType: "user", actorId: analyst.id, decision: "denied", entity: null })
      assert.deepStrictEqual(entry.details, { operation: "listChats" })
      assert.isString(entry.requestId)
      assert.strictEqual((yield* entriesOf(stranger)).body.total, 0)
    })
  )
})
