// The outbox of messages to clients: what an enqueue leaves behind, and that a status only rises (contract §8).
import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { statement } from "../sql/CommonTables.ts"
import { rowsOf } from "../sql/Query.ts"
import { enqueuedFrom } from "./Enqueued.ts"

const ids = rowsOf(Schema.Struct({ id: Schema.Int }))
const lines = rowsOf(Schema.Struct({ chat_id: Schema.String, due: Schema.Boolean, waiting: Schema.Int }))
const statuses = rowsOf(Schema.Struct({ status: Schema.String, delivery: Schema.String }))

/** A bot of its own with a chat of client 501, and how to enqueue one more message of it. */
const world = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bot = (yield* ids.get(
    sql`insert into bots (instance_id, name) values (1, 'Помічник') returning id::float8 as id`
  )).id
  const chatId = randomUUID()
  const appeal = (yield* ids.get(sql`insert into appeals
      (instance_id, kind, client_id, status, status_group, channel, chat_id, bot_id)
    values (1, 'chat', 501, 'waiting', 'new', 'web', ${chatId}, ${bot}) returning id::float8 as id`)).id
  let sequence = 0
  const enqueue = Effect.fnUntraced(function* (id: string) {
    sequence += 1
    const message = sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at, delivery)
        values (1, ${appeal}, ${sequence}, 'bot', 'Вітаю', now(), 'queued') returning *`
    const queued = sql`select instance_id, ${id}::uuid as delivery_id, ${bot}::int8 as bot_id, 'web' as channel,
        ${chatId}::text as chat_id, 501::int8 as client_id, appeal_id, id as message_id, text from message`
    yield* statement(sql, { message, queued, ...enqueuedFrom("call", "queued") }, sql`select 1`)
  })
  const line =
    lines.all(sql`select l.chat_id, l.due_at is not null as due, (select count(*)::int4 from deliveries d
      where d.instance_id = l.instance_id and d.bot_id = l.bot_id and d.status = 'queued') as waiting
    from delivery_lines l where l.instance_id = 1 and l.bot_id = ${bot}`)
  return { sql, bot, chatId, enqueue, line }
})

layer(PostgresFixtures.small)("enqueuedFrom", (it) => {
  it.effect("enqueuing makes the line of the chat due once and keeps the time of a waiting retry", () =>
    Effect.gen(function* () {
      const { bot, chatId, enqueue, line, sql } = yield* world
      yield* enqueue(randomUUID())
      assert.deepStrictEqual(yield* line, [{ chat_id: chatId, due: true, waiting: 1 }])
      yield* sql`update delivery_lines set due_at = '2100-01-01Z' where instance_id = 1 and bot_id = ${bot}`
      yield* enqueue(randomUUID())
      assert.deepStrictEqual(yield* line, [{ chat_id: chatId, due: true, waiting: 2 }])
      const late = yield* sql`select 1 from delivery_lines where bot_id = ${bot} and due_at = '2100-01-01Z'`
      assert.lengthOf(late, 1)
    })
  )

  const all = ["queued", "sent", "delivered", "read", "failed"] as const
  const after: Readonly<Record<string, ReadonlyArray<string>>> = {
    queued: ["sent", "delivered", "read", "failed"],
    sent: ["delivered", "read", "failed"],
    delivered: ["read"]
  }
  it.effect.each(all.flatMap((from) => all.filter((to) => to !== from).map((to) => [from, to] as const)))(
    "a delivery status changes from %s to %s only if it rises, with the message's status",
    ([from, to]) =>
      Effect.gen(function* () {
        const { enqueue, sql } = yield* world
        const id = randomUUID()
        yield* enqueue(id)
        if (from !== "queued") yield* sql`update deliveries set status = ${from} where id = ${id}`
        const raised = yield* Effect.result(sql`update deliveries set status = ${to} where id = ${id}`)
        const rises = after[from]?.includes(to) === true
        assert.strictEqual(Result.isSuccess(raised), rises)
        const now = rises ? to : from
        assert.deepStrictEqual(
          yield* statuses.all(sql`select d.status, m.delivery from deliveries d
            join appeal_messages m on m.instance_id = d.instance_id and m.id = d.message_id where d.id = ${id}`),
          [{ status: now, delivery: now }]
        )
      })
  )
})
