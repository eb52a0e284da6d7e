import { assert, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { startSweeps } from "./Sweep.ts"

it.effect("a sweep repeats a full statement immediately, and a failed one after its interval", () =>
  Effect.gen(function* () {
    const rounds = yield* Ref.make(0)
    const once = Effect.flatMap(
      Ref.updateAndGet(rounds, (n) => n + 1),
      (n) => (n === 1 ? Effect.succeed(10) : n === 2 ? Effect.die("a bug") : Effect.succeed(0))
    )
    yield* startSweeps([{ name: "rows", once, rowsMax: 10, everyMillis: 1_000 }])
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Ref.get(rounds), 2)
    yield* TestClock.adjust(1_000)
    assert.strictEqual(yield* Ref.get(rounds), 3)
  })
)
