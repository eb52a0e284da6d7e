// Ends the sessions and invitations of a restored backup and puts its messages on hold, in the transaction of the restore
// (docs/operations.md, "After a restore"). It runs on the tables of the backup's version.
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { holdAll, type OnHold } from "../delivery/DeliveriesOnHold.ts"
import { selectedCount } from "../sql/Query.ts"

export interface RestoredState {
  readonly ended: { readonly sessions: number; readonly invitations: number }
  /** A member of the output of `rapport restore`. */
  readonly held: OnHold
}

export const restoredState: Effect.Effect<RestoredState, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const sessions = yield* selectedCount(sql`with ended as (update refresh_families set revoked_at = now(),
        expires_at = least(expires_at, now()) where revoked_at is null and expires_at > now() returning 1) select count(*)::float8 as count from ended`)
    const invitations =
      yield* selectedCount(sql`with ended as (update users set invitation_hash = null, invitation_expires_at = null
      where invitation_hash is not null returning 1) select count(*)::float8 as count from ended`)
    return { ended: { sessions, invitations }, held: yield* holdAll }
  }
)
