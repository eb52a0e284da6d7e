// Chats that go on: closed ones that are reopened, and postponed ones whose time comes (contract §7, "Status").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { continuePostponed } from "../../postgres/appeals/PostponedChats.ts"
import { expectStatus, pathsOf, Rest, RestFixtures } from "../../testing/RestFixtures.ts"

const HOUR_MILLIS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MILLIS).toISOString()

const world = Effect.gen(function* () {
  const rest = yield* Rest
  const instanceId = yield* rest.instance
  const admin = yield* rest.user(instanceId, ["administrator"])
  const clientId = Number((yield* rest.call(admin, "POST", "/clients", { name: "Олена" })).body.id)
  const read = (id: number) => Effect.map(rest.call(admin, "GET", `/OpChatRooms/${id}`), ({ body }) => body)
  return {
    admin,
    rest,
    instanceId,
    sql: yield* SqlClient.SqlClient,
    read,
    /** A chat of the administrator, who is its operator. */
    chat: Effect.map(
      rest.call(admin, "POST", "/OpChatRooms", { clientId, channel: "web", operatorId: admin.id }),
      ({ body }) => Number(body.chat.id)
    ),
    /** A change of the newest version. */
    change: (id: number, members: object) =>
      Effect.flatMap(read(id), ({ version }) =>
        rest.call(admin, "PATCH", `/OpChatRooms/${id}`, { expectedVersion: version, ...members })
      )
  }
})

layer(RestFixtures, { excludeTestServices: true, timeout: 60_000 })((it) => {
  it.effect("a closed chat is reopened by its operator or into the queue, and takes messages again", () =>
    Effect.gen(function* () {
      const { admin, change, chat, rest } = yield* world
      const id = yield* chat
      const write = rest.call(admin, "POST", `/OpChatRooms/${id}/messages`, { text: "Вже їде" })
      yield* change(id, { status: "closed" })
      expectStatus(yield* write, 409, "STATE_NOT_ALLOWED")
      const active = yield* change(id, { status: "active" })
      expectStatus(active, 200)
      assert.deepInclude(active.body, {
        status: "active",
        operatorId: admin.id,
        closedAt: null,
        closedBy: null
      })
      expectStatus(yield* write, 201)
      yield* change(id, { status: "closed" })
      const waiting = yield* change(id, { status: "waiting" })
      expectStatus(waiting, 200)
      assert.deepInclude(waiting.body, { status: "waiting", operatorId: null, waitingSince: null })
      const log = (yield* rest.call(admin, "GET", `/audit-log?filter[entityId]=${id}&order[id]=desc`)).body
      assert.deepStrictEqual([...log.data[0].details.changed].toSorted(), [
        "closedAt",
        "closedBy",
        "operatorId",
        "status"
      ])
    })
  )

  it.effect("a postponed chat becomes active at its time, once for all processes", () =>
    Effect.gen(function* () {
      const { admin, change, chat, read, rest, sql } = yield* world
      const [due, unassigned, later, without] = [yield* chat, yield* chat, yield* chat, yield* chat]
      for (const id of [due, unassigned, later])
        expectStatus(yield* change(id, { status: "postponed", postponedUntil: inHours(1) }), 200)
      yield* change(without, { status: "postponed" })
      const passed = (id: number) =>
        sql`update appeals set postponed_until = now() - interval '1 second' where id = ${id}`
      yield* passed(due)
      yield* passed(unassigned)
      yield* sql`update appeals set operator_id = null where id = ${unassigned}`
      const before = yield* read(due)
      const counts = yield* Effect.all([continuePostponed(1), continuePostponed(100)], {
        concurrency: "unbounded"
      })
      assert.isAtMost(counts[0], 1)
      yield* continuePostponed(100)
      const statuses = yield* Effect.forEach([due, unassigned, later, without], (id) =>
        Effect.map(read(id), ({ postponedUntil, status }) => [status, postponedUntil === null])
      )
      assert.deepStrictEqual(statuses, [
        ["active", true],
        ["waiting", true],
        ["postponed", false],
        ["postponed", true]
      ])
      assert.strictEqual((yield* read(due)).version, before.version + 1)
      const log = (yield* rest.call(admin, "GET", `/audit-log?filter[entityId]=${due}&order[id]=desc`)).body
      assert.deepInclude(log.data[0], { action: "chat.update", actorType: "system" })
    })
  )

  it.effect("postponedUntil is a future time of a postponed chat, else 400", () =>
    Effect.gen(function* () {
      const { change, chat, read } = yield* world
      const id = yield* chat
      const faulty = [
        { postponedUntil: inHours(1) },
        { status: "postponed", postponedUntil: inHours(-1) },
        { status: "closed", postponedUntil: inHours(1) },
        { status: "postponed", postponedUntil: "завтра" }
      ]
      for (const members of faulty) {
        const answer = yield* change(id, members)
        assert.deepStrictEqual([answer.status, pathsOf(answer)], [400, ["postponedUntil"]])
      }
      const until = inHours(2)
      expectStatus(yield* change(id, { status: "postponed", postponedUntil: until }), 200)
      assert.strictEqual((yield* read(id)).postponedUntil, until)
      expectStatus(yield* change(id, { postponedUntil: null }), 200)
      assert.deepInclude(yield* read(id), { status: "postponed", postponedUntil: null })
    })
  )
})
