// What a restore ends and holds in what it loaded, in its transaction: nobody is logged in, and nothing is sent
// (docs/operations.md, "Backup and restore"). It runs on the tables of the backup's version.
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Held, holdAll } from "../delivery/HeldDeliveries.ts"
import { selectedCount } from "../sql/Query.ts"

export interface RestoredState {
  readonly ended: { readonly sessions: number; readonly invitations: number }
  readonly held: Held
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
