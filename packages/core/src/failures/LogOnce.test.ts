import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { logOnce } from "./LogOnce.ts"

it.effect("repeated work continues after a failure and logs the first of a series", () =>
  Effect.gen(function* () {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    const turn = logOnce("it fails")
    const [bad, good] = [Effect.fail("away"), Effect.void]
    yield* Effect.forEach([bad, bad, good, bad], turn).pipe(Effect.provide(Logger.layer([logger])))
    assert.strictEqual(logged.length, 2)
    assert.isTrue(logged.every((line) => line.startsWith("it fails")))
  })
)
