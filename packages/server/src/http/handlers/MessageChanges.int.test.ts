// Messages that are edited and deleted after they were written (contract §7, "Editing and deleting").
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as OutboxSignalPostgres from "../../postgres/outbox/OutboxSignalPostgres.ts"
import {
  expectStatus,
  linesOf,
  newInstance,
  RestFixtures,
  runConcurrently,
  untilFinal,
  type Answer
} from "../../testing/RestFixtures.ts"

const first = "Рахунок 4411 надіслано на канарка@example.com"

/** A chat of a client, its operator and supervisor, and a colleague of the operator. */
const world = Effect.gen(function* () {
  const { admin, instance: instanceId, rest } = yield* newInstance
  const subjectId = yield* admin.makeId("/subjects", { name: "Рахунки", alias: "billing" })
  const group = yield* admin.makeId("/skill-groups", { name: "g", subjectIds: [subjectId] })
  const users = {
    supervisor: yield* rest.user(instanceId, ["supervisor"], [group]),
    operator: yield* rest.user(instanceId, ["operator"], [group]),
    colleague: yield* rest.user(instanceId, ["operator"], [group]),
    stranger: yield* rest.user(instanceId, ["operator"])
  }
  const clientId = yield* admin.makeId("/clients", { name: "Олена" })
  const id = yield* admin.makeId("/OpChatRooms", {
    clientId,
    channel: "web",
    chatId: "77",
    subjectId,
    status: "waiting",
    createdAt: "2026-03-02T10:00:00Z",
    messages: [{ authorType: "client", text: "Где счёт?", occurredAt: "2026-03-02T10:00:00Z" }]
  })
  const chat = `/OpChatRooms/${id}`
  const message = yield* users.operator.make(`${chat}/messages`, { text: first })
  const transcript = Effect.map(
    admin.read(`${chat}/messages`),
    ({ data }): ReadonlyArray<Answer["body"]> => data
  )
  const path = `${chat}/messages/${message.id}`
  return { admin, chat, clientId, id, message, path, rest, transcript, ...users }
})

const keyHeader = (key: string) => ({ "idempotency-key": key })

/** The tables that have the text in any row. */
const textTables = Effect.fnUntraced(function* (text: string) {
  const sql = yield* SqlClient.SqlClient
  const names = yield* Effect.flatMap(
    sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))
  )
  const found = yield* Effect.forEach(names, ({ name }) =>
    Effect.map(
      sql`select 1 from ${sql(name)} stored where stored::text like ${`%${text}%`} limit 1`,
      (rows) => (rows.length === 0 ? [] : [name])
    )
  )
  return found.flat()
})

const fixtures = OutboxSignalPostgres.layer.pipe(Layer.provideMerge(RestFixtures))

layer(fixtures, { excludeTestServices: true })("messages that change", (it) => {
  it.effect("its author edits a message with the version that was read", () =>
    Effect.gen(function* () {
      const { message, operator, path, transcript } = yield* world
      assert.deepInclude(message, { version: 1, editedAt: null, deletedAt: null })
      const edited = yield* operator.patch(path, { text: "Рахунок 4412", expectedVersion: 1 })
      expectStatus(edited, 200)
      assert.strictEqual(edited.headers.get("etag"), '"2"')
      const { editedAt, ...others } = edited.body
      assert.isString(editedAt)
      assert.deepStrictEqual({ ...others, editedAt: null }, { ...message, text: "Рахунок 4412", version: 2 })
      assert.deepStrictEqual((yield* transcript)[1], edited.body)
      const same = yield* operator.patch(path, { text: "Рахунок 4412" }, { "if-match": '"2"' })
      assert.deepStrictEqual([same.status, same.body], [200, edited.body])
      expectStatus(yield* operator.patch(path, { text: "x" }), 400, "INVALID_REQUEST")
      expectStatus(yield* operator.patch(path, { text: "", expectedVersion: 2 }), 400)
    })
  )

  it.effect("only the author and supervisors change a message, and nobody edits the words of a client", () =>
    Effect.gen(function* () {
      const { admin, chat, colleague, operator, path, rest, stranger, supervisor, transcript } = yield* world
      const change = { text: "Вибачте, рахунок 4412", expectedVersion: 1 }
      const [ofClient] = yield* transcript
      const clientPath = `${chat}/messages/${ofClient?.id}`
      yield* admin.patch(chat, { operatorId: colleague.id, expectedVersion: 1 })
      const own = yield* colleague.makeId(`${chat}/messages`, { text: "Вітаю" })
      for (const method of ["PATCH", "DELETE"]) {
        const body = method === "PATCH" ? change : undefined
        expectStatus(yield* stranger.call(method, path, body), 404, "NOT_FOUND")
        expectStatus(yield* operator.call(method, clientPath, body), 403, "ACCESS_DENIED")
        // Also a colleague who wrote in the chat.
        expectStatus(yield* colleague.call(method, path, body), 403, "ACCESS_DENIED")
      }
      expectStatus(yield* colleague.remove(`${chat}/messages/${own}`), 204)
      // The maker of a token that acts as a supervisor may lack that role.
      const copilot = yield* rest.token(admin, ["chats.read", "chats.manage"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`update external_tokens set acts_as = ${supervisor.id} where instance_id = ${admin.instanceId}`
      expectStatus(yield* copilot.patch(path, change), 403, "ACCESS_DENIED")
      const ofBot = yield* admin.makeId(`${chat}/messages`, { text: "Вітаю", authorType: "bot" })
      for (const written of [clientPath, `${chat}/messages/${ofBot}`])
        expectStatus(yield* supervisor.patch(written, change), 409, "STATE_NOT_ALLOWED")
      expectStatus(yield* supervisor.patch(path, change), 200)
      expectStatus(yield* supervisor.remove(clientPath), 204)
      assert.deepStrictEqual(
        (yield* transcript).map(({ text }) => text),
        ["", change.text, "", "Вітаю"]
      )
    })
  )

  it.effect("a deleted message stays as a row without text and changes no figure", () =>
    Effect.gen(function* () {
      const { admin, chat, clientId, message, operator, path, transcript } = yield* world
      const before = yield* admin.read(chat)
      expectStatus(yield* operator.remove(path), 204)
      const deleted = (yield* transcript)[1]
      assert.isString(deleted.deletedAt)
      assert.deepStrictEqual({ ...deleted, deletedAt: null }, { ...message, text: "", version: 2 })
      expectStatus(yield* operator.remove(path), 404, "NOT_FOUND")
      const late = yield* operator.patch(path, { text: "x", expectedVersion: 2 })
      expectStatus(late, 409, "STATE_NOT_ALLOWED")
      const { updatedAt: _, ...after } = yield* admin.read(chat)
      assert.deepInclude(before, after)
      const lines = linesOf(yield* admin.get(`/clients/${clientId}/export`))
      const messages = lines.filter(({ kind }) => kind === "message")
      assert.deepStrictEqual(messages.map(({ record }) => record.text).toSorted(), ["", "Где счёт?"])
    })
  )

  it.effect("the text before a change is in the audit log and in no other table", () =>
    Effect.gen(function* () {
      const { admin, chat, id, operator } = yield* world
      const canary = "канарка-один"
      const posted = yield* operator.post(`${chat}/messages`, { text: canary }, keyHeader("post"))
      const path = `${chat}/messages/${posted.body.message.id}`
      const change = { text: "канарка-два", expectedVersion: 1 }
      const edited = yield* operator.patch(path, change, keyHeader("edit"))
      expectStatus(edited, 200)
      // Repeats show the message as it is.
      const again = yield* operator.patch(path, change, keyHeader("edit"))
      assert.deepStrictEqual([again.status, again.body], [200, edited.body])
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      const reposted = yield* operator.post(`${chat}/messages`, { text: canary }, keyHeader("post"))
      assert.deepStrictEqual([reposted.status, reposted.body.message], [200, edited.body])
      assert.deepStrictEqual(yield* textTables(canary), ["audit_log"])
      expectStatus(yield* operator.remove(path), 204)
      assert.deepStrictEqual(yield* textTables("канарка-два"), ["audit_log"])
      const log = yield* admin.read(`/audit-log?filter[entity]=chat&filter[entityId]=${id}`)
      const entries = log.data.map((entry: Answer["body"]) => [entry.action, entry.details.textBefore])
      assert.deepInclude(entries, ["chat.message.update", canary])
      assert.deepInclude(entries, ["chat.message.delete", "канарка-два"])
    })
  )

  it.effect("messages of a merged client change, those of an erased client do not", () =>
    Effect.gen(function* () {
      const { admin, clientId, operator, path } = yield* world
      const intoId = yield* admin.makeId("/clients", { name: "Олена К." })
      expectStatus(yield* admin.post(`/clients/${clientId}/merge`, { intoId }), 200)
      const change = { text: "x", expectedVersion: 1 }
      expectStatus(yield* operator.patch(path, change), 200)
      expectStatus(yield* admin.post(`/clients/${intoId}/erase`), 202)
      expectStatus(yield* operator.remove(path), 409, "STATE_NOT_ALLOWED")
    })
  )

  it.effect("one of several concurrent edits with the same version is written", () =>
    Effect.gen(function* () {
      const { operator, path, transcript } = yield* world
      const answers = yield* runConcurrently(6, (n) =>
        untilFinal(
          operator.patch(path, { text: `текст ${n}`, expectedVersion: 1 }, { "idempotency-key": `${n}` })
        )
      )
      const [written, ...others] = answers.toSorted((a, b) => a.status - b.status)
      assert.deepStrictEqual(
        [written?.status, ...others.map(({ body }) => body.code)],
        [200, ...others.map(() => "VERSION_CONFLICT")]
      )
      assert.deepStrictEqual((yield* transcript)[1], written?.body)
    })
  )
})
