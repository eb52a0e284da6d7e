import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { againAfterDeadlock, DEADLOCK_PAUSE_MILLIS, DEADLOCK_TRIES_MAX } from "./Deadlock.ts"

const ended = (code: string) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      cause: Object.assign(new Error(), { code }),
      message: "",
      operation: "query"
    })
  })

/** A transaction that PostgreSQL ends each time, and how often it was begun. */
const counted = (code: string) => {
  const seen = { tries: 0 }
  const transaction = Effect.suspend(() => {
    seen.tries++
    return Effect.fail(ended(code))
  })
  return { seen, transaction }
}

describe("a transaction that PostgreSQL ended as a deadlock", () => {
  it.effect(
    "is begun again after a pause, in which the other takes what was given up, so often at most",
    () =>
      Effect.gen(function* () {
        const { seen, transaction } = counted("40P01")
        const running = yield* Effect.forkChild(Effect.exit(againAfterDeadlock(transaction)))
        yield* TestClock.adjust(0)
        assert.strictEqual(seen.tries, 1)
        for (let tries = 1; tries < DEADLOCK_TRIES_MAX; tries++) {
          let paused = 0
          for (; seen.tries === tries && paused < 2 * DEADLOCK_PAUSE_MILLIS; paused++)
            yield* TestClock.adjust("1 millis")
          assert.strictEqual(seen.tries, tries + 1)
          assert.closeTo(paused, DEADLOCK_PAUSE_MILLIS, DEADLOCK_PAUSE_MILLIS / 4)
        }
        assert.isTrue(Exit.isFailure(yield* Fiber.join(running)))
        assert.strictEqual(seen.tries, DEADLOCK_TRIES_MAX)
      })
  )

  it.effect("is not begun again for another reason", () =>
    Effect.gen(function* () {
      const { seen, transaction } = counted("23505")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(againAfterDeadlock(transaction))))
      assert.strictEqual(seen.tries, 1)
    })
  )
})
