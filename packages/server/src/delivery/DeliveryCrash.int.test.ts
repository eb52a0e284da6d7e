// A service that is killed in the middle of many deliveries: none is lost, and what goes twice has the same id and body
// (contract §8).
import { assert, layer } from "@effect/vitest"
import { ATTEMPTS_CONNECTOR_MAX } from "@rapport/core/delivery/DeliveryLimits.ts"
import { Effect, Layer } from "effect"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import { chatsOf, enqueue, newBot, settledOf } from "../testing/DeliveryFixtures.ts"
import { broadcastCrash } from "../testing/crash/BroadcastCrash.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { receiver } from "../testing/ReceiverFixtures.ts"
import { startProcess } from "../testing/ServerFixtures.ts"
import { SharedDatabase, SharedDatabaseFixtures } from "../testing/SharedDatabaseFixtures.ts"

const MESSAGES = 1_000
const KILLED_AFTER = 200

const start = Effect.gen(function* () {
  const { environment } = yield* SharedDatabase
  const folder = yield* temporaryFolder
  const started = yield* startProcess(["serve"], {
    ...environment,
    RAPPORT_WEBHOOK_ALLOW_PRIVATE: "true",
    PORT: "0",
    RAPPORT_DATA_DIR: folder
  })
  yield* Effect.promise(() => started.ready())
  return started
})

const worldLayer = OutboxSignalPostgres.layer.pipe(Layer.provideMerge(SharedDatabaseFixtures.layer))

layer(worldLayer, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
  it.effect(
    "kill -9 during many deliveries loses none and resends only those in flight",
    () =>
      Effect.gen(function* () {
        const made = yield* receiver(
          (_, response) => void setTimeout(() => response.writeHead(204).end(), 20)
        )
        const bot = yield* newBot({ kind: "webhook", url: made.origin })
        const first = yield* start
        yield* enqueue(bot, chatsOf(MESSAGES), ["Добрий день"], "broadcast")
        while (made.received.length < KILLED_AFTER) yield* Effect.sleep(2)
        first.signal("SIGKILL")
        yield* Effect.promise(() => first.end)
        const killedAt = made.received.length
        assert.isBelow(killedAt, MESSAGES)
        yield* start
        const settled = yield* settledOf(bot, 60)
        for (const one of settled) assert.strictEqual(one.status, "sent")
        const byId = new Map<string, Set<string>>()
        for (const { body, headers } of made.received) {
          const id = String(headers["webhook-id"])
          byId.set(id, (byId.get(id) ?? new Set<string>()).add(body))
        }
        assert.sameMembers(
          [...byId.keys()],
          settled.map(({ id }) => id)
        )
        for (const bodies of byId.values()) assert.strictEqual(bodies.size, 1)
        assert.isAtMost(
          made.received.length - MESSAGES,
          64,
          "no more than two shares of the connector go twice"
        )
      }),
    120_000
  )

  it.effect(
    "kill -9 during a broadcast keeps one delivery id for each recipient and loses none",
    () =>
      Effect.gen(function* () {
        const { repeated, seconds, ...report } = yield* broadcastCrash({
          recipients: 300,
          killedAfter: [100]
        })
        assert.deepStrictEqual(report, { status: "completed", lost: 0, doubled: 0, changed: 0 })
        assert.isAtMost(repeated, ATTEMPTS_CONNECTOR_MAX, `after ${seconds} seconds`)
      }),
    120_000
  )
})
