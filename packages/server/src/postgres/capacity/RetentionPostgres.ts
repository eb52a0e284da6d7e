// Deletes what need not be kept any more: old entries of the audit log, and versions of states beyond those that are kept.
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable, rowsOf, selectedCount } from "../sql/Query.ts"

/**
 * At most `limit` entries older than so many days (0: none); how many went. By the clock of the database, as all sweeps: a service
 * that starts with a wrong one deletes nothing before its time.
 */
export const sweepAudit = (days: number, limit: number) =>
  Effect.gen(function* () {
    if (days === 0) return 0
    const sql = yield* SqlClient.SqlClient
    return yield* selectedCount(sql`with old as (
        select oldest.instance_id, oldest.id from instances instance cross join lateral (
          select entry.instance_id, entry.id from audit_log entry where entry.instance_id = instance.id
            and entry.created_at < now() - make_interval(days => ${days}::int4)
          order by entry.created_at limit ${limit}) oldest limit ${limit}),
      gone as (delete from audit_log entry using old where entry.instance_id = old.instance_id
        and entry.id = old.id returning 1)
      select count(*)::float8 as count from gone`)
  }).pipe(orUnavailable)

const spanRows = rowsOf(Schema.Struct({ place: Schema.NullOr(Schema.String), gone: Schema.Int }))
/** States read by one statement. */
const STATES_AT_ONCE = 2_000

/**
 * Walks over the states and deletes the versions of their history beyond the newest `kept` (0: all are kept), at most
 * `limit` a statement. Each call takes one step; how many went, and `limit` while there are more states to read.
 */
export const historySweep = (kept: number, limit: number) => {
  let place: string | null = null
  const step = Effect.gen(function* () {
    if (kept === 0) return 0
    const sql = yield* SqlClient.SqlClient
    const after =
      place === null
        ? sql`true`
        : sql`(latest.instance_id, latest.client_id, latest.namespace) > ((${place}::text::json->>0)::int8,
          (${place}::text::json->>1)::int8,
          (${place}::text::json->>2))`
    const { gone, place: next } = yield* spanRows.get(sql`with span as materialized (
        select latest.instance_id, latest.client_id, latest.namespace, latest.version
          from client_state latest where ${after}
        order by latest.instance_id, latest.client_id, latest.namespace limit ${STATES_AT_ONCE}),
      old as (select history.ctid from span latest join client_state_history history
        on history.instance_id = latest.instance_id
          and history.client_id = latest.client_id and history.namespace = latest.namespace
            and history.version <= latest.version - ${kept}::int8
        where latest.version > ${kept}::int8 limit ${limit}),
      gone as (delete from client_state_history history where history.ctid = any(array(select ctid from old)) returning 1)
      select (select count(*) from gone)::int4 as gone, case when (select count(*) from span) = ${STATES_AT_ONCE}::int4 then (
        select json_build_array(latest.instance_id, latest.client_id, latest.namespace)::text
          from span latest
        order by latest.instance_id desc, latest.client_id desc, latest.namespace desc limit 1) end as place`)
    // The same states again, until nothing of them is left to delete.
    if (gone >= limit) return gone
    place = next
    return next === null ? gone : limit
  })
  return orUnavailable(step)
}
