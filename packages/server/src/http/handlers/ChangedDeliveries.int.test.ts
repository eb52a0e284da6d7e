// Edits and deletions of messages reach the channel that has the message (contract §7, "Editing and deleting"; §8, "Delivery").
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as OutboxSignalPostgres from "../../postgres/outbox/OutboxSignalPostgres.ts"
import { deliveriesOf, newBot, untilSettled, workerLayer } from "../../testing/DeliveryFixtures.ts"
import { BOT_TOKEN, botApi, receiver } from "../../testing/ReceiverFixtures.ts"
import { expectStatus, newInstance, RestFixtures, member } from "../../testing/RestFixtures.ts"

type Target = Parameters<typeof newBot>[0]

/** An operator's chat through a bot. */
const chatOf = Effect.fnUntraced(function* (target: Target) {
  const { admin, instance: instanceId, rest } = yield* newInstance
  const bot = yield* newBot(target, instanceId)
  const clientId = yield* admin.makeId("/clients", { name: "Олена" })
  const place = { clientId, channel: "web", chatId: "77", botId: bot.id }
  const chat = `/OpChatRooms/${yield* admin.makeId("/OpChatRooms", place)}/messages`
  const write = Effect.fnUntraced(function* (text: string, visibility = "public") {
    const { message } = (yield* admin.post(chat, { text, visibility })).body
    const path = `${chat}/${message.id}`
    let version = 1
    return {
      id: Number(message.id),
      path,
      edit: (changed: string) => admin.patch(path, { text: changed, expectedVersion: version++ }),
      remove: admin.remove(path)
    }
  })
  const outcomes = Effect.map(deliveriesOf(bot), (all) =>
    all.map(({ description, reason, status }) => [status, reason, description])
  )
  return { admin, bot, chat, outcomes, rest, write }
})

/** Waits until a worker has sent everything. */
const deliverBy = (
  bot: Parameters<typeof untilSettled>[0],
  settings: Parameters<typeof workerLayer>[0] = {}
) => Effect.provide(untilSettled(bot), workerLayer(settings))

const fixtures = OutboxSignalPostgres.layer.pipe(Layer.provideMerge(RestFixtures))

/** A refusal of the Bot API. */
const refuse = (description: string) => ({ error_code: 400, description: `Bad Request: ${description}` })

layer(fixtures, { excludeTestServices: true, timeout: "60 seconds" })(
  "messages that change in their channel",
  (it) => {
    it.effect("a receiver gets an event for each change of a message that it has, in order", () =>
      Effect.gen(function* () {
        const made = yield* receiver()
        const { bot, admin, chat, write } = yield* chatOf({ kind: "webhook", url: made.origin })
        const message = yield* write("Рахунок 4411")
        const note = yield* write("лише для колег", "internal")
        yield* deliverBy(bot)
        expectStatus(yield* message.edit("Рахунок 4412"), 200)
        expectStatus(yield* note.edit("нотатка"), 200)
        expectStatus(yield* note.remove, 204)
        yield* deliverBy(bot)
        yield* write("Дякую")
        expectStatus(yield* message.remove, 204)
        yield* deliverBy(bot)
        const events = made.received.map(({ body }) => JSON.parse(body))
        assert.deepStrictEqual(
          events.map(({ data, type }) => [type, data.text]),
          [
            ["message.send", "Рахунок 4411"],
            ["message.edited", "Рахунок 4412"],
            ["message.send", "Дякую"],
            ["message.deleted", undefined]
          ]
        )
        const [sent, edited, , deleted] = events
        assert.deepStrictEqual(edited.data, { ...sent.data, text: "Рахунок 4412" })
        const { attachments: _, text: __, ...place } = sent.data
        assert.deepStrictEqual(deleted.data, place)
        assert.strictEqual(new Set(made.received.map(({ headers }) => headers["webhook-id"])).size, 4)
        // A change does not touch the status of the message.
        const transcript = yield* admin.read(chat)
        assert.deepStrictEqual(transcript.data.map(member("delivery")), ["sent", "none", "sent"])
      })
    )

    it.effect("a message that waits is sent once in its new form, and not at all after its deletion", () =>
      Effect.gen(function* () {
        const made = yield* receiver()
        const { admin, bot, chat, outcomes, write } = yield* chatOf({ kind: "webhook", url: made.origin })
        const edited = yield* write("Рахунок 4411")
        const deleted = yield* write("помилка")
        expectStatus(yield* edited.edit("Рахунок 4412"), 200)
        expectStatus(yield* deleted.remove, 204)
        yield* deliverBy(bot)
        assert.deepStrictEqual(
          made.received.map(({ body }) => JSON.parse(body).data.text),
          ["Рахунок 4412"]
        )
        assert.deepStrictEqual(yield* outcomes, [
          ["sent", null, null],
          ["failed", "deleted", null]
        ])
        const transcript = yield* admin.read(chat)
        assert.deepStrictEqual(transcript.data.map(member("delivery")), ["sent", "failed"])
      })
    )

    it.effect("a message that is being sent or retried cannot be changed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const made = yield* receiver()
        const { admin, bot, write } = yield* chatOf({ kind: "webhook", url: made.origin })
        const message = yield* write("Рахунок 4411")
        const edited = admin.patch(message.path, { text: "Рахунок 4412", expectedVersion: 1 })
        const refused = Effect.gen(function* () {
          for (const change of [edited, message.remove]) expectStatus(yield* change, 409, "STATE_NOT_ALLOWED")
        })
        yield* sql`update delivery_lines set lease = gen_random_uuid(), leased_until = now() - interval '1 minute'
        where bot_id = ${bot.id}`
        yield* refused
        yield* sql`update delivery_lines set lease = null where bot_id = ${bot.id}`
        // Throttled attempts do not count.
        for (const attempts of [0, 1]) {
          yield* sql`update deliveries set attempts = ${attempts}, reason = 'http_429' where bot_id = ${bot.id}`
          yield* refused
        }
      })
    )

    it.effect("of several changes that wait only the last is sent, after the messages before it", () =>
      Effect.gen(function* () {
        const made = yield* receiver()
        const { bot, write } = yield* chatOf({ kind: "webhook", url: made.origin })
        const message = yield* write("один")
        yield* deliverBy(bot)
        expectStatus(yield* message.edit("два"), 200)
        expectStatus(yield* message.edit("три"), 200)
        yield* write("далі")
        expectStatus(yield* message.edit("чотири"), 200)
        yield* deliverBy(bot)
        assert.deepStrictEqual(
          made.received.map(({ body }) => JSON.parse(body).data.text),
          ["один", "далі", "чотири"]
        )
      })
    )

    it.effect("Telegram edits and deletes each part that it has, and a refusal is not retried", () =>
      Effect.gen(function* () {
        const api = yield* receiver(
          botApi({
            4: refuse("message is not modified"),
            5: refuse("message to delete not found"),
            9: refuse("message can't be edited")
          })
        )
        const { bot, outcomes, write } = yield* chatOf({ kind: "telegram", token: BOT_TOKEN })
        const sent = deliverBy(bot, { telegramApiUrl: api.origin })
        const lines = `${"перший ".repeat(580)}\n${"другий ".repeat(300)}`
        const long = yield* write(lines)
        yield* sent
        expectStatus(yield* long.edit("коротко"), 200)
        yield* sent
        expectStatus(yield* long.edit("коротко."), 200)
        yield* sent
        expectStatus(yield* long.remove, 204)
        yield* sent
        const old = yield* write("давнє")
        yield* sent
        expectStatus(yield* old.edit("нове"), 200)
        yield* sent
        assert.deepStrictEqual(
          api.received.slice(2).map(({ body, url }) => {
            const { chat_id: chatId, message_id: id, text } = JSON.parse(body)
            return [url.split("/").at(-1), chatId, id, text]
          }),
          [
            ["editMessageText", "77", 100, "коротко"],
            ["deleteMessage", "77", 101, undefined],
            ["editMessageText", "77", 100, "коротко."],
            ["deleteMessage", "77", 101, undefined],
            ["deleteMessage", "77", 100, undefined],
            ["deleteMessage", "77", 101, undefined],
            ["sendMessage", "77", undefined, "давнє"],
            ["editMessageText", "77", 108, "нове"]
          ]
        )
        assert.deepStrictEqual((yield* outcomes).at(-1), [
          "failed",
          "telegram_400",
          "Bad Request: message can't be edited"
        ])
      })
    )
  }
)
