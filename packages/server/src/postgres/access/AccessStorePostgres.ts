// Sessions and logins in PostgreSQL: every question one statement, every change one conditional statement.
import { permissionsOf, Role } from "@rapport/contract/access/Permission.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import {
  AUTHENTICATION_MILLIS_MAX,
  LOGIN_ADDRESS_DAYS,
  LOGIN_ADDRESSES_MAX,
  REFRESH_TOKEN_SECONDS,
  SESSION_SECONDS_MAX,
  SESSION_SWEEP_ROWS_MAX
} from "@rapport/contract/Limits.ts"
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { actorOf } from "@rapport/core/audit/AuditLog.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { within } from "@rapport/core/failures/WithDeadline.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { auditedFrom } from "../audit/AuditLogPostgres.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { UserFromJson, userJson } from "../users/UserColumns.ts"
import { callerOf, livingToken, makesTokens } from "../sql/Visibility.ts"

const Ids = Schema.Array(PositiveInt)
/** Instance, user, session, token, roles, the token's list or null, groups, subjects, colleagues. */
const SessionRows = Schema.Array(
  Schema.Struct({
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
)
const LoginRows = Schema.Array(
  Schema.Struct({
    login: Schema.Tuple([PositiveInt, PositiveInt, Schema.Boolean, Schema.NullOr(Schema.String)])
  })
)
const UserRows = Schema.Array(Schema.Struct({ instance: PositiveInt, user: UserFromJson }))
const RenewedRows = Schema.Array(
  Schema.Struct({ instance: PositiveInt, user: UserFromJson, seconds: Schema.Int })
)
const CountRows = Schema.Tuple([Schema.Struct({ count: Schema.Int })])

/** Rows that do not decode are a bug of ours. */
const rowsOf = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (rows: unknown): Effect.Effect<S["Type"]> => Effect.orDie(decode(rows))
}
const sessionRows = rowsOf(SessionRows)
const loginRows = rowsOf(LoginRows)
const userRows = rowsOf(UserRows)
const renewedRows = rowsOf(RenewedRows)
const countRows = rowsOf(CountRows)

/** A connection that was lost unnoticed fails once; authentication waits no longer than its bound. */
const authenticating = <A>(
  read: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError | SourceUnavailable> =>
  read.pipe(
    Effect.retry({ times: 1, while: (error) => error.reason._tag === "ConnectionError" }),
    within(AUTHENTICATION_MILLIS_MAX, "database"),
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
    const sessionLength = sql.literal(`interval '${SESSION_SECONDS_MAX} seconds'`)
    const addressStart = sql.literal(`now() - interval '${LOGIN_ADDRESS_DAYS} days'`)
    const invited = sql.literal("status = 'invited' and invitation_expires_at > now()")

    return AccessStore.of({
      findSession: Effect.fn("AccessStore.findSession")(
        function* ({ instanceId, sessionId, userId }) {
          const caller = { instanceId, userId, sessionId, tokenId: null }
          const rows = yield* authenticating(sql`with ${callerOf(sql, caller)}
          select json_build_array(u.instance_id, u.user_id, ${sessionId}::text, null, u.roles, u.token,
            u.skill_group_ids, u.subject_ids, u.colleague_ids) as session from caller u`)
          return sessionOf(yield* sessionRows(rows))
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      findTokenSession: Effect.fn("AccessStore.findTokenSession")(
        function* (hash) {
          const rows =
            yield* authenticating(sql`select json_build_array(t.instance_id, t.user_id, null, t.id, m.roles,
            t.permissions, m.skill_group_ids, m.subject_ids, m.colleague_ids) as session
          from external_tokens t
          join user_access m on m.instance_id = t.instance_id and m.user_id = t.user_id and ${sql.literal(makesTokens)}
          where t.hash = ${hash}::bytea and ${sql.literal(livingToken)}`)
          return sessionOf(yield* sessionRows(rows))
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      findLogin: Effect.fn("AccessStore.findLogin")(
        function* (loginKey) {
          const rows =
            yield* authenticating(sql`select json_build_array(u.instance_id, u.id, u.status = 'active',
            u.password_hash) as login from users u where lower(u.login) = ${loginKey}`)
          const [found] = yield* loginRows(rows)
          if (found === undefined) return undefined
          const [instanceId, userId, active, passwordHash] = found.login
          return { instanceId, userId, active, passwordHash }
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      isKnownAddress: Effect.fn("AccessStore.isKnownAddress")(
        function* (loginKey, address) {
          const rows = yield* authenticating(sql`select 1 from users u join login_addresses a
            on a.instance_id = u.instance_id and a.user_id = u.id
            where lower(u.login) = ${loginKey} and a.address = ${address} and a.logged_in_at > ${addressStart}`)
          return rows.length > 0
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      rehash: Effect.fn("AccessStore.rehash")(
        function* ({ instanceId, passwordHash, userId }, rehashed) {
          yield* sql`update users set password_hash = ${rehashed}
            where instance_id = ${instanceId} and id = ${userId} and password_hash = ${passwordHash}`
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      openSession: Effect.fn("AccessStore.openSession")(
        function* (login, refresh, origin) {
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
          const rows = yield* sql`with u as (
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
          select u.instance_id::float8 as instance, ${user} as user from u
          join user_access m on m.instance_id = u.instance_id and m.user_id = u.id`
          return (yield* userRows(rows))[0]?.user
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      isInvitation: Effect.fn("AccessStore.isInvitation")(
        function* (hash) {
          const rows = yield* authenticating(
            sql`select 1 from users where invitation_hash = ${hash}::bytea and ${invited}`
          )
          return rows.length > 0
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      acceptInvitation: Effect.fn("AccessStore.acceptInvitation")(
        function* (hash, passwordHash, origin) {
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
          const rows = yield* sql`with u as (
            update users set status = 'active', password_hash = ${passwordHash}, invitation_hash = null,
              invitation_expires_at = null, version = version + 1, updated_at = now()
            where invitation_hash = ${hash}::bytea and ${invited} returning *),
          entry as (${entry})
          select json_build_array(u.instance_id, u.id, u.status = 'active', u.password_hash) as login from u`
          const [found] = yield* loginRows(rows)
          if (found === undefined) return undefined
          const [instanceId, userId, active, hashed] = found.login
          return { instanceId, userId, active, passwordHash: hashed }
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      rotate: Effect.fn("AccessStore.rotate")(
        function* (spent, next) {
          const rows = yield* sql`with renewed as (
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
          join user_access m on m.instance_id = u.instance_id and m.user_id = u.id`
          const [renewed] = yield* renewedRows(rows)
          if (renewed === undefined) return undefined
          return { instanceId: renewed.instance, user: renewed.user, refreshExpiresIn: renewed.seconds }
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      revokeReused: Effect.fn("AccessStore.revokeReused")(
        function* ({ hash, sessionId }, origin) {
          const entry = auditedFrom(
            sql,
            "revoked r",
            { ...origin, ...reused, entityId: sessionId },
            { instanceId: "r.instance_id", actorId: "r.user_id" }
          )
          const rows = yield* sql`with revoked as (
            update refresh_families f set revoked_at = now(), expires_at = least(f.expires_at, now())
            where f.id = ${sessionId}::uuid and f.revoked_at is null and exists (select 1 from refresh_spent s
              where s.instance_id = f.instance_id and s.hash = ${hash}::bytea and s.family_id = f.id)
            returning f.instance_id, f.user_id),
          entry as (${entry})
          select count(*)::int4 as count from revoked`
          return (yield* countRows(rows))[0].count > 0
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      revoke: Effect.fn("AccessStore.revoke")(
        function* (session, { everywhere, refresh }, origin) {
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
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      findUser: Effect.fn("AccessStore.findUser")(
        function* (instanceId, userId) {
          const rows = yield* sql`select u.instance_id::float8 as instance, ${user} as user from users u
          join user_access m on m.instance_id = u.instance_id and m.user_id = u.id
          where u.instance_id = ${instanceId} and u.id = ${userId}`
          return (yield* userRows(rows))[0]?.user
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      // A spent token older than a refresh token's life is expired by itself; a session ended that long ago has none left.
      sweep: Effect.gen(function* () {
        const rows = yield* sql`with spent as (delete from refresh_spent where (instance_id, hash) in (
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
            + (select count(*) from addresses))::int4 as count`
        return (yield* countRows(rows))[0].count
      }).pipe(Effect.catchTag("SqlError", unavailableOrDie), Effect.withSpan("AccessStore.sweep"))
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

const sessionOf = ([row]: typeof SessionRows.Type): AuthorizedSession | undefined => {
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
