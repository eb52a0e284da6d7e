// A sweep: deletes what is no longer needed, at the start and then every so often, for as long as the service runs.
import { Cause, Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { projectionLease } from "../postgres/outbox/ProjectionLease.ts"

/** Wait for the lease before the first sweep. */
const SWEEP_LEASE_MILLIS = 2_000

export interface Sweep<E, R> {
  /** What is swept, for logs. */
  readonly name: string
  /** One statement's worth; gives how many rows went. */
  readonly once: Effect.Effect<number, E, R>
  /** A statement that takes so many rows is followed by another at once. */
  readonly rowsMax: number
  readonly everyMillis: number
}

/** A round that fails is said in the log and made again with the next one: no fault ends the sweeping. */
export const sweeping = <E, R>(
  sweeps: ReadonlyArray<Sweep<E, R>>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.forEach(
    sweeps,
    ({ everyMillis, name, once, rowsMax }) =>
      Effect.repeat(once, { while: (gone) => gone >= rowsMax }).pipe(
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => Effect.logWarning(`${name} were not swept`, cause)
        ),
        Effect.andThen(Effect.sleep(everyMillis)),
        Effect.forever,
        Effect.forkScoped
      ),
    { discard: true }
  )

/** The same on one process at a time: the one that holds the lease of `kind`. */
export const sweepingAlone = Effect.fnUntraced(function* <E, R>(
  kind: string,
  sweeps: ReadonlyArray<Sweep<E, R>>
): Effect.fn.Return<void, never, R | SqlClient.SqlClient | Scope.Scope> {
  const isMine = yield* projectionLease(kind)
  const mine = sweeps.map((sweep) => ({
    ...sweep,
    once: Effect.flatMap(isMine, (held) => (held ? sweep.once : Effect.succeed(0)))
  }))
  // The lease comes a moment after the start; another process may hold it.
  yield* Effect.sleep(SWEEP_LEASE_MILLIS).pipe(Effect.andThen(sweeping(mine)), Effect.forkScoped)
})
