// Creating a chat with its history, with or without a key: contract §1.3 and §7 on a real PostgreSQL.
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import {
  expectStatus,
  newInstance,
  RestFixtures,
  untilFinal,
  type Answer,
  member
} from "../../testing/RestFixtures.ts"

const decodeCount = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

const history = [
  { authorType: "client", text: "Доброго дня, де моє замовлення?", occurredAt: "2026-01-01T10:00:00.000Z" },
  { authorType: "system", text: "Оператор підключився", occurredAt: "2026-01-01T10:01:00.000Z" }
]

const world = Effect.gen(function* () {
  const { admin, rest } = yield* newInstance
  const sql = yield* SqlClient.SqlClient
  const client = Effect.map(admin.post("/clients", { name: "Олена" }), ({ body }) => body.id as number)
  const clientId = yield* client
  const create = (key: string | null, more: object = {}) =>
    admin.post(
      "/OpChatRooms",
      { clientId, channel: "telegram", messages: history, ...more },
      key === null ? {} : { "idempotency-key": key }
    )
  const count = (table: "appeals" | "appeal_messages" | "receipts" | "audit_log", and = "true") =>
    Effect.map(
      sql`select count(*)::int4 as count from ${sql(table)} where instance_id = ${admin.instanceId} and ${sql.literal(and)}`,
      (rows) => decodeCount(rows)[0].count
    )
  return { rest, sql, admin, client, clientId, create, count }
})

layer(RestFixtures, { excludeTestServices: true })("creating chats", (it) => {
  it.effect("50 equal concurrent posts create one chat, and the others are replays", () =>
    Effect.gen(function* () {
      const { count, create } = yield* world
      const key = randomUUID()
      const all = yield* Effect.forEach(Array.from({ length: 50 }), () => untilFinal(create(key)), {
        concurrency: "unbounded"
      })
      const [first, ...others] = all.toSorted((a, b) => b.status - a.status)
      expectStatus(first as Answer, 201)
      assert.isFalse(first?.body.replayed)
      for (const other of others) {
        expectStatus(other, 200)
        assert.strictEqual(other.headers.get("idempotency-replayed"), "true")
        assert.deepStrictEqual(other.body, { ...first?.body, replayed: true })
      }
      assert.strictEqual(yield* count("appeals"), 1)
      assert.strictEqual(yield* count("appeal_messages"), 2)
      assert.strictEqual(yield* count("receipts"), 1)
      assert.strictEqual(yield* count("audit_log", "action = 'chat.create'"), 1)
    })
  )

  it.effect("a long history is stored whole, in order, and once under its key", () =>
    Effect.gen(function* () {
      const { count, create, sql } = yield* world
      const messages = Array.from({ length: 300 }, (_, n) => ({
        ...history[0],
        text: `${n} ${"Щодо їхнього об’єкта. ".repeat(140)}`,
        externalMessageId: `m-${n}`
      }))
      const first = yield* create("long", { messages })
      expectStatus(first, 201)
      assert.strictEqual(first.body.chat.messageCount, 300)
      const rows = yield* sql`select sequence::int4 as sequence, text from appeal_messages
        where appeal_id = ${first.body.chat.id as number} order by sequence`
      assert.deepStrictEqual(
        rows,
        messages.map(({ text }, n) => ({ sequence: n + 1, text }))
      )
      const again = yield* create("long", { messages })
      expectStatus(again, 200)
      assert.deepStrictEqual(again.body, { ...first.body, replayed: true })
      const last = messages.with(299, { ...history[0], text: "Інший", externalMessageId: "m-299" })
      expectStatus(yield* create("long", { messages: last }), 422, "IDEMPOTENCY_KEY_REUSED")
      expectStatus(yield* create(null, { messages, subjectId: 999_999_999 }), 400, "INVALID_REQUEST")
      assert.strictEqual(yield* count("appeals"), 1)
      assert.strictEqual(yield* count("appeal_messages"), 300)
      assert.strictEqual(yield* count("receipts"), 1)
      const dialogues =
        yield* sql`select messages::int4 as messages from dialogues where appeal_id = ${first.body.chat.id as number}`
      assert.deepStrictEqual(dialogues, [{ messages: 300 }])
    })
  )

  it.effect("every post without a key creates a chat, and a refused post leaves its key free", () =>
    Effect.gen(function* () {
      const { count, create } = yield* world
      expectStatus(yield* create(null), 201)
      expectStatus(yield* create(null), 201)
      expectStatus(yield* create("k", { subjectId: 999_999_999 }), 400, "INVALID_REQUEST")
      assert.strictEqual(yield* count("receipts"), 0)
      expectStatus(yield* create("k"), 201)
      assert.strictEqual(yield* count("appeals"), 3)
    })
  )
})

layer(RestFixtures)("the list of chats", (it) => {
  it.effect("the list of chats filters by skillGroupId, and ne and nin are its complement", () =>
    Effect.gen(function* () {
      const { admin, create, rest } = yield* world
      const post = (path: string, body: object) =>
        Effect.map(admin.post(path, body), (made) => made.body.id as number)
      const subject = (alias: string) => post("/subjects", { name: alias, alias })
      const [billing, delivery, unassigned] = [
        yield* subject("billing"),
        yield* subject("delivery"),
        yield* subject("unassigned")
      ]
      const first = yield* post("/skill-groups", { name: "перша", subjectIds: [billing, delivery] })
      const second = yield* post("/skill-groups", { name: "друга", subjectIds: [delivery] })
      const chat = (subjectId?: number) =>
        Effect.map(
          create(null, subjectId === undefined ? {} : { subjectId }),
          (made) => made.body.chat.id as number
        )
      const [a, b, c, d] = [
        yield* chat(billing),
        yield* chat(delivery),
        yield* chat(unassigned),
        yield* chat()
      ]
      // A group of another instance matches no chat.
      const other = yield* rest.user(yield* rest.instance, ["administrator"])
      const foreign = (yield* other.make("/skill-groups", { name: "чужа" })).id as number
      const filtered = (filter: string) =>
        Effect.map(admin.get(`/OpChatRooms/list?order[id]=asc&filter[skillGroupId]${filter}`), ({ body }) => {
          assert.strictEqual(body.total, body.data.length)
          return body.data.map(member("id"))
        })
      assert.deepStrictEqual(yield* filtered(`=${first}`), [a, b])
      assert.deepStrictEqual(yield* filtered(`=${second}`), [b])
      assert.deepStrictEqual(yield* filtered(`=${foreign}`), [])
      assert.deepStrictEqual(yield* filtered(`[in]=${first},${second}`), [a, b])
      assert.deepStrictEqual(yield* filtered(`[ne]=${second}`), [a, c, d])
      assert.deepStrictEqual(yield* filtered(`[nin]=${first},${second}`), [c, d])
      assert.deepStrictEqual(yield* filtered("[isNull]=true"), [c, d])
      assert.deepStrictEqual(yield* filtered("[isNull]=false"), [a, b])
    })
  )
})
