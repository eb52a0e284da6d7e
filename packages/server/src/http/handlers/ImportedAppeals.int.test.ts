// Chats and tickets of another product, imported again and again while it is still in use (contract §7, "Creating").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  expectFaults,
  expectStatus,
  members,
  Rest,
  RestFixtures,
  type RestCaller
} from "../../testing/RestFixtures.ts"

const at = (time: string) => `2025-03-01T${time}:00.000Z`

const world = Effect.gen(function* () {
  const rest = yield* Rest
  const instance = yield* rest.instance
  const admin = yield* rest.user(instance, ["administrator", "integrator"])
  const operator = yield* rest.user(instance, ["operator"])
  const client = yield* admin.makeId("/clients", { name: "Олена" })
  const message = (id: string, authorType: string, time: string) => ({
    externalMessageId: id,
    authorType,
    text: `Повідомлення ${id}`,
    occurredAt: at(time),
    ...(authorType === "operator" ? { authorId: operator.id } : {})
  })
  const of = { clientId: client, createdAt: at("09:00") }
  const desk = { source: "desk", externalId: "c-1" }
  const chat = (more: object, who: RestCaller = admin) =>
    who.post("/OpChatRooms", { ...of, ...desk, channel: "web", ...more })
  const ticket = (more: object) => admin.post("/Ticket", { ...of, title: "Роутер", ...more })
  /** Sequence and external id of each message. */
  const texts = (path: string) =>
    Effect.map(admin.read(`${path}/messages?limit=100`), ({ data }): ReadonlyArray<ReadonlyArray<unknown>> =>
      data.map(members("sequence", "externalMessageId"))
    )
  return { rest, instance, admin, operator, client, message, chat, ticket, texts }
})

layer(RestFixtures)("an imported chat or ticket", (it) => {
  it.effect("an import that is repeated adds the new messages and ends the chat", () =>
    Effect.gen(function* () {
      const { admin, chat, message, operator, texts } = yield* world
      const first = yield* chat({ messages: [message("m1", "client", "09:00")] })
      expectStatus(first, 201)
      const { id } = first.body.chat
      assert.deepInclude(first.body.chat, { externalId: "c-1", source: "desk", waitingSince: at("09:00") })

      const same = yield* chat({ messages: [message("m1", "client", "09:00")] })
      expectStatus(same, 200)
      assert.deepStrictEqual(same.body, { ...first.body, replayed: true })

      const grown = yield* chat({
        messages: [
          message("m1", "client", "09:00"),
          message("m2", "operator", "09:05"),
          { authorType: "system", text: "Без id", occurredAt: at("09:06") },
          message("m3", "client", "09:10")
        ]
      })
      expectStatus(grown, 200)
      assert.isTrue(grown.body.replayed)
      assert.deepInclude(grown.body.chat, {
        id,
        version: 1,
        messageCount: 3,
        waitingSince: at("09:10"),
        firstResponseAt: at("09:05"),
        lastMessageAt: at("09:10"),
        operatorIds: [operator.id]
      })

      const ended = yield* chat({
        closedAt: at("09:30"),
        messages: [message("m3", "client", "09:10"), message("m4", "operator", "09:20")]
      })
      assert.deepInclude(ended.body.chat, {
        status: "closed",
        closedAt: at("09:30"),
        version: 2,
        messageCount: 4,
        waitingSince: null
      })
      const late = yield* chat({ messages: [message("m5", "client", "09:40")] })
      assert.deepInclude(late.body.chat, { status: "closed", closedAt: at("09:30"), messageCount: 5 })
      assert.deepStrictEqual(
        yield* texts(`/OpChatRooms/${id}`),
        ["m1", "m2", "m3", "m4", "m5"].map((name, i) => [i + 1, name])
      )
      const day = "from=2025-03-01&to=2025-03-02"
      const rows = yield* admin.read(`/statistics/dialogues/rows?${day}&filter[appealId]=${id}`)
      assert.deepInclude(rows.data[0], { messages: 5, tfrSec: 300, ttcSec: 1_800 })
      const listed = yield* admin.read("/OpChatRooms/list?filter[source]=desk&filter[externalId]=c-1")
      assert.strictEqual(listed.total, 1)
    })
  )

  it.effect("imports of one chat in parallel store it and its messages once", () =>
    Effect.gen(function* () {
      const { chat, message, texts } = yield* world
      const answers = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        (n) => chat({ messages: [message("m1", "client", "09:00"), message(`n${n}`, "client", "09:01")] }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 200, 201])
      const [id, ...others] = new Set(answers.map(({ body }) => body.chat.id))
      assert.lengthOf(others, 0)
      const found = yield* texts(`/OpChatRooms/${id}`)
      assert.deepStrictEqual(
        found.map(([sequence]) => sequence),
        [1, 2, 3, 4, 5, 6, 7]
      )
      assert.strictEqual(new Set(found.map(([, name]) => name)).size, 7)
    })
  )

  it.effect("the external id needs a source, the permission to import, and the same client", () =>
    Effect.gen(function* () {
      const { admin, chat, operator, ticket } = yield* world
      expectFaults(yield* ticket({ externalId: "t-1" }), ["source"])
      expectStatus(yield* chat({}, operator), 403)
      expectStatus(yield* chat({}), 201)
      expectStatus(yield* chat({ source: "other desk" }), 201)
      expectStatus(yield* ticket({ source: "desk", externalId: "c-1" }), 201)
      const other = yield* admin.makeId("/clients", { name: "Иван" })
      expectFaults(yield* chat({ clientId: other }), ["clientId"])
    })
  )

  it.effect("an imported ticket keeps its number, and later tickets continue after it", () =>
    Effect.gen(function* () {
      const { message, ticket } = yield* world
      const request = { number: 4_711, source: "desk", externalId: "t-1" }
      const imported = yield* ticket({ ...request, messages: [message("m1", "client", "09:00")] })
      expectStatus(imported, 201)
      assert.strictEqual(imported.body.ticket.number, 4_711)
      expectFaults(yield* ticket({ number: 4_711 }), ["number"])
      assert.strictEqual((yield* ticket({ number: 12 })).body.ticket.number, 12)
      assert.strictEqual((yield* ticket({})).body.ticket.number, 4_712)
      const again = yield* ticket({ ...request, status: "resolved", closedAt: at("10:00") })
      expectStatus(again, 200)
      assert.deepInclude(again.body.ticket, { statusGroup: "done", closedAt: at("10:00"), number: 4_711 })
    })
  )

  it.effect("an ended history may have a blocked operator, an open one not", () =>
    Effect.gen(function* () {
      const { admin, chat, message, operator } = yield* world
      expectStatus(yield* admin.post(`/users/${operator.id}/block`, {}), 200)
      const messages = [message("m1", "client", "09:00"), message("m2", "operator", "09:01")]
      expectStatus(yield* chat({ operatorId: operator.id, messages }), 409)
      const ended = yield* chat({ operatorId: operator.id, messages, closedAt: at("10:00") })
      expectStatus(ended, 201)
      assert.strictEqual(ended.body.chat.operatorId, operator.id)
    })
  )

  it.effect("a client keeps the time of its creation, with the permission to import", () =>
    Effect.gen(function* () {
      const { admin, operator } = yield* world
      const send = (createdAt: string, who: RestCaller = admin) =>
        who.post("/clients", { name: "Иван", createdAt })
      const imported = yield* send(at("09:00"))
      expectStatus(imported, 201)
      assert.strictEqual(imported.body.createdAt, at("09:00"))
      expectStatus(yield* send(at("09:00"), operator), 403)
      expectFaults(yield* send(new Date(Date.now() + 60_000).toISOString()), ["createdAt"])
    })
  )
})
