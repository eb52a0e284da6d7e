// Which appeals belong to a scope of a context read, and to its range: conditions on `appeals a` (docs/contract.md §3, rule 2).
import type { ContextScope } from "@rapport/core/context/read/ContextStore.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { SqlClient, Statement } from "effect/sql"
import type { Bound } from "../sql/Query.ts"
import { appealVisible, survivorId } from "../sql/Visibility.ts"

type Sql = SqlClient.SqlClient

/** The appeal's subject is one of the skill group's: subject_coverage. */
export const ofGroupSubject = (sql: Sql, instanceId: number, skillGroupId: number): Statement.Fragment =>
  sql`(a.subject_id is not null and a.subject_id = any(array(select group_subject.subject_id
    from skill_group_subjects group_subject
    where group_subject.instance_id = ${instanceId} and group_subject.skill_group_id = ${skillGroupId})))`

/** The appeal belongs to the scope of the instance. */
export const inScope = (sql: Sql, instanceId: number, { entity, id }: ContextScope): Statement.Fragment => {
  switch (entity) {
    case "client":
      return sql`a.client_id = ${survivorId(sql, instanceId, id)}`
    case "subject":
      return sql`a.subject_id = ${id}`
    case "operator":
      return sql`a.operator_ids @> array[${id}::int8]`
    case "skill_group":
      return sql`(${ofGroupSubject(sql, instanceId, id)} or a.operator_ids && array(select member.user_id
        from skill_group_members member where member.instance_id = ${instanceId} and member.skill_group_id = ${id}))`
  }
}

/** A range of epoch milliseconds in ISO 8601. */
export const isoRange = ({ from, to }: { readonly from: number | null; readonly to: number | null }) => ({
  from: from === null ? null : isoOf(from),
  to: to === null ? null : isoOf(to)
})

/** `and …` for a half-open range of a column, times in ISO 8601; nothing without bounds. */
export const inRange = (
  sql: Sql,
  column: string,
  { from, to }: { readonly from: Bound<string> | null; readonly to: Bound<string> | null }
): Statement.Fragment => {
  const time = sql.literal(column)
  const least = from === null ? sql.literal("") : sql` and ${time} >= ${from}::timestamptz`
  const below = to === null ? sql.literal("") : sql` and ${time} < ${to}::timestamptz`
  return sql`${least}${below}`
}

/**
 * The appeal that a row names, if any, is visible to `caller`: else the row is left out (docs/contract.md §3.2, "hidden
 * appeals"). A scalar subquery, because PostgreSQL would hash an `exists`, and read every appeal of the instance for it.
 */
export const namedVisible = (sql: Sql, row: "action" | "session" | "source"): Statement.Fragment => {
  const named = sql.literal(`${row}.appeal_id`)
  return sql`(${named} is null or (select ${appealVisible(sql)} from appeals a, caller u
    where a.instance_id = u.instance_id and a.id = ${named}))`
}

/** A time as PostgreSQL writes it in JSON, as the wire shows it: mostly a matter of padding, the session's zone is UTC. */
export const wireTime = (text: string): string =>
  text.length >= UTC_SECONDS && text.endsWith("+00:00") && text.length <= UTC_MILLIS
    ? `${text.slice(0, 19)}.${text.slice(20, -6).padEnd(3, "0")}Z`
    : isoOf(Date.parse(text))
const UTC_SECONDS = "2026-10-05T10:00:00+00:00".length
const UTC_MILLIS = "2026-10-05T10:00:00.000+00:00".length
