// Spans cost nothing while tracing is off.
import { assert, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { inSpan, traceAs } from "./SourceUnavailable.ts"

const nameOfSpan = Effect.map(Effect.option(Effect.currentSpan), (span) =>
  span._tag === "Some" ? span.value.name : null
)

it.effect("a span is created only while tracing is on", () =>
  Effect.gen(function* () {
    const named = traceAs("Store.find")((id: number) => Effect.map(nameOfSpan, (name) => ({ id, name })))
    assert.deepStrictEqual(yield* named(3), { id: 3, name: "Store.find" })
    assert.strictEqual(yield* inSpan("Store.confirm")(nameOfSpan), "Store.confirm")
    const off = Effect.provideService(References.TracerEnabled, false)
    assert.deepStrictEqual(yield* off(named(3)), { id: 3, name: null })
    assert.isNull(yield* off(inSpan("Store.confirm")(nameOfSpan)))
  })
)
