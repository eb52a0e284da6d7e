// Commands of operators for the indexes of all instances and processes (docs/operations.md).
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf, selectedIds } from "../sql/Query.ts"
import { type IndexName, projectionKinds } from "./ProjectionKinds.ts"

/** Processes report at least every ten seconds. An older status belongs to a process that ended. */
const REPORT_SECONDS_MAX = 30

const summaryRows = rowsOf(
  Schema.Struct({
    processes: Schema.Int,
    indexLagMs: Schema.Finite,
    indexesBuilding: Schema.Int,
    quarantined: Schema.Int
  })
)

/** The indexes of all running processes, with the greatest lag. */
export const indexSummary = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* summaryRows.get(sql`select
      (count(distinct process_id) filter (where kind = 'evidence'))::int4 as processes,
      coalesce(max(lag_millis), 0)::float8 as "indexLagMs",
      (count(*) filter (where state = 'building'))::int4 as "indexesBuilding",
      (select count(*)::int4 from quarantine) as quarantined
    from projection_statuses where updated_at > now() - make_interval(secs => ${REPORT_SECONDS_MAX}::float8)`)
})

const statusRows = rowsOf(
  Schema.Struct({
    processId: Schema.String,
    kind: Schema.String,
    instanceId: Schema.Int,
    engine: Schema.String,
    state: Schema.String,
    waiting: Schema.Finite,
    lagMs: Schema.Finite,
    built: Schema.Finite,
    total: Schema.Finite,
    updatedAt: Schema.Date
  })
)

/** The last status of each index of each process. */
export const indexStatuses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* statusRows.all(sql`select process_id::text as "processId", kind, instance_id::int4 as "instanceId",
      engine, state, waiting::float8 as waiting, lag_millis::float8 as "lagMs", built::float8 as built,
      total::float8 as total, updated_at as "updatedAt"
    from projection_statuses order by kind, process_id, instance_id`)
})

/** Every process rebuilds these indexes when it reads the request. */
export const requestRebuild = Effect.fnUntraced(function* (indexes: ReadonlyArray<IndexName>) {
  const sql = yield* SqlClient.SqlClient
  const kinds = indexes.map((name) => projectionKinds[name])
  yield* sql`insert into projection_rebuilds (kind, generation) select k, 1 from unnest(${kinds}::text[]) k
    on conflict (kind) do update set generation = projection_rebuilds.generation + 1`
})

const quarantinedRows = rowsOf(
  Schema.Struct({
    index: Schema.String,
    instanceId: Schema.Int,
    id: Schema.Finite,
    tries: Schema.Int,
    reason: Schema.String,
    createdAt: Schema.Date
  })
)

export const quarantined = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* quarantinedRows.all(sql`select replace(kind, '_', '-') as index, instance_id::int4 as "instanceId",
      key::float8 as id, tries, reason, created_at as "createdAt"
    from quarantine order by kind, instance_id, key`)
})

/** Releases one document from quarantine, or all, and returns their ids. A trigger enqueues them in the outbox. */
export const releaseQuarantined = Effect.fnUntraced(function* (
  index: IndexName,
  instanceId: number,
  id: number | null
) {
  const sql = yield* SqlClient.SqlClient
  return yield* selectedIds(sql`delete from quarantine where instance_id = ${instanceId}
    and kind = ${projectionKinds[index]} and (${id}::int8 is null or key = ${id}::int8) returning key::float8 as id`)
})
