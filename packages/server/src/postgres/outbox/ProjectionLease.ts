// Chooses one of several processes that project into a shared index. A lease needs no connection of its own, and expires when its
// process is stopped or dies.
import { repeatEvery } from "@rapport/core/failures/LogOnce.ts"
import { Clock, Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { hasRow } from "../sql/Query.ts"

/** Another process takes over this long after the last renewal. */
const PROJECTION_LEASE_MILLIS = 3_000
const PROJECTION_LEASE_RENEW_MILLIS = 500

/**
 * Requests the lease of `kind` until the scope closes. The effect returns whether this process has it. A process that was stopped for
 * long does no harm: a checkpoint only moves from its stored position.
 */
export const projectionLease: (
  kind: string
) => Effect.Effect<Effect.Effect<boolean>, never, SqlClient.SqlClient | Scope.Scope> = Effect.fnUntraced(
  function* (kind) {
    const sql = yield* SqlClient.SqlClient
    const process = randomUUID()
    let leasedUntil = 0
    const take = Effect.gen(function* () {
      // The time before the statement, so that this process never assumes a longer lease than the others.
      const requestedAt = yield* Clock.currentTimeMillis
      const isLeased = yield* hasRow(sql`insert into projection_leases as lease (kind, process_id, expires_at)
          values (${kind}, ${process}::text::uuid,
            clock_timestamp() + make_interval(secs => ${PROJECTION_LEASE_MILLIS / 1_000}::float8))
        on conflict (kind) do update set process_id = excluded.process_id, expires_at = excluded.expires_at
          where lease.process_id = excluded.process_id or lease.expires_at < clock_timestamp()
        returning 1`)
      if (isLeased && leasedUntil === 0) yield* Effect.logDebug(`this process projects ${kind}`)
      leasedUntil = isLeased ? requestedAt + PROJECTION_LEASE_MILLIS : 0
    })
    yield* Effect.addFinalizer(() =>
      Effect.ignoreCause(
        sql`delete from projection_leases where kind = ${kind} and process_id = ${process}::text::uuid`
      )
    )
    yield* repeatEvery(PROJECTION_LEASE_RENEW_MILLIS, `the lease of ${kind} could not be requested`)(take)
    return Effect.map(Clock.currentTimeMillis, (now) => now < leasedUntil)
  }
)
