import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { logOnce } from "./LogOnce.ts"

it.effect("repeated work continues after a failure, and only the first failure of a series is logged", () =>
  Effect.gen(function* () {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    const attempt = logOnce("it fails")
    const [failing, succeeding] = [Effect.fail("unavailable"), Effect.void]
    yield* Effect.forEach([failing, failing, succeeding, failing], attempt).pipe(
      Effect.provide(Logger.layer([logger]))
    )
    assert.strictEqual(logged.length, 2)
    assert.isTrue(logged.every((line) => line.startsWith("it fails")))
  })
)
