// Consent of a broadcast's recipients and its pause when the message leaves, over HTTP, on a real PostgreSQL and receiver (§9.1).
import { assert, layer } from "@effect/vitest"
import { BroadcastQueue } from "@rapport/core/broadcasts/BroadcastRun.ts"
import { DeliveryLines } from "@rapport/core/delivery/DeliveryLines.ts"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as DeliveryLinesPostgres from "../postgres/delivery/DeliveryLinesPostgres.ts"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import {
  broadcastQueueLayer,
  claimLines,
  deliveriesOf,
  newBot,
  outcomesOf,
  untilSettled,
  workerLayer
} from "../testing/DeliveryFixtures.ts"
import { waitingReceiver, receiver, textOf } from "../testing/ReceiverFixtures.ts"
import { type Answer, expectStatus, newInstance, RestFixtures } from "../testing/RestFixtures.ts"

const fixtures = Layer.mergeAll(broadcastQueueLayer, OutboxSignalPostgres.layer).pipe(
  Layer.provideMerge(RestFixtures)
)

const expectOk = (write: Effect.Effect<Answer>) => Effect.map(write, (answer) => expectStatus(answer, 200))

/** Clients that agree to be written to, and a broadcast to all of them that has started. */
const startBroadcast = Effect.fnUntraced(function* (url: string, names: ReadonlyArray<string>) {
  const { admin, instance } = yield* newInstance
  const bot = yield* newBot({ kind: "webhook", url }, instance)
  const clients = yield* Effect.forEach(names, (name) => {
    const identity = { channel: "web", chatId: `${name}-${randomUUID()}` }
    return Effect.map(admin.makeId("/clients", { name, identities: [identity] }), (id) => ({ id, identity }))
  })
  const templateId = yield* admin.makeId("/broadcasts/templates", { name: "x", text: "{{name}}, вітаємо" })
  const id = yield* admin.makeId("/broadcasts", {
    name: "Новини",
    botId: bot.id,
    channel: "web",
    templateId,
    audience: { clientIds: clients.map((client) => client.id) },
    ratePerMinute: 6_000
  })
  const take = (step: string) => expectOk(admin.post(`/broadcasts/${id}/${step}`))
  yield* take("start")
  return {
    admin,
    bot,
    clients,
    instance,
    take,
    setIdentities: (client: number, identities: ReadonlyArray<object>) =>
      expectOk(admin.change(`/clients/${client}`, { identities })),
    merge: (from: number, intoId: number) => expectOk(admin.post(`/clients/${from}/merge`, { intoId })),
    recipients: Effect.map(
      admin.read(`/broadcasts/${id}/recipients?limit=100&order[id]=asc`),
      ({ data }): ReadonlyArray<{ status: string; reason: string | null; attempts: number }> => data
    )
  }
})

const allWritten = Effect.gen(function* () {
  const queue = yield* BroadcastQueue
  const at = (yield* Clock.currentTimeMillis) + 1_000
  while (yield* queue.advance(at)) yield* Effect.yieldNow
})

/** Withdraws the consent of clients, in several ways, before the message leaves. */
type Started = Effect.Success<ReturnType<typeof startBroadcast>>
const withdraw = Effect.fnUntraced(function* ({ clients, merge, setIdentities }: Started) {
  const [, unsubscribed, removed, given, other, merged, survivor] = clients
  if (!unsubscribed || !removed || !given || !other || !merged || !survivor)
    return assert.fail("seven clients")
  yield* setIdentities(unsubscribed.id, [{ ...unsubscribed.identity, subscribed: false }])
  yield* setIdentities(removed.id, [])
  yield* setIdentities(given.id, [])
  yield* setIdentities(other.id, [other.identity, given.identity])
  yield* merge(merged.id, survivor.id)
})
const names = ["Олена", "Иван", "Ann", "Їжак", "Zoe", "Ёлка", "Ганна"]
const ends = (attempts: number) => [
  ["sent", null, attempts + 1],
  ["skipped", "not_subscribed", attempts],
  ["skipped", "no_identity", attempts],
  ["skipped", "no_identity", attempts],
  ["sent", null, attempts + 1],
  ["sent", null, attempts + 1],
  ["sent", null, attempts + 1]
]

layer(fixtures, { excludeTestServices: true })("consent to a broadcast", (it) => {
  it.effect("consent to a broadcast is checked again when a refused message is retried", () =>
    Effect.gen(function* () {
      const made = yield* receiver()
      const world = yield* startBroadcast(made.origin, names)
      yield* allWritten
      const lines = yield* Effect.provide(DeliveryLines, DeliveryLinesPostgres.layer)
      const { deliveries } = yield* claimLines(lines, world.instance)
      assert.lengthOf(deliveries, names.length)
      yield* lines.settle(
        deliveries.map((line) => ({
          line,
          deliveryId: line.id,
          settlement: { status: "queued", countsAsAttempt: true, reason: "http_503" }
        }))
      )
      yield* withdraw(world)
      yield* Effect.provide(untilSettled(world.bot), workerLayer(), { local: true })
      assert.deepStrictEqual(outcomesOf(yield* world.recipients), ends(1))
      assert.lengthOf(made.received, 4)
    })
  )

  it.effect("consent to a broadcast is checked for the client who had the identity at the start", () =>
    Effect.gen(function* () {
      const made = yield* receiver()
      const world = yield* startBroadcast(made.origin, names)
      yield* withdraw(world)
      yield* allWritten
      yield* Effect.provide(untilSettled(world.bot), workerLayer(), { local: true })
      assert.deepStrictEqual(outcomesOf(yield* world.recipients), ends(0))
      // No message is written into a chat of another client.
      assert.lengthOf(yield* deliveriesOf(world.bot), 4)
      assert.lengthOf(made.received, 4)
    })
  )

  it.effect(
    "a paused broadcast keeps its queued messages, delays no other message, and sends them when resumed",
    () =>
      Effect.gen(function* () {
        const made = yield* receiver()
        const world = yield* startBroadcast(made.origin, names)
        yield* allWritten
        yield* world.take("pause")
        const sql = yield* SqlClient.SqlClient
        const [chat] =
          yield* sql`select appeal_id::float8 as id from deliveries where bot_id = ${world.bot.id} limit 1`
        const path = `/OpChatRooms/${String(chat?.["id"])}/messages`
        yield* world.admin.make(path, { text: "Відповідь" })
        yield* Effect.gen(function* () {
          while (made.received.length === 0) yield* Effect.sleep(20)
          yield* untilNoneDue(world.bot.id)
        }).pipe(Effect.provide(workerLayer(), { local: true }))
        assert.deepStrictEqual(made.received.map(textOf), ["Відповідь"])
        const before = yield* world.recipients
        assert.deepStrictEqual(new Set(before.map(({ status }) => status)), new Set(["queued"]))
        yield* world.take("resume")
        yield* Effect.provide(untilSettled(world.bot), workerLayer(), { local: true })
        assert.lengthOf(made.received, names.length + 1)
        const sent = yield* world.recipients
        assert.deepStrictEqual(new Set(sent.map(({ status }) => status)), new Set(["sent"]))
      })
  )

  it.effect("a message in flight when its broadcast is paused waits if its attempt fails", () =>
    Effect.gen(function* () {
      const made = yield* waitingReceiver(500)
      const world = yield* startBroadcast(made.origin, ["Олена"])
      yield* allWritten
      yield* Effect.gen(function* () {
        yield* made.arrived
        yield* world.take("pause")
        made.mayAnswer()
        yield* untilNoneDue(world.bot.id)
      }).pipe(Effect.provide(workerLayer({ timeoutMillis: 10_000 }), { local: true }))
      assert.lengthOf(made.received, 1)
      const [waiting] = yield* world.recipients
      assert.deepInclude(waiting, { status: "queued", reason: "http_500", attempts: 1 })
      yield* world.take("cancel")
      assert.deepInclude((yield* world.recipients)[0], { status: "skipped", reason: "cancelled" })
      assert.strictEqual(yield* dueLines(world.bot.id), 0)
    })
  )
})

const dueLines = (botId: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`select 1 from delivery_lines where bot_id = ${botId} and due_at is not null`,
      (lines) => lines.length
    )
  )

const untilNoneDue = (botId: number) =>
  Effect.repeat(Effect.sleep(20), { while: () => Effect.map(dueLines(botId), (due) => due > 0) })
