// Work that is late (contract §3.4).
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { whenLate } from "./SourceUnavailable.ts"

it.effect("whenLate continues with the fallback, which may still wait for the late result", () =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<number>()
    const fiber = yield* Effect.forkChild(
      Deferred.await(done).pipe(
        whenLate<number, never, string, never, never>(10, (rest) => Effect.map(rest, (n) => `late ${n}`))
      )
    )
    yield* TestClock.adjust(20)
    yield* Deferred.succeed(done, 7)
    // Either the effect or the fallback wins the race.
    assert.include([7, "late 7"], yield* Fiber.join(fiber))
  })
)
