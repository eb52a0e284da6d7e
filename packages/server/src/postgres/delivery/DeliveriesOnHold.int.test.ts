// Messages and broadcasts that a restore puts on hold, on a real PostgreSQL (docs/operations.md, "After a restore").
import { assert, layer } from "@effect/vitest"
import { DeliveryLines } from "@rapport/core/delivery/DeliveryLines.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { deliveriesOf, enqueue, newBot, untilSettled, workerLayer } from "../../testing/DeliveryFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { receiver } from "../../testing/ReceiverFixtures.ts"
import { skipQueued } from "../broadcasts/QueuedRecipients.ts"
import * as OutboxSignalPostgres from "../outbox/OutboxSignalPostgres.ts"
import * as DeliveryLinesPostgres from "./DeliveryLinesPostgres.ts"
import { countOnHold, discardOnHold, holdAll, releaseOnHold } from "./DeliveriesOnHold.ts"

const worldLayer = OutboxSignalPostgres.layer.pipe(Layer.provideMerge(PostgresFixtures.small))
const outcomes = (all: ReadonlyArray<{ chatId: string; status: string; reason: string | null }>) =>
  all.map(({ chatId, reason, status }) => [chatId, status, reason])
const none = { deliveries: 0, broadcasts: 0 }

/** A broadcast that runs and has one recipient, whose message is the first delivery of the bot. */
const broadcastOf = Effect.fnUntraced(function* (bot: { readonly id: number }, deliveryId: string) {
  const sql = yield* SqlClient.SqlClient
  const [made] = yield* sql<{
    id: number
  }>`insert into broadcasts (instance_id, name, bot_id, channel, rate_per_minute, status,
      due_at, started_at) values (1, 'Новини', ${bot.id}, 'web', 60, 'running', now(), now()) returning id::float8 as id`
  const id = made?.id ?? 0
  yield* sql`insert into broadcast_recipients (instance_id, broadcast_id, client_id, channel, chat_id, status, delivery_id, enqueued)
    values (1, ${id}, 501, 'web', 'a', 'queued', ${deliveryId}::uuid, true)`
  const read = Effect.map(
    sql<{ status: string; recipient: string }>`select b.status, r.status as recipient from broadcasts b
      join broadcast_recipients r on r.instance_id = b.instance_id and r.broadcast_id = b.id where b.id = ${id}`,
    ([row]) => [row?.status, row?.recipient]
  )
  return { id, read }
})

layer(worldLayer, { excludeTestServices: true })("messages on hold after a restore", (it) => {
  it.effect("later messages of a chat wait behind messages on hold and keep their order", () =>
    Effect.gen(function* () {
      const made = yield* receiver()
      const bot = yield* newBot({ kind: "webhook", url: made.origin })
      yield* enqueue(bot, ["a", "b"], ["перше"])
      assert.deepStrictEqual(yield* holdAll, { deliveries: 2, broadcasts: 0 })
      yield* enqueue(bot, ["a", "c"], ["second"])
      // A message on hold gives the worker no time at which to poll.
      const lines = yield* Effect.provide(DeliveryLines, DeliveryLinesPostgres.layer)
      const claimed = yield* lines.claim({
        lines: 0,
        ofConnector: 0,
        connectors: [],
        ofInstance: 0,
        instances: []
      })
      assert.isUndefined(claimed.nextMillis)
      yield* Effect.gen(function* () {
        while ((yield* deliveriesOf(bot)).some(({ chatId, status }) => chatId === "c" && status === "queued"))
          yield* Effect.sleep(20)
        assert.lengthOf(made.received, 1)
        assert.deepStrictEqual(yield* countOnHold, { deliveries: 3, broadcasts: 0 })
        assert.deepStrictEqual(yield* releaseOnHold(2), none)
        assert.deepStrictEqual(yield* releaseOnHold(1), { deliveries: 3, broadcasts: 0 })
        yield* untilSettled(bot)
      }).pipe(Effect.provide(workerLayer(), { local: true }))
      const texts = made.received
        .map(({ body }) => JSON.parse(body).data)
        .filter(({ chatId }) => chatId === "a")
      assert.deepStrictEqual(
        texts.map(({ text }) => text),
        ["перше", "second"]
      )
      assert.deepStrictEqual(yield* countOnHold, none)
    })
  )

  it.effect("discard fails the deliveries, skips their recipients and leaves the broadcast paused", () =>
    Effect.gen(function* () {
      const bot = yield* newBot({ kind: "webhook", url: "http://127.0.0.1:1" })
      yield* enqueue(bot, ["a", "b"], ["Привіт"], "broadcast")
      const broadcast = yield* broadcastOf(bot, (yield* deliveriesOf(bot))[0]?.id ?? "")
      assert.deepStrictEqual(yield* holdAll, { deliveries: 2, broadcasts: 1 })
      assert.deepStrictEqual(yield* broadcast.read, ["paused", "queued"])
      assert.deepStrictEqual(yield* discardOnHold(null), { deliveries: 2, broadcasts: 1 })
      assert.deepStrictEqual(outcomes(yield* deliveriesOf(bot)), [
        ["a", "failed", "cancelled"],
        ["b", "failed", "cancelled"]
      ])
      assert.deepStrictEqual(yield* broadcast.read, ["paused", "skipped"])
      assert.deepStrictEqual(yield* releaseOnHold(null), { deliveries: 0, broadcasts: 1 })
      assert.deepStrictEqual(yield* broadcast.read, ["running", "skipped"])
      const sql = yield* SqlClient.SqlClient
      const due = yield* sql`select 1 from delivery_lines where bot_id = ${bot.id} and due_at is not null`
      assert.lengthOf(due, 0)
      const audited =
        yield* sql`select action, details from audit_log where action like 'instance.%_deliveries'
        order by id desc limit 2`
      assert.deepStrictEqual(
        [...audited],
        [
          { action: "instance.release_deliveries", details: { deliveries: 0, broadcasts: 1 } },
          { action: "instance.discard_deliveries", details: { deliveries: 2, broadcasts: 1 } }
        ]
      )
    })
  )

  it.effect("a delivery stays on hold in a chat whose broadcast is cancelled", () =>
    Effect.gen(function* () {
      const bot = yield* newBot({ kind: "webhook", url: "http://127.0.0.1:1" })
      yield* enqueue(bot, ["a"], ["Новини", "Ваше замовлення"], "broadcast")
      const broadcast = yield* broadcastOf(bot, (yield* deliveriesOf(bot))[0]?.id ?? "")
      yield* holdAll
      const sql = yield* SqlClient.SqlClient
      yield* skipQueued(sql, 1, broadcast.id)
      assert.deepStrictEqual(outcomes(yield* deliveriesOf(bot)), [
        ["a", "failed", "cancelled"],
        ["a", "queued", null]
      ])
      assert.deepStrictEqual((yield* countOnHold).deliveries, 1)
      yield* discardOnHold(null)
    })
  )
})
