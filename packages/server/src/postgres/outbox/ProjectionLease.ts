// Lets exactly one of several processes project into an index that they share. A lease and no lock of a session: it costs no
// connection, outlives none, and passes on from a process that is stopped as well as from one that died.
import { PROJECTION_LEASE_MILLIS } from "./OutboxLimits.ts"
import { logOnce } from "@rapport/core/failures/LogOnce.ts"
import { Clock, Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { hasRow } from "../sql/Query.ts"

/** How often the process that projects renews its lease. */
const PROJECTION_LEASE_RENEWED_MILLIS = 500

/**
 * Tries for the lease of `kind` until the scope ends; the effect says whether this process holds it now. What a holder
 * does that was stopped for long is still harmless: the marks of an index move only from their present position.
 */
export const projectionLease: (
  kind: string
) => Effect.Effect<Effect.Effect<boolean>, never, SqlClient.SqlClient | Scope.Scope> = Effect.fnUntraced(
  function* (kind) {
    const sql = yield* SqlClient.SqlClient
    const process = randomUUID()
    let heldUntil = 0
    const take = Effect.gen(function* () {
      // Counted from before the question: this process never believes longer than the others do.
      const asked = yield* Clock.currentTimeMillis
      const isHeld = yield* hasRow(sql`insert into projection_leases as lease (kind, process_id, held_until)
          values (${kind}, ${process}::text::uuid,
            clock_timestamp() + make_interval(secs => ${PROJECTION_LEASE_MILLIS / 1_000}::float8))
        on conflict (kind) do update set process_id = excluded.process_id, held_until = excluded.held_until
          where lease.process_id = excluded.process_id or lease.held_until < clock_timestamp()
        returning 1`)
      if (isHeld && heldUntil === 0) yield* Effect.logDebug(`this process projects ${kind}`)
      heldUntil = isHeld ? asked + PROJECTION_LEASE_MILLIS : 0
    })
    yield* Effect.addFinalizer(() =>
      Effect.ignoreCause(
        sql`delete from projection_leases where kind = ${kind} and process_id = ${process}::text::uuid`
      )
    )
    yield* take.pipe(
      logOnce(`the lease of ${kind} could not be requested`),
      Effect.andThen(Effect.sleep(PROJECTION_LEASE_RENEWED_MILLIS)),
      Effect.forever,
      Effect.forkScoped
    )
    return Effect.map(Clock.currentTimeMillis, (now) => now < heldUntil)
  }
)
