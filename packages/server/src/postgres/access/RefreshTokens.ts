// Refresh tokens in PostgreSQL: rotated, revoked when a spent one is used again, swept.
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { LOGIN_ADDRESS_DAYS, SESSION_SWEEP_ROWS_MAX } from "@rapport/core/access/AccessLimits.ts"
import { REFRESH_TOKEN_SECONDS, SESSION_SECONDS_MAX } from "@rapport/contract/Limits.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { actorOf } from "@rapport/core/audit/AuditLog.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { auditedFrom } from "../audit/AuditLogPostgres.ts"
import { hasRow, query, rowsOf, selectedCount } from "../sql/Query.ts"
import { UserFromJson, userJson } from "../users/UserColumns.ts"

type Sql = SqlClient.SqlClient
type Store = AccessStore["Service"]

export const refreshEnd = `now() + interval '${REFRESH_TOKEN_SECONDS} seconds'`

const sessionLength = `interval '${SESSION_SECONDS_MAX} seconds'`

export const addressStart = `now() - interval '${LOGIN_ADDRESS_DAYS} days'`

const renewedRows = rowsOf(Schema.Struct({ instance: PositiveInt, user: UserFromJson, seconds: Schema.Int }))

/** What every reuse of a spent refresh token writes; whose session it was is known to the row alone. */
const reused = {
  instanceId: 0,
  action: "auth.refresh_reused",
  actorType: "user",
  actorId: null,
  entity: "session",
  decision: "denied",
  details: {}
} as const

/** Families of refresh tokens, each with the hash of the one that is current. */
export const refreshTokens = (sql: Sql) =>
  ({
    rotate: query("AccessStore.rotate", (spent, next) =>
      Effect.gen(function* () {
        const renewed = yield* renewedRows.find(sql`with renewed as (
        update refresh_families f set current_hash = ${next.hash}::bytea,
          expires_at = least(${sql.literal(refreshEnd)}, f.created_at + ${sql.literal(sessionLength)})
        from user_access m where f.id = ${spent.sessionId}::uuid and f.current_hash = ${spent.hash}::bytea
          and f.revoked_at is null and f.expires_at > now()
          and m.instance_id = f.instance_id and m.user_id = f.user_id and m.status = 'active'
        returning f.instance_id, f.id, f.user_id, round(extract(epoch from f.expires_at - now()))::int4 as seconds),
      remembered as (insert into refresh_spent (instance_id, hash, family_id)
        select r.instance_id, ${spent.hash}::bytea, r.id from renewed r)
      select r.instance_id::float8 as instance, r.seconds, ${sql.literal(userJson)} as user from renewed r
      join users u on u.instance_id = r.instance_id and u.id = r.user_id
      join user_access m on m.instance_id = u.instance_id and m.user_id = u.id`)

        if (renewed === undefined) return undefined
        return { instanceId: renewed.instance, user: renewed.user, refreshExpiresIn: renewed.seconds }
      })
    )
  }) satisfies Partial<Store>

/** The end of sessions, and of what is left of them. */
export const revocation = (sql: Sql) =>
  ({
    revokeReused: query("AccessStore.revokeReused", ({ hash, sessionId }, origin) =>
      Effect.gen(function* () {
        const entry = auditedFrom(
          sql,
          "revoked r",
          { ...origin, ...reused, entityId: sessionId },
          { instanceId: "r.instance_id", actorId: "r.user_id" }
        )
        return yield* hasRow(sql`with revoked as (
        update refresh_families f set revoked_at = now(), expires_at = least(f.expires_at, now())
        where f.id = ${sessionId}::uuid and f.revoked_at is null and exists (select 1 from refresh_spent s
          where s.instance_id = f.instance_id and s.hash = ${hash}::bytea and s.family_id = f.id)
        returning f.instance_id, f.user_id),
      entry as (${entry})
      select 1 from revoked`)
      })
    ),

    revoke: query("AccessStore.revoke", (session, { everywhere, refresh }, origin) =>
      Effect.gen(function* () {
        const entry = auditedFrom(
          sql,
          "ended",
          {
            ...origin,
            ...actorOf(session),
            instanceId: session.instanceId,
            action: "auth.logout",
            entity: "session",
            entityId: null,
            decision: "allowed",
            details: { everywhere }
          },
          { entityId: "ended.id::text" }
        )
        yield* sql`with ended as (
        update refresh_families f set revoked_at = now(), expires_at = least(f.expires_at, now())
        where f.instance_id = ${session.instanceId} and f.user_id = ${session.userId} and f.revoked_at is null
          and (${everywhere}::boolean or f.id = ${session.sessionId}::uuid or f.id = ${refresh?.sessionId ?? null}::uuid)
        returning f.id),
      entry as (${entry}) select 1 from ended`
      })
    ),

    // A spent token older than a refresh token's life is expired by itself; a session ended that long ago has none left.
    sweep: query("AccessStore.sweep", () =>
      selectedCount(sql`with spent as (delete from refresh_spent where (instance_id, hash) in (
        select s.instance_id, s.hash from refresh_spent s
        where s.spent_at < now() - interval '${sql.literal(String(REFRESH_TOKEN_SECONDS))} seconds'
        order by s.spent_at limit ${SESSION_SWEEP_ROWS_MAX}) returning 1),
      families as (delete from refresh_families where id in (
        select f.id from refresh_families f
        where f.expires_at < now() - interval '${sql.literal(String(REFRESH_TOKEN_SECONDS))} seconds'
          and not exists (select 1 from refresh_spent s where s.instance_id = f.instance_id and s.family_id = f.id)
        order by f.expires_at limit ${SESSION_SWEEP_ROWS_MAX}) returning 1),
      addresses as (delete from login_addresses where (instance_id, user_id, address) in (
        select a.instance_id, a.user_id, a.address from login_addresses a where a.logged_in_at < ${sql.literal(addressStart)}
        order by a.logged_in_at limit ${SESSION_SWEEP_ROWS_MAX}) returning 1)
      select ((select count(*) from spent) + (select count(*) from families)
        + (select count(*) from addresses))::float8 as count`)
    )()
  }) satisfies Partial<Store>
