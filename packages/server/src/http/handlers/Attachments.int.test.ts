// Files of messages: attaching, visibility, export and erasure (contract §7, "Files").
import { assert, layer } from "@effect/vitest"
import { ClientDataStore } from "@rapport/core/clients/ClientDataStore.ts"
import { FileLinks } from "@rapport/core/files/FileLinks.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerOf } from "../../postgres/clients/ClientDataStorePostgres.ts"
import { deliveriesOf, newBot } from "../../testing/DeliveryFixtures.ts"
import { testFileLinks } from "../../testing/FileFixtures.ts"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import {
  expectStatus,
  fileCalls,
  pathsOf,
  Rest,
  RestFixtures,
  type RestCaller
} from "../../testing/RestFixtures.ts"

const fixtures = layerOf(0).pipe(Layer.provideMerge([RestFixtures, testFileLinks]))
const UNKNOWN = "01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"

const world = Effect.gen(function* () {
  const rest = yield* Rest
  const instanceId = yield* rest.instance
  const admin = yield* rest.user(instanceId, ["administrator"])
  const operator = yield* rest.user(instanceId, ["operator"])
  const stranger = yield* rest.user(instanceId, ["operator"])
  const { body: client } = yield* rest.call(admin, "POST", "/clients", { name: "Олена" })
  const make = (path: string, body: object) =>
    Effect.map(rest.call(admin, "POST", path, { clientId: client.id, ...body }), ({ body: made }) =>
      made.chat === undefined ? made.ticket : made.chat
    )
  const chat = yield* make("/OpChatRooms", { channel: "web", operatorId: operator.id })
  const ticket = yield* make("/Ticket", { title: "Питання", operatorId: operator.id })
  const { download, upload } = fileCalls(rest)
  const write = (who: RestCaller, path: string, body: object, headers?: Readonly<Record<string, string>>) =>
    rest.call(who, "POST", path, body, headers)
  const inChat = `/OpChatRooms/${chat.id}/messages`
  const inTicket = `/Ticket/${ticket.id}/messages`
  return {
    admin,
    chat,
    client,
    download,
    inChat,
    inTicket,
    instanceId,
    operator,
    rest,
    stranger,
    ticket,
    upload,
    write
  }
})

layer(fixtures, { excludeTestServices: true, timeout: 60_000 })("files of messages", (it) => {
  it.effect("a message shows its files in order, and a caller who sees the message can read them", () =>
    Effect.gen(function* () {
      const { admin, chat, download, inChat, inTicket, operator, rest, stranger, upload, write } =
        yield* world
      const files = [yield* upload(operator, "б.txt"), yield* upload(operator, "а.txt")]
      const attachments = files.map(({ id }) => id)
      const written = yield* write(operator, inChat, { attachments: [...attachments, attachments[0]] })
      expectStatus(written, 201)
      assert.deepInclude(written.body.message, { text: "", attachments: files })
      const read = yield* rest.call(admin, "GET", inChat)
      assert.deepStrictEqual(read.body.data, [written.body.message])
      const list = yield* rest.call(
        admin,
        "GET",
        `/OpChatRooms/list?filter[id]=${chat.id}&include=lastMessage`
      )
      assert.deepStrictEqual(list.body.data[0].lastMessage.attachments, files)
      for (const who of [operator, admin]) expectStatus(yield* download(who, attachments[0]), 200)
      expectStatus(yield* download(stranger, attachments[0]), 404)
      const note = yield* upload(operator)
      const inNote = { attachments: [note.id], text: "Див. файл", visibility: "internal" }
      expectStatus(yield* write(operator, inTicket, inNote), 201)
      expectStatus(yield* download(admin, note.id), 200)
      expectStatus(yield* download(stranger, note.id), 404)
      const reader = yield* rest.token(admin, ["chats.read"])
      expectStatus(yield* download(reader, attachments[0]), 200)
      expectStatus(yield* download(reader, note.id), 404)
      assert.deepStrictEqual((yield* write(operator, inChat, { text: "x" })).body.message.attachments, [])
    })
  )

  it.effect("an edit keeps the files of a message, and a deletion removes them", () =>
    Effect.gen(function* () {
      const { download, inChat, operator, rest, upload, write } = yield* world
      const file = yield* upload(operator)
      const { message } = (yield* write(operator, inChat, { text: "Рахунок", attachments: [file.id] })).body
      const path = `${inChat}/${message.id}`
      const edited = yield* rest.call(operator, "PATCH", path, { text: "Ось рахунок", expectedVersion: 1 })
      assert.deepStrictEqual(edited.body.attachments, [file])
      expectStatus(yield* download(operator, file.id), 200)
      expectStatus(yield* rest.call(operator, "DELETE", path), 204)
      expectStatus(yield* download(operator, file.id), 404)
      const [shown] = (yield* rest.call(operator, "GET", inChat)).body.data
      assert.deepInclude(shown, { text: "", attachments: [] })
      expectStatus(yield* write(operator, inChat, { attachments: [file.id] }), 400, "INVALID_REQUEST")
    })
  )

  it.effect(
    "refuses files that are unknown, foreign, expired or in another message, and stores nothing",
    () =>
      Effect.gen(function* () {
        const { admin, inChat, inTicket, operator, rest, upload, write } = yield* world
        const sql = yield* SqlClient.SqlClient
        const mine = yield* upload(operator)
        const used = yield* upload(operator)
        expectStatus(yield* write(operator, inTicket, { attachments: [used.id] }), 201)
        const expired = yield* upload(operator)
        yield* sql`update files set expires_at = now() where id = ${expired.id}::uuid`
        const unfinished = yield* upload(operator)
        yield* sql`update files set sha256 = null where id = ${unfinished.id}::uuid`
        const others = yield* upload(admin)
        const other = yield* world
        const foreign = yield* other.upload(other.operator)
        for (const id of [UNKNOWN, used.id, expired.id, unfinished.id, others.id, foreign.id]) {
          const answer = yield* write(operator, inChat, { text: "x", attachments: [mine.id, id] })
          expectStatus(answer, 400, "INVALID_REQUEST")
          assert.deepStrictEqual(pathsOf(answer), ["attachments"])
        }
        const eleven = Array.from({ length: 11 }, (_, i) => UNKNOWN.replace(/..$/u, String(10 + i)))
        expectStatus(yield* write(operator, inChat, { attachments: eleven }), 400)
        for (const empty of [{}, { attachments: [] }]) {
          const answer = yield* write(operator, inChat, empty)
          expectStatus(answer, 400)
          assert.deepStrictEqual(pathsOf(answer), ["text"])
        }
        assert.deepStrictEqual((yield* rest.call(operator, "GET", inChat)).body.data, [])
        // The file of the refused messages can still be used.
        expectStatus(yield* write(operator, inChat, { attachments: [mine.id] }), 201)
      })
  )

  it.effect("a repeat returns the first message with its files, and concurrent messages share no file", () =>
    Effect.gen(function* () {
      const { chat, inChat, inTicket, operator, upload, write } = yield* world
      const file = yield* upload(operator)
      const body = { attachments: [file.id] }
      const keyed = yield* write(operator, inChat, body, { "idempotency-key": "k" })
      const repeated = yield* write(operator, inChat, body, { "idempotency-key": "k" })
      expectStatus(repeated, 200)
      assert.deepStrictEqual(repeated.body.message, keyed.body.message)
      // The write has read the file as unused, and waits for a message that uses it.
      const contested = yield* upload(operator)
      const sql = yield* SqlClient.SqlClient
      const end = yield* openTransaction(
        sql`update files set appeal_id = ${chat.id}, expires_at = null where id = ${contested.id}::uuid`
      )
      const writing = yield* Effect.forkChild(write(operator, inTicket, { attachments: [contested.id] }))
      yield* untilWaiting
      yield* end
      const refused = yield* Fiber.join(writing)
      expectStatus(refused, 400)
      assert.deepStrictEqual(pathsOf(refused), ["attachments"])
    })
  )

  it.effect("a link needs no token, and opens only a file of a message while it is signed and valid", () =>
    Effect.gen(function* () {
      const { inChat, instanceId, operator, rest, upload, write } = yield* world
      const links = yield* FileLinks
      const { id } = yield* upload(operator)
      const later = Math.floor(Date.now() / 1_000) + 60
      const open = (link: string, headers?: Readonly<Record<string, string>>) =>
        rest.call(
          { ...operator, headers: {} },
          "GET",
          link.replace("http://rapport.test", ""),
          undefined,
          headers
        )
      const link = links.urlOf({ instanceId, id }, later)
      expectStatus(yield* open(link), 404, "NOT_FOUND")
      expectStatus(yield* write(operator, inChat, { attachments: [id] }), 201)
      const whole = yield* open(link)
      expectStatus(whole, 200)
      assert.strictEqual(whole.text, "Рахунок")
      expectStatus(yield* open(link, { range: "bytes=0-1" }), 206)
      const another = { instanceId: instanceId + 1, id }
      for (const wrong of [
        links.urlOf({ instanceId, id }, later - 120),
        links.urlOf(another, later),
        links.urlOf({ instanceId, id: UNKNOWN }, later),
        link.replace(String(later), String(later + 1)),
        link.replace(/.$/u, (last) => (last === "A" ? "B" : "A")),
        link.slice(0, -1),
        "http://rapport.test/kw/files/x"
      ])
        expectStatus(yield* open(wrong), 404, "NOT_FOUND")
    })
  )

  it.effect("an export names the files, and an erasure deletes their bytes", () =>
    Effect.gen(function* () {
      const { admin, client, download, inChat, instanceId, operator, rest, upload, write } = yield* world
      const storage = yield* FileStorage
      const store = yield* ClientDataStore
      const { bytes, id, mediaType, name } = yield* upload(operator)
      expectStatus(yield* write(operator, inChat, { attachments: [id] }), 201)
      const lines = (yield* rest.call(admin, "GET", `/clients/${client.id}/export`)).text.trim().split("\n")
      const exported = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "file")
      assert.deepInclude(exported[0].record, {
        id,
        name,
        mediaType,
        bytes,
        path: `/kw/api/v1/files/${id}`
      })
      const read = storage.read({ instanceId, id }, { first: 0, last: 0 })
      assert.isDefined(yield* read)
      expectStatus(yield* rest.call(admin, "POST", `/clients/${client.id}/erase`), 202)
      yield* Effect.repeat(store.erase({ id: client.id, instanceId }), {
        until: (slice) => slice === undefined || slice.status === "finished"
      })
      assert.isUndefined(yield* read)
      expectStatus(yield* download(admin, id), 404)
    })
  )

  it.effect("a message with a file and without a text leaves with the bot", () =>
    Effect.gen(function* () {
      const { chat, inChat, instanceId, operator, upload, write } = yield* world
      const sql = yield* SqlClient.SqlClient
      const bot = yield* newBot({ kind: "webhook", url: "https://chat.example.com/in" }, instanceId)
      yield* sql`update appeals set bot_id = ${bot.id}, chat_id = '77' where id = ${chat.id}`
      const file = yield* upload(operator)
      const written = yield* write(operator, inChat, { attachments: [file.id] })
      assert.strictEqual(written.body.message.delivery, "queued")
      assert.lengthOf(yield* deliveriesOf(bot), 1)
    })
  )
})
