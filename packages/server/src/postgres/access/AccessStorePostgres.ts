// Sessions and logins in PostgreSQL: every question one statement, every change one conditional statement.
import { permissionsOf, Role } from "@rapport/contract/access/Permission.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import {
  AUTHENTICATION_MILLIS_MAX,
  LOGIN_ADDRESS_DAYS,
  LOGIN_ADDRESSES_MAX,
  SESSION_SWEEP_ROWS_MAX
} from "@rapport/core/access/AccessLimits.ts"
import { REFRESH_TOKEN_SECONDS, SESSION_SECONDS_MAX } from "@rapport/contract/Limits.ts"
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { actorOf } from "@rapport/core/audit/AuditLog.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { withTimeout } from "@rapport/core/failures/WithDeadline.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { auditedFrom } from "../audit/AuditLogPostgres.ts"
import { hasRow, query, recordsOf, rowsOf, selectedCount } from "../sql/Query.ts"
import { UserFromJson, userJson } from "../users/UserColumns.ts"
import { callerOf, livingToken, makesTokens } from "../sql/Visibility.ts"

const Ids = Schema.Array(PositiveInt)
/** Instance, user, session, token, roles, the token's list or null, groups, subjects, colleagues. */
const SessionRow = Schema.Struct({
  session: Schema.Tuple([
    PositiveInt,
    PositiveInt,
    Schema.NullOr(Schema.String),
    Schema.NullOr(PositiveInt),
    Schema.Array(Role),
    Schema.NullOr(Schema.Array(Schema.String)),
    Ids,
    Ids,
    Ids
  ])
})
const sessionRows = rowsOf(SessionRow)
const loginRows = rowsOf(
  Schema.Struct({
    instanceId: PositiveInt,
    userId: PositiveInt,
    active: Schema.Boolean,
    passwordHash: Schema.NullOr(Schema.String)
  })
)
/** Of `users u`: what `loginRows` reads. */
const loginColumns = `u.instance_id::float8 as "instanceId", u.id::float8 as "userId", u.status = 'active' as active,
  u.password_hash as "passwordHash"`
const userRows = recordsOf(UserFromJson)
const renewedRows = rowsOf(Schema.Struct({ instance: PositiveInt, user: UserFromJson, seconds: Schema.Int }))

/** A connection that was lost unnoticed fails once; authentication waits no longer than its bound. */
const authenticating = <A>(
  read: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError | SourceUnavailable> =>
  read.pipe(
    Effect.retry({ times: 1, while: (error) => error.reason._tag === "ConnectionError" }),
    withTimeout(AUTHENTICATION_MILLIS_MAX, "database"),
    Effect.catchTag("SourceUnavailable", ({ source }) =>
      Effect.fail(new SourceUnavailable({ source, reason: "database_unavailable" }))
    )
  )

export const layer: Layer.Layer<AccessStore, never, SqlClient.SqlClient> = Layer.effect(
  AccessStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const refreshEnd = sql.literal(`now() + interval '${REFRESH_TOKEN_SECONDS} seconds'`)
    const user = sql.literal(userJson)
    const login = sql.literal(loginColumns)

    const sessionLength = sql.literal(`interval '${SESSION_SECONDS_MAX} seconds'`)
    const addressStart = sql.literal(`now() - interval '${LOGIN_ADDRESS_DAYS} days'`)
    const invited = sql.literal("status = 'invited' and invitation_expires_at > now()")

    return AccessStore.of({
      findSession: query("AccessStore.findSession", ({ instanceId, sessionId, userId }) =>
        Effect.map(
          authenticating(
            sessionRows.find(sql`with ${callerOf(sql, { instanceId, userId, sessionId, tokenId: null })}
          select json_build_array(u.instance_id, u.user_id, ${sessionId}::text, null, u.roles, u.token,
            u.skill_group_ids, u.subject_ids, u.colleague_ids) as session from caller u`)
          ),
          sessionOf
        )
      ),

      findTokenSession: query("AccessStore.findTokenSession", (hash) =>
        Effect.map(
          authenticating(
            sessionRows.find(sql`select json_build_array(t.instance_id, t.user_id, null, t.id, m.roles,
            t.permissions, m.skill_group_ids, m.subject_ids, m.colleague_ids) as session
          from external_tokens t
          join user_access m on m.instance_id = t.instance_id and m.user_id = t.user_id and ${sql.literal(makesTokens)}
          where t.hash = ${hash}::bytea and ${sql.literal(livingToken)}`)
          ),
          sessionOf
        )
      ),

      findLogin: query("AccessStore.findLogin", (loginKey) =>
        authenticating(loginRows.find(sql`select ${login} from users u where lower(u.login) = ${loginKey}`))
      ),

      isKnownAddress: query("AccessStore.isKnownAddress", (loginKey, address) =>
        authenticating(
          hasRow(sql`select 1 from users u join login_addresses a
            on a.instance_id = u.instance_id and a.user_id = u.id
            where lower(u.login) = ${loginKey} and a.address = ${address} and a.logged_in_at > ${addressStart}`)
        )
      ),

      rehash: query("AccessStore.rehash", ({ instanceId, passwordHash, userId }, rehashed) =>
        Effect.asVoid(sql`update users set password_hash = ${rehashed}
          where instance_id = ${instanceId} and id = ${userId} and password_hash = ${passwordHash}`)
      ),

      openSession: query("AccessStore.openSession", (login, refresh, origin) =>
        Effect.gen(function* () {
          const { instanceId, userId } = login
          const address = addressKey(origin.address ?? "")
          const entry = auditedFrom(sql, "u", {
            ...origin,
            instanceId,
            action: "auth.login",
            actorType: "user",
            actorId: userId,
            entity: "session",
            entityId: refresh.sessionId,
            decision: "allowed",
            details: {}
          })
          return yield* userRows.find(sql`with u as (
            update users set last_login_at = now() where instance_id = ${instanceId} and id = ${userId}
              and status = 'active' and password_hash = ${login.passwordHash} returning *),
          session as (insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
            select u.instance_id, ${refresh.sessionId}::uuid, u.id, ${refresh.hash}::bytea, ${refreshEnd} from u),
          latest as (select a.address, row_number() over (order by a.logged_in_at desc) as place
            from login_addresses a where a.instance_id = ${instanceId} and a.user_id = ${userId} and a.address <> ${address}),
          forgotten as (delete from login_addresses a using latest, u where a.instance_id = u.instance_id
            and a.user_id = u.id and a.address = latest.address and latest.place >= ${LOGIN_ADDRESSES_MAX}),
          remembered as (insert into login_addresses (instance_id, user_id, address)
            select u.instance_id, u.id, ${address} from u where ${origin.address !== null}
            on conflict (instance_id, user_id, address) do update set logged_in_at = excluded.logged_in_at),
          entry as (${entry})
          select ${user} as record from u
          join user_access m on m.instance_id = u.instance_id and m.user_id = u.id`)
        })
      ),

      isInvitation: query("AccessStore.isInvitation", (hash) =>
        authenticating(hasRow(sql`select 1 from users where invitation_hash = ${hash}::bytea and ${invited}`))
      ),

      acceptInvitation: query("AccessStore.acceptInvitation", (hash, passwordHash, origin) =>
        Effect.gen(function* () {
          const entry = auditedFrom(
            sql,
            "u",
            {
              ...origin,
              instanceId: 0,
              action: "user.accept",
              actorType: "user",
              actorId: null,
              entity: "user",
              entityId: null,
              decision: "allowed",
              details: {}
            },
            { instanceId: "u.instance_id", actorId: "u.id", entityId: "u.id::text" }
          )
          return yield* loginRows.find(sql`with u as (
            update users set status = 'active', password_hash = ${passwordHash}, invitation_hash = null,
              invitation_expires_at = null, version = version + 1, updated_at = now()
            where invitation_hash = ${hash}::bytea and ${invited} returning *),
          entry as (${entry})
          select ${login} from u`)
        })
      ),

      rotate: query("AccessStore.rotate", (spent, next) =>
        Effect.gen(function* () {
          const renewed = yield* renewedRows.find(sql`with renewed as (
            update refresh_families f set current_hash = ${next.hash}::bytea,
              expires_at = least(${refreshEnd}, f.created_at + ${sessionLength})
            from user_access m where f.id = ${spent.sessionId}::uuid and f.current_hash = ${spent.hash}::bytea
              and f.revoked_at is null and f.expires_at > now()
              and m.instance_id = f.instance_id and m.user_id = f.user_id and m.status = 'active'
            returning f.instance_id, f.id, f.user_id, round(extract(epoch from f.expires_at - now()))::int4 as seconds),
          remembered as (insert into refresh_spent (instance_id, hash, family_id)
            select r.instance_id, ${spent.hash}::bytea, r.id from renewed r)
          select r.instance_id::float8 as instance, r.seconds, ${user} as user from renewed r
          join users u on u.instance_id = r.instance_id and u.id = r.user_id
          join user_access m on m.instance_id = u.instance_id and m.user_id = u.id`)

          if (renewed === undefined) return undefined
          return { instanceId: renewed.instance, user: renewed.user, refreshExpiresIn: renewed.seconds }
        })
      ),

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

      findUser: query("AccessStore.findUser", (instanceId, userId) =>
        userRows.find(sql`select ${user} as record from users u
          join user_access m on m.instance_id = u.instance_id and m.user_id = u.id
          where u.instance_id = ${instanceId} and u.id = ${userId}`)
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
            select a.instance_id, a.user_id, a.address from login_addresses a where a.logged_in_at < ${addressStart}
            order by a.logged_in_at limit ${SESSION_SWEEP_ROWS_MAX}) returning 1)
          select ((select count(*) from spent) + (select count(*) from families)
            + (select count(*) from addresses))::float8 as count`)
      )()
    })
  })
)

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

const sessionOf = (row: typeof SessionRow.Type | undefined): AuthorizedSession | undefined => {
  if (row === undefined) return undefined
  const [instanceId, userId, sessionId, tokenId, roles, listed, skillGroupIds, subjectIds, colleagueIds] =
    row.session
  const held = permissionsOf(roles)
  return {
    instanceId,
    userId,
    sessionId,
    tokenId,
    roles,
    permissions: new Set(listed === null ? held : held.filter((permission) => listed.includes(permission))),
    skillGroupIds,
    subjectIds,
    colleagueIds
  }
}
