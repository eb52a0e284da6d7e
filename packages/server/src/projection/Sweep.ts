// Sweeps: delete rows that are no longer needed or change rows whose time has come, at the start and then at intervals.
import { repeatEvery } from "@rapport/core/failures/LogOnce.ts"
import { Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { projectionLease } from "../postgres/outbox/ProjectionLease.ts"

/** Wait for the lease before the first sweep. */
const SWEEP_LEASE_MILLIS = 2_000

export interface Sweep<E, R> {
  /** The plural of the swept rows, for logs. */
  readonly name: string
  /** One statement; returns the number of swept rows. */
  readonly once: Effect.Effect<number, E, R>
  /** After a statement that swept so many rows the next one follows immediately. */
  readonly rowsMax: number
  readonly everyMillis: number
}

/** `once` receives `rowsMax`, the limit of its statement. */
export const sweepOf = <E, R>(
  name: string,
  everyMillis: number,
  rowsMax: number,
  once: (limit: number) => Effect.Effect<number, E, R>
): Sweep<E, R> => ({ name, everyMillis, rowsMax, once: once(rowsMax) })

/** A failed sweep is repeated after its interval. */
export const startSweeps = <E, R>(
  sweeps: ReadonlyArray<Sweep<E, R>>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.forEach(
    sweeps,
    ({ everyMillis, name, once, rowsMax }) =>
      repeatEvery(
        everyMillis,
        `${name} are not swept`
      )(Effect.repeat(once, { while: (gone) => gone >= rowsMax })),
    { discard: true }
  )

/** The same in one process at a time: the one with the lease of `kind`. */
export const startLeasedSweeps = Effect.fnUntraced(function* <E, R>(
  kind: string,
  sweeps: ReadonlyArray<Sweep<E, R>>
): Effect.fn.Return<void, never, R | SqlClient.SqlClient | Scope.Scope> {
  const isMine = yield* projectionLease(kind)
  const mine = sweeps.map((sweep) => ({
    ...sweep,
    once: Effect.flatMap(isMine, (hasLease) => (hasLease ? sweep.once : Effect.succeed(0)))
  }))
  // The lease is acquired shortly after the start, unless another process has it.
  yield* Effect.sleep(SWEEP_LEASE_MILLIS).pipe(Effect.andThen(startSweeps(mine)), Effect.forkScoped)
})
