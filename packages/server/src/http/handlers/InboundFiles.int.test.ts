// Files that providers send: Telegram's by getFile from a Bot API that runs here, a webhook's by id (contract §8, "Inbound").
import { assert, layer } from "@effect/vitest"
import { FILE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUIDv7 } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as TelegramFiles from "../../delivery/TelegramFiles.ts"
import * as FileStorageFolder from "../../storage/FileStorageFolder.ts"
import { newBot } from "../../testing/DeliveryFixtures.ts"
import { makeTelegramBot, postInbound, receivedMessage } from "../../testing/InboundFixtures.ts"
import { PostgresFixtures, temporaryFolder } from "../../testing/PostgresFixtures.ts"
import { type Responder, receiver } from "../../testing/ReceiverFixtures.ts"
import {
  expectFaults,
  expectStatus,
  members,
  newInstance,
  pathsOf,
  restLayer,
  upload
} from "../../testing/RestFixtures.ts"

const TOKEN = "111:AAE-secret"

/** The content of every file is JSON, which Rest reads. */
const contentOf = (fileId: string) => JSON.stringify(`вміст ${fileId}`)

/** Answers as the Bot API does, for every file id. */
const anyFile: Responder = ({ url }, response) => {
  const [, fileId] = /getFile\?file_id=(.+)$/u.exec(url) ?? []
  const result = { file_id: fileId, file_path: `documents/${fileId}.bin` }
  if (fileId !== undefined) response.end(JSON.stringify({ ok: true, result }))
  else response.end(contentOf(/documents\/(.+)\.bin$/u.exec(url)?.[1] ?? ""))
}

const failureOf =
  (error_code: number, description: string): Responder =>
  (_, response) =>
    void response.writeHead(error_code).end(JSON.stringify({ ok: false, error_code, description }))

/** A Bot API whose answers a test replaces. */
class BotApi extends Context.Service<
  BotApi,
  { readonly urls: Effect.Effect<ReadonlyArray<string>>; readonly answer: (answer: Responder) => void }
>()("server/http/handlers/BotApi") {}

const botApiLayer = Layer.unwrap(
  Effect.gen(function* () {
    let current = anyFile
    const api = yield* receiver((...request) => current(...request))
    const botApi = {
      urls: Effect.sync(() => api.received.map(({ url }) => url)),
      answer: (answer: Responder) => (current = answer)
    }
    return Layer.merge(Layer.succeed(BotApi, botApi), TelegramFiles.layer({ apiUrl: api.origin }))
  })
)

/** The folder of stored files. */
class StorageFolder extends Context.Service<StorageFolder, string>()("server/http/handlers/StorageFolder") {}

const storageLayer = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) =>
    Layer.merge(FileStorageFolder.layer(folder), Layer.succeed(StorageFolder, path.join(folder, "files")))
  )
)

const fixtures = restLayer.pipe(Layer.provideMerge([storageLayer, botApiLayer, PostgresFixtures.migrated]))

const world = Effect.gen(function* () {
  const api = yield* BotApi
  api.answer(anyFile)
  const { admin, instance: instanceId, rest } = yield* newInstance
  const token = yield* rest.token(admin, ["chats.manage", "chats.read"])
  const { read } = admin
  const transcript = (id: number) =>
    Effect.map(
      read(`/OpChatRooms/${id}/messages`),
      ({ data }): ReadonlyArray<Record<string, unknown>> => data
    )
  return { admin, api, instanceId, read, rest, token, transcript }
})

/** Updates of a Telegram bot, with messages of an old date unless another is given. */
const telegram = Effect.gen(function* () {
  const made = yield* world
  const { send, update } = yield* makeTelegramBot(made.instanceId, TOKEN)
  let last = 0
  const messageOf = (content: object, date = 1_772_000_000) => ({
    message_id: ++last,
    chat: { id: 77, first_name: "Олена" },
    date,
    ...content
  })
  return { ...made, messageOf, send, update }
})

const now = () => Math.floor(Date.now() / 1_000)
const photo = (file_id: string, width: number) => ({ file_id, width })
const namedFile = (kind: string, file_name: string | null, mime_type: string) => ({
  [kind]: { file_id: "id", file_name, mime_type }
})

layer(fixtures, { excludeTestServices: true })("inbound files", (it) => {
  it.effect.each([
    [namedFile("document", "рахунок/17.pdf", "application/pdf"), "рахунок_17.pdf", "application/pdf"],
    [namedFile("document", null, "немає"), "document", "application/octet-stream"],
    // The widest of the sizes.
    [{ photo: [photo("s", 90), photo("id", 800), photo("m", 320)] }, "photo.jpg", "image/jpeg"],
    [{ voice: { file_id: "id", mime_type: "audio/ogg" } }, "voice.ogg", "audio/ogg"],
    [namedFile("video", "видео.mov", "video/quicktime"), "видео.mov", "video/quicktime"],
    [{ audio: { file_id: "id" } }, "audio.mp3", "audio/mpeg"],
    [{ video_note: { file_id: "id" } }, "video_note.mp4", "video/mp4"],
    [
      { animation: { file_id: "id" }, ...namedFile("document", "кіт.mp4", "video/mp4") },
      "кіт.mp4",
      "video/mp4"
    ],
    [{ sticker: { file_id: "id", emoji: "👍" } }, "sticker 👍.webp", "image/webp"],
    [{ sticker: { file_id: "id", is_animated: true } }, "sticker.tgs", "application/x-tgsticker"],
    [{ sticker: { file_id: "id", is_video: true, emoji: null } }, "sticker.webm", "video/webm"]
  ] as const)("stores the file of a Telegram message: %o", ([media, name, mediaType]) =>
    Effect.gen(function* () {
      const { admin, messageOf, transcript, update } = yield* telegram
      const { appealId } = yield* update({ message: messageOf({ ...media, caption: "Ось, дивіться" }) })
      const [message] = yield* transcript(appealId)
      const content = contentOf("id")
      const bytes = Buffer.byteLength(content)
      assert.deepInclude(message, { text: "Ось, дивіться", authorType: "client" })
      const [attachment, ...others] = Array.isArray(message?.["attachments"]) ? message["attachments"] : []
      assert.deepStrictEqual({ ...attachment, id: "" }, { id: "", name, mediaType, bytes })
      assert.isEmpty(others)
      assert.strictEqual((yield* admin.get(`/files/${attachment.id}`)).text, content)
    })
  )

  it.effect("a repeated Telegram update stores one message and one file, an edit changes its caption", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { api, instanceId, messageOf, read, transcript, update } = yield* telegram
      const message = messageOf({ voice: { file_id: "once" } })
      const before = (yield* api.urls).length
      const first = yield* update({ message })
      assert.deepStrictEqual(yield* update({ message }), { ...first, replayed: true })
      assert.deepStrictEqual((yield* api.urls).slice(before), [
        `/bot${TOKEN}/getFile?file_id=once`,
        `/file/bot${TOKEN}/documents/once.bin`
      ])
      const [{ count } = {}] =
        yield* sql`select count(*)::float8 as count from files where instance_id = ${instanceId}`
      assert.strictEqual(count, 1)
      const edited = { edited_message: { ...message, caption: "Послушайте" } }
      assert.deepStrictEqual(yield* update(edited), first)
      assert.deepStrictEqual(yield* update(edited), { ...first, replayed: true })
      const [changed] = yield* transcript(first.appealId)
      assert.deepInclude(changed, { text: "Послушайте", version: 2 })
      assert.deepStrictEqual(yield* update({ edited_message: message }), first)
      const [emptied] = yield* transcript(first.appealId)
      assert.strictEqual(emptied?.["text"], "")
      assert.lengthOf(Object(emptied?.["attachments"]), 1)
      const log = yield* read("/audit-log?filter[action]=file.create")
      assert.deepInclude(log.data[0], { actorType: "system", actorId: null })
    })
  )

  it.effect("of two equal Telegram updates in parallel one stores a message, and one file is kept", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { api, instanceId, messageOf, transcript, update } = yield* telegram
      const waiting: Array<() => void> = []
      // Answers no download before both updates have requested theirs.
      api.answer((request, response, place) => {
        if (request.url.includes("/getFile")) return anyFile(request, response, place)
        waiting.push(() => void anyFile(request, response, place))
        if (waiting.length === 2) for (const answer of waiting) answer()
      })
      const message = messageOf({ document: { file_id: "both", file_name: "рахунок.pdf" } })
      const answers = yield* Effect.all([update({ message }), update({ message })], { concurrency: 2 })
      assert.deepStrictEqual(answers.map(({ replayed }) => replayed).toSorted(), [false, true])
      const [{ appealId, messageId }, other] = answers
      assert.deepInclude(other, { appealId, messageId })
      const messages = yield* transcript(appealId)
      assert.lengthOf(messages, 1)
      assert.lengthOf(Object(messages[0]?.["attachments"]), 1)
      const kept = yield* sql`select message_id::float8 as "messageId" from files
        where instance_id = ${instanceId} and expires_at is null`
      assert.deepStrictEqual(kept, [{ messageId }])
    })
  )

  it.effect("a Telegram message whose file is too large comes in with its caption and a mark", () =>
    Effect.gen(function* () {
      const { api, messageOf, transcript, update } = yield* telegram
      const large = { file_id: "x", file_name: "video.mp4" }
      const announced = { video: { ...large, file_size: FILE_BYTES_MAX + 1 }, caption: "Відео" }
      const { appealId } = yield* update({ message: messageOf(announced) })
      api.answer(failureOf(400, "Bad Request: file is too big"))
      yield* update({ message: messageOf({ video: large }, now()) })
      api.answer((request, response, place) =>
        request.url.includes("/getFile")
          ? anyFile(request, response, place)
          : void response.end(Buffer.alloc(FILE_BYTES_MAX + 1))
      )
      const message = messageOf({ video: large })
      const last = yield* update({ message })
      const mark = "[file too large: video.mp4]"
      const texts = Effect.map(transcript(appealId), (all) => all.map(members("text", "attachments")))
      assert.deepStrictEqual(yield* texts, [
        [`Відео\n${mark}`, []],
        [mark, []],
        [mark, []]
      ])
      // A message without files keeps a text.
      assert.deepStrictEqual(yield* update({ edited_message: message }), { ...last, replayed: true })
      assert.strictEqual((yield* texts)[2]?.[0], mark)
    })
  )

  it.effect(
    "an unavailable file of Telegram is 503 for ten minutes, then the message comes in with a mark",
    () =>
      Effect.gen(function* () {
        const { api, messageOf, send, transcript, update } = yield* telegram
        const message = messageOf({ photo: [{ file_id: "p", width: 90 }] }, now())
        for (const answer of [failureOf(502, "Bad Gateway"), failureOf(429, "Too Many Requests")]) {
          api.answer(answer)
          const refused = yield* send({ message })
          expectStatus(refused, 503, "SEARCH_UNAVAILABLE")
          assert.strictEqual(refused.body.reason, "file_storage_unavailable")
        }
        api.answer((request, response, place) =>
          request.url.includes("/getFile")
            ? anyFile(request, response, place)
            : void response
                .writeHead(200, { "content-length": 100 })
                .write("початок", () => response.destroy())
        )
        expectStatus(yield* send({ message }), 503)
        const late = yield* update({
          message: messageOf({ photo: [{ file_id: "p" }], caption: "Фото" }, now() - 700)
        })
        api.answer(failureOf(404, "Not Found"))
        yield* update({ message: messageOf({ sticker: { file_id: "s" } }, now()) })
        api.answer(anyFile)
        assert.deepInclude(yield* update({ message }), { replayed: false, appealId: late.appealId })
        const shown = yield* transcript(late.appealId)
        assert.deepStrictEqual(
          shown.map(({ attachments, text }) => [text, Object(attachments).length]),
          [
            ["Фото\n[file not available: photo.jpg]", 0],
            ["[file not available: sticker.webp]", 0],
            ["", 1]
          ]
        )
      })
  )

  it.effect("while the storage of files is unavailable an update is 503, and its repeat loses nothing", () =>
    Effect.gen(function* () {
      const folder = yield* StorageFolder
      const { admin, messageOf, send, transcript, update } = yield* telegram
      const message = messageOf({ document: { file_id: "kept" }, caption: "Договір" }, now())
      // A file in the place of the folder.
      fs.rmSync(folder, { recursive: true, force: true })
      fs.writeFileSync(folder, "")
      const refused = yield* send({ message })
      expectStatus(refused, 503, "SEARCH_UNAVAILABLE")
      assert.strictEqual(refused.body.reason, "file_storage_unavailable")
      fs.rmSync(folder)
      const { appealId, replayed } = yield* update({ message })
      assert.isFalse(replayed)
      const [stored, ...others] = yield* transcript(appealId)
      assert.isEmpty(others)
      assert.strictEqual(stored?.["text"], "Договір")
      const [{ id }] = Object(stored?.["attachments"])
      assert.strictEqual((yield* admin.get(`/files/${id}`)).text, contentOf("kept"))
    })
  )

  it.effect("an inbound message of a webhook takes files that an external token uploaded", () =>
    Effect.gen(function* () {
      const { admin, instanceId, rest, token, transcript } = yield* world
      const bot = yield* newBot({ kind: "webhook", url: "https://chat.example.com/in" }, instanceId)
      const ids = [(yield* upload(token, "перше.png")).id, (yield* upload(token, "второе.png")).id]
      const message = receivedMessage({ text: undefined, attachments: ids })
      const first = yield* postInbound(bot, message)
      expectStatus(first, 200)
      const again = yield* postInbound(bot, message)
      assert.deepStrictEqual(again.body, { ...first.body, replayed: true })
      const [stored] = yield* transcript(first.body.appealId)
      assert.strictEqual(stored?.["text"], "")
      assert.deepStrictEqual(Object(stored?.["attachments"]).map(members("id", "name")), [
        [ids[0], "перше.png"],
        [ids[1], "второе.png"]
      ])
      expectStatus(yield* admin.get(`/files/${ids[0]}`), 200)

      const other = yield* rest.user(yield* rest.instance, ["administrator"])
      const { id: foreign } = yield* upload(yield* rest.token(other, ["chats.manage"]))
      const own = (yield* upload(token, "own.png")).id
      const sql = yield* SqlClient.SqlClient
      const clients = sql`select count(*)::int4 as count from clients where instance_id = ${instanceId}`
      const before = yield* clients
      for (const attachments of [
        [ids[0]],
        [own, randomUUIDv7()],
        [foreign],
        [(yield* upload(admin, "a.png")).id]
      ]) {
        const message = receivedMessage({ attachments, externalMessageId: "m-2" })
        expectFaults(yield* postInbound(bot, message), ["data.attachments"])
      }
      assert.deepStrictEqual(yield* clients, before)
      for (const [content, path] of [
        [{ text: undefined }, "data.text"],
        [{ text: undefined, attachments: [] }, "data.text"],
        [{ attachments: Array.from({ length: 11 }, () => randomUUIDv7()) }, "data.attachments"],
        [{ attachments: ["x"] }, "data.attachments[0]"]
      ] as const) {
        const refused = yield* postInbound(bot, receivedMessage(content))
        expectStatus(refused, 400, "INVALID_REQUEST")
        assert.include(pathsOf(refused), path)
      }
    })
  )
})
