// The outbox of messages to clients: what an enqueue leaves behind, and that a status only rises (contract §8).
import { assert, layer } from "@effect/vitest"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { deliveriesOf, enqueue, newBot } from "../../testing/DeliveryFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"

const layers = Layer.merge(PostgresFixtures.small, Layer.mock(DeliverySignal, { notify: Effect.void }))

layer(layers)("enqueuedFrom", (it) => {
  it.effect("enqueuing makes the line of the chat due once and keeps the time of a waiting retry", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bot = yield* newBot({ kind: "webhook", url: "http://127.0.0.1:1" })
      const line = sql`select chat_id as chat, due_at = '2100-01-01Z' as late from delivery_lines where bot_id = ${bot.id}`
      yield* enqueue(bot, ["one"])
      assert.deepStrictEqual(yield* line, [{ chat: "one", late: false }])
      yield* sql`update delivery_lines set due_at = '2100-01-01Z' where bot_id = ${bot.id}`
      yield* enqueue(bot, ["one"])
      assert.deepStrictEqual(yield* line, [{ chat: "one", late: true }])
      assert.deepStrictEqual(
        (yield* deliveriesOf(bot)).map(({ status }) => status),
        ["queued", "queued"]
      )
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
        const sql = yield* SqlClient.SqlClient
        const bot = yield* newBot({ kind: "webhook", url: "http://127.0.0.1:1" })
        yield* enqueue(bot, ["one"])
        if (from !== "queued") yield* sql`update deliveries set status = ${from} where bot_id = ${bot.id}`
        const raised = yield* Effect.result(
          sql`update deliveries set status = ${to} where bot_id = ${bot.id}`
        )
        const rises = after[from]?.includes(to) === true
        assert.strictEqual(Result.isSuccess(raised), rises)
        const now = rises ? to : from
        assert.deepInclude((yield* deliveriesOf(bot))[0], { status: now, delivery: now })
      })
  )
})
