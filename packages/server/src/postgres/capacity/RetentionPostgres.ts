// Deletes old audit entries and old versions of states.
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable, rowsOf, selectedCount } from "../sql/Query.ts"

/**
 * Deletes at most `limit` entries older than so many days (0: never) and returns their number. It uses the clock of the database, so
 * that a service with a wrong clock deletes nothing too early.
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
      deleted as (delete from audit_log entry using old where entry.instance_id = old.instance_id
        and entry.id = old.id returning 1)
      select count(*)::float8 as count from deleted`)
  }).pipe(orUnavailable)

const spanRows = rowsOf(Schema.Struct({ place: Schema.NullOr(Schema.String), deleted: Schema.Int }))
const STATES_PER_STATEMENT = 2_000

/**
 * Scans all states and deletes the versions older than the newest `kept` (0: keeps all), at most `limit` in a statement. Each call
 * scans one page. Returns the number of deleted versions, or `limit` while pages are left.
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
    const { deleted, place: next } = yield* spanRows.get(sql`with span as materialized (
        select latest.instance_id, latest.client_id, latest.namespace, latest.version
          from client_state latest where ${after}
        order by latest.instance_id, latest.client_id, latest.namespace limit ${STATES_PER_STATEMENT}),
      old as (select history.ctid from span latest join client_state_history history
        on history.instance_id = latest.instance_id
          and history.client_id = latest.client_id and history.namespace = latest.namespace
            and history.version <= latest.version - ${kept}::int8
        where latest.version > ${kept}::int8 limit ${limit}),
      deleted as (delete from client_state_history history where history.ctid = any(array(select ctid from old)) returning 1)
      select (select count(*) from deleted)::int4 as deleted, case when (select count(*) from span) = ${STATES_PER_STATEMENT}::int4 then (
        select json_build_array(latest.instance_id, latest.client_id, latest.namespace)::text
          from span latest
        order by latest.instance_id desc, latest.client_id desc, latest.namespace desc limit 1) end as place`)
    // Repeats the page while it has old versions.
    if (deleted >= limit) return deleted
    place = next
    return next === null ? deleted : limit
  })
  return orUnavailable(step)
}
