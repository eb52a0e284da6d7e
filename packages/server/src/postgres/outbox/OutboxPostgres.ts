// The outbox in PostgreSQL as a projection reads it: pending changes per instance, batches in commit order, quarantine, status.
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { idArray, type Sql } from "../sql/Fragment.ts"
import { epochMillis } from "../sql/SqlTime.ts"
import { adoptDatabase, identitySql, newEpoch, renewEpoch } from "./DatabaseEpoch.ts"
import { orUnavailable, rowsOf, selectedCount } from "../sql/Query.ts"

/** Entries of one batch, and appeals in a page of a rebuild. */
export const OUTBOX_BATCH_MAX = 500
export const OUTBOX_SWEEP_ROWS_MAX = 5_000
/** Older entries are deleted. An index that missed them is rebuilt. */
const OUTBOX_KEPT_MILLIS = 86_400_000
/** The maximum count of waiting entries. */
const WAITING_COUNTED_MAX = 10_000
/** The status of a process is deleted this long after its last report. */
const STATUS_SILENT_MILLIS_MAX = 60_000

/** A position in the outbox: everything up to it is indexed. Text, because both numbers may exceed 2^53. */
export interface OutboxPosition {
  readonly xid: string
  readonly id: string
}

/** The state of the database that an index has seen. */
export interface OutboxClaim {
  readonly position: OutboxPosition
  /** The last entry that it indexed, with its creation time; null: none yet. */
  readonly witness: (OutboxPosition & { readonly createdAt: number }) | null
  readonly epoch: string
}

const Poll = Schema.Struct({
  source: Schema.String,
  epoch: Schema.String,
  horizon: Schema.String,
  generation: Schema.Finite,
  now: Schema.Finite,
  instances: Schema.Array(
    Schema.Struct({
      id: Schema.Finite,
      /** Creation time of the first pending change, in epoch milliseconds. */
      waitingSince: Schema.NullOr(Schema.Finite),
      /** False while an open transaction delays that change. */
      due: Schema.Boolean,
      /** Entries after this position were deleted before they were indexed. */
      missed: Schema.Boolean,
      /** The database does not contain the claim, because it was restored or replaced. */
      ahead: Schema.Boolean
    })
  )
})
export type OutboxPoll = typeof Poll.Type

const OutboxEntry = Schema.Struct({
  xid: Schema.String,
  id: Schema.String,
  key: Schema.Finite,
  createdAt: Schema.Finite
})
export type OutboxEntry = typeof OutboxEntry.Type

const pollRows = rowsOf(Poll)
const entryRows = rowsOf(OutboxEntry)
const lagRows = rowsOf(Schema.Struct({ lag: Schema.Finite, quarantined: Schema.Finite }))

/** A row of `index status`: the progress of one instance in one index of this process. */
export interface ProjectionStatus {
  readonly instanceId: number
  readonly state: "building" | "ready"
  readonly position: OutboxPosition
  readonly lagMillis: number
  readonly built: number
  readonly total: number
}

/** One projection follows the entries of one kind. */
export const outboxOf = (kind: string) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const here = Effect.provideService(SqlClient.SqlClient, sql)
    const after = (position: OutboxPosition) =>
      sql`(outbox.xid, outbox.id) > (${position.xid}::text::xid8, ${position.id}::text::int8)`
    return {
      /** As `newEpoch` and `adoptDatabase` of DatabaseEpoch.ts. */
      newEpoch: here(newEpoch),
      adopt: here(adoptDatabase),
      /** `claims` has an entry for each instance in the index. */
      poll: (claims: ReadonlyMap<number, OutboxClaim>) =>
        orUnavailable(pollRows.get(pollStatement(sql, kind, claims))),
      /** Up to OUTBOX_BATCH_MAX entries after the position, in an order that never changes behind it. */
      next: (instanceId: number, position: OutboxPosition) =>
        orUnavailable(
          entryRows.all(sql`select outbox.xid::text as xid, outbox.id::text as id, outbox.key::float8 as key,
              ${sql.literal(epochMillis("outbox.created_at"))} as "createdAt"
            from outbox where outbox.instance_id = ${instanceId} and outbox.kind = ${kind} and ${after(position)}
              and outbox.xid < pg_snapshot_xmin(pg_current_snapshot())
            order by outbox.xid, outbox.id limit ${OUTBOX_BATCH_MAX}`)
        ),
      /** The age of the oldest change after the position, 0 without one, and the number of quarantined documents. */
      lag: (instanceId: number, position: OutboxPosition) =>
        orUnavailable(
          lagRows.get(sql`select coalesce((select greatest(1, ${sql.literal(epochMillis("clock_timestamp()"))}
                - ${sql.literal(epochMillis("min(outbox.created_at)"))}) from outbox
              where outbox.instance_id = ${instanceId} and outbox.kind = ${kind}
                and ${after(position)} having count(*) > 0), 0)::float8 as lag,
            (select count(*)::float8 from quarantine where instance_id = ${instanceId}
              and kind = ${kind}) as quarantined`)
        ),
      quarantine: (instanceId: number, key: number, reason: string, tries: number) =>
        orUnavailable(sql`insert into quarantine (instance_id, kind, key, reason, tries)
          values (${instanceId}, ${kind}, ${key}, ${reason}, ${tries}) on conflict do nothing`).pipe(
          Effect.asVoid
        ),
      /** The number of quarantined documents of all instances. */
      quarantined: orUnavailable(
        selectedCount(sql`select count(*)::float8 as count from quarantine where kind = ${kind}`)
      ),
      /** Reports the progress of this process, and removes processes that have not reported for long. */
      reportStatus: (process: string, engine: string, statuses: ReadonlyArray<ProjectionStatus>) =>
        orUnavailable(statusStatement(sql, kind, process, engine, statuses)).pipe(Effect.asVoid),
      removeStatus: (process: string) =>
        orUnavailable(
          sql`delete from projection_statuses where process_id = ${process}::text::uuid and kind = ${kind}`
        ).pipe(Effect.asVoid)
    }
  })

export type Outbox = Effect.Success<ReturnType<typeof outboxOf>>

const pollStatement = (sql: Sql, kind: string, claims: ReadonlyMap<number, OutboxClaim>) => {
  const all = [...claims.entries()]
  // Text, because the driver knows no type for an array of nulls.
  const valuesOf = (text: (claim: OutboxClaim) => string) => all.map(([, claim]) => text(claim))
  // Detects another cluster, database or seed. A restored database reuses ids of transactions and rows, so the time of a row is
  // compared too.
  return sql`with seen as materialized (select pg_current_snapshot() as snapshot),
    instance as (select instances.id, claim.xid::xid8 as xid, claim.at, nullif(claim.witness_xid, '')::xid8 as witness_xid,
        claim.witness, claim.witnessed, claim.epoch
      from instances left join unnest(${all.map(([id]) => id)}::int8[],
        ${valuesOf(({ position }) => position.xid)}::text[], ${valuesOf(({ position }) => position.id)}::int8[],
        ${valuesOf(({ witness }) => witness?.xid ?? "")}::text[],
        ${valuesOf(({ witness }) => witness?.id ?? "0")}::text[]::int8[],
        ${valuesOf(({ witness }) => String(witness?.createdAt ?? 0))}::text[]::float8[],
        ${valuesOf(({ epoch }) => epoch)}::text[]::uuid[])
        as claim (instance_id, xid, at, witness_xid, witness, witnessed, epoch) on claim.instance_id = instances.id),
    pending as (select instance.id, first.xid, first.created_at,
      exists (select 1 from outbox_swept swept where (instance.xid, instance.at) < (swept.xid, swept.id)) as missed,
      instance.xid is not null and (instance.xid > (select pg_snapshot_xmax(snapshot) from seen)
        or not exists (select 1 from database_epochs stored where stored.epoch = instance.epoch)
        or (instance.witness_xid is not null
          and not exists (select 1 from outbox where outbox.instance_id = instance.id and outbox.kind = ${kind}
            and outbox.xid = instance.witness_xid and outbox.id = instance.witness
            and ${sql.literal(epochMillis("outbox.created_at"))} = instance.witnessed)
          and not exists (select 1 from outbox_swept swept
            where (instance.witness_xid, instance.witness) <= (swept.xid, swept.id)))) as ahead
      from instance left join lateral (
      select outbox.xid, outbox.created_at from outbox where outbox.instance_id = instance.id and outbox.kind = ${kind}
        and (outbox.xid, outbox.id) > (instance.xid, instance.at)
          order by outbox.xid, outbox.id limit 1) first on instance.xid is not null)
    select ${sql.literal(identitySql)} || ':' || coalesce((select finished_at::text from seed_marker), '') as source,
      (select epoch::text from database_epochs order by created_at desc, epoch limit 1) as epoch,
      (select pg_snapshot_xmin(snapshot)::text from seen) as horizon,
      coalesce((select generation::float8 from projection_rebuilds where kind = ${kind}), 0) as generation,
      ${sql.literal(epochMillis("clock_timestamp()"))} as now,
      (select coalesce(json_agg(json_build_object('id', id, 'waitingSince', ${sql.literal(epochMillis("created_at"))},
          'due', coalesce(xid < (select pg_snapshot_xmin(snapshot) from seen), false),
          'missed', missed, 'ahead', ahead) order by id), '[]') from pending) as instances`
}

const statusStatement = (
  sql: Sql,
  kind: string,
  process: string,
  engine: string,
  statuses: ReadonlyArray<ProjectionStatus>
) => {
  // A fixed type, because the driver would guess it from the size of the numbers.
  const numbers = (of: (status: ProjectionStatus) => number) => idArray(statuses.map(of))
  return sql`with silent as (delete from projection_statuses
      where updated_at < now() - make_interval(secs => ${STATUS_SILENT_MILLIS_MAX / 1_000}::float8))
  insert into projection_statuses (process_id, kind, instance_id, engine, state, waiting, lag_millis, built, total,
      updated_at)
    select ${process}::text::uuid, ${kind}, report.instance_id, ${engine}, report.state, (select count(*) from (
        select 1 from outbox where outbox.instance_id = report.instance_id and outbox.kind = ${kind}
          and (outbox.xid, outbox.id) > (report.xid::xid8, report.id) limit ${WAITING_COUNTED_MAX}::int4) waiting),
      report.lag, report.built, report.total, now()
    from unnest(${statuses.map((s) => s.instanceId)}::int8[], ${statuses.map((s) => s.state)}::text[],
      ${statuses.map((s) => s.position.xid)}::text[], ${statuses.map((s) => s.position.id)}::int8[],
      ${numbers((one) => one.lagMillis)}, ${numbers((one) => one.built)}, ${numbers((one) => one.total)})
      as report (instance_id, state, xid, id, lag, built, total)
  on conflict (process_id, kind, instance_id) do update set state = excluded.state, waiting = excluded.waiting,
    lag_millis = excluded.lag_millis, built = excluded.built, total = excluded.total,
    updated_at = excluded.updated_at`
}

/** Deletes a bounded number of old entries, records the last one, and returns their number. */
export const sweepOutbox: Effect.Effect<number, SourceUnavailable, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const swept = yield* selectedCount(sql`with old as (select instance_id, kind, xid, id from outbox
        where created_at < now() - make_interval(secs => ${OUTBOX_KEPT_MILLIS / 1_000}::float8)
        order by created_at limit ${OUTBOX_SWEEP_ROWS_MAX} for update skip locked),
      gone as (delete from outbox using old where (outbox.instance_id, outbox.kind, outbox.xid, outbox.id)
        = (old.instance_id, old.kind, old.xid, old.id) returning outbox.xid, outbox.id),
      last as (select xid, id from gone order by xid desc, id desc limit 1),
      kept as (insert into outbox_swept (single, xid, id) select true, xid, id from last
        on conflict (single) do update set xid = excluded.xid, id = excluded.id
        where (outbox_swept.xid, outbox_swept.id) < (excluded.xid, excluded.id))
    select count(*)::float8 as count from gone`)

    yield* renewEpoch
    return swept
  }
).pipe(orUnavailable)
