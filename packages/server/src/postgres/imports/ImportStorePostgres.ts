// Import batches in PostgreSQL. One transaction writes an item, its outcome and the checkpoint, under the lease (contract §5).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { ImportBatch } from "@rapport/contract/imports/ImportsApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type BatchRef, type ItemOutcome, ImportStore } from "@rapport/core/imports/ImportStore.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { retryDeadlocks } from "../sql/Deadlock.ts"
import { hasRow, integers, orUnavailable, query, rowsOf, selectedCount, storeLayer } from "../sql/Query.ts"
import { auditedFrom, entryOf } from "../sql/Records.ts"
import { type Row, rowsAs } from "../sql/RowsAs.ts"
import { principalOf } from "../receipts/ReceiptsPostgres.ts"

const batchJson = `json_build_object('id', batch.id, 'status', batch.status, 'checkpoint', json_build_object('nextIndex', batch.next_index),
  'total', batch.total, 'succeeded', batch.succeeded, 'failed', batch.failed,
  'items', (select coalesce(json_agg(json_strip_nulls(json_build_object('index', item.index, 'status', item.status, 'code', item.code,
    'message', item.message)) order by item.index), '[]') from import_items item
      where item.instance_id = batch.instance_id and item.batch_id = batch.id))`

const batchRows = rowsOf(
  Schema.Struct({ fingerprint: Schema.String, batch: Schema.toCodecJson(ImportBatch) })
)

/** How long a batch stays leased to a process that was killed. */
const IMPORT_LEASE_MILLIS = 5_000

type Store = ImportStore["Service"]

const under = (caller: AuthorizedSession, key: string) =>
  sql`batch.instance_id = ${caller.instanceId} and batch.principal = ${principalOf(caller)} and batch.key = ${key}`

export const layer = storeLayer(ImportStore)((sql) => ({
  ...leaseOperations(sql),
  open: query("ImportStore.open", function* (caller, key, fingerprint, { id, now, owner, total }) {
    const principal = principalOf(caller)
    const change = { action: "context.import", entity: "import_batch", id, details: { items: total } }
    const entry = auditedFrom("made", yield* entryOf(caller, change))
    // A sweep may delete the batch between the two statements. Then the next insert succeeds.
    for (;;) {
      const made = yield* sql`with made as (insert into import_batches
            (instance_id, id, principal, key, fingerprint, status, total, created_at, owner, leased_until)
          values (${caller.instanceId}, ${id}::uuid, ${principal}, ${key}, ${fingerprint}, 'running', ${total},
            ${isoOf(now)}::timestamptz, ${owner ?? null}::uuid,
            case when ${owner ?? null}::uuid is not null then ${leaseEnd} end) on conflict do nothing returning id),
          entry as (${entry}) select 1 from made`
      const found = yield* select(sql, under(caller, key))
      if (found !== undefined) return { ...found, isCreated: made.length > 0 }
      if (made.length > 0) return yield* Effect.die("a batch was removed while it was created")
    }
  }),
  isKnown: query("ImportStore.isKnown", (caller, key) =>
    hasRow(sql`select 1 from import_batches batch where ${under(caller, key)}`)
  ),
  find: query("ImportStore.find", (instanceId, id) =>
    Effect.map(
      select(sql, sql`batch.instance_id = ${instanceId} and batch.id = ${id}::uuid`),
      (found) => found?.batch
    )
  ),
  sweep: query("ImportStore.sweep", (limit, days) =>
    selectedCount(sql`with since as (select now() - make_interval(days => ${days}::int4) as at
          where ${days}::int4 > 0),
            old as (select instance_id, id from import_batches, since
              where created_at < since.at and coalesce(leased_until, created_at) < since.at limit ${limit}),
            gone as (delete from import_batches batch using old where batch.instance_id = old.instance_id
              and batch.id = old.id returning 1)
          select count(*)::float8 as count from gone`)
  )
}))

const leaseOperations = (sql: Sql) =>
  ({
    lease: query("ImportStore.lease", ({ id, instanceId, owner }) =>
      integers.find(sql`update import_batches set owner = ${owner}::uuid, leased_until = ${leaseEnd}
      where instance_id = ${instanceId} and id = ${id}::uuid and status = 'running'
        and (leased_until is null or leased_until < clock_timestamp()) returning next_index`)
    ),

    release: query("ImportStore.release", ({ id, instanceId, owner }) =>
      // The end of the lease is kept: it shows since when no process has worked on the batch.
      Effect.asVoid(sql`update import_batches
        set owner = null, leased_until = clock_timestamp() - interval '1 millisecond'
        where instance_id = ${instanceId} and id = ${id}::uuid and owner = ${owner}::uuid`)
    ),

    advance: (ref, index, items, clientIds = []) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            if (!(yield* renewLease(sql, ref, index))) return false
            const outcomes = yield* items
            yield* writeCheckpoint(
              sql,
              ref,
              outcomes.map((outcome, at) => ({
                "index int4": index + at,
                "client_id int8": clientIds[at] ?? null,
                "status text": outcome.status,
                "code text": outcome.code,
                "message text": outcome.message
              }))
            )
            return true
          })
        )
        .pipe(retryDeadlocks, orUnavailable)
  }) satisfies Partial<Store>

const select = (sql: Sql, where: Fragment) =>
  batchRows.find(
    sql`select batch.fingerprint, ${sql.literal(batchJson)} as batch from import_batches batch where ${where}`
  )

const leaseEnd = sql.literal(`clock_timestamp() + interval '${IMPORT_LEASE_MILLIS} milliseconds'`)

/** Locks the batch and extends the lease. False if another importer has changed the owner or the index. */
const renewLease = (sql: Sql, { id, instanceId, owner }: BatchRef, index: number) =>
  hasRow(sql`update import_batches set leased_until = ${leaseEnd} where instance_id = ${instanceId} and id = ${id}::uuid
    and owner = ${owner}::uuid and next_index = ${index} and status = 'running' returning 1`)

/** Writes outcomes and checkpoint. The last item completes the batch. */
const writeCheckpoint = (
  sql: Sql,
  { id, instanceId }: BatchRef,
  items: ReadonlyArray<Row & { readonly "status text": ItemOutcome["status"] }>
): Effect.Effect<void, SourceUnavailable> => {
  const count = items.length
  const failed = items.filter((item) => item["status text"] === "failed").length
  return sql`with kept as (insert into import_items (instance_id, batch_id, index, client_id, status, code, message)
      select ${instanceId}::int8, ${id}::uuid, item.index, item.client_id, item.status, item.code, item.message
      from ${rowsAs("item", items)})
    update import_batches set next_index = next_index + ${count}::int4,
      succeeded = succeeded + ${count - failed}::int4, failed = failed + ${failed}::int4,
      status = case when next_index + ${count}::int4 < total then 'running'
        when failed + ${failed}::int4 > 0 then 'completed_with_errors' else 'completed' end
    where instance_id = ${instanceId} and id = ${id}::uuid`.pipe(Effect.asVoid, orUnavailable)
}
