// Files of messages of chats, tickets and sessions: attaching, visibility, packs, imports, links, export and erasure (contract §5, §7
// "Files").
import { assert, layer } from "@effect/vitest"
import { FileLinks } from "@rapport/core/files/FileLinks.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerOf } from "../../postgres/clients/ClientDataStorePostgres.ts"
import { deliveriesOf, newBot } from "../../testing/DeliveryFixtures.ts"
import { testFileLinks } from "../../testing/FileFixtures.ts"
import { anonymous } from "../../testing/InboundFixtures.ts"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import {
  finishErasure,
  expectFaults,
  expectStatus,
  linesOf,
  member,
  members,
  newInstance,
  RestFixtures,
  upload,
  type RestCaller
} from "../../testing/RestFixtures.ts"

const fixtures = layerOf(0).pipe(Layer.provideMerge([RestFixtures, testFileLinks]))
const UNKNOWN = "01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"
const SESSIONS = "/kw/context/sessions"

/** A client with a chat, a ticket and a session of `operator`, which `stranger` cannot see. */
const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const operator = yield* rest.user(instance, ["operator"])
  const stranger = yield* rest.user(instance, ["operator"])
  const client = yield* admin.make("/clients", { name: "Олена" })
  const of = { clientId: client.id, operatorId: operator.id }
  const chat = yield* admin.make("/OpChatRooms", { ...of, channel: "web" })
  const ticket = yield* admin.make("/Ticket", { ...of, title: "Питання" })
  const session = yield* operator.make(SESSIONS, { clientId: client.id, externalSessionId: "bot-1" })
  const inSession = `${SESSIONS}/${session.id}/messages`
  const write = (who: RestCaller, path: string, body: object, headers?: Readonly<Record<string, string>>) =>
    who.post(path, path === inSession ? { role: "client", ...body } : body, headers)
  const inChat = `/OpChatRooms/${chat.id}/messages`
  const inTicket = `/Ticket/${ticket.id}/messages`
  const paths = { inChat, inSession, inTicket }
  return { admin, chat, client, instance, operator, rest, stranger, ticket, write, ...paths }
})

const download = (who: RestCaller, id: string) => who.get(`/files/${id}`)
const textsOf = (rows: ReadonlyArray<{ text: string }>) => rows.map(({ text }) => text)

/** Messages with files, the member that has their text, and the permission to read them. */
const places = [
  { place: "inChat", text: "text", permission: "chats.read" },
  { place: "inSession", text: "content", permission: "context.read" }
] as const

layer(fixtures, { excludeTestServices: true, timeout: 60_000 })("files of messages", (it) => {
  it.effect.each(places)(
    "a message shows its files in order, and only a caller who sees the message can read them: $place",
    ({ permission, place, text }) =>
      Effect.gen(function* () {
        const { admin, operator, rest, stranger, write, ...w } = yield* world
        const files = [yield* upload(operator, "б.txt"), yield* upload(operator, "а.txt")]
        const attachments = files.map(({ id }) => id)
        const written = yield* write(operator, w[place], { attachments: [...attachments, attachments[0]] })
        expectStatus(written, 201)
        assert.deepInclude(written.body.message, { [text]: "", attachments: files })
        const worded = yield* write(operator, w[place], { [text]: "Дякую" })
        assert.deepStrictEqual(worded.body.message.attachments, [])
        const { data } = yield* admin.read(w[place])
        assert.deepStrictEqual(data, [written.body.message, worded.body.message])
        const others = { inChat: "context.read", inSession: "chats.read" } as const
        const blind = yield* rest.token(admin, [others[place], "tickets.read", "clients.read"])
        for (const who of [operator, admin, yield* rest.token(admin, [permission])])
          expectStatus(yield* download(who, attachments[0]), 200)
        for (const who of [stranger, (yield* world).admin, blind])
          expectStatus(yield* download(who, attachments[0]), 404, "NOT_FOUND")
      })
  )

  it.effect(
    "a list shows the files of the last message, and the file of a note is for those who see it",
    () =>
      Effect.gen(function* () {
        const { admin, chat, inChat, inTicket, operator, rest, stranger, write } = yield* world
        const file = yield* upload(operator)
        expectStatus(yield* write(operator, inChat, { attachments: [file.id] }), 201)
        const list = yield* admin.read(`/OpChatRooms/list?filter[id]=${chat.id}&include=lastMessage`)
        assert.deepStrictEqual(list.data[0].lastMessage.attachments, [file])
        const note = yield* upload(operator)
        const inNote = { attachments: [note.id], text: "Див. файл", visibility: "internal" }
        expectStatus(yield* write(operator, inTicket, inNote), 201)
        expectStatus(yield* download(admin, note.id), 200)
        for (const who of [stranger, yield* rest.token(admin, ["chats.read"])])
          expectStatus(yield* download(who, note.id), 404)
      })
  )

  it.effect("an edit keeps the files of a message, and a deletion removes them", () =>
    Effect.gen(function* () {
      const { inChat, operator, write } = yield* world
      const file = yield* upload(operator)
      const { id } = yield* operator.make(inChat, { text: "Рахунок", attachments: [file.id] })
      const path = `${inChat}/${id}`
      const edited = yield* operator.patch(path, { text: "Ось рахунок", expectedVersion: 1 })
      assert.deepStrictEqual(edited.body.attachments, [file])
      expectStatus(yield* download(operator, file.id), 200)
      expectStatus(yield* operator.remove(path), 204)
      expectStatus(yield* download(operator, file.id), 404)
      assert.deepInclude((yield* operator.read(inChat)).data[0], { text: "", attachments: [] })
      expectStatus(yield* write(operator, inChat, { attachments: [file.id] }), 400, "INVALID_REQUEST")
    })
  )

  it.effect.each(places)(
    "refuses files that are unknown, foreign, expired or in another message, and stores nothing: $place",
    ({ place, text }) =>
      Effect.gen(function* () {
        const { admin, inChat, inSession, inTicket, operator, write } = yield* world
        const path = { inChat, inSession }[place]
        const sql = yield* SqlClient.SqlClient
        const mine = yield* upload(operator)
        const used = []
        for (const other of [inTicket, inChat, inSession].filter((one) => one !== path)) {
          const { id } = yield* upload(operator)
          expectStatus(yield* write(operator, other, { attachments: [id] }), 201)
          used.push(id)
        }
        const expired = yield* upload(operator)
        yield* sql`update files set expires_at = now() where id = ${expired.id}::uuid`
        const unfinished = yield* upload(operator)
        yield* sql`update files set sha256 = null where id = ${unfinished.id}::uuid`
        const others = yield* upload(admin)
        const foreign = yield* upload((yield* world).operator)
        for (const id of [UNKNOWN, ...used, expired.id, unfinished.id, others.id, foreign.id]) {
          const answer = yield* write(operator, path, { [text]: "x", attachments: [mine.id, id] })
          expectFaults(answer, ["attachments"], id)
        }
        const eleven = Array.from({ length: 11 }, (_, i) => UNKNOWN.replace(/..$/u, String(10 + i)))
        expectStatus(yield* write(operator, path, { attachments: eleven }), 400)
        for (const empty of [{}, { [text]: "" }, { attachments: [] }])
          expectFaults(yield* write(operator, path, empty), [text])
        assert.deepStrictEqual((yield* operator.read(path)).data, [])
        // The file of the refused messages can still be used.
        expectStatus(yield* write(operator, path, { attachments: [mine.id] }), 201)
      })
  )

  it.effect.each(places)(
    "a repeat returns the first message with its files, and concurrent messages share no file: $place",
    ({ place }) =>
      Effect.gen(function* () {
        const { operator, ticket, write, ...w } = yield* world
        const file = yield* upload(operator)
        const body = { attachments: [file.id], externalMessageId: "m-1" }
        const keyed = { "idempotency-key": "k" }
        const first = yield* write(operator, w[place], body, keyed)
        expectStatus(first, 201)
        for (const headers of [keyed, {}]) {
          const again = yield* write(operator, w[place], body, headers)
          expectStatus(again, 200)
          assert.deepStrictEqual(again.body, { replayed: true, message: first.body.message })
        }
        expectStatus(yield* write(operator, w[place], { ...body, externalMessageId: "m-2" }, keyed), 422)
        // The write has read the file as unused, and waits for a message that uses it.
        const { id } = yield* upload(operator)
        const sql = yield* SqlClient.SqlClient
        const end = yield* openTransaction(
          sql`update files set appeal_id = ${ticket.id}, expires_at = null where id = ${id}::uuid`
        )
        const writing = yield* Effect.forkChild(write(operator, w[place], { attachments: [id] }))
        yield* untilWaiting
        yield* end
        expectFaults(yield* Fiber.join(writing), ["attachments"])
      })
  )

  it.effect("a message of a session repeated with other files is a conflict, an empty text is none", () =>
    Effect.gen(function* () {
      const { admin, inSession, rest, write } = yield* world
      const agent = yield* rest.token(admin, ["context.write"])
      const [one, two] = [(yield* upload(agent)).id, (yield* upload(agent)).id]
      const body = { attachments: [one], externalMessageId: "m-1" }
      expectStatus(yield* write(agent, inSession, body), 201)
      expectStatus(yield* write(agent, inSession, { content: "", ...body }), 200)
      for (const attachments of [[two], [one, two]]) {
        const other = yield* write(agent, inSession, { ...body, attachments })
        expectStatus(other, 409, "EXTERNAL_EVENT_CONFLICT")
      }
    })
  )

  it.effect("a link needs no token, and opens only a file of a message while it is signed and valid", () =>
    Effect.gen(function* () {
      const { inChat, instance: instanceId, operator, rest, write } = yield* world
      const links = yield* FileLinks
      const { id } = yield* upload(operator)
      const later = Math.floor(Date.now() / 1_000) + 60
      const open = (link: string, headers?: Readonly<Record<string, string>>) =>
        rest.call(anonymous, "GET", link.replace("http://rapport.test", ""), undefined, headers)
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

  it.effect("packs show a mark for each file of a session, as JSON and as Markdown", () =>
    Effect.gen(function* () {
      const { client, inSession, operator, write } = yield* world
      const file = yield* upload(operator, "invoice.pdf", "x".repeat(120_000))
      expectStatus(yield* write(operator, inSession, { attachments: [file.id] }), 201)
      const more = yield* upload(operator, "фото.png")
      expectStatus(yield* write(operator, inSession, { content: "Ось", attachments: [more.id] }), 201)
      const request = {
        scope: { entity: "client", id: client.id },
        sections: ["evidence"],
        targets: ["previous_client_conversations", "recent_client_interactions"]
      }
      const pack = (accept: string) => operator.post("/kw/chatrooms/context/retrieve", request, { accept })
      const json = yield* pack("application/json")
      expectStatus(json, 200)
      const { conversations, interactions } = json.body.sections.evidence
      const shown = ["[file invoice.pdf 120 kB]", `Ось\n[file фото.png ${more.bytes} B]`]
      assert.deepStrictEqual(textsOf(conversations[0].messages), shown)
      assert.sameMembers(textsOf(interactions), shown)
      const markdown = yield* pack("text/markdown")
      expectStatus(markdown, 200)
      for (const mark of ["[file invoice.pdf 120 kB]", "[file фото.png"]) assert.include(markdown.text, mark)
    })
  )

  it.effect("an imported message of a session has files, and each file goes to one message", () =>
    Effect.gen(function* () {
      const { admin, inSession, operator, rest } = yield* world
      const importer = yield* rest.token(admin, ["imports.write"])
      const files = [yield* upload(importer, "старий.png"), yield* upload(importer, "second.png")]
      const [one, two] = files.map(({ id }) => id)
      const items = [
        { attachments: [one] },
        { content: "Той самий файл", attachments: [two, one] },
        { content: "Ще один", attachments: [two] },
        { content: "Без файлу" },
        {}
      ].map((data, i) => ({
        kind: "message",
        sessionExternalId: "bot-1",
        externalId: `m-${i + 1}`,
        data: { role: "client", ...data }
      }))
      const run = (key: string) =>
        importer.post("/kw/context/import-batches", { source: "old", items }, { "idempotency-key": key })
      const done = yield* run("k-1")
      expectStatus(done, 201)
      const refused = {
        status: "failed",
        code: "INVALID_REQUEST",
        message: "data.attachments must be files that you uploaded and that no message has"
      }
      assert.deepStrictEqual(done.body.batch.items.slice(0, 4), [
        { index: 0, status: "succeeded" },
        { index: 1, ...refused },
        { index: 2, status: "succeeded" },
        { index: 3, status: "succeeded" }
      ])
      assert.deepInclude(done.body.batch.items[4], {
        status: "failed",
        message: "data.content must be a non-empty string, or the message must have attachments"
      })
      const { data } = yield* operator.read(inSession)
      assert.deepStrictEqual(data.map(members("content", "attachments")), [
        ["", [files[0]]],
        ["Без файлу", []],
        ["Ще один", [files[1]]]
      ])
      expectStatus(yield* download(operator, one), 200)
      const again = yield* run("k-2")
      const statuses = ["replayed", "failed", "replayed", "replayed", "failed"]
      assert.deepStrictEqual(again.body.batch.items.map(member("status")), statuses)
    })
  )

  it.effect.each([
    { place: "inChat", kind: "message" },
    { place: "inSession", kind: "sessionMessage" }
  ] as const)(
    "an export names the files of messages, and an erasure deletes their bytes: $place",
    ({ kind, place }) =>
      Effect.gen(function* () {
        const { admin, client, instance: instanceId, operator, write, ...w } = yield* world
        const sql = yield* SqlClient.SqlClient
        const storage = yield* FileStorage
        const { bytes, id, mediaType, name } = yield* upload(operator)
        const { message } = (yield* write(operator, w[place], { attachments: [id] })).body
        const lines = linesOf(yield* admin.get(`/clients/${client.id}/export`))
        const recordOf = (wanted: string) => lines.find((line) => line.kind === wanted).record
        const path = `/kw/api/v1/files/${id}`
        assert.deepInclude(recordOf("file"), { id, name, mediaType, bytes, path })
        assert.deepInclude(recordOf("file"), kind === "message" ? {} : { sessionId: message.sessionId })
        assert.deepStrictEqual(recordOf(kind).attachments, message.attachments)
        const read = storage.read({ instanceId, id }, { first: 0, last: 0 })
        assert.isDefined(yield* read)
        expectStatus(yield* admin.post(`/clients/${client.id}/erase`), 202)
        if (place === "inSession") expectStatus(yield* download(admin, id), 404)
        yield* finishErasure(instanceId, client.id)
        assert.isUndefined(yield* read)
        expectStatus(yield* download(admin, id), 404)
        expectStatus(yield* admin.get(w.inSession), 404)
        assert.deepStrictEqual(yield* sql`select 1 from files where instance_id = ${instanceId}`, [])
        const left = yield* sql`select 1 from session_messages where instance_id = ${instanceId}`
        assert.deepStrictEqual(left, [])
      })
  )

  it.effect("a message with a file and without a text leaves with the bot", () =>
    Effect.gen(function* () {
      const { chat, inChat, instance, operator } = yield* world
      const sql = yield* SqlClient.SqlClient
      const bot = yield* newBot({ kind: "webhook", url: "https://chat.example.com/in" }, instance)
      yield* sql`update appeals set bot_id = ${bot.id}, chat_id = '77' where id = ${chat.id}`
      const file = yield* upload(operator)
      const written = yield* operator.make(inChat, { attachments: [file.id] })
      assert.strictEqual(written.delivery, "queued")
      assert.lengthOf(yield* deliveriesOf(bot), 1)
    })
  )
})
