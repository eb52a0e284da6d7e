// Visibility and permissions in SQL (contract §2), used by the queries of all routes. A query begins with
// `with ${callerOf(caller)}` and joins `caller u`. No row of `caller` means no access.
import {
  type AuthorizedSession,
  type Permission,
  type Role,
  rolesHolding,
  rolesSeeingAll,
  rolesSeeingClosed
} from "@rapport/contract/Authorization.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import { type Fragment, sql } from "./Fragment.ts"

/** Only for constant lists, so that a literal is safe. */
const textArray = (values: ReadonlyArray<string>): string => `'{${values.join(",")}}'::text[]`
const anyRole = (roles: ReadonlyArray<Role>): string => `m.roles && ${textArray(roles)}`

/** The `user_access` of the creator of `external_tokens t`. The token works only while its creator is active and has tokens.manage. */
export const tokenMaker = `user_access maker on maker.instance_id = t.instance_id and maker.user_id = t.user_id
    and maker.status = 'active' and maker.roles && ${textArray(rolesHolding["tokens.manage"])}`

/** Condition on `external_tokens t`: neither the token nor one of its ancestors is deleted. */
export const keptToken = `t.deleted_at is null and (t.ancestor_ids = '{}' or not exists (
    select 1 from external_tokens parent where parent.instance_id = t.instance_id
      and parent.id = any(t.ancestor_ids) and parent.deleted_at is not null))`
/** `keptToken`, and not expired. A token never expires after its ancestors. */
export const livingToken = `${keptToken} and (t.expires_at is null or t.expires_at > now())`

/** The user whose groups, subjects and roles `external_tokens t` has. */
export const tokenUser = "coalesce(t.acts_as, t.user_id)"
/** Roles of the creator that limit the visibility of a token that acts as another user; otherwise null. */
export const tokenMakerRoles = "case when t.acts_as is not null then maker.roles end"

const callerColumns = `m.instance_id, m.user_id, m.roles, m.skill_group_ids, m.subject_ids, m.colleague_ids, credential.token,
      credential.maker_roles, credential.sees_as_user,
      (not credential.sees_as_user or ${anyRole(rolesSeeingAll)}) as everything,
      (credential.sees_as_user and ${anyRole(rolesSeeingClosed)}) as sees_closed,
      (credential.sees_as_user and ${anyRole(["supervisor"])}) as supervises,
      (credential.sees_as_user and ${anyRole(["operator", "light_agent"])}) as answers`

/**
 * The CTE `caller`: one row, or none if the session is revoked or expired, the token deleted or expired, the user not active, or the
 * creator of a token blocked or without tokens.manage (contract §2). `token` is the list of permissions of a token, null for a session.
 * `maker_roles` is set for a token that acts as a user.
 */
export const callerOf = (caller: Caller): Fragment => sql`caller as materialized (${callerRow(caller)})`

/** The row of the CTE `caller`. */
export const callerRow = (caller: Caller): Fragment => {
  const credential =
    caller.tokenId === null
      ? sql`select null::text[] as token, null::text[] as maker_roles, true as sees_as_user from refresh_families family
          where family.instance_id = ${caller.instanceId} and family.id = ${caller.sessionId}::uuid
            and family.user_id = ${caller.userId} and family.revoked_at is null and family.expires_at > now()`
      : sql`select t.permissions as token, ${sql.literal(tokenMakerRoles)} as maker_roles, t.acts_as is not null as sees_as_user
          from external_tokens t join ${sql.literal(tokenMaker)}
          where t.instance_id = ${caller.instanceId} and t.id = ${caller.tokenId}
            and ${sql.literal(tokenUser)} = ${caller.userId} and ${sql.literal(livingToken)}`
  return sql`select ${sql.literal(callerColumns)}
    from user_access m cross join lateral (${credential}) credential
    where m.instance_id = ${caller.instanceId} and m.user_id = ${caller.userId} and m.status = 'active'`
}

/** Condition on `caller u`: they have the permission. A token also needs that its creator and its user have it now. */
export const holds = (permission: Permission): Fragment =>
  sql.literal(`(${rolesHold("u.roles", permission)} and (u.token is null or '${permission}' = any(u.token))
    and (u.maker_roles is null or ${rolesHold("u.maker_roles", permission)}))`)

/** Condition on a column of roles: one of them has the permission. */
export const rolesHold = (column: string, permission: Permission): string =>
  `${column} && ${textArray(rolesHolding[permission])}`

/** Condition on `caller u` and `appeals a`: the appeal is visible to them. */
export const visibleAppealText = `(u.everything
    or (u.sees_closed and a.status_group = 'done')
    or (u.supervises and (a.subject_id = any(u.subject_ids) or a.operator_ids && u.colleague_ids))
    or (u.answers and (a.operator_ids @> array[u.user_id]
      or (a.operator_id is null and a.subject_id = any(u.subject_ids))))
    or (u.sees_as_user and a.author_id = u.user_id))`
export const appealVisible = sql.literal(visibleAppealText)

/**
 * Condition: the appeal of a row, if any, is visible to `caller` (contract §3.2, "hidden appeals"). A scalar subquery, because
 * PostgreSQL would hash an `exists` and read every appeal of the instance.
 */
export const namedVisible = (row: "action" | "session" | "source"): Fragment => {
  const named = sql.literal(`${row}.appeal_id`)
  return sql`(${named} is null or (select ${appealVisible} from appeals a, caller u
    where a.instance_id = u.instance_id and a.id = ${named}))`
}

/** The start of a list: `caller`, and a condition on the ids of the rows if an index finds the visible ones. */
export interface Reach {
  readonly common: Fragment
  /** Null if the caller sees so much of the instance that the list follows its order instead. */
  readonly condition: Fragment | null
}

/** The ids are selected once in a statement. An array lets the planner read only these rows. */
const reachOf = (bound: Caller, id: string, ids: Fragment | null): Reach => {
  const caller = callerOf(bound)
  return ids === null
    ? { common: caller, condition: null }
    : {
        common: sql`${caller}, reached as materialized (${ids})`,
        condition: sql.literal(`${id} = any(array(select id from reached))`)
      }
}

/** A caller with the subjects whose unassigned appeals they see. Null if a list of appeals follows its order. */
export interface AppealReader extends Caller {
  readonly subjectIds: ReadonlyArray<string> | null
}

const seesWidely: ReadonlyArray<Role> = [...rolesSeeingAll, ...rolesSeeingClosed, "supervisor"]

export const readerOf = ({
  instanceId,
  roles,
  seesAsUser,
  sessionId,
  subjectIds,
  tokenId,
  userId
}: AuthorizedSession) => ({
  instanceId,
  userId,
  sessionId,
  tokenId,
  subjectIds: !seesAsUser || roles.some((role) => seesWidely.includes(role)) ? null : subjectIds.map(String)
})

/** For a list of `appeals a`. It only reduces the rows to read: the list needs `appealVisible` as well. */
export const appealReach = (reader: AppealReader): Reach => reachOf(reader, "a.id", appealIds(reader))

/** Ids of every appeal that a user can see. Null as in `Reach`. */
const appealIds = ({ instanceId, subjectIds, userId }: AppealReader): Fragment | null => {
  if (subjectIds === null) return null
  const from = sql`select appeal.id from appeals appeal where appeal.instance_id = ${instanceId}`
  return sql`${from} and appeal.operator_ids @> array[${userId}::int8]
    union ${from} and appeal.author_id = ${userId}
    union ${from} and appeal.operator_id is null and appeal.subject_id = any(${subjectIds}::text[]::int8[])`
}

/**
 * For a list of `clients c`: clients of visible appeals, and with clients.manage those without any appeal. If the condition is null,
 * the query needs `clientReadable`.
 */
export const clientReach = (session: AuthorizedSession): Reach => {
  const appeals = session.permissions.has("clients.read") ? null : appealIds(readerOf(session))
  return reachOf(
    session,
    "c.id",
    appeals === null
      ? null
      : sql`select distinct a.client_id as id from appeals a, caller u where a.instance_id = u.instance_id
          and a.id = any(array(${appeals})) and ${appealReadable} and ${appealVisible}
        union all select c.id from clients c, caller u where c.instance_id = u.instance_id
          and c.merged_into_id is null and c.erased_at is null and ${holds("clients.manage")} and ${withoutAppeals}`
  )
}

/** Condition on `caller u` and `appeals a`: the caller has the permission that reads appeals of its kind. */
export const appealReadable = sql`((a.kind = 'chat' and ${holds("chats.read")}) or (a.kind = 'ticket' and ${holds("tickets.read")}))`
const withoutAppeals = sql.literal("not c.has_appeals")

/**
 * Condition on `caller u` and `clients c`: the client is readable. Without clients.read only clients of visible appeals are, and with
 * clients.manage those without any appeal (contract §2).
 */
export const clientReadable = sql`(${holds("clients.read")}
    or exists (select 1 from appeals a where a.instance_id = c.instance_id and a.client_id = c.id
      and ${appealReadable} and ${appealVisible})
    or ${holds("clients.manage")} and ${withoutAppeals})`

/** Condition on `caller u`, `context_sessions session` and its client `c`: the session is visible to callers with its permission. */
export const sessionVisible = sql`(c.erased_at is null and (u.everything or ${clientReadable})
    and (session.appeal_id is null or exists (select 1 from appeals a where a.instance_id = session.instance_id
      and a.id = session.appeal_id and ${appealVisible})))`

/** The current id of a client: the survivor of a merged client, none of an erased one (contract §9, "Clients"). */
export const survivorId = (instanceId: number | Fragment, id: number | null): Fragment =>
  sql`(select coalesce(named.merged_into_id, named.id) from clients named where named.instance_id = ${instanceId}
    and named.id = ${id}::int8
    and named.erased_at is null)`

/** `survivorId` of many ids, as a select of one column without unknown ids. For a statement with `caller`. */
export const survivorIds = (ids: Fragment): Fragment =>
  sql`select coalesce(named.merged_into_id, named.id) from clients named
    where named.instance_id = (select instance_id from caller) and named.id = any(${ids})`

/**
 * Condition on `caller u` and a definition `d`: its values are visible. A token that acts as a user shows no value that is hidden from
 * its creator. Administrators may sign in as any user, so no value is hidden from their tokens.
 */
export const propertyVisible =
  sql.literal(`(d.visible_to = '{}' or (u.sees_as_user and d.visible_to && u.roles
    and (u.maker_roles is null or 'administrator' = any(u.maker_roles) or d.visible_to && u.maker_roles)))`)

export type ContextEntity = "client" | "subject" | "operator" | "skill_group"

/** Selects the id of the entity if `caller u` may open its pack, otherwise no row. */
export const openedEntity = (entity: ContextEntity, id: number): Fragment =>
  openedEntities(
    entity,
    entity === "client" ? sql`= ${survivorId(sql.literal("u.instance_id"), id)}` : sql`= ${id}`
  )

/** `openedEntity` for every id that meets the condition. */
export const openedEntities = (entity: ContextEntity, condition: Fragment): Fragment => {
  const ofTable = (table: string, isOwn: string) =>
    sql`select opened.id from ${sql.literal(table)} opened, caller u where opened.instance_id = u.instance_id
      and opened.id ${condition} and ${holds("context.read")} and (u.everything or ${sql.literal(isOwn)})`
  switch (entity) {
    case "client":
      return sql`select c.id from clients c, caller u where c.instance_id = u.instance_id
        and c.id ${condition}
        and ${holds("context.read")} and (${holds("clients.read")} or u.everything or exists (
          select 1 from appeals a where a.instance_id = c.instance_id and a.client_id = c.id and ${appealVisible}))`
    case "subject":
      return ofTable("subjects", "opened.id = any(u.subject_ids)")
    case "skill_group":
      return ofTable("skill_groups", "opened.id = any(u.skill_group_ids)")
    case "operator":
      return ofTable(
        "users",
        `u.sees_as_user and (opened.id = u.user_id or (u.supervises and opened.id = any(u.colleague_ids)))`
      )
  }
}
