// Users in PostgreSQL. Triggers derive their rights and visibility (contract §2, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { INVITATION_SECONDS } from "@rapport/contract/Limits.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { User } from "@rapport/contract/users/User.ts"
import { users as collection } from "@rapport/contract/users/UsersApi.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { seesLogins } from "@rapport/core/users/Users.ts"
import { UserStore } from "@rapport/core/users/UserStore.ts"
import { Clock, Effect, Schema } from "effect"
import { idArray, type Sql } from "../sql/Fragment.ts"
import { handOver } from "./AppealHandOver.ts"
import {
  insertedId,
  query,
  queryOr,
  selectedCount,
  storeLayer,
  unknownIds,
  updateLocked,
  valuesOf
} from "../sql/Query.ts"
import { listRows } from "../sql/ListQuery.ts"
import { callerOf, livingToken } from "../sql/Visibility.ts"
import { audit, auditedFrom, entryOf, uniqueTaken } from "../sql/Records.ts"
import { lockRights } from "./RightsLock.ts"
import { UserFromJson, userColumns, userJson } from "./UserColumns.ts"

const userRows = valuesOf(UserFromJson)
const hashRows = valuesOf(Schema.NullOr(Schema.String))

const invitationEnd = `now() + interval '${INVITATION_SECONDS} seconds'`

const taken = uniqueTaken({ users_login: "login is in use" })

const columns = userColumns("account", "m")
/** Filters, orders and searches must not reveal hidden members. */
const withoutLogins = { ...columns, login: { sql: "null::text" }, email: { sql: "null::text" } }
const joined = " join user_access m on m.instance_id = account.instance_id and m.user_id = account.id"
const from = `users account${joined}`

type Store = UserStore["Service"]

export const layer = storeLayer(UserStore)((sql) => ({
  ...records(sql),
  ...departure(sql),
  ...secrets(sql),
  find: query("UserStore.find", (session, id) =>
    userRows.find(
      sql`with ${callerOf(session)} ${userOf(sql, session, id, "and exists (select 1 from caller)")}`
    )
  ),
  list: query("UserStore.list", (session, request) =>
    listRows(
      sql,
      {
        collection,
        common: callerOf(session),
        from: sql.literal(from),
        listed: { name: "account", joined },
        where: sql`account.instance_id = ${session.instanceId} and exists (select 1 from caller)`,
        columns: seesLogins(session) ? columns : withoutLogins,
        searched: `array[${[
          ...(seesLogins(session) ? ["account.login", "account.email"] : []),
          "account.first_name",
          "account.last_name",
          columns["displayName"]?.sql ?? ""
        ].join(", ")}]`
      },
      request
    )
  ),
  unknownGroups: query("UserStore.unknownGroups", ({ instanceId }, ids) =>
    unknownIds(sql, "skill_groups", instanceId, ids)
  )
}))

const records = (sql: Sql) =>
  ({
    create: queryOr("UserStore.create", taken, function* (session, request, entrance) {
      const now = isoOf(yield* Clock.currentTimeMillis)
      const { instanceId } = session
      const id =
        yield* insertedId(sql`insert into users (instance_id, login, email, first_name, last_name, roles, status,
        capacity, language, timezone, custom_fields, password_hash, invitation_hash, invitation_expires_at,
        created_at, updated_at)
      values (${instanceId}, ${request.login}, ${request.email ?? null}, ${request.firstName},
        ${request.lastName}, ${request.roles}::text[], ${entrance.passwordHash === null ? "invited" : "active"},
        ${request.capacity ?? null}, ${request.language ?? null}, ${request.timezone ?? null},
        ${JSON.stringify(request.customFields ?? {})}::text::json, ${entrance.passwordHash},
        ${entrance.invitationHash}::bytea, ${entrance.invitationHash === null ? sql`null` : sql.literal(invitationEnd)},
        ${now}::timestamptz, ${now}::timestamptz) returning id::float8 as id`)

      const groupIds = request.skillGroupIds ?? []
      if (groupIds.length > 0) yield* setGroups(sql, session, id, groupIds)
      yield* audit(sql, session, { action: "user.create", id, details: { roles: request.roles } })
      return yield* userRows.get(userOf(sql, session, id))
    }),

    update: (session, id, action, decide) =>
      updateLocked("UserStore.update", taken, {
        find: userRows.find(userOf(sql, session, id, `for ${LOCK_OF_CHANGE} of account`)),
        decide,
        write: Effect.fnUntraced(function* (next, found) {
          const changed = yield* write(sql, session, found, next)
          yield* audit(sql, session, { action, id, details: { changed } })
          return yield* userRows.find(userOf(sql, session, id))
        })
      })
  }) satisfies Partial<Store>

/**
 * The lock of a change of a user, for example a block. A block and an assignment of an appeal to the user exclude each other, so that
 * the appeal is handed over or refused.
 */
const LOCK_OF_CHANGE = "no key update"
/** The lock of an assignment. The key share of a foreign key is weaker and does not wait for a block. */
const LOCK_OF_SUCCESSOR = "share"

const departure = (sql: Sql) =>
  ({
    isLastAdministrator: query("UserStore.isLastAdministrator", function* ({ instanceId }, id) {
      // Serialized, because two last administrators could leave in parallel.
      yield* sql`select pg_advisory_xact_lock(7203, (${instanceId}::int8 % 2147483647)::int4)`
      const rows =
        yield* sql`select account.id::float8 as id from users account where account.instance_id = ${instanceId}
      and account.id <> ${id} and account.status = 'active' and 'administrator' = any(account.roles) limit 1`
      return rows.length === 0
    }),

    lockForBlock: query("UserStore.lockForBlock", function* ({ instanceId }, id, successorId) {
      for (const userId of [id, successorId].toSorted((a, b) => a - b))
        yield* sql`select 1 from users where instance_id = ${instanceId} and id = ${userId}
          for ${sql.literal(userId === id ? LOCK_OF_CHANGE : LOCK_OF_SUCCESSOR)}`
    }),

    findSuccessor: query("UserStore.findSuccessor", function* (session, id, successorId) {
      const user = yield* userRows.find(userOf(sql, session, successorId))
      const own = yield* userRows.find(userOf(sql, session, id))

      if (user === undefined || own === undefined) return undefined
      return { user, sharesGroup: user.skillGroupIds.some((group) => own.skillGroupIds.includes(group)) }
    }),

    handOver: query("UserStore.handOver", (session, id, successorId) =>
      handOver(sql, session, id, successorId)
    )
  }) satisfies Partial<Store>

const secrets = (sql: Sql) =>
  ({
    endSessions: query("UserStore.endSessions", function* ({ instanceId }, id, exceptSessionId) {
      yield* sql`update refresh_families set revoked_at = now() where instance_id = ${instanceId}
      and user_id = ${id} and revoked_at is null
      and (${exceptSessionId}::text is null or id <> ${exceptSessionId}::uuid)`
    }),

    endTokens: query("UserStore.endTokens", function* (session, id) {
      const change = yield* entryOf(session, { action: "external_token.delete" })
      const entry = auditedFrom("gone", change, { entityId: "gone.id::text" })
      return yield* selectedCount(sql`with gone as (update external_tokens t set deleted_at = now()
          where t.instance_id = ${session.instanceId} and t.user_id = ${id} and ${sql.literal(livingToken)}
          returning t.id),
        entry as (${entry})
        select count(*)::float8 as count from gone`)
    }),

    findPasswordHash: query("UserStore.findPasswordHash", ({ instanceId }, id) =>
      Effect.map(
        hashRows.find(sql`select password_hash as hash from users
      where instance_id = ${instanceId} and id = ${id}`),
        (hash) => hash ?? null
      )
    ),

    setInvitation: query("UserStore.setInvitation", function* (session, id, hash) {
      yield* sql`update users set invitation_hash = ${hash}::bytea, invitation_expires_at = ${sql.literal(invitationEnd)}
      where instance_id = ${session.instanceId} and id = ${id}`
      yield* audit(sql, session, { action: "user.invite", id })
    }),

    setPassword: query("UserStore.setPassword", function* (session, id, hash) {
      yield* sql`update users set password_hash = ${hash}, invitation_hash = null, invitation_expires_at = null,
        status = case status when 'invited' then 'active' else status end
      where instance_id = ${session.instanceId} and id = ${id}`
      yield* audit(sql, session, { action: "user.password", id })
    })
  }) satisfies Partial<Store>

const userOf = (sql: Sql, { instanceId }: AuthorizedSession, id: number, rest = "") =>
  sql`select ${sql.literal(userJson)} as record from ${sql.literal(from)}
    where account.instance_id = ${instanceId} and account.id = ${id} ${sql.literal(rest)}`

const setGroups = Effect.fnUntraced(function* (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  id: number,
  groupIds: ReadonlyArray<number>
) {
  const ids = idArray(groupIds)
  yield* lockRights(sql, instanceId)
  yield* sql`delete from skill_group_members where instance_id = ${instanceId} and user_id = ${id}
    and not (skill_group_id = any(${ids}))`
  yield* sql`insert into skill_group_members (instance_id, user_id, skill_group_id)
    select ${instanceId}, ${id}, group_id from unnest(${ids}) group_id order by group_id on conflict do nothing`
})

const write = Effect.fnUntraced(function* (sql: Sql, session: AuthorizedSession, before: User, next: User) {
  const changed = changedMembers(before, next)
  const raises = changed.some((name) => name !== "presence")
  const now = isoOf(yield* Clock.currentTimeMillis)
  yield* sql`update users set login = ${next.login}, email = ${next.email}, first_name = ${next.firstName},
      last_name = ${next.lastName}, roles = ${next.roles}::text[], status = ${next.status},
      presence = ${next.presence}, capacity = ${next.capacity}, language = ${next.language},
      timezone = ${next.timezone}, custom_fields = ${JSON.stringify(next.customFields)}::text::json,
      updated_at = ${now}::timestamptz, version = version + ${raises ? 1 : 0}
    where instance_id = ${session.instanceId} and id = ${next.id}`
  if (changed.includes("skillGroupIds")) yield* setGroups(sql, session, next.id, next.skillGroupIds)
  return changed
})
