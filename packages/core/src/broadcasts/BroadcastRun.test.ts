// A running broadcast pauses while the disk is full (contract §11).
import { assert, it } from "@effect/vitest"
import { Effect, Layer, PubSub } from "effect"
import { TestClock } from "effect/testing"
import { WriteCapacity } from "../capacity/WriteCapacity.ts"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { BroadcastQueue, broadcastRunLayer } from "./BroadcastRun.ts"
import { BroadcastSignal } from "./BroadcastSignal.ts"

const full = new SourceUnavailable({ source: "database", reason: "storage_full" })

it.effect("a broadcast writes nothing while the disk is full, and continues automatically", () =>
  Effect.gen(function* () {
    const world = { isFull: true, advances: 0 }
    const signal = yield* PubSub.unbounded<void>()
    const services = Layer.mergeAll(
      Layer.succeed(BroadcastQueue, {
        // Always one more recipient, due each tenth of a second.
        advance: () => Effect.sync(() => ++world.advances % 2 === 1),
        nextDueAt: Effect.succeed(0)
      }),
      Layer.effect(
        BroadcastSignal,
        Effect.map(PubSub.subscribe(signal), (notifications) => ({
          notify: Effect.void,
          notifications: Effect.succeed(notifications)
        }))
      ),
      Layer.succeed(WriteCapacity, {
        pass: () => Effect.suspend(() => (world.isFull ? Effect.fail(full) : Effect.void))
      })
    )
    yield* Layer.build(broadcastRunLayer.pipe(Layer.provide(services)))
    yield* TestClock.adjust("30 seconds")
    yield* PubSub.publish(signal, undefined)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(world.advances, 0)
    world.isFull = false
    yield* TestClock.adjust("1 seconds")
    assert.isAbove(world.advances, 0)
    world.isFull = true
    const { advances } = world
    yield* TestClock.adjust("10 seconds")
    assert.isAtMost(world.advances, advances + 1)
  })
)
