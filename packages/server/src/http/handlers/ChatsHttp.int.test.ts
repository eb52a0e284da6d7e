// Creating a chat with its history, with or without a key: contract §1.3 and §7 on a real PostgreSQL.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { selectedCount } from "../../postgres/sql/Query.ts"
import {
  expectStatus,
  member,
  newInstance,
  RestFixtures,
  runConcurrently,
  untilFinal,
  type Answer
} from "../../testing/RestFixtures.ts"

const history = [
  { authorType: "client", text: "Доброго дня, де моє замовлення?", occurredAt: "2026-01-01T10:00:00.000Z" },
  { authorType: "system", text: "Оператор підключився", occurredAt: "2026-01-01T10:01:00.000Z" }
]

const world = Effect.gen(function* () {
  const { admin } = yield* newInstance
  const sql = yield* SqlClient.SqlClient
  const clientId = yield* admin.makeId("/clients", { name: "Олена" })
  const create = (key: string | null, more: object = {}) =>
    admin.post(
      "/OpChatRooms",
      { clientId, channel: "telegram", messages: history, ...more },
      key === null ? {} : { "idempotency-key": key }
    )
  const count = (table: "appeals" | "appeal_messages" | "receipts" | "audit_log", and = "true") =>
    selectedCount(
      sql`select count(*)::float8 as count from ${sql(table)} where instance_id = ${admin.instanceId} and ${sql.literal(and)}`
    )
  return { sql, admin, create, count }
})

layer(RestFixtures, { excludeTestServices: true })("creating chats", (it) => {
  it.effect("50 equal concurrent posts create one chat, and the others are replays", () =>
    Effect.gen(function* () {
      const { count, create } = yield* world
      const key = randomUUID()
      const all = yield* runConcurrently(50, () => untilFinal(create(key)))
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

  it.effect("the list of chats filters by skillGroupId, and ne, nin and isNull are its complement", () =>
    Effect.gen(function* () {
      const { admin, create } = yield* world
      const subject = (alias: string) => admin.makeId("/subjects", { name: alias, alias })
      const group = (...subjectIds: ReadonlyArray<number>) =>
        admin.makeId("/skill-groups", { name: "група", subjectIds })
      const chat = (more: object) => Effect.map(create(null, more), ({ body }) => Number(body.chat.id))
      const [billing, delivery] = [yield* subject("billing"), yield* subject("delivery")]
      const [first, second] = [yield* group(billing, delivery), yield* group(delivery)]
      const foreign = yield* (yield* newInstance).admin.makeId("/skill-groups", { name: "чужа" })
      const [a, b] = [yield* chat({ subjectId: billing }), yield* chat({ subjectId: delivery })]
      const [c, d] = [yield* chat({ subjectId: yield* subject("unassigned") }), yield* chat({})]
      for (const [filter, ids] of [
        [`=${first}`, [a, b]],
        [`=${foreign}`, []],
        [`[in]=${first},${second}`, [a, b]],
        [`[ne]=${second}`, [a, c, d]],
        [`[nin]=${first},${second}`, [c, d]],
        ["[isNull]=true", [c, d]],
        ["[isNull]=false", [a, b]]
      ] as const) {
        const { data, total } = yield* admin.read(
          `/OpChatRooms/list?order[id]=asc&filter[skillGroupId]${filter}`
        )
        assert.deepStrictEqual([data.map(member("id")), total], [[...ids], ids.length], filter)
      }
    })
  )
})
