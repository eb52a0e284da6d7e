// Erases the data of a client in slices, one per transaction, which locks the row of the erasure and records the progress. Another
// process can continue after a crash (contract §9, "Clients").
import { Time } from "@rapport/contract/values/Time.ts"
import type {
  ErasedClient,
  ErasureSlice,
  StoredClient,
  UnfinishedErasures
} from "@rapport/core/clients/ClientDataStore.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, idArray, type Sql, sql } from "../sql/Fragment.ts"
import { removeFiles } from "../files/FileStorePostgres.ts"
import { isSameLine, lineKey, lockLines } from "../delivery/LineKeys.ts"
import { nameOf, typeOf } from "../sql/Columns.ts"
import { statement } from "../sql/CommonTables.ts"
import { shortLockTimeout } from "../sql/LockTimeout.ts"
import { rowsOf, selectedCount } from "../sql/Query.ts"
import {
  type ClientDataPart,
  clientDataParts,
  type Erase,
  lineOfNobodyElse,
  namingRecords,
  rowsOfPart
} from "./ClientDataParts.ts"

type Storage = FileStorage["Service"]

const ERASURE_SLICE_ROWS_MAX = 200
/** The maximum of rows and of stored bytes in one slice of a scan, or one page of an export. */
const SCAN_ROWS_MAX = 2_000
const SCAN_BYTES_MAX = 1024 * 1024
/** Writers from before the mark have ended after this: twice the timeout of a statement. */
export const ERASURE_SETTLE_MILLIS = 12_000

/** The part that empties values which reference the client's records. */
const REFERENCES = "references"
const parts: ReadonlyArray<string> = clientDataParts
  .toReversed()
  .flatMap(({ table }) => (table === "custom_records" ? [REFERENCES, table] : [table]))
const partOf = new Map(clientDataParts.map((part) => [part.table, part]))

const Unfinished = Schema.Struct({
  instanceId: Schema.Int,
  id: Schema.Int,
  part: Schema.NullOr(Schema.String),
  place: Schema.NullOr(Schema.String),
  passErased: Schema.Int,
  isSettled: Schema.Boolean,
  ids: Schema.Array(Schema.Int)
})
type Unfinished = typeof Unfinished.Type
const unfinishedRows = rowsOf(Unfinished)
const scannedRows = rowsOf(Schema.Struct({ place: Schema.NullOr(Schema.String), erased: Schema.Int }))

export const erasureColumns = `erasure.client_id::float8 as "clientId", erasure.instance_id::float8 as "instanceId",
  erasure.erased::float8 as erased,
  to_json(erasure.requested_at)#>>'{}' as "requestedAt", to_json(erasure.finished_at)#>>'{}' as "finishedAt",
  case when erasure.finished_at is null then 'running' else 'finished' end as status`
export const erasureRows = rowsOf(
  Schema.Struct({
    clientId: Schema.Int,
    instanceId: Schema.Int,
    erased: Schema.Int,
    requestedAt: Schema.toCodecJson(Time),
    finishedAt: Schema.toCodecJson(Schema.NullOr(Time)),
    status: Schema.Literals(["running", "finished"])
  })
)

const dueRows = rowsOf(
  Schema.Struct({
    oldestMillis: Schema.Finite,
    next: Schema.NullOr(Schema.Struct({ instanceId: Schema.Int, id: Schema.Int }))
  })
)

/** The erasure to continue, and the age of the oldest. */
export const unfinishedErasures = (
  sql: Sql,
  resting: ReadonlyArray<ErasedClient>
): Effect.Effect<UnfinishedErasures, SqlError.SqlError> => {
  const instances = resting.map(({ instanceId }) => instanceId)
  const clients = resting.map(({ id }) => id)
  return dueRows.get(sql`with next as materialized (
      select erasure.instance_id, erasure.client_id from client_erasures erasure
      where erasure.finished_at is null and not exists (
        select 1 from unnest(${idArray(instances)}, ${idArray(clients)}) as resting(instance_id, client_id)
        where resting.instance_id = erasure.instance_id and resting.client_id = erasure.client_id)
      -- One that only waits lets the others go on.
      order by erasure.part is null and erasure.erased > 0 and erasure.pass_erased = 0, erasure.requested_at
      limit 1 for update of erasure skip locked)
    select coalesce((select greatest(extract(epoch from clock_timestamp() - min(requested_at)) * 1000, 0)
          from client_erasures where finished_at is null), 0)::float8 as "oldestMillis",
      (select json_build_object('instanceId', instance_id, 'id', client_id) from next) as next`)
}

/** Erases one slice in its own transaction. Undefined: finished, or locked by another process. */
export const eraseSlice = (
  sql: Sql,
  storage: Storage,
  client: ErasedClient,
  settleMillis: number
): Effect.Effect<ErasureSlice | undefined, SourceUnavailable | SqlError.SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      const unfinished = yield* take(sql, client, settleMillis)
      if (unfinished === undefined) return undefined
      const part = unfinished.part ?? parts[0] ?? REFERENCES
      const { erased, place } = yield* erasePart(sql, storage, unfinished, part)
      const passErased = unfinished.passErased + erased
      const isPartDone = place === null && erased < ERASURE_SLICE_ROWS_MAX
      const next = isPartDone ? parts[parts.indexOf(part) + 1] : part
      const isPassDone = next === undefined
      const isFinished = isPassDone && passErased === 0 && unfinished.isSettled
      const erasure =
        yield* erasureRows.get(sql`update client_erasures erasure set part = ${next ?? null}, place = ${isPartDone ? null : place}::text::json,
          erased = erased + ${erased}::int8, pass_erased = ${isPassDone ? 0 : passErased}::int8,
          finished_at = case when ${isFinished}::bool then clock_timestamp() end
        where instance_id = ${unfinished.instanceId} and client_id = ${unfinished.id}
        returning ${sql.literal(erasureColumns)}`)
      return { ...erasure, part: next ?? null, isWaiting: isPassDone && passErased === 0 && !isFinished }
    })
  )

// Skips an erasure that another process has locked.
const take = (sql: Sql, client: ErasedClient, settleMillis: number) =>
  unfinishedRows.find(sql`with ${shortLockTimeout} select erasure.instance_id::float8 as "instanceId", erasure.client_id::float8 as id,
    erasure.part,
      erasure.place::text as place, erasure.pass_erased::float8 as "passErased",
      erasure.requested_at < clock_timestamp() - make_interval(secs => ${settleMillis / 1_000}::float8) as "isSettled",
      array(select c.id from clients c where c.instance_id = erasure.instance_id
        and (c.id = erasure.client_id or c.merged_into_id = erasure.client_id))::float8[] as ids
    from short_lock_timeout, client_erasures erasure where erasure.finished_at is null and erasure.instance_id = ${client.instanceId}
      and erasure.client_id = ${client.id}
    for update of erasure skip locked`)

interface Erased {
  readonly erased: number
  /** The position of a scan. Null: at its end. */
  readonly place: string | null
}

const erasePart = (
  sql: Sql,
  storage: Storage,
  unfinished: Unfinished,
  name: string
): Effect.Effect<Erased, SourceUnavailable | SqlError.SqlError> => {
  const client: StoredClient = unfinished
  const part = partOf.get(name)
  if (part === undefined)
    return Effect.map(forgetReferences(sql, client), (erased) => ({ erased, place: null }))
  if (part.scanned !== undefined) return scan(sql, client, part, unfinished.place)
  return Effect.map(eraseRows(sql, storage, client, part), (erased) => ({ erased, place: null }))
}

const eraseRows = (
  sql: Sql,
  storage: Storage,
  client: StoredClient,
  part: ClientDataPart
): Effect.Effect<number, SourceUnavailable | SqlError.SqlError> => {
  const erase: Erase = part.erase ?? { _tag: "Delete" }
  const table = sql.literal(part.table)
  const isInSlice = (more: Fragment) =>
    sql`stored.ctid = any(array(select stored.ctid from ${table} stored where ${rowsOfPart(part, client)} ${more}
      limit ${ERASURE_SLICE_ROWS_MAX}))`
  switch (erase._tag) {
    case "Marked":
      return Effect.succeed(0)
    case "Empty":
      return selectedCount(sql`with gone as (update ${table} stored set ${sql.literal(erase.set)}
        where ${isInSlice(sql`and (${sql.literal(erase.dirty)})`)} returning 1)
        select count(*)::float8 as count from gone`)
    case "Delete": {
      if (erase.withBytes === true)
        return removeFiles(sql, storage, rowsOfPart(part, client), ERASURE_SLICE_ROWS_MAX)
      const free = erase.once === undefined ? sql`` : sql`and ${sql.literal(erase.once)}`
      const gone = selectedCount(
        statement(
          sql,
          {
            gone: sql`delete from ${table} stored where ${isInSlice(free)} returning stored.*`,
            memory_entry:
              erase.memoryKind !== undefined &&
              sql`delete from memory_entries memory using gone where memory.instance_id = ${client.instanceId}
                and memory.kind = ${erase.memoryKind} and memory.source_id = gone.id`,
            lines:
              erase.withLines === true &&
              sql`delete from delivery_lines line using gone where ${sql.literal(isSameLine("line", "gone"))}
                and ${sql.literal(lineOfNobodyElse("line"))}`
          },
          sql`select count(*)::float8 as count from gone`
        )
      )
      if (erase.withLines !== true) return gone
      const keys = sql`select ${sql.literal(lineKey("stored"))} from ${table} stored`
      return Effect.andThen(lockLines(sql, sql`${keys} where ${rowsOfPart(part, client)}`), gone)
    }
  }
}

/**
 * Scans one page of rows that have no index on the client. The condition applies to the page only: on the table PostgreSQL might check it
 * for every row.
 */
const scan = (sql: Sql, client: StoredClient, part: ClientDataPart, place: string | null) => {
  const erase: Erase = part.erase ?? { _tag: "Delete" }
  const table = sql.literal(part.table)
  const columns = keyColumns(part)
  const besides = erase._tag === "Delete" && erase.besides !== undefined ? erase.besides : "false"
  const hit = sql`span.is_hit and stored.instance_id = ${client.instanceId}
    and ${sql.literal(
      part.key
        .map(nameOf)
        .map((column) => `stored.${column} = span.${column}`)
        .join(" and ")
    )}`
  const write =
    erase._tag === "Empty"
      ? sql`update ${table} stored set ${sql.literal(erase.set)} from span where ${hit} and ${sql.literal(erase.dirty)}`
      : sql`delete from ${table} stored using span where ${hit}`
  return scannedRows.get(sql`with span as materialized (
      select ${sql.literal(columns)}, ${sql.literal(keyJson(part))} as place,
          (${rowsOfPart(part, client)}) or (${sql.literal(besides)}) as is_hit
        from (${scannedPage(client, part, place)}) stored),
      gone as (${write} returning 1)
    select (select stored.place from span stored order by ${sql.literal(`${columns.replaceAll(", ", " desc, ")} desc`)}
        limit 1) as place,
      (select count(*) from gone)::float8 as erased`)
}

/** The next rows of a scan, in the order of the key. */
export const scannedPage = (
  { instanceId }: StoredClient,
  part: ClientDataPart,
  place: string | null
): Fragment => {
  const columns = sql.literal(keyColumns(part))
  const rows = sql`${sql.literal(part.table)} stored
    where stored.instance_id = ${instanceId} and ${after(part, place)} order by ${columns}`
  const size = sql.literal(`coalesce(pg_column_size(stored.${part.scanned}), 0)`)
  return sql`select stored.* from ${rows} limit (
    select greatest(count(*), 1) from (
      select sum(${size}) over (order by ${columns} rows unbounded preceding) as bytes
        from (select stored.* from ${rows} limit ${SCAN_ROWS_MAX}) stored) sized
    where bytes <= ${SCAN_BYTES_MAX})`
}

/** The key of `stored` as text, for `after`. */
export const keyJson = ({ key }: ClientDataPart): string =>
  `json_build_array(${key.map((column) => `stored.${nameOf(column)}::text`).join(", ")})::text`

const keyColumns = ({ key }: ClientDataPart): string =>
  key.map((column) => `stored.${nameOf(column)}`).join(", ")

/** Condition on `stored`: it is after the key. */
export const after = (part: ClientDataPart, place: string | null): Fragment => {
  if (place === null) return sql`true`
  const values = part.key.map(
    (column, i) => sql`(${place}::text::json->>${sql.literal(String(i))})::${sql.literal(typeOf(column))}`
  )
  const beyond = part.descending === true ? "<" : ">"
  return sql`(${sql.literal(keyColumns(part))}) ${sql.literal(beyond)} (${sql.csv(values)})`
}

const forgetReferences = (sql: Sql, client: StoredClient) =>
  selectedCount(sql`with named as materialized (${namingRecords(client)} limit ${ERASURE_SLICE_ROWS_MAX}),
      emptied as (update custom_records stored set version = version + 1, updated_at = now(),
        values = stored.values - array(
          select named.field_id::text from named where named.model_id = stored.model_id and named.record_id = stored.id)
        from (select distinct instance_id, model_id, record_id from named) holder
        where stored.instance_id = holder.instance_id and stored.model_id = holder.model_id
          and stored.id = holder.record_id)
    select count(*)::float8 as count from named`)

/**
 * To be run in a transaction. Marks a client as erased, empties its own rows, deletes its identities and queued deliveries, and inserts
 * the row of its erasure. Providers, calls and broadcasts find a client by its identities.
 */
export const markErased = Effect.fnUntraced(function* (
  sql: Sql,
  { id, ids, instanceId }: StoredClient,
  name: string
) {
  yield* sql`update clients set erased_at = now(), name = ${name}, emails = '{}', phones = '{}', external_id = null, language = null,
      tags = '{}', updated_at = now(), version = version + 1
    where instance_id = ${instanceId} and id = any(${idArray(ids)})`
  yield* sql`delete from client_identities where instance_id = ${instanceId} and client_id = ${id}`
  yield* sql`delete from client_contacts where instance_id = ${instanceId} and client_id = ${id}`
  const queued = sql`deliveries stored where stored.instance_id = ${instanceId} and stored.status = 'queued'
    and stored.client_id = any(${idArray(ids)}) and (stored.bot_id, stored.channel, stored.chat_id) in (
      select a.bot_id, a.channel, a.chat_id from appeals a where a.instance_id = ${instanceId} and a.client_id = ${id})`
  yield* lockLines(sql, sql`select ${sql.literal(lineKey("stored"))} from ${queued}`)
  yield* sql`delete from ${queued}`
  yield* sql`insert into client_erasures (instance_id, client_id, requested_at)
    values (${instanceId}, ${id}, clock_timestamp())`
})
