// Spares callers the wait for an engine that is away: after some failures in a row they fail at once, until a probe succeeds.
import { OPENSEARCH_BREAKER_FAILURES, OPENSEARCH_PROBE_MILLIS } from "./OpenSearchLimits.ts"
import { Clock, Effect, Exit, type Scope } from "effect"
import { OpenSearchFault } from "./OpenSearchFault.ts"

/** A slower call counts as slow. */
const OPENSEARCH_SLOW_MILLIS = 1_000

interface CircuitBreaker {
  /** Fails at once while it is open; counts how the call ends. */
  readonly guard: <A>(call: Effect.Effect<A, OpenSearchFault>) => Effect.Effect<A, OpenSearchFault>
}

/** `probe` checks whether the engine is back; it runs every OPENSEARCH_PROBE_MILLIS while the breaker is open. */
export const makeCircuitBreaker: (
  probe: Effect.Effect<unknown, OpenSearchFault>
) => Effect.Effect<CircuitBreaker, never, Scope.Scope> = Effect.fnUntraced(function* (probe) {
  const scope = yield* Effect.scope
  let failures = 0
  let open = false

  const untilBack = Effect.sleep(OPENSEARCH_PROBE_MILLIS).pipe(
    Effect.andThen(Effect.exit(probe)),
    Effect.repeat({ until: Exit.isSuccess }),
    Effect.andThen(Effect.logInfo("OpenSearch answers again")),
    Effect.ensuring(
      Effect.sync(() => {
        open = false
        failures = 0
      })
    )
  )
  const failed = Effect.fnUntraced(function* (said: string) {
    failures++
    if (open || failures < OPENSEARCH_BREAKER_FAILURES) return
    open = true
    yield* Effect.logWarning(`OpenSearch is away: ${said}`)
    yield* Effect.forkIn(untilBack, scope)
  })

  return {
    guard: Effect.fnUntraced(function* (call) {
      if (open) return yield* new OpenSearchFault({ kind: "open", status: 0, said: "the breaker is open" })
      const begun = yield* Clock.currentTimeMillis
      return yield* Effect.onExit(call, (exit) => {
        if (Exit.isSuccess(exit)) {
          failures = 0
          return Effect.void
        }
        if (Exit.hasInterrupts(exit)) {
          // The caller gave up: after so long that counts against the engine, earlier it says nothing.
          return Effect.flatMap(Clock.currentTimeMillis, (now) =>
            now - begun >= OPENSEARCH_SLOW_MILLIS ? failed("it does not answer in time") : Effect.void
          )
        }
        const fault = Exit.findErrorOption(exit)
        if (fault._tag === "None") return Effect.void
        if (fault.value.kind === "away" || fault.value.kind === "late") return failed(fault.value.said)
        failures = 0
        return Effect.void
      })
    })
  }
})
