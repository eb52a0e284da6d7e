// From the 202 of an erasure on the client is unknown to every route and worker, and nothing of another client is lost
// (contract §9, "Clients").
import { assert, layer } from "@effect/vitest"
import { DeliveryLines } from "@rapport/core/delivery/DeliveryLines.ts"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { layerOf } from "../../postgres/clients/ClientDataStorePostgres.ts"
import * as DeliveryLinesPostgres from "../../postgres/delivery/DeliveryLinesPostgres.ts"
import { claimLines } from "../../testing/DeliveryFixtures.ts"
import { makeTalkingBot } from "../../testing/InboundFixtures.ts"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { finishErasure, expectStatus, newInstance, RestFixtures, member } from "../../testing/RestFixtures.ts"

const fixtures = Layer.mergeAll(layerOf(0), DeliveryLinesPostgres.layer).pipe(
  Layer.provideMerge(RestFixtures)
)

const world = Effect.gen(function* () {
  const { admin, instance } = yield* newInstance
  const { bot, ...talk } = yield* makeTalkingBot(admin)
  const chatId = randomUUID()
  /** The chat of a new message of the client. */
  const receive = (text: string) =>
    Effect.flatMap(talk.receive(chatId, text), ({ body }) => admin.read(`/OpChatRooms/${body.appealId}`))
  const erased = (clientId: number) => finishErasure(instance, clientId)
  return { admin, bot, call: talk.call(chatId), chatId, erased, receive }
})

layer(fixtures, { excludeTestServices: true, timeout: 60_000 })("a client who is being erased", (it) => {
  it.effect("a new message from an erased client's identity reaches a new client", () =>
    Effect.gen(function* () {
      const { admin, erased, receive } = yield* world
      const before = yield* receive("Забудьте мене")
      expectStatus(yield* admin.post(`/clients/${before.clientId}/erase`), 202)
      const after = yield* receive("Добрий день ещё раз")
      assert.notStrictEqual(after.id, before.id)
      assert.notStrictEqual(after.clientId, before.clientId)
      yield* erased(before.clientId)
      const { data } = yield* admin.read(`/OpChatRooms/${after.id}/messages`)
      assert.deepStrictEqual(data.map(member("text")), ["Добрий день ещё раз"])
      assert.strictEqual((yield* receive("Where is my order?")).id, after.id)
    })
  )

  it.effect("a client being erased gets no message, and their identity is free for another client", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const lines = yield* DeliveryLines
      const { admin, bot, call, chatId, receive } = yield* world
      const { clientId, id } = yield* receive("Забудьте мене")
      const called = yield* call
      expectStatus(called, 200)
      expectStatus(yield* admin.post(`/OpChatRooms/${id}/messages`, { text: "Вже їде" }), 201)
      expectStatus(yield* admin.post(`/clients/${clientId}/erase`), 202)
      const { deliveries } = yield* claimLines(lines, bot.instanceId)
      assert.deepStrictEqual(deliveries, [])
      const queued = yield* sql`select 1 from deliveries where bot_id = ${bot.id} and status = 'queued'`
      assert.lengthOf(queued, 0)
      expectStatus(yield* admin.get(`/kw/api/call_node/calls/${called.body.callId}`), 404)
      expectStatus(yield* call, 404)
      const identities = [{ channel: "web", chatId }]
      expectStatus(yield* admin.post("/clients", { name: "Інша", identities }), 201)
      expectStatus(yield* call, 200)
    })
  )

  it.effect("appeals of a client being erased accept no message and no change, and lose theirs", () =>
    Effect.gen(function* () {
      const { admin, erased, receive } = yield* world
      const chat = yield* receive("Забудьте мене")
      const messages = `/OpChatRooms/${chat.id}/messages`
      const cited = `${messages}?around=${(yield* admin.read(messages)).data[0].id}`
      expectStatus(yield* admin.get(cited), 200)
      const ticket = yield* admin.makeId("/Ticket", { clientId: chat.clientId, title: "Рахунок" })
      const expectRefusals = Effect.fnUntraced(function* () {
        for (const place of [`/OpChatRooms/${chat.id}`, `/Ticket/${ticket}`]) {
          const message = yield* admin.post(`${place}/messages`, { text: "Ви ще тут?" })
          expectStatus(message, 409, "STATE_NOT_ALLOWED")
          expectStatus(yield* admin.change(place, { tags: ["vip"] }), 409, "STATE_NOT_ALLOWED")
        }
      })
      expectStatus(yield* admin.post(`/clients/${chat.clientId}/erase`), 202)
      yield* expectRefusals()
      yield* erased(chat.clientId)
      yield* expectRefusals()
      expectStatus(yield* admin.get(cited), 404)
    })
  )

  it.effect.each<
    readonly [
      what: string,
      request: (chat: { id: number; clientId: number }) => readonly [string, string, object]
    ]
  >([
    ["a chat", ({ clientId }) => ["POST", "/OpChatRooms", { clientId, channel: "web" }]],
    ["a ticket", ({ clientId }) => ["POST", "/Ticket", { clientId, title: "т" }]],
    ["a message", ({ id }) => ["POST", `/OpChatRooms/${id}/messages`, { text: "Алло" }]],
    ["a change of a chat", ({ id }) => ["PATCH", `/OpChatRooms/${id}`, { expectedVersion: 1, tags: ["a"] }]]
  ])("%s that waited for the erasure of its client is refused", ([, request]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin, receive } = yield* world
      const chat = yield* receive("Забудьте мене")
      const end = yield* openTransaction(
        Effect.andThen(
          sql`select 1 from clients where id = ${chat.clientId} for update`,
          sql`update clients set erased_at = now() where id = ${chat.clientId}`
        )
      )
      const writing = yield* Effect.forkChild(admin.call(...request(chat)))
      yield* untilWaiting
      yield* end
      assert.include([400, 409], (yield* Fiber.join(writing)).status)
    })
  )
})
