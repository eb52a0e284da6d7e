// Erases what is stored about a client, a bounded slice a transaction: the row of the erasure is locked, one slice of one part is
// done, and the place is noted with it. A process that dies leaves the rest to any other (docs/contract.md §9, clients).
import type { ClientErasure } from "@rapport/contract/clients/ClientData.ts"
import { Time } from "@rapport/contract/values/Time.ts"
import type { ErasureSlice, StoredClient } from "@rapport/core/clients/ClientDataStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { rowsOf, selectedCount } from "../sql/Query.ts"
import { type ClientDataPart, clientDataParts, erasureOrder, namingRecords } from "./ClientDataParts.ts"

type Sql = SqlClient.SqlClient

/** Rows of one slice; of a scan, rows looked at. */
const ERASURE_SLICE_ROWS_MAX = 200
const ERASURE_SCAN_ROWS_MAX = 2_000
/** Writers that began before the client was marked have ended by then: the deadline of a statement, twice. */
export const ERASURE_SETTLE_MILLIS = 12_000

/** The part that empties the values of records which name the client's records. */
const REFERENCES = "references"
const parts: ReadonlyArray<string> = erasureOrder.flatMap((table) =>
  table === "custom_records" ? [REFERENCES, table] : [table]
)
const partOf = new Map(clientDataParts.map((part) => [part.table, part]))

const Unfinished = Schema.Struct({
  instanceId: Schema.Int,
  id: Schema.Int,
  part: Schema.NullOr(Schema.String),
  place: Schema.NullOr(Schema.String),
  erased: Schema.Int,
  passErased: Schema.Int,
  isSettled: Schema.Boolean,
  requestedAt: Schema.toCodecJson(Time),
  ids: Schema.Array(Schema.Int)
})
type Unfinished = typeof Unfinished.Type
const unfinishedRows = rowsOf(Unfinished)
const scannedRows = rowsOf(Schema.Struct({ place: Schema.NullOr(Schema.String), erased: Schema.Int }))
const finishedRows = rowsOf(Schema.Struct({ finishedAt: Schema.toCodecJson(Time) }))

/** Of `client_erasures e`, decoded by `erasureRows`. */
export const erasureColumns = `e.client_id::float8 as "clientId", e.instance_id::float8 as "instanceId", e.erased::float8 as erased,
  to_json(e.requested_at)#>>'{}' as "requestedAt", to_json(e.finished_at)#>>'{}' as "finishedAt",
  case when e.finished_at is null then 'running' else 'finished' end as status`
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

/** One slice, in a transaction of its own. Undefined: nothing is unfinished that no other process works on. */
export const eraseSlice = (
  sql: Sql,
  client: Pick<StoredClient, "instanceId" | "id"> | undefined,
  settleMillis: number
): Effect.Effect<ErasureSlice | undefined, SqlError.SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      const unfinished = yield* take(sql, client, settleMillis)
      if (unfinished === undefined) return undefined
      const part = unfinished.part ?? parts[0] ?? REFERENCES
      const { erased, place } = yield* erasePart(sql, unfinished, part)
      const passErased = unfinished.passErased + erased
      const isPartDone = place === null && erased < ERASURE_SLICE_ROWS_MAX
      const next = isPartDone ? parts[parts.indexOf(part) + 1] : part
      const isPassDone = next === undefined
      const isFinished = isPassDone && passErased === 0 && unfinished.isSettled
      yield* sql`update client_erasures set part = ${next ?? null}, place = ${isPartDone ? null : place}::text::json,
          erased = erased + ${erased}::int8, pass_erased = ${isPassDone ? 0 : passErased}::int8,
          finished_at = case when ${isFinished}::bool then clock_timestamp() end
        where instance_id = ${unfinished.instanceId} and client_id = ${unfinished.id}`
      return yield* shownSlice(sql, unfinished, {
        erased: unfinished.erased + erased,
        part: next ?? null,
        isFinished,
        isWaiting: isPassDone && passErased === 0 && !isFinished
      })
    })
  )

const shownSlice = Effect.fnUntraced(function* (
  sql: Sql,
  { id, instanceId, requestedAt }: Unfinished,
  done: {
    readonly erased: number
    readonly part: string | null
    readonly isFinished: boolean
    readonly isWaiting: boolean
  }
) {
  const finished = done.isFinished
    ? yield* finishedRows.get(sql`select to_json(finished_at)#>>'{}' as "finishedAt" from client_erasures
        where instance_id = ${instanceId} and client_id = ${id}`)
    : undefined
  const status: ClientErasure["status"] = done.isFinished ? "finished" : "running"
  return {
    instanceId,
    clientId: id,
    status,
    erased: done.erased,
    requestedAt,
    finishedAt: finished?.finishedAt ?? null,
    part: done.part,
    isWaiting: done.isWaiting
  }
})

// The lock ends with the transaction, so it outlives no process; another one takes the next.
const take = (
  sql: Sql,
  client: Pick<StoredClient, "instanceId" | "id"> | undefined,
  settleMillis: number
) => {
  const asked =
    client === undefined
      ? sql`true`
      : sql`e.instance_id = ${client.instanceId} and e.client_id = ${client.id}`
  return unfinishedRows.find(sql`select e.instance_id::float8 as "instanceId", e.client_id::float8 as id, e.part,
      e.place::text as place, e.erased::float8 as erased, e.pass_erased::float8 as "passErased",
      e.requested_at < clock_timestamp() - make_interval(secs => ${settleMillis / 1_000}::float8) as "isSettled",
      to_json(e.requested_at)#>>'{}' as "requestedAt",
      array(select c.id from clients c where c.instance_id = e.instance_id
        and (c.id = e.client_id or c.merged_into_id = e.client_id))::float8[] as ids
    from client_erasures e where e.finished_at is null and ${asked}
    -- One that only waits lets the others go on.
    order by e.part is null and e.erased > 0 and e.pass_erased = 0, e.requested_at limit 1 for update of e skip locked`)
}

interface Erased {
  readonly erased: number
  /** Of a scan: where it goes on; null: at its end. */
  readonly place: string | null
}

const erasePart = (
  sql: Sql,
  unfinished: Unfinished,
  name: string
): Effect.Effect<Erased, SqlError.SqlError> => {
  const client: StoredClient = unfinished
  const part = partOf.get(name)
  if (part === undefined)
    return Effect.map(forgetReferences(sql, client), (erased) => ({ erased, place: null }))
  if (part.isScan === true) return scan(sql, client, part, unfinished.place)
  return Effect.map(eraseRows(sql, client, part), (erased) => ({ erased, place: null }))
}

const eraseRows = (sql: Sql, client: StoredClient, part: ClientDataPart) => {
  const { erase } = part
  const table = sql.literal(part.table)
  const found = (more: Statement.Fragment) =>
    sql`t.ctid = any(array(select t.ctid from ${table} t where ${part.rows(sql, client)} ${more}
      limit ${ERASURE_SLICE_ROWS_MAX}))`
  switch (erase._tag) {
    case "Marked":
      return Effect.succeed(0)
    case "Empty":
      return selectedCount(sql`with gone as (update ${table} t set ${sql.literal(erase.set)}
        where ${found(sql`and (${sql.literal(erase.dirty)})`)} returning 1)
        select count(*)::float8 as count from gone`)
    case "Delete": {
      const free = erase.once === undefined ? sql`` : sql`and ${sql.literal(erase.once)}`
      if (erase.remembered === undefined)
        return selectedCount(sql`with gone as (delete from ${table} t where ${found(free)} returning 1)
          select count(*)::float8 as count from gone`)
      return selectedCount(sql`with gone as (delete from ${table} t where ${found(free)} returning t.id),
          forgotten as (delete from memory_entries e using gone where e.instance_id = ${client.instanceId}
            and e.kind = ${erase.remembered} and e.source_id = gone.id)
        select count(*)::float8 as count from gone`)
    }
  }
}

/** Walks rows of the instance that no index leads to: a bounded number of them, of which few are the client's. */
const scan = (sql: Sql, client: StoredClient, part: ClientDataPart, place: string | null) => {
  const { erase } = part
  const table = sql.literal(part.table)
  const columns = part.key.map(([column]) => `t.${column}`).join(", ")
  const same = part.key.map(([column]) => `t.${column} = span.${column}`).join(" and ")
  const besides = erase._tag === "Delete" && erase.besides !== undefined ? erase.besides : "false"
  const hit = sql`t.instance_id = ${client.instanceId} and ${sql.literal(same)}
    and (${part.rows(sql, client)} or ${sql.literal(besides)})`
  const write =
    erase._tag === "Empty"
      ? sql`update ${table} t set ${sql.literal(erase.set)} from span where ${hit} and ${sql.literal(erase.dirty)}`
      : sql`delete from ${table} t using span where ${hit}`
  return scannedRows.get(sql`with span as materialized (select ${sql.literal(columns)}, ${sql.literal(keyJson(part))} as place
        from ${table} t where t.instance_id = ${client.instanceId} and ${after(sql, part, place)}
        order by ${sql.literal(columns)} limit ${ERASURE_SCAN_ROWS_MAX}),
      gone as (${write} returning 1)
    select case when (select count(*) from span) = ${ERASURE_SCAN_ROWS_MAX}::int4 then (
        select t.place from span t order by ${sql.literal(`${columns.replaceAll(", ", " desc, ")} desc`)} limit 1) end as place,
      (select count(*) from gone)::float8 as erased`)
}

/** The key of `t`, as text; `after` reads it. */
export const keyJson = ({ key }: ClientDataPart): string =>
  `json_build_array(${key.map(([column]) => `t.${column}::text`).join(", ")})::text`

/** Condition on `t`: it comes after that key. */
export const after = (
  sql: Sql,
  { descending, key }: ClientDataPart,
  place: string | null
): Statement.Fragment => {
  if (place === null) return sql`true`
  const columns = key.map(([column]) => `t.${column}`).join(", ")
  const values = key.map(
    ([, type], i) => sql`(${place}::text::json->>${sql.literal(String(i))})::${sql.literal(type)}`
  )
  const [first, ...rest] = values
  const row = rest.reduce((all, value) => sql`${all}, ${value}`, first ?? sql`null`)
  return sql`(${sql.literal(columns)}) ${sql.literal(descending === true ? "<" : ">")} (${row})`
}

const forgetReferences = (sql: Sql, client: StoredClient) =>
  selectedCount(sql`with named as materialized (${namingRecords(sql, client)} limit ${ERASURE_SLICE_ROWS_MAX}),
      gone as (delete from custom_values v using named n where v.instance_id = n.instance_id and v.model_id = n.model_id
        and v.record_id = n.record_id and v.field_id = n.field_id returning 1),
      emptied as (update custom_records t set version = version + 1, updated_at = now(), values = t.values - array(
          select n.field_id::text from named n where n.model_id = t.model_id and n.record_id = t.id)
        from (select distinct instance_id, model_id, record_id from named) n
        where t.instance_id = n.instance_id and t.model_id = n.model_id and t.id = n.record_id)
    select count(*)::float8 as count from gone`)

/** Marks a client as erased, empties its own rows, and makes the row of its erasure; to be run in a transaction. */
export const markErased = (sql: Sql, { id, ids, instanceId }: StoredClient, name: string) =>
  Effect.andThen(
    sql`update clients set erased_at = now(), name = ${name}, email = null, phone = null, external_id = null, language = null,
        tags = '{}', updated_at = now(), version = version + 1
      where instance_id = ${instanceId} and id = any(${idArray(sql, ids)})`,
    sql`insert into client_erasures (instance_id, client_id, requested_at) values (${instanceId}, ${id}, clock_timestamp())`
  )
