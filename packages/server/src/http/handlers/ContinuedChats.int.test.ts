// Chats that go on: closed ones that are reopened, and postponed ones whose time comes (contract §7, "Status").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { continuePostponed } from "../../postgres/appeals/PostponedChats.ts"
import { newBot } from "../../testing/DeliveryFixtures.ts"
import { postInbound, receivedMessage } from "../../testing/InboundFixtures.ts"
import { expectFaults, expectStatus, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

const HOUR_MILLIS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MILLIS).toISOString()

const world = Effect.gen(function* () {
  const { admin, instance: instanceId, rest } = yield* newInstance
  const clientId = yield* admin.makeId("/clients", { name: "Олена" })
  const read = (id: number) => admin.read(`/OpChatRooms/${id}`)
  return {
    admin,
    rest,
    instanceId,
    sql: yield* SqlClient.SqlClient,
    read,
    /** A chat of the administrator, who is its operator. */
    chat: admin.makeId("/OpChatRooms", { clientId, channel: "web", operatorId: admin.id }),
    change: (id: number, members: object) => admin.change(`/OpChatRooms/${id}`, members)
  }
})

/** A bot, and a chat of it whose subject reopens it for so many hours; `say` sends a message of its client. */
const inboundWorld = Effect.fnUntraced(function* (reopenHours: number) {
  const { admin, change, instanceId, read, rest, sql } = yield* world
  const bot = yield* newBot({ kind: "webhook", url: "https://chat.example.com/in" }, instanceId)
  const { data } = receivedMessage()
  let sent = 0
  const say = (hoursAgo = 0) =>
    Effect.map(
      postInbound(
        bot,
        receivedMessage({ ...data, externalMessageId: `m-${sent++}` }, { timestamp: inHours(-hoursAgo) })
      ),
      ({ body }) => Number(body.appealId)
    )
  const subjectId = yield* admin.makeId("/subjects", { name: "Доставка", alias: "delivery", reopenHours })
  const id = yield* say(5)
  expectStatus(yield* change(id, { subjectId, operatorId: admin.id }), 200)
  return { admin, change, id, read, rest, say, sql, subjectId }
})

layer(RestFixtures, { excludeTestServices: true, timeout: 60_000 })((it) => {
  it.effect("a closed chat is reopened by its operator or into the queue, and takes messages again", () =>
    Effect.gen(function* () {
      const { admin, change, chat } = yield* world
      const id = yield* chat
      const write = admin.post(`/OpChatRooms/${id}/messages`, { text: "Вже їде" })
      yield* change(id, { status: "closed" })
      expectStatus(yield* write, 409, "STATE_NOT_ALLOWED")
      const active = (yield* change(id, { status: "active" })).body
      assert.deepInclude(active, { status: "active", operatorId: admin.id, closedAt: null, closedBy: null })
      expectStatus(yield* write, 201)
      yield* change(id, { status: "closed" })
      const waiting = (yield* change(id, { status: "waiting" })).body
      assert.deepInclude(waiting, { status: "waiting", operatorId: null, waitingSince: null })
      const log = yield* admin.read(`/audit-log?filter[entityId]=${id}&order[id]=desc`)
      assert.sameMembers(log.data[0].details.changed, ["closedAt", "closedBy", "operatorId", "status"])
    })
  )

  it.effect("a postponed chat becomes active at its time, once for all processes", () =>
    Effect.gen(function* () {
      const { admin, change, chat, read, sql } = yield* world
      const [due, unassigned, later, without] = [yield* chat, yield* chat, yield* chat, yield* chat]
      const postponed = { status: "postponed", postponedUntil: inHours(1) }
      expectFaults(yield* change(due, { ...postponed, postponedUntil: inHours(-1) }), ["postponedUntil"])
      for (const id of [due, unassigned, later])
        assert.deepInclude((yield* change(id, postponed)).body, postponed)
      yield* change(without, { status: "postponed" })
      const endPostponement = (id: number) =>
        sql`update appeals set postponed_until = now() - interval '1 second' where id = ${id}`
      yield* endPostponement(due)
      yield* endPostponement(unassigned)
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
      const log = yield* admin.read(`/audit-log?filter[entityId]=${due}&order[id]=desc`)
      assert.deepInclude(log.data[0], { action: "chat.update", actorType: "system" })
    })
  )

  it.effect("a message of the client continues a postponed chat, a late one does not", () =>
    Effect.gen(function* () {
      const { change, id, read, say, sql } = yield* inboundWorld(0)
      yield* say(2)
      yield* change(id, { status: "postponed", postponedUntil: inHours(1) })
      const { version } = yield* read(id)
      assert.strictEqual(yield* say(3), id)
      assert.deepInclude(yield* read(id), { status: "postponed", version })
      assert.strictEqual(yield* say(), id)
      const active = yield* read(id)
      assert.deepInclude(active, { status: "active", postponedUntil: null, version: version + 1 })
      // Without an operator it waits.
      yield* change(id, { status: "postponed" })
      yield* sql`update appeals set operator_id = null where id = ${id}`
      yield* say()
      assert.deepInclude(yield* read(id), { status: "waiting" })
    })
  )

  it.effect("a message of the client reopens a closed chat within reopenHours of its subject", () =>
    Effect.gen(function* () {
      const { admin, change, id, read, say, sql } = yield* inboundWorld(2)
      yield* change(id, { status: "closed" })
      assert.strictEqual(yield* say(), id)
      const reopened = yield* read(id)
      assert.deepInclude(reopened, {
        status: "active",
        operatorId: admin.id,
        closedAt: null,
        closedBy: null,
        messageCount: 2,
        waitingSince: reopened.lastMessageAt
      })
      const log = yield* admin.read(`/audit-log?filter[entityId]=${id}&order[id]=desc`)
      assert.deepInclude(log.data[1], { action: "chat.update", actorType: "system" })
      yield* change(id, { status: "closed" })
      yield* sql`update appeals set closed_at = now() - interval '3 hours' where id = ${id}`
      // The client wrote in time, and the provider was late.
      assert.strictEqual(yield* say(1.5), id)
      yield* change(id, { status: "closed" })
      yield* sql`update appeals set closed_at = now() - interval '3 hours' where id = ${id}`
      const other = yield* say()
      assert.notStrictEqual(other, id)
      assert.strictEqual(yield* say(), other)
    })
  )

  it.effect("a subject without reopenHours, and a newer chat, leave a closed chat closed", () =>
    Effect.gen(function* () {
      const { change, id, read, say } = yield* inboundWorld(0)
      yield* change(id, { status: "closed" })
      assert.notStrictEqual(yield* say(), id)
      const second = yield* inboundWorld(2)
      yield* second.change(second.id, { status: "closed", subjectId: null })
      const newer = yield* second.say()
      yield* second.change(newer, { status: "closed" })
      yield* second.change(second.id, { subjectId: second.subjectId })
      const third = yield* second.say()
      assert.notInclude([second.id, newer], third)
      assert.deepInclude(yield* read(id), { status: "closed" })
    })
  )

  it.effect(
    "a message of the client reopens a ticket that is done and a closed chat, an old history neither",
    () =>
      Effect.gen(function* () {
        const { admin, change, id, read, subjectId } = yield* inboundWorld(2)
        const { clientId } = yield* read(id)
        const path = `/Ticket/${yield* admin.makeId("/Ticket", { clientId, title: "Не працює", subjectId })}`
        expectStatus(yield* admin.change(path, { status: "resolved" }), 200)
        const write = (to: string, members: object) =>
          admin.post(`${to}/messages`, { text: "Знову не працює", ...members })
        const ticketNow = admin.read(path)
        const before = yield* ticketNow
        for (const members of [
          { authorType: "client", occurredAt: inHours(-4) },
          { authorType: "client", visibility: "internal" },
          { authorType: "system" },
          {}
        ])
          yield* write(path, members)
        assert.deepInclude(yield* ticketNow, { status: "resolved", version: before.version })
        expectStatus(yield* write(path, { authorType: "client" }), 201)
        assert.deepInclude(yield* ticketNow, {
          status: "open",
          statusGroup: "open",
          closedAt: null,
          version: before.version + 1
        })
        yield* change(id, { status: "closed" })
        const chat = `/OpChatRooms/${id}`
        expectStatus(yield* write(chat, {}), 409, "STATE_NOT_ALLOWED")
        const old = { authorType: "client", occurredAt: inHours(-4) }
        expectStatus(yield* write(chat, old), 409, "STATE_NOT_ALLOWED")
        expectStatus(yield* write(chat, { authorType: "client" }), 201)
        assert.deepInclude(yield* read(id), { status: "active" })
      })
  )
})
