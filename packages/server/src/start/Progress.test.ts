// Progress of long work: a line when it has moved, and none twice.
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { progress } from "./Progress.ts"

it.effect("progress is shown once a second while it changes", () =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(...[message].flat()))
    yield* Effect.gen(function* () {
      const { reached } = yield* progress("erasing", "rows")
      for (const built of [100, 200, 1_200, 1_200, 1_200, 1_200, 1_200, 1_300]) {
        yield* TestClock.adjust("600 millis")
        yield* reached({ built, total: 0 })
      }
    }).pipe(Effect.provide(Logger.layer([logger])))
    assert.deepStrictEqual(lines, ["erasing: 200 rows", "erasing: 1,200 rows", "erasing: 1,300 rows"])
  })
)
