// Who may see what, in SQL: the one implementation of contract §2 that every query of every route uses.
// A query begins `with ${callerOf(sql, caller)}` and joins `caller u`; no row of caller means no access at all.
// What a session may do is read of the same row.
import {
  type AuthorizedSession,
  type Permission,
  permissionsOf,
  Role,
  rolesHolding,
  rolesSeeingAll,
  rolesSeeingClosed
} from "@rapport/contract/Authorization.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Closed lists of our own make alone come here, so a literal is safe and keeps the statement's text constant. */
const textArray = (values: ReadonlyArray<string>): string => `'{${values.join(",")}}'::text[]`
const anyRole = (roles: ReadonlyArray<Role>): string => `m.roles && ${textArray(roles)}`

/** The `user_access` of the maker of `external_tokens t`. The token works only while the maker is active and holds tokens.manage. */
export const tokenMaker = `user_access maker on maker.instance_id = t.instance_id and maker.user_id = t.user_id
    and maker.status = 'active' and maker.roles && ${textArray(rolesHolding["tokens.manage"])}`

/** Condition on `external_tokens t`: neither it nor a token that it was made with is deleted. */
export const keptToken = `t.deleted_at is null and (t.ancestor_ids = '{}' or not exists (
    select 1 from external_tokens parent where parent.instance_id = t.instance_id
      and parent.id = any(t.ancestor_ids) and parent.deleted_at is not null))`
/** The same, and not expired: it never ends later than a token that it was made with. */
export const livingToken = `${keptToken} and (t.expires_at is null or t.expires_at > now())`

/** The user whose groups, subjects and roles `external_tokens t` has. */
export const tokenUser = "coalesce(t.acts_as, t.user_id)"
/** Roles that limit what the user of a token may see; null where maker and user are one. */
export const tokenMakerRoles = "case when t.acts_as is not null then maker.roles end"

/** Of `user_access m` and its `credential`. */
const callerColumns = `m.instance_id, m.user_id, m.roles, m.skill_group_ids, m.subject_ids, m.colleague_ids, credential.token,
      credential.maker_roles, credential.sees_as_user,
      (not credential.sees_as_user or ${anyRole(rolesSeeingAll)}) as everything,
      (credential.sees_as_user and ${anyRole(rolesSeeingClosed)}) as sees_closed,
      (credential.sees_as_user and ${anyRole(["supervisor"])}) as supervises,
      (credential.sees_as_user and ${anyRole(["operator", "light_agent"])}) as answers`

/**
 * The CTE `caller`: at most one row, gone when the session is revoked or expired, the token deleted or expired, the
 * user not active, or the maker of a token blocked or without tokens.manage (contract §2). `token` is null for a
 * session, else the list the token was made with. `maker_roles` is set for a token that acts as a user.
 */
export const callerOf = (sql: Sql, caller: Caller): Fragment => {
  const credential =
    caller.tokenId === null
      ? sql`select null::text[] as token, null::text[] as maker_roles, true as sees_as_user from refresh_families family
          where family.instance_id = ${caller.instanceId} and family.id = ${caller.sessionId}::uuid
            and family.user_id = ${caller.userId} and family.revoked_at is null and family.expires_at > now()`
      : sql`select t.permissions as token, ${sql.literal(tokenMakerRoles)} as maker_roles, t.acts_as is not null as sees_as_user
          from external_tokens t join ${sql.literal(tokenMaker)}
          where t.instance_id = ${caller.instanceId} and t.id = ${caller.tokenId}
            and ${sql.literal(tokenUser)} = ${caller.userId} and ${sql.literal(livingToken)}`
  return sql`caller as materialized (
    select ${sql.literal(callerColumns)}
    from user_access m cross join lateral (${credential}) credential
    where m.instance_id = ${caller.instanceId} and m.user_id = ${caller.userId} and m.status = 'active')`
}

const Ids = Schema.Array(PositiveInt)

const Texts = Schema.NullOr(Schema.Array(Schema.String))

/** Roles, whether records are visible as to the user, the list of a token or null, roles of its maker or null, groups, subjects, colleagues. */
export const rightsFields = [Schema.Array(Role), Schema.Boolean, Texts, Texts, Ids, Ids, Ids] as const
const Rights = Schema.Tuple(rightsFields)

/** The session of a caller with these rights. */
export const sessionWith = (
  { instanceId, sessionId, tokenId, userId }: Caller,
  [roles, seesAsUser, listed, makerRoles, skillGroupIds, subjectIds, colleagueIds]: typeof Rights.Type
): AuthorizedSession => {
  const ofMaker = makerRoles === null ? null : permissionsOf(makerRoles)
  const held = permissionsOf(roles).filter(
    (permission) =>
      (listed === null || listed.includes(permission)) && (ofMaker === null || ofMaker.includes(permission))
  )
  return {
    instanceId,
    userId,
    sessionId,
    tokenId,
    seesAsUser,
    roles,
    permissions: new Set(held),
    skillGroupIds,
    subjectIds,
    colleagueIds
  }
}

/** Condition on `caller u`: they have the permission. The list of a token is limited to what its maker and its user hold now. */
export const holds = (sql: Sql, permission: Permission): Fragment =>
  sql.literal(`(${rolesHold("u.roles", permission)} and (u.token is null or '${permission}' = any(u.token))
    and (u.maker_roles is null or ${rolesHold("u.maker_roles", permission)}))`)

/** Condition on a column of roles: they bring the permission. */
export const rolesHold = (column: string, permission: Permission): string =>
  `${column} && ${textArray(rolesHolding[permission])}`

/** Condition on `caller u` and `appeals a`: the appeal is visible to them. */
export const appealVisible = (sql: Sql): Fragment => sql.literal(visibleAppealText)
export const visibleAppealText = `(u.everything
    or (u.sees_closed and a.status_group = 'done')
    or (u.supervises and (a.subject_id = any(u.subject_ids) or a.operator_ids && u.colleague_ids))
    or (u.answers and (a.operator_ids @> array[u.user_id]
      or (a.operator_id is null and a.subject_id = any(u.subject_ids))))
    or (u.sees_as_user and a.author_id = u.user_id))`

/**
 * The appeal that a row names, if any, is visible to `caller`: else the row is left out (contract §3.2, "hidden
 * appeals"). A scalar subquery, because PostgreSQL would hash an `exists`, and read every appeal of the instance for it.
 */
export const namedVisible = (sql: Sql, row: "action" | "session" | "source"): Fragment => {
  const named = sql.literal(`${row}.appeal_id`)
  return sql`(${named} is null or (select ${appealVisible(sql)} from appeals a, caller u
    where a.instance_id = u.instance_id and a.id = ${named}))`
}

/** How a list begins: `caller`, and, where what the user may see is found by index, a condition on the id of its rows. */
export interface Reach {
  readonly common: Fragment
  /** Null where that is so much of the instance that a list walks its order instead. */
  readonly condition: Fragment | null
}

/** The ids are found once for all of a statement; an array lets the planner go from them to the rows and to no others. */
const reachOf = (sql: Sql, bound: Caller, id: string, ids: Fragment | null): Reach => {
  const caller = callerOf(sql, bound)
  return ids === null
    ? { common: caller, condition: null }
    : {
        common: sql`${caller}, reached as materialized (${ids})`,
        condition: sql.literal(`${id} = any(array(select id from reached))`)
      }
}

/** A caller, and the subjects whose unassigned appeals they see; null where a list of appeals walks its order. */
export interface AppealReader extends Caller {
  readonly subjectIds: ReadonlyArray<string> | null
}

const seesWidely: ReadonlyArray<Role> = [...rolesSeeingAll, ...rolesSeeingClosed, "supervisor"]

/** What the statement of a list of appeals is bound to. */
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

/** For a list of `appeals a`. It narrows the rows that are read and decides nothing: the list has `appealVisible` as well. */
export const appealReach = (sql: Sql, reader: AppealReader): Reach =>
  reachOf(sql, reader, "a.id", appealIds(sql, reader))

/** Ids of every appeal that a user can see, and null as in `Reach`. */
const appealIds = (sql: Sql, { instanceId, subjectIds, userId }: AppealReader): Fragment | null => {
  if (subjectIds === null) return null
  const from = sql`select appeal.id from appeals appeal where appeal.instance_id = ${instanceId}`
  return sql`${from} and appeal.operator_ids @> array[${userId}::int8]
    union ${from} and appeal.author_id = ${userId}
    union ${from} and appeal.operator_id is null and appeal.subject_id = any(${subjectIds}::text[]::int8[])`
}

/**
 * For a list of `clients c`: those of the appeals that the user sees, and with clients.manage those without any. With it
 * `clientReadable` is kept; without it the query needs that condition.
 */
export const clientReach = (sql: Sql, session: AuthorizedSession): Reach => {
  const appeals = session.permissions.has("clients.read") ? null : appealIds(sql, readerOf(session))
  return reachOf(
    sql,
    session,
    "c.id",
    appeals === null
      ? null
      : sql`select distinct a.client_id as id from appeals a, caller u where a.instance_id = u.instance_id
          and a.id = any(array(${appeals})) and ${ofReadKind(sql)} and ${appealVisible(sql)}
        union all select c.id from clients c, caller u where c.instance_id = u.instance_id
          and c.merged_into_id is null and c.erased_at is null and ${holds(sql, "clients.manage")} and ${withoutAppeals(sql)}`
  )
}

const ofReadKind = (sql: Sql): Fragment =>
  sql`((a.kind = 'chat' and ${holds(sql, "chats.read")}) or (a.kind = 'ticket' and ${holds(sql, "tickets.read")}))`
const withoutAppeals = (sql: Sql): Fragment => sql.literal("not c.has_appeals")

/**
 * Condition on `caller u` and `clients c`: the client is readable for them. Without clients.read those of the chats and
 * tickets they see, and with clients.manage those without any appeal (contract §2).
 */
export const clientReadable = (sql: Sql): Fragment => sql`(${holds(sql, "clients.read")}
    or exists (select 1 from appeals a where a.instance_id = c.instance_id and a.client_id = c.id
      and ${ofReadKind(sql)} and ${appealVisible(sql)})
    or ${holds(sql, "clients.manage")} and ${withoutAppeals(sql)})`

/** The present id of a client: a merged client's is its survivor's, an erased one's none (contract §9, "Clients"). */
export const survivorId = (sql: Sql, instanceId: number | Fragment, id: number | null): Fragment =>
  sql`(select coalesce(named.merged_into_id, named.id) from clients named where named.instance_id = ${instanceId}
    and named.id = ${id}::int8
    and named.erased_at is null)`

/** The same of many ids, as a select of one column; unknown ones are left out. For a statement with `caller`. */
export const survivorIds = (sql: Sql, ids: Fragment): Fragment =>
  sql`select coalesce(named.merged_into_id, named.id) from clients named
    where named.instance_id = (select instance_id from caller) and named.id = any(${ids})`

/**
 * Condition on `caller u` and a definition `d`: its values may be shown to them. A token that acts as a user shows its maker
 * no more than the maker may see; administrators may sign in as any user, so nothing is hidden from theirs.
 */
export const propertyVisible = (sql: Sql): Fragment =>
  sql.literal(`(d.visible_to = '{}' or (u.sees_as_user and d.visible_to && u.roles
    and (u.maker_roles is null or 'administrator' = any(u.maker_roles) or d.visible_to && u.maker_roles)))`)

export type ContextEntity = "client" | "subject" | "operator" | "skill_group"

/** A select of one id from `caller u`: the entity when they may open its pack, else no row (never why). */
export const openedEntity = (sql: Sql, entity: ContextEntity, id: number): Fragment =>
  openedEntities(
    sql,
    entity,
    entity === "client" ? sql`= ${survivorId(sql, sql.literal("u.instance_id"), id)}` : sql`= ${id}`
  )

/** The same of every entity whose id fulfils the condition. */
export const openedEntities = (sql: Sql, entity: ContextEntity, condition: Fragment): Fragment => {
  switch (entity) {
    case "client":
      return sql`select c.id from clients c, caller u where c.instance_id = u.instance_id
        and c.id ${condition}
        and ${holds(sql, "context.read")} and (${holds(sql, "clients.read")} or u.everything or exists (
          select 1 from appeals a where a.instance_id = c.instance_id and a.client_id = c.id and ${appealVisible(sql)}))`
    case "subject":
      return sql`select subject.id from subjects subject, caller u where subject.instance_id = u.instance_id
        and subject.id ${condition}
        and ${holds(sql, "context.read")} and (u.everything or subject.id = any(u.subject_ids))`
    case "skill_group":
      return sql`select skill_group.id from skill_groups skill_group, caller u where skill_group.instance_id = u.instance_id
        and skill_group.id ${condition}
        and ${holds(sql, "context.read")} and (u.everything or skill_group.id = any(u.skill_group_ids))`
    case "operator":
      return sql`select operator.id from users operator, caller u where operator.instance_id = u.instance_id
        and operator.id ${condition}
        and ${holds(sql, "context.read")} and (u.everything or (u.sees_as_user
          and (operator.id = u.user_id or (u.supervises and operator.id = any(u.colleague_ids)))))`
  }
}
