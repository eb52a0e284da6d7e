// Files of messages on their way to clients: by links to receivers of webhooks, as bytes to Telegram (contract §8).
import { assert, layer } from "@effect/vitest"
import { FILE_LINK_SECONDS } from "@rapport/contract/Limits.ts"
import { FileLinks } from "@rapport/core/files/FileLinks.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUIDv7 } from "node:crypto"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import { enqueue, newBot, untilSettled, workerLayer } from "../testing/DeliveryFixtures.ts"
import { temporaryFileStorage, testFileLinks } from "../testing/FileFixtures.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import { BOT_TOKEN, botApi, receiver } from "../testing/ReceiverFixtures.ts"

const fixtures = Layer.mergeAll(temporaryFileStorage, testFileLinks).pipe(
  Layer.provideMerge(OutboxSignalPostgres.layer),
  Layer.provideMerge(PostgresFixtures.small)
)

type Target = Parameters<typeof newBot>[0]

/** Sends one message with these files and returns its deliveries. */
const sendFiles = Effect.fnUntraced(function* (
  target: Target,
  text: string,
  files: ReadonlyArray<readonly [name: string, mediaType: string, content: string | null]>,
  telegramApiUrl = "http://127.0.0.1:1"
) {
  const sql = yield* SqlClient.SqlClient
  const storage = yield* FileStorage
  const bot = yield* newBot(target)
  const attachments = []
  for (const [name, mediaType, content] of files) {
    const id = randomUUIDv7()
    const bytes = Buffer.from(content ?? "x")
    if (content !== null) yield* storage.put({ instanceId: 1, id }, Stream.make(bytes))
    attachments.push({ id, name, mediaType, bytes: bytes.length })
  }
  yield* enqueue(bot, ["77"], [text === "" ? "x" : text])
  yield* sql`update appeal_messages set attachments = ${JSON.stringify(attachments)}::text::json, text = ${text}
    where id = (select message_id from deliveries where bot_id = ${bot.id})`
  yield* sql`update deliveries set text = ${text} where bot_id = ${bot.id}`
  const settled = yield* Effect.provide(
    untilSettled(bot),
    workerLayer({ telegramApiUrl, storage: Layer.succeed(FileStorage, storage) })
  )
  return { attachments, outcomes: settled.map(({ attempts, reason, status }) => [status, reason, attempts]) }
})

layer(fixtures, { excludeTestServices: true, timeout: 60_000 })("files that leave", (it) => {
  it.effect("a webhook names each file with a link that works for 7 days, the same in every attempt", () =>
    Effect.gen(function* () {
      const links = yield* FileLinks
      const web = yield* receiver(
        (_, response, place) => void response.writeHead(place === 0 ? 500 : 200).end()
      )
      const files = [["рахунок.pdf", "application/pdf", "Рахунок"]] as const
      const { attachments, outcomes } = yield* sendFiles(
        { kind: "webhook", url: `${web.origin}/in` },
        "",
        files
      )
      assert.deepStrictEqual(outcomes, [["sent", null, 2]])
      const [first, second] = web.received.map(({ body }) => body)
      assert.strictEqual(first, second)
      const { data, timestamp } = JSON.parse(first ?? "")
      assert.deepStrictEqual([data.text, data.attachments[0].name], ["", "рахунок.pdf"])
      const [, link = ""] = /^http:\/\/rapport\.test\/kw\/files\/(.+)$/u.exec(data.attachments[0].url) ?? []
      const sentAt = Math.floor(Date.parse(timestamp) / 1_000) * 1_000
      const end = sentAt + FILE_LINK_SECONDS * 1_000
      assert.deepStrictEqual(links.open(link, end - 1), { instanceId: 1, id: attachments[0]?.id ?? "" })
      assert.isUndefined(links.open(link, end))
    })
  )

  it.effect("Telegram gets each file by the method of its type, the first with the text as caption", () =>
    Effect.gen(function* () {
      const api = yield* receiver((_, response, place) =>
        // The second file breaks once, after the first was accepted.
        place === 1 ? void response.writeHead(502).end() : void response.writeHead(200).end('{"ok":true}')
      )
      const { outcomes } = yield* sendFiles(
        { kind: "telegram", token: BOT_TOKEN },
        "Ваш рахунок",
        [
          ['рахунок "17".pdf', "application/pdf", "Рахунок"],
          ["фото.png", "image/png", "PNG"],
          ["голос.ogg", "audio/ogg", "OGG"],
          ["відео.mp4", "video/mp4", "MP4"]
        ],
        api.origin
      )
      assert.deepStrictEqual(outcomes, [["sent", null, 2]])
      assert.deepStrictEqual(
        api.received.map(({ url }) => url?.replace(`/bot${BOT_TOKEN}/`, "")),
        ["sendDocument", "sendPhoto", "sendPhoto", "sendVoice", "sendVideo"]
      )
      const forms = yield* Effect.promise(() =>
        Promise.all(
          api.received.map(({ body, headers }) =>
            new Response(body, { headers: { "content-type": headers["content-type"] ?? "" } }).formData()
          )
        )
      )
      const [document, photo] = forms
      assert.strictEqual(document?.get("chat_id"), "77")
      assert.strictEqual(document?.get("caption"), "Ваш рахунок")
      assert.isNull(photo?.get("caption") ?? null)
      const file = document?.get("document")
      if (!(file instanceof File)) return assert.fail("no file")
      assert.deepStrictEqual([file.name, file.type], ['рахунок "17".pdf', "application/pdf"])
      assert.strictEqual(yield* Effect.promise(() => file.text()), "Рахунок")
    })
  )

  it.effect("Telegram gets a long text before the files, and a file without bytes fails the message", () =>
    Effect.gen(function* () {
      const api = yield* receiver(botApi())
      const text = "слово ".repeat(300)
      const telegram = { kind: "telegram", token: BOT_TOKEN } as const
      const first = yield* sendFiles(telegram, text, [["а.txt", "text/plain", "А"]], api.origin)
      assert.deepStrictEqual(first.outcomes, [["sent", null, 1]])
      const methods = api.received.map(({ url }) => url?.split("/").at(-1))
      assert.deepStrictEqual(methods, ["sendMessage", "sendDocument"])
      const second = yield* sendFiles(telegram, "", [["б.txt", "text/plain", null]], api.origin)
      assert.deepStrictEqual(second.outcomes, [["failed", "file_missing", 1]])
    })
  )
})
