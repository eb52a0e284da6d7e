// Messages of operators that leave the house: through the chat's bot, in the transaction that writes them (contract §7, §8).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { deliveriesOf, newBot } from "../../testing/DeliveryFixtures.ts"
import { newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

/** A chat of a bot, one without a bot, and a ticket; all of one client. */
const world = Effect.gen(function* () {
  const { admin, instance: instanceId, rest } = yield* newInstance
  const sql = yield* SqlClient.SqlClient
  const bot = yield* newBot({ kind: "webhook", url: "https://chat.example.com/in" }, instanceId)
  const clientId = (yield* admin.make("/clients", { name: "Олена" })).id
  const chat = yield* admin.make("/OpChatRooms", { clientId, channel: "web", chatId: "77" })
  const plain = yield* admin.make("/OpChatRooms", { clientId, channel: "web", chatId: "77" })
  const ticket = yield* admin.make("/Ticket", { clientId, title: "Питання" })
  yield* sql`update appeals set bot_id = ${bot.id} where id = ${chat.id}`
  const write = (id: number, body: object, headers?: Record<string, string>) =>
    admin.post(`/OpChatRooms/${id}/messages`, body, headers)
  return { rest, admin, bot, chat, clientId, plain, ticket, write }
})

layer(RestFixtures, { excludeTestServices: true })((it) => {
  it.effect("a message of an operator is queued in a chat of a bot, and in no other appeal", () =>
    Effect.gen(function* () {
      const { admin, bot, chat, plain, ticket, write } = yield* world
      const written = yield* write(chat.id, { text: "Ваше замовлення вже їде" })
      assert.deepInclude(written.body.message, { delivery: "queued", authorType: "operator" })
      assert.strictEqual((yield* write(plain.id, { text: "Добрий день" })).body.message.delivery, "none")
      const ofTicket = yield* admin.make(`/Ticket/${ticket.id}/messages`, { text: "Добрий день" })
      assert.strictEqual(ofTicket.delivery, "none")
      const all = yield* deliveriesOf(bot)
      assert.lengthOf(all, 1)
      assert.deepInclude(all[0], { chatId: "77", status: "queued", delivery: "queued", attempts: 0 })
      assert.match(all[0]?.id ?? "", /^[0-9a-f-]{14}7/u, "a UUIDv7")
      const read = yield* admin.get(`/OpChatRooms/${chat.id}/messages`)
      assert.deepStrictEqual(read.body.data, [written.body.message])
    })
  )

  it.effect("a message of an operator is sent once under one key or one external id", () =>
    Effect.gen(function* () {
      const { bot, chat, write } = yield* world
      for (let i = 0; i < 3; i++) {
        for (const answer of [
          yield* write(chat.id, { text: "one" }, { "idempotency-key": "k" }),
          yield* write(chat.id, { text: "two", externalMessageId: "m-1" })
        ])
          assert.strictEqual(answer.body.message.delivery, "queued")
      }
      assert.lengthOf(yield* deliveriesOf(bot), 2)
    })
  )

  it.effect("an imported message of an operator is never sent", () =>
    Effect.gen(function* () {
      const { admin, bot, chat, clientId, write } = yield* world
      for (const imported of [
        { text: "a", occurredAt: "2026-01-01T00:00:00Z" },
        { text: "b", authorType: "client", authorId: clientId },
        { text: "c", authorType: "system" },
        { text: "d", authorType: "bot" }
      ]) {
        const written = yield* write(chat.id, imported)
        assert.strictEqual(written.body.message.delivery, "none", written.text)
      }
      const own = yield* write(chat.id, { text: "e", authorId: admin.id })
      assert.strictEqual(own.body.message.delivery, "queued")
      assert.lengthOf(yield* deliveriesOf(bot), 1)
    })
  )

  it.effect("a refused message of an operator is not enqueued", () =>
    Effect.gen(function* () {
      const { admin, bot, chat, write } = yield* world
      yield* admin.patch(`/OpChatRooms/${chat.id}`, { status: "closed", expectedVersion: 1 })
      assert.strictEqual((yield* write(chat.id, { text: "late" })).body.code, "STATE_NOT_ALLOWED")
      assert.isEmpty(yield* deliveriesOf(bot))
    })
  )
})
