// Reads the caller once at the start of a report's transaction. Its statements contain the rights as constants, so that the planner
// knows the visible rows and may read in parallel.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, idArray, type Sql, sql } from "../sql/Fragment.ts"
import { rowsOf } from "../sql/Query.ts"
import { callerOf } from "../sql/Visibility.ts"

/** Enough to sort a year in memory. STATISTICS_AT_ONCE limits the statements that run in parallel. */
const WORK_MEM = "64MB"

const ids = Schema.Array(Schema.Int)
const CallerRow = Schema.Struct({
  roles: Schema.Array(Schema.String),
  skill_group_ids: ids,
  subject_ids: ids,
  colleague_ids: ids,
  token: Schema.NullOr(Schema.Array(Schema.String)),
  maker_roles: Schema.NullOr(Schema.Array(Schema.String)),
  sees_as_user: Schema.Boolean,
  everything: Schema.Boolean,
  sees_closed: Schema.Boolean,
  supervises: Schema.Boolean,
  answers: Schema.Boolean
})
const callers = rowsOf(Schema.Struct({ caller: Schema.NullOr(CallerRow), settings: Schema.Unknown }))

/**
 * The CTE `caller` with one row of constants, or none without access. To be run first in a transaction. It enables plans for the values
 * of statements, because the best plan for a day differs from that for a year, which is a sequential scan.
 */
export const countingCaller = (
  sql: Sql,
  session: AuthorizedSession
): Effect.Effect<Fragment, SqlError.SqlError> =>
  Effect.map(
    callers.get(sql`with ${callerOf(session)}
      select (select row_to_json(u) from caller u) as caller,
        array[set_config('work_mem', ${WORK_MEM}, true), set_config('plan_cache_mode', 'force_custom_plan', true),
          set_config('enable_seqscan', 'on', true)] as settings`),
    ({ caller }) =>
      caller === null ? callerOf(session) : sql`caller as not materialized (${constants(session, caller)})`
  )

const flag = (value: boolean) => sql.literal(String(value))
const texts = (values: ReadonlyArray<string> | null) =>
  values === null ? sql.literal("null::text[]") : sql`${values}::text[]`

const constants = (session: AuthorizedSession, caller: typeof CallerRow.Type) =>
  sql`select ${String(session.instanceId)}::text::int8 as instance_id, ${String(session.userId)}::text::int8 as user_id,
    ${caller.roles}::text[] as roles, ${idArray(caller.skill_group_ids)} as skill_group_ids,
    ${idArray(caller.subject_ids)} as subject_ids, ${idArray(caller.colleague_ids)} as colleague_ids,
    ${texts(caller.token)} as token, ${texts(caller.maker_roles)} as maker_roles, ${flag(caller.sees_as_user)} as sees_as_user,
    ${flag(caller.everything)} as everything, ${flag(caller.sees_closed)} as sees_closed,
    ${flag(caller.supervises)} as supervises, ${flag(caller.answers)} as answers`
