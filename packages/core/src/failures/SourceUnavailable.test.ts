// Deadlines that do not wait for the interrupted work (contract §3.4).
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { abandonAfter, whenLate } from "./SourceUnavailable.ts"

const late = () => Effect.fail("late" as const)
/** Never completes, and counts its interruptions. */
const hang = (interrupted: Ref.Ref<number>) =>
  Effect.onInterrupt(Effect.never, () => Ref.update(interrupted, (count) => count + 1))

it.effect("abandonAfter passes a result or failure that arrives in time", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* abandonAfter(10, late)(Effect.succeed(1)), 1)
    const slow = yield* Effect.forkChild(abandonAfter(10, late)(Effect.delay(Effect.fail("own"), 5)))
    yield* TestClock.adjust(5)
    assert.deepStrictEqual(yield* Effect.exit(Fiber.join(slow)), Exit.fail("own"))
  })
)

it.effect("abandonAfter fails at its deadline, interrupts the work and does not wait for it", () =>
  Effect.gen(function* () {
    const interrupted = yield* Ref.make(0)
    const stuck = Effect.uninterruptible(Effect.sleep(1_000))
    const fibers = yield* Effect.forEach([hang(interrupted), stuck], (effect) =>
      Effect.forkChild(abandonAfter(10, late)(effect))
    )
    yield* TestClock.adjust(9)
    assert.isUndefined(fibers[1]?.pollUnsafe())
    yield* TestClock.adjust(1)
    for (const fiber of fibers)
      assert.strictEqual(yield* Effect.flip(Effect.asVoid(Fiber.join(fiber))), "late")
    assert.strictEqual(yield* Ref.get(interrupted), 1)
  })
)

it.effect("interrupting abandonAfter interrupts its work immediately", () =>
  Effect.gen(function* () {
    const interrupted = yield* Ref.make(0)
    const fiber = yield* Effect.forkChild(abandonAfter(10, late)(hang(interrupted)))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(fiber)
    assert.strictEqual(yield* Ref.get(interrupted), 1)
  })
)

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
