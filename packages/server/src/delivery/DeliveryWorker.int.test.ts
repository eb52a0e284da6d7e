// Delivery on a real PostgreSQL to real HTTP receivers (contract §8).
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Webhook } from "standardwebhooks"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import {
  chatsOf,
  deliveriesOf,
  enqueue,
  newBot,
  newSecret,
  outcomesOf,
  untilSettled,
  workerLayer
} from "../testing/DeliveryFixtures.ts"
import { openTransaction } from "../testing/LockWaits.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import {
  waitingReceiver,
  neverAnswer,
  type Received,
  receiver,
  type Responder,
  textOf
} from "../testing/ReceiverFixtures.ts"

const live = { excludeTestServices: true } as const
const worldLayer = OutboxSignalPostgres.layer.pipe(Layer.provideMerge(PostgresFixtures.small))

const idOf = ({ headers }: Received) => String(headers["webhook-id"])

/** Answers these statuses one after the other, then 204. */
const statuses =
  (...all: ReadonlyArray<readonly [status: number, headers?: Record<string, string>]>): Responder =>
  (_, response, place) => {
    const [status, headers] = all[place] ?? [204]
    response.writeHead(status, headers).end()
  }

/** Keeps deliveries of earlier tests from being sent. */
const nothingDue = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`update delivery_lines set due_at = null, lease = null where due_at is not null`
)

/** Attempts at receivers that hang outlast the test. */
const longTimeout = { timeoutMillis: 600_000 }

/** A message whose receiver answers while another transaction locks its line, until `release`. */
const lockedLine = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const slow = yield* waitingReceiver(204)
  const bot = yield* newBot({ kind: "webhook", url: slow.origin })
  yield* enqueue(bot, ["a"])
  yield* slow.arrived
  const release = yield* openTransaction(
    sql`select 1 from delivery_lines where bot_id = ${bot.id} for update`
  )
  slow.mayAnswer()
  return { bot, release, slow }
})

layer(
  worldLayer,
  live
)((it) => {
  it.effect("the delivery worker posts a message once, signed with both secrets, and marks it sent", () =>
    Effect.gen(function* () {
      const made = yield* receiver()
      const previousSecret = newSecret()
      const bot = yield* newBot({ kind: "webhook", url: `${made.origin}/in?a=1`, previousSecret })
      yield* enqueue(bot, ["chat-1"], ['Вітаю! Здравствуйте! "Hello" {{name}} 🚚'])
      const [sent] = yield* untilSettled(bot)
      assert.deepInclude(sent, { status: "sent", delivery: "sent", reason: null, attempts: 1 })
      assert.lengthOf(made.received, 1)
      const [{ body, headers, url }] = made.received as [Received]
      assert.strictEqual(url, "/in?a=1")
      assert.strictEqual(headers["webhook-id"], sent?.id)
      assert.strictEqual(headers["content-type"], "application/json")
      const message = JSON.parse(body)
      for (const secret of [bot.secret, previousSecret])
        assert.deepStrictEqual(new Webhook(secret).verify(body, headers as Record<string, string>), message)
      assert.deepStrictEqual(Object.keys(message), ["type", "timestamp", "data"])
      assert.deepInclude(message, { type: "message.send" })
      assert.match(message.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
      const { appealId, messageId, ...data } = message.data
      assert.deepStrictEqual(data, {
        callId: sent?.id,
        botId: bot.id,
        channel: "web",
        chatId: "chat-1",
        clientId: 501,
        text: 'Вітаю! Здравствуйте! "Hello" {{name}} 🚚',
        attachments: []
      })
      assert.isAbove(appealId, 0)
      assert.isAbove(messageId, 0)
      // Only a delivery of a call names a call.
      yield* enqueue(bot, ["a"], ["operator"], "operator")
      yield* enqueue(bot, ["b"], ["broadcast"], "broadcast")
      yield* untilSettled(bot)
      const others = made.received.slice(1).map((one) => JSON.parse(one.body).data.callId)
      assert.deepStrictEqual(others, [null, null])
    }).pipe(Effect.provide(workerLayer()))
  )

  it.effect("the delivery worker retries with the same id and body, and a new time and signature", () =>
    Effect.gen(function* () {
      const made = yield* receiver(statuses([500], [302, { location: "http://127.0.0.1:1/" }]))
      const bot = yield* newBot({ kind: "webhook", url: made.origin })
      yield* enqueue(bot, ["a"])
      const [sent] = yield* untilSettled(bot)
      assert.deepInclude(sent, { status: "sent", attempts: 3, reason: null })
      assert.deepStrictEqual(new Set(made.received.map(idOf)), new Set([sent?.id]))
      assert.strictEqual(new Set(made.received.map(({ body }) => body)).size, 1)
      for (const { body, headers } of made.received)
        new Webhook(bot.secret).verify(body, headers as Record<string, string>)
    }).pipe(Effect.provide(workerLayer()))
  )

  it.effect("the delivery worker counts no attempt for 429 or Retry-After, and never retries before it", () =>
    Effect.gen(function* () {
      const [later, soon] = [{ "retry-after": "1" }, { "retry-after": "0" }]
      const made = yield* receiver(
        statuses([429, later], [503, later], [429], [500], [429, soon], [400, soon])
      )
      const bot = yield* newBot({ kind: "webhook", url: made.origin })
      yield* enqueue(bot, ["a"])
      assert.deepStrictEqual(outcomesOf(yield* untilSettled(bot)), [["sent", null, 2]])
      const at = made.received.map(({ atMillis }) => atMillis)
      assert.lengthOf(at, 7)
      for (const i of [1, 2]) assert.isAtLeast((at[i] ?? 0) - (at[i - 1] ?? 0), 990)
    }).pipe(Effect.provide(workerLayer({ attempts: 2 })))
  )

  it.effect("a receiver that throttles one chat of a connector delays no other chat of it", () =>
    Effect.gen(function* () {
      const made = yield* receiver(({ body }, response) => {
        if (JSON.parse(body).data.chatId === "busy") response.writeHead(429, { "retry-after": "60" }).end()
        else response.writeHead(204).end()
      })
      const bot = yield* newBot({ kind: "webhook", url: made.origin })
      yield* enqueue(bot, ["busy", "free"], ["1", "2", "3"])
      while ((yield* deliveriesOf(bot)).filter(({ status }) => status === "sent").length < 3)
        yield* Effect.sleep(20)
      const waiting = (yield* deliveriesOf(bot)).filter(({ chatId }) => chatId === "busy")
      assert.deepStrictEqual(outcomesOf(waiting), [
        ["queued", "http_429", 0],
        ["queued", null, 0],
        ["queued", null, 0]
      ])
      yield* nothingDue
    }).pipe(Effect.provide(workerLayer()))
  )

  it.effect("a receiver that throttles all chats of a connector gets few attempts in parallel", () =>
    Effect.gen(function* () {
      const made = yield* receiver((received, response, place) => {
        if (place < 40) response.writeHead(429, { "retry-after": "0" }).end()
        else neverAnswer(received, response, place)
      })
      yield* enqueue(yield* newBot({ kind: "webhook", url: made.origin }), chatsOf(40))
      while (made.received.length < 42) yield* Effect.sleep(5)
      // With the whole share the worker would have sent 32 by then.
      yield* Effect.sleep(500)
      assert.lengthOf(made.received, 42)
      yield* nothingDue
    }).pipe(Effect.provide(workerLayer(longTimeout)))
  )

  it.effect("the delivery worker gives up after ATTEMPTS or at 410 and sends the next message", () =>
    Effect.gen(function* () {
      const broken = yield* receiver((received, response) => {
        response.writeHead(textOf(received) === "second" ? 204 : 500).end()
      })
      const gone = yield* receiver(statuses([410]))
      const botOfBroken = yield* newBot({ kind: "webhook", url: broken.origin })
      const botOfGone = yield* newBot({ kind: "webhook", url: gone.origin })
      yield* enqueue(botOfBroken, ["a"], ["first", "second"])
      yield* enqueue(botOfGone, ["a"], ["first", "second"])
      assert.deepStrictEqual(outcomesOf(yield* untilSettled(botOfBroken)), [
        ["failed", "http_500", 4],
        ["sent", null, 1]
      ])
      assert.deepStrictEqual(broken.received.map(textOf), ["first", "first", "first", "first", "second"])
      assert.deepStrictEqual(outcomesOf(yield* untilSettled(botOfGone)), [
        ["failed", "http_410", 1],
        ["sent", null, 1]
      ])
    }).pipe(Effect.provide(workerLayer()))
  )

  it.effect("the delivery worker keeps the order of each chat while receivers fail now and then", () =>
    Effect.gen(function* () {
      let place = 0
      const made = yield* receiver((_, response) => {
        response.writeHead(++place % 5 === 0 ? 500 : 204).end()
      })
      const bot = yield* newBot({ kind: "webhook", url: made.origin })
      const texts = Array.from({ length: 12 }, (_, i) => `m${i}`)
      const chats = chatsOf(20)
      yield* enqueue(bot, chats, texts)
      for (const one of yield* untilSettled(bot)) assert.strictEqual(one.status, "sent")
      for (const chat of chats) {
        const heard = made.received.filter(({ body }) => JSON.parse(body).data.chatId === chat).map(textOf)
        const order = heard.filter((text, i) => text !== heard[i - 1])
        assert.deepStrictEqual(order, texts, chat)
      }
    }).pipe(Effect.provide(workerLayer({ attempts: 20 })))
  )

  it.effect("the delivery worker delays no other receiver for receivers that hang, refuse or are gone", () =>
    Effect.gen(function* () {
      const hanging = yield* receiver(neverAnswer)
      const healthy = yield* receiver()
      const dead = [hanging.origin, "http://127.0.0.1:1/", "http://no-such-host.invalid/"]
      for (const url of dead) yield* enqueue(yield* newBot({ kind: "webhook", url }), chatsOf(300))
      const bot = yield* newBot({ kind: "webhook", url: healthy.origin })
      yield* enqueue(bot, chatsOf(50))
      yield* untilSettled(bot)
      assert.lengthOf(healthy.received, 50)
      assert.isAtMost(hanging.concurrencyMax(), 32)
      yield* nothingDue
    }).pipe(Effect.provide(workerLayer({ ...longTimeout, attempts: 8 })))
  )

  it.effect("the delivery worker leaves half of its slots to others while a tenant's receivers hang", () =>
    Effect.gen(function* () {
      const hanging = yield* receiver((received, response, place) =>
        received.url === "/others"
          ? void response.writeHead(204).end()
          : neverAnswer(received, response, place)
      )
      const healthy = yield* receiver()
      for (let i = 0; i < 10; i++)
        yield* enqueue(yield* newBot({ kind: "webhook", url: `${hanging.origin}/${i}` }), chatsOf(40))
      // Of the tenant next door, one of them at the same host.
      for (const url of [`${hanging.origin}/others`, healthy.origin]) {
        const bot = yield* newBot({ kind: "webhook", url }, 2)
        yield* enqueue(bot, chatsOf(20))
        for (const one of yield* untilSettled(bot)) assert.deepInclude(one, { status: "sent", attempts: 1 })
      }
      assert.isAtMost(hanging.concurrencyMax(), 128 + 20)
      yield* nothingDue
    }).pipe(Effect.provide(workerLayer(longTimeout)))
  )

  it.effect("the delivery worker delays no other tenant for a line that another transaction locks", () =>
    Effect.gen(function* () {
      const { bot, release, slow } = yield* lockedLine
      const healthy = yield* receiver()
      const other = yield* newBot({ kind: "webhook", url: healthy.origin }, 2)
      yield* enqueue(other, chatsOf(20), ["1", "2", "3"])
      for (const one of yield* untilSettled(other)) assert.deepInclude(one, { status: "sent", attempts: 1 })
      assert.deepInclude((yield* deliveriesOf(bot))[0], { status: "queued" })
      yield* release
      assert.deepInclude((yield* untilSettled(bot))[0], { status: "sent", attempts: 1 })
      assert.lengthOf(slow.received, 1)
    }).pipe(Effect.provide(workerLayer(longTimeout)))
  )

  it.effect("a delivery worker that is stopped still writes the result of its attempt", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(workerLayer(longTimeout), scope)
      const { bot, release, slow } = yield* Effect.provideContext(lockedLine, services)
      // By then the worker has tried to write the result.
      yield* Effect.sleep(600)
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.sleep(200)
      yield* release
      yield* Fiber.join(stopping)
      assert.deepInclude((yield* deliveriesOf(bot))[0], { status: "sent", attempts: 1 })
      assert.lengthOf(slow.received, 1)
    })
  )

  it.effect("the delivery worker sends an operator's message before a large broadcast", () =>
    Effect.gen(function* () {
      const made = yield* waitingReceiver(204)
      const bot = yield* newBot({ kind: "webhook", url: made.origin })
      yield* enqueue(bot, chatsOf(400), ["news"], "broadcast")
      yield* enqueue(bot, ["waiting"], ["answer"], "operator")
      made.mayAnswer()
      yield* untilSettled(bot)
      const place = made.received.findIndex((one) => textOf(one) === "answer")
      assert.isBelow(place, 200)
    }).pipe(Effect.provide(workerLayer(longTimeout)))
  )

  it.effect("the delivery worker fails deliveries without an active connector", () =>
    Effect.gen(function* () {
      const made = yield* receiver()
      const sql = yield* SqlClient.SqlClient
      const off = yield* newBot({ kind: "webhook", url: made.origin })
      yield* sql`update bot_connectors set active = false where bot_id = ${off.id}`
      const asleep = yield* newBot({ kind: "webhook", url: made.origin })
      yield* sql`update bots set active = false where id = ${asleep.id}`
      for (const bot of [off, asleep]) {
        yield* enqueue(bot, ["a"])
        assert.deepInclude((yield* untilSettled(bot))[0], { status: "failed", reason: "connector_inactive" })
      }
      assert.isEmpty(made.received)
    }).pipe(Effect.provide(workerLayer()))
  )

  it.effect("the delivery worker does not retry a queued message that the provider reported as read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const made = yield* receiver(statuses([500]))
      const bot = yield* newBot({ kind: "webhook", url: made.origin })
      yield* enqueue(bot, ["a"], ["first", "second"])
      while (made.received.length === 0) yield* Effect.sleep(5)
      yield* sql`update deliveries set status = 'read' where bot_id = ${bot.id} and text = 'first'`
      const all = yield* untilSettled(bot)
      assert.deepStrictEqual(
        all.map(({ status }) => status),
        ["read", "sent"]
      )
      assert.deepStrictEqual(made.received.map(textOf), ["first", "second"])
    }).pipe(Effect.provide(workerLayer({ backoffMillis: 300 })))
  )

  it.effect("two delivery workers share the lines, and nothing is sent twice", () =>
    Effect.gen(function* () {
      // A machine under load is no receiver that hangs: what would go twice for that is no fault of sharing.
      const made = yield* receiver()
      const bot = yield* newBot({ kind: "webhook", url: made.origin })
      const other = Effect.scoped(Layer.build(workerLayer(longTimeout)).pipe(Effect.andThen(Effect.never)))
      yield* Effect.forkScoped(other)
      yield* enqueue(bot, chatsOf(400), ["one", "two"])
      const all = yield* untilSettled(bot)
      assert.lengthOf(all, 800)
      assert.lengthOf(made.received, 800)
      assert.strictEqual(new Set(made.received.map(idOf)).size, 800)
    }).pipe(Effect.provide(workerLayer(longTimeout)))
  )

  it.effect(
    "a delivery worker that is stopped releases its lines to the next immediately",
    () =>
      Effect.gen(function* () {
        const made = yield* receiver((_, response, place) => {
          if (place < 10 || place >= 30) response.writeHead(204).end()
        })
        const bot = yield* newBot({ kind: "webhook", url: made.origin })
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* enqueue(bot, chatsOf(30))
            while (made.received.length < 30) yield* Effect.sleep(5)
          }).pipe(Effect.provide(workerLayer(longTimeout)))
        )
        const left = (yield* deliveriesOf(bot)).filter(({ status }) => status === "queued")
        assert.lengthOf(left, 20)
        for (const one of left) assert.deepInclude(one, { attempts: 0, reason: "timeout" })
        const sql = yield* SqlClient.SqlClient
        assert.isEmpty(
          yield* sql`select 1 from delivery_lines where bot_id = ${bot.id} and lease is not null`
        )
        yield* Effect.provide(untilSettled(bot), workerLayer(longTimeout))
        assert.strictEqual(new Set(made.received.map(idOf)).size, 30)
      }),
    60_000
  )
})
