// Changes of many chats and tickets in one request, over HTTP on a real PostgreSQL (contract §1.3, "Bulk changes").
import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { SqlClient } from "effect/sql"
import {
  expectFaults,
  expectStatus,
  members,
  newInstance,
  pathsOf,
  RestFixtures,
  type RestCaller
} from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const clientId = yield* admin.makeId("/clients", { name: "Клієнт" })
  const chats = (count: number) =>
    Effect.forEach(Array.from({ length: count }), () =>
      admin.makeId("/OpChatRooms", { clientId, channel: "web" })
    )
  return { rest, instance, admin, clientId, chats }
})
const changeAll = (who: RestCaller, path: string, changes: ReadonlyArray<object>, key?: string) =>
  who.patch(path, { changes }, key === undefined ? {} : { "idempotency-key": key })

layer(RestFixtures)("bulk changes", (it) => {
  it.effect("each change has the outcome of its own request", () =>
    Effect.gen(function* () {
      const { admin, chats, instance, rest } = yield* world
      const operator = yield* rest.user(instance, ["operator"])
      const analyst = yield* rest.user(instance, ["analyst"])
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = yield* chats(5)
      expectStatus(yield* admin.patch(`/OpChatRooms/${c}`, { expectedVersion: 1, tags: ["x"] }), 200)
      const change = { operatorId: operator.id, tags: ["нове"], priority: "high" }
      const patches = [
        { id: b, expectedVersion: 1, ...change },
        { id: c, expectedVersion: 1, priority: "low" },
        { id: 2 ** 52, expectedVersion: 1, priority: "low" },
        { id: d, expectedVersion: 1, operatorId: analyst.id },
        { id: e, expectedVersion: 1, operatorId: 2 ** 52 },
        { id: a, expectedVersion: 1, status: "closed" }
      ]
      const answer = yield* changeAll(admin, "/OpChatRooms", patches)
      expectStatus(answer, 200)
      const { results } = answer.body
      assert.deepStrictEqual(
        results.map(members("id", "status")),
        patches.map(({ id }, i) => [id, [200, 409, 404, 409, 400, 200][i]])
      )
      for (const [i, { id, ...patch }] of patches.entries()) {
        const { error, record, replayed, status } = results[i]
        assert.isFalse(replayed)
        if (status === 200) {
          assert.isNull(error)
          assert.deepStrictEqual(record, yield* admin.read(`/OpChatRooms/${id}`))
          continue
        }
        const single = yield* admin.patch(`/OpChatRooms/${id}`, patch)
        assert.isNull(record)
        assert.strictEqual(single.status, status)
        assert.deepStrictEqual(error, Struct.omit(single.body, ["requestId", "title", "type", "status"]))
      }
      assert.deepInclude(results[0].record, { ...change, version: 2 })
      assert.strictEqual(results[1].error.currentVersion, 2)
      const sql = yield* SqlClient.SqlClient
      const entries = yield* sql`select entity_id from audit_log where instance_id = ${instance}
        and action = 'chat.update' and entity_id = any(${[a, b].map(String)}::text[])`
      assert.lengthOf(entries, 2)
    })
  )

  it.effect("a repeat with the key replays successful changes and retries failed changes", () =>
    Effect.gen(function* () {
      const { admin, clientId } = yield* world
      const a = yield* admin.makeId("/Ticket", { clientId, title: "перший" })
      const b = yield* admin.makeId("/Ticket", { clientId, title: "second" })
      const changes = [
        { id: a, expectedVersion: 1, status: "open", customFields: { a: 1 } },
        { id: b, expectedVersion: 2, priority: "urgent" }
      ]
      const send = (all: ReadonlyArray<object>) =>
        Effect.map(changeAll(admin, "/Ticket", all, "bulk"), ({ body }) => body.results)
      const outcome = members("status", "replayed")
      const first = yield* send(changes)
      assert.deepStrictEqual(first.map(outcome), [
        [200, false],
        [409, false]
      ])
      yield* admin.change(`/Ticket/${b}`, { tags: ["a"] })
      const second = yield* send(changes)
      assert.deepStrictEqual(second.map(outcome), [
        [200, true],
        [200, false]
      ])
      assert.deepStrictEqual(second[0].record, first[0].record)
      const other = yield* send([{ ...changes[0], status: "resolved" }])
      assert.deepStrictEqual(other.map(outcome), [[422, false]])
    })
  )

  it.effect("a malformed request and a caller without the permission change nothing", () =>
    Effect.gen(function* () {
      const { admin, chats } = yield* world
      const [a = 0, b = 0] = yield* chats(2)
      const good = { id: a, expectedVersion: 1, priority: "low" }
      const bad = yield* changeAll(admin, "/OpChatRooms", [good, { id: b, priority: "?" }, good])
      const faults = ["changes[1].expectedVersion", "changes[1].priority", "changes[2].id"]
      assert.sameMembers([...pathsOf(bad)], faults)
      const many = Array.from({ length: 101 }, (_, n) => ({ id: n + 1, expectedVersion: 1 }))
      for (const changes of [[], many])
        expectFaults(yield* changeAll(admin, "/OpChatRooms", changes), ["changes"])
      assert.strictEqual((yield* admin.read(`/OpChatRooms/${a}`)).version, 1)
    })
  )
})
