// Refresh tokens in PostgreSQL: rotation, revocation (also when a spent token is used again), sweep.
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { REFRESH_TOKEN_SECONDS, SESSION_SECONDS_MAX } from "@rapport/contract/Limits.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { actorOf } from "@rapport/core/audit/AuditLog.ts"
import { Schema } from "effect"
import type { Sql } from "../sql/Fragment.ts"
import { auditedFrom } from "../sql/Records.ts"
import { hasRow, query, rowsOf, selectedCount } from "../sql/Query.ts"
import { UserFromJson, userJson } from "../users/UserColumns.ts"

/** Ended sessions and spent refresh tokens deleted by one statement. */
export const SESSION_SWEEP_ROWS_MAX = 1_000
/** An address stays known for so many days, so that the user can log in while others block the name (contract §10). */
const LOGIN_ADDRESS_DAYS = 30

type Store = AccessStore["Service"]

export const refreshEnd = `now() + interval '${REFRESH_TOKEN_SECONDS} seconds'`

const sessionLength = `interval '${SESSION_SECONDS_MAX} seconds'`

export const addressStart = `now() - interval '${LOGIN_ADDRESS_DAYS} days'`

const renewedRows = rowsOf(Schema.Struct({ instance: PositiveInt, user: UserFromJson, seconds: Schema.Int }))

/** The audit entry of a reused refresh token. Only the row names its session. */
const reused = {
  instanceId: 0,
  action: "auth.refresh_reused",
  actorType: "user",
  actorId: null,
  entity: "session",
  decision: "denied",
  details: {}
} as const

export const refreshTokens = (sql: Sql) =>
  ({
    rotate: query("AccessStore.rotate", function* (spent, next) {
      const renewed = yield* renewedRows.find(sql`with renewed as (
        update refresh_families family set current_hash = ${next.hash}::bytea,
          expires_at = least(${sql.literal(refreshEnd)}, family.created_at + ${sql.literal(sessionLength)})
        from user_access m where family.id = ${spent.sessionId}::uuid and family.current_hash = ${spent.hash}::bytea
          and family.revoked_at is null and family.expires_at > now()
          and m.instance_id = family.instance_id and m.user_id = family.user_id and m.status = 'active'
        returning family.instance_id, family.id, family.user_id, round(extract(epoch
          from family.expires_at - now()))::int4 as seconds),
      spent as (insert into refresh_spent (instance_id, hash, family_id)
        select renewed.instance_id, ${spent.hash}::bytea, renewed.id from renewed)
      select renewed.instance_id::float8 as instance, renewed.seconds, ${sql.literal(userJson)} as user from renewed
      join users account on account.instance_id = renewed.instance_id and account.id = renewed.user_id
      join user_access m on m.instance_id = account.instance_id and m.user_id = account.id`)

      if (renewed === undefined) return undefined
      return { instanceId: renewed.instance, user: renewed.user, refreshExpiresIn: renewed.seconds }
    })
  }) satisfies Partial<Store>

export const revocation = (sql: Sql) =>
  ({
    revokeReused: query("AccessStore.revokeReused", function* ({ hash, sessionId }, origin) {
      const entry = auditedFrom(
        "revoked",
        { ...origin, ...reused, entityId: sessionId },
        { instanceId: "revoked.instance_id", actorId: "revoked.user_id" }
      )
      return yield* hasRow(sql`with revoked as (
        update refresh_families family set revoked_at = now(), expires_at = least(family.expires_at, now())
        where family.id = ${sessionId}::uuid and family.revoked_at is null and exists (select 1 from refresh_spent spent
          where spent.instance_id = family.instance_id and spent.hash = ${hash}::bytea and spent.family_id = family.id)
        returning family.instance_id, family.user_id),
      entry as (${entry})
      select 1 from revoked`)
    }),

    revoke: query("AccessStore.revoke", function* (session, { everywhere, refresh }, origin) {
      const entry = auditedFrom(
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
        update refresh_families family set revoked_at = now(), expires_at = least(family.expires_at, now())
        where family.instance_id = ${session.instanceId} and family.user_id = ${session.userId}
          and family.revoked_at is null
          and (${everywhere}::boolean or family.id = ${session.sessionId}::uuid or family.id = ${refresh?.sessionId ?? null}::uuid)
        returning family.id),
      entry as (${entry}) select 1 from ended`
    }),

    // Older spent tokens have expired, and no token is left of a session that ended so long ago.
    sweep: query("AccessStore.sweep", () =>
      selectedCount(sql`with spent as (delete from refresh_spent where (instance_id, hash) in (
        select spent.instance_id, spent.hash from refresh_spent spent
        where spent.spent_at < now() - interval '${sql.literal(String(REFRESH_TOKEN_SECONDS))} seconds'
        order by spent.spent_at limit ${SESSION_SWEEP_ROWS_MAX}) returning 1),
      families as (delete from refresh_families where id in (
        select family.id from refresh_families family
        where family.expires_at < now() - interval '${sql.literal(String(REFRESH_TOKEN_SECONDS))} seconds'
          and not exists (select 1 from refresh_spent spent where spent.instance_id = family.instance_id
            and spent.family_id = family.id)
        order by family.expires_at limit ${SESSION_SWEEP_ROWS_MAX}) returning 1),
      addresses as (delete from login_addresses where (instance_id, user_id, address) in (
        select address.instance_id, address.user_id, address.address from login_addresses address
          where address.logged_in_at < ${sql.literal(addressStart)}
        order by address.logged_in_at limit ${SESSION_SWEEP_ROWS_MAX}) returning 1)
      select ((select count(*) from spent) + (select count(*) from families)
        + (select count(*) from addresses))::float8 as count`)
    )()
  }) satisfies Partial<Store>
