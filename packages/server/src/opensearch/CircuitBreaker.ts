// A circuit breaker for OpenSearch: after some failures in a row calls fail immediately, until a probe succeeds.
import { Clock, Effect, Exit, type Scope } from "effect"
import { OpenSearchFault } from "./OpenSearchFault.ts"

/** Failures in a row that open the breaker. */
export const OPENSEARCH_BREAKER_FAILURES = 5
/** How often an open breaker sends a probe. */
const OPENSEARCH_PROBE_MILLIS = 250
/** An interrupted call that ran this long counts as a failure. */
const OPENSEARCH_SLOW_MILLIS = 1_000

interface CircuitBreaker {
  /** Fails immediately while the breaker is open; counts the outcome of the call. */
  readonly guard: <A>(call: Effect.Effect<A, OpenSearchFault>) => Effect.Effect<A, OpenSearchFault>
}

/** `probe` runs every OPENSEARCH_PROBE_MILLIS while the breaker is open. */
export const makeCircuitBreaker: (
  probe: Effect.Effect<unknown, OpenSearchFault>
) => Effect.Effect<CircuitBreaker, never, Scope.Scope> = Effect.fnUntraced(function* (probe) {
  const scope = yield* Effect.scope
  let failures = 0
  let open = false

  const probeUntilAvailable = Effect.sleep(OPENSEARCH_PROBE_MILLIS).pipe(
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
  const countFailure = Effect.fnUntraced(function* (detail: string) {
    failures++
    if (open || failures < OPENSEARCH_BREAKER_FAILURES) return
    open = true
    yield* Effect.logWarning(`OpenSearch is unavailable: ${detail}`)
    yield* Effect.forkIn(probeUntilAvailable, scope)
  })

  return {
    guard: Effect.fnUntraced(function* (call) {
      if (open) return yield* new OpenSearchFault({ kind: "open", status: 0, detail: "the breaker is open" })
      const startedAt = yield* Clock.currentTimeMillis
      return yield* Effect.onExit(call, (exit) => {
        if (Exit.isSuccess(exit)) {
          failures = 0
          return Effect.void
        }
        if (Exit.hasInterrupts(exit)) {
          // The caller gave up. Only a long wait counts against the engine.
          return Effect.flatMap(Clock.currentTimeMillis, (now) =>
            now - startedAt >= OPENSEARCH_SLOW_MILLIS
              ? countFailure("it does not answer in time")
              : Effect.void
          )
        }
        const fault = Exit.findErrorOption(exit)
        if (fault._tag === "None") return Effect.void
        if (fault.value.kind === "unavailable" || fault.value.kind === "timeout")
          return countFailure(fault.value.detail)
        failures = 0
        return Effect.void
      })
    })
  }
})
