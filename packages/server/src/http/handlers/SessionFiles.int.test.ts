// Files of messages of sessions: attaching, visibility, packs, imports, export and erasure (contract §5, §7 "Files").
import { assert, layer } from "@effect/vitest"
import { ClientDataStore } from "@rapport/core/clients/ClientDataStore.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerOf } from "../../postgres/clients/ClientDataStorePostgres.ts"
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
const SESSIONS = "/kw/context/sessions"
const BATCHES = "/kw/context/import-batches"

/** A client with a ticket of `operator` and a session, which `stranger` cannot see. */
const world = Effect.gen(function* () {
  const rest = yield* Rest
  const instanceId = yield* rest.instance
  const admin = yield* rest.user(instanceId, ["administrator"])
  const operator = yield* rest.user(instanceId, ["operator"])
  const stranger = yield* rest.user(instanceId, ["operator"])
  const { body: client } = yield* rest.call(admin, "POST", "/clients", { name: "Олена" })
  const ticket = { clientId: client.id, title: "Питання", operatorId: operator.id }
  expectStatus(yield* rest.call(admin, "POST", "/Ticket", ticket), 201)
  const made = yield* rest.call(operator, "POST", SESSIONS, {
    clientId: client.id,
    externalSessionId: "bot-1"
  })
  expectStatus(made, 201)
  const messages = `${SESSIONS}/${made.body.session.id}/messages`
  const { download, upload } = fileCalls(rest)
  const write = (who: RestCaller, body: object, headers?: Readonly<Record<string, string>>) =>
    rest.call(who, "POST", messages, { role: "client", ...body }, headers)
  return { admin, client, download, instanceId, messages, operator, rest, stranger, upload, write }
})

const textsOf = (rows: ReadonlyArray<{ text: string }>) => rows.map(({ text }) => text)

const item = (externalId: string, data: object) => ({
  kind: "message",
  sessionExternalId: "bot-1",
  externalId,
  data: { role: "client", ...data }
})

layer(fixtures, { excludeTestServices: true, timeout: 60_000 })("files of sessions", (it) => {
  it.effect("a message of a session shows its files in order, and its readers can read them", () =>
    Effect.gen(function* () {
      const { admin, download, messages, operator, rest, stranger, upload, write } = yield* world
      const files = [yield* upload(operator, "б.pdf"), yield* upload(operator, "a.pdf")]
      const attachments = files.map(({ id }) => id)
      const written = yield* write(operator, { attachments: [...attachments, attachments[0]] })
      expectStatus(written, 201)
      assert.deepInclude(written.body.message, { content: "", attachments: files })
      const worded = yield* write(operator, { content: "Дякую" })
      assert.deepStrictEqual(worded.body.message.attachments, [])
      const read = yield* rest.call(admin, "GET", messages)
      assert.deepStrictEqual(read.body.data, [written.body.message, worded.body.message])
      for (const who of [operator, admin]) expectStatus(yield* download(who, attachments[0]), 200)
      const other = yield* world
      for (const who of [stranger, other.admin])
        expectStatus(yield* download(who, attachments[0]), 404, "NOT_FOUND")
      const reader = yield* rest.token(admin, ["context.read"])
      expectStatus(yield* download(reader, attachments[0]), 200)
      const blind = yield* rest.token(admin, ["chats.read", "tickets.read", "clients.read"])
      expectStatus(yield* download(blind, attachments[0]), 404)
    })
  )

  it.effect("an agent with context.write uploads a file, and only it puts the file into a message", () =>
    Effect.gen(function* () {
      const { admin, operator, rest, upload, write } = yield* world
      const agent = yield* rest.token(admin, ["context.write"])
      const { id } = yield* upload(agent)
      const foreign = yield* write(operator, { attachments: [id] })
      expectStatus(foreign, 400, "INVALID_REQUEST")
      expectStatus(yield* write(agent, { content: "", attachments: [id] }), 201)
    })
  )

  it.effect(
    "refuses files that are unknown, foreign, expired or in another message, and stores nothing",
    () =>
      Effect.gen(function* () {
        const { admin, messages, operator, rest, upload, write } = yield* world
        const sql = yield* SqlClient.SqlClient
        const mine = yield* upload(operator)
        const used = yield* upload(operator)
        const first = yield* write(operator, { attachments: [used.id] })
        expectStatus(first, 201)
        const expired = yield* upload(operator)
        yield* sql`update files set expires_at = now() where id = ${expired.id}::uuid`
        const others = yield* upload(admin)
        const other = yield* world
        const foreign = yield* other.upload(other.operator)
        for (const id of [UNKNOWN, used.id, expired.id, others.id, foreign.id]) {
          const answer = yield* write(operator, { content: "x", attachments: [mine.id, id] })
          expectStatus(answer, 400, "INVALID_REQUEST")
          assert.deepStrictEqual(pathsOf(answer), ["attachments"])
        }
        const eleven = Array.from({ length: 11 }, (_, i) => UNKNOWN.replace(/..$/u, String(10 + i)))
        expectStatus(yield* write(operator, { attachments: eleven }), 400)
        for (const empty of [{}, { content: "" }, { attachments: [] }]) {
          const answer = yield* write(operator, empty)
          expectStatus(answer, 400)
          assert.deepStrictEqual(pathsOf(answer), ["content"])
        }
        const { data } = (yield* rest.call(operator, "GET", messages)).body
        assert.deepStrictEqual(data, [first.body.message])
        // The file of the refused messages can still be used.
        expectStatus(yield* write(operator, { attachments: [mine.id] }), 201)
      })
  )

  it.effect("a repeat returns the first message with its files, and concurrent messages share no file", () =>
    Effect.gen(function* () {
      const { operator, upload, write } = yield* world
      const [one, two] = [yield* upload(operator), yield* upload(operator)]
      const keyed = { "idempotency-key": "k" }
      const body = { attachments: [one.id], externalMessageId: "m-1" }
      const first = yield* write(operator, body, keyed)
      expectStatus(first, 201)
      for (const headers of [keyed, {}]) {
        const again = yield* write(operator, { content: "", ...body }, headers)
        expectStatus(again, 200)
        assert.deepStrictEqual(again.body, { replayed: true, message: first.body.message })
      }
      for (const attachments of [[two.id], [one.id, two.id]])
        expectStatus(yield* write(operator, { ...body, attachments }), 409, "EXTERNAL_EVENT_CONFLICT")
      expectStatus(yield* write(operator, { ...body, content: "x" }, keyed), 422)
      // The write has read the file as unused, and waits for a message that uses it.
      const sql = yield* SqlClient.SqlClient
      const end = yield* openTransaction(
        sql`update files set session_id = ${first.body.message.sessionId}::uuid, expires_at = null
          where id = ${two.id}::uuid`
      )
      const writing = yield* Effect.forkChild(write(operator, { attachments: [two.id] }))
      yield* untilWaiting
      yield* end
      const refused = yield* Fiber.join(writing)
      expectStatus(refused, 400)
      assert.deepStrictEqual(pathsOf(refused), ["attachments"])
    })
  )

  it.effect("packs show a mark for each file of a session, as JSON and as Markdown", () =>
    Effect.gen(function* () {
      const { client, operator, rest, upload, write } = yield* world
      const file = yield* upload(operator, "invoice.pdf", "x".repeat(120_000))
      expectStatus(yield* write(operator, { attachments: [file.id] }), 201)
      const more = yield* upload(operator, "фото.png")
      expectStatus(yield* write(operator, { content: "Ось", attachments: [more.id] }), 201)
      const pack = (accept: string) =>
        rest.call(
          operator,
          "POST",
          "/kw/chatrooms/context/retrieve",
          {
            scope: { entity: "client", id: client.id },
            sections: ["evidence"],
            targets: ["previous_client_conversations", "recent_client_interactions"]
          },
          { accept }
        )
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
      const { admin, download, messages, operator, rest, upload } = yield* world
      const importer = yield* rest.token(admin, ["imports.write"])
      const files = [yield* upload(importer, "старий.png"), yield* upload(importer, "second.png")]
      const [one, two] = files.map(({ id }) => id)
      const items = [
        item("m-1", { attachments: [one] }),
        item("m-2", { content: "Той самий файл", attachments: [two, one] }),
        item("m-3", { content: "Ще один", attachments: [two] }),
        item("m-4", { content: "Без файлу" }),
        item("m-5", {})
      ]
      const run = (key: string) =>
        rest.call(importer, "POST", BATCHES, { source: "old", items }, { "idempotency-key": key })
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
      const { data } = (yield* rest.call(operator, "GET", messages)).body
      assert.deepStrictEqual(
        data.map(({ attachments, content }: { attachments: unknown; content: string }) => [
          content,
          attachments
        ]),
        [
          ["", [files[0]]],
          ["Без файлу", []],
          ["Ще один", [files[1]]]
        ]
      )
      expectStatus(yield* download(operator, one), 200)
      const again = yield* run("k-2")
      assert.deepStrictEqual(
        again.body.batch.items.map(({ status }: { status: string }) => status),
        ["replayed", "failed", "replayed", "replayed", "failed"]
      )
    })
  )

  it.effect("an export names the files of sessions, and an erasure deletes their bytes", () =>
    Effect.gen(function* () {
      const { admin, client, download, instanceId, messages, operator, rest, upload, write } = yield* world
      const sql = yield* SqlClient.SqlClient
      const storage = yield* FileStorage
      const store = yield* ClientDataStore
      const { bytes, id, mediaType, name } = yield* upload(operator)
      const { message } = (yield* write(operator, { attachments: [id] })).body
      const { text } = yield* rest.call(admin, "GET", `/clients/${client.id}/export`)
      const exported = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const { record } = exported.find(({ kind }) => kind === "file")
      const path = `/kw/api/v1/files/${id}`
      assert.deepInclude(record, { id, name, mediaType, bytes, sessionId: message.sessionId, path })
      const ofMessage = exported.find(({ kind }) => kind === "sessionMessage").record
      assert.deepStrictEqual(ofMessage.attachments, message.attachments)
      const read = storage.read({ instanceId, id }, { first: 0, last: 0 })
      assert.isDefined(yield* read)
      expectStatus(yield* rest.call(admin, "POST", `/clients/${client.id}/erase`), 202)
      expectStatus(yield* download(admin, id), 404)
      yield* Effect.repeat(store.erase({ id: client.id, instanceId }), {
        until: (slice) => slice === undefined || slice.status === "finished"
      })
      assert.isUndefined(yield* read)
      expectStatus(yield* rest.call(admin, "GET", messages), 404)
      assert.deepStrictEqual(yield* sql`select 1 from files where instance_id = ${instanceId}`, [])
      assert.deepStrictEqual(yield* sql`select 1 from session_messages where instance_id = ${instanceId}`, [])
    })
  )
})
