// Statements that read the values of records for their columns, and what has changed since a snapshot.
import type { StoredField } from "@rapport/core/records/RecordStore.ts"
import { Array as Arr, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { idArray } from "../../sql/IdArray.ts"
import { rowsOf } from "../../sql/Query.ts"
import { kindOf, numberText } from "../ValueIndex.ts"
import { layoutOf, type Row } from "./Block.ts"

type Sql = SqlClient.SqlClient

export interface OfModel {
  readonly instanceId: number
  readonly modelId: number
  readonly fields: ReadonlyArray<StoredField>
}

/** Records changed since a snapshot that are read again; after more of them all are. */
export const CHANGED_MAX = 5_000
/** Records, and bytes of their values, that one statement reads; a single record may have more. */
const ROWS_AT_ONCE = 128
const BYTES_AT_ONCE = 262_144
/** Bytes of the values of records that changed. */
const CHANGED_BYTES_MAX = 1_048_576
/** What a record's values are when they are unpacked: a text of one letter is stored in a ninetieth of it. */
const bytesText = `case when pg_column_compression(record.values) is null then pg_column_size(record.values)
  else octet_length(record.values::text) end`

const texts = rowsOf(Schema.Struct({ rows: Schema.String }))
const changedTexts = rowsOf(Schema.Struct({ rows: Schema.NullOr(Schema.String) }))
/** What the database holds: which transactions, in which run of the server, and its time. */
const State = Schema.Struct({ snapshot: Schema.String, server: Schema.String, at: Schema.Finite })
export type State = typeof State.Type
const states = rowsOf(State)
const changes = rowsOf(
  Schema.Struct({
    ...State.fields,
    changed: Schema.NullOr(Schema.Array(Schema.Int)),
    asked: Schema.NullOr(Schema.Array(Schema.Tuple([Schema.String, Schema.Finite])))
  })
)

const stateText = `pg_current_snapshot()::text as snapshot, pg_postmaster_start_time()::text as server,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as at`

export const presentState = (sql: Sql) => states.get(sql`select ${sql.literal(stateText)}`)

/** A hash of a text, the same of equal texts: so many bits as a double holds. */
const sameText = (text: string): string => `(hashtextextended(${text}, 0) >> 11)::float8`

/** The present state, which records changed since another, and texts in small letters and as hashes. */
export const stateSince = (
  sql: Sql,
  { instanceId, modelId }: Omit<OfModel, "fields">,
  since: string,
  asked: ReadonlyArray<string>
) =>
  changes.get(sql`select ${sql.literal(stateText)},
    (select json_agg(changed.id) from (select distinct unnest(changes.records) as id from custom_changes changes
      where changes.instance_id = ${instanceId} and changes.model_id = ${modelId}
        and changes.transaction >= pg_snapshot_xmin(${since}::text::pg_snapshot)
        and not pg_visible_in_snapshot(changes.transaction, ${since}::text::pg_snapshot)
      limit ${sql.literal(`${CHANGED_MAX + 1}`)}) changed) as changed,
    (select json_agg(json_build_array(lower(sent.value), ${sql.literal(sameText("sent.value"))}) order by sent.place)
      from unnest(${asked}::text[]) with ordinality sent (value, place)) as asked`)

const memberText = {
  id: "record.id",
  createdAt: "(extract(epoch from record.created_at) * 1000)::float8",
  updatedAt: "(extract(epoch from record.updated_at) * 1000)::float8"
}

/** PostgreSQL passes no more to a function; a model of many texts has more values. */
const ARGUMENTS_MAX = 100

/** A record in the order of the layout, as an array of its parts. */
const rowText = (fields: ReadonlyArray<StoredField>): string => {
  const values = layoutOf(fields).map(({ as, key }) => {
    if (typeof key === "string") return memberText[key]
    const text = `(record.values->>'${key}')`
    if (as === "text") return `lower(${text})`
    if (as === "same") return sameText(text)
    const kind = kindOf(fields.find(({ id }) => id === key)?.type ?? "FLOAT")
    return kind === "text" ? "null" : numberText[kind](text)
  })
  const parts = Arr.chunksOf(values, ARGUMENTS_MAX).map((part) => `json_build_array(${part.join(", ")})`)
  return `json_build_array(${parts.join(", ")})`
}

const rowsIn = ({ rows }: { readonly rows: string }): ReadonlyArray<Row> => {
  const read: ReadonlyArray<ReadonlyArray<Row>> = JSON.parse(rows)
  return read.map((parts) => parts.flat())
}

/** The next records behind an id, in the order of their ids; none at the end. */
export const rowsBehind = (sql: Sql, { fields, instanceId, modelId }: OfModel, id: number) =>
  Effect.map(
    texts.get(
      sql`select coalesce(json_agg(${sql.literal(rowText(fields))} order by record.id),
        '[]')::text as rows
      from (select record.*, sum(${sql.literal(bytesText)}) over (order by record.id
          rows between unbounded preceding and 1 preceding) as before
        from (select record.* from custom_records record where record.instance_id = ${instanceId}
            and record.model_id = ${modelId} and record.id > ${String(id)}::text::int8
          order by record.id limit ${sql.literal(`${ROWS_AT_ONCE}`)}) record) record
      where coalesce(record.before, 0) < ${sql.literal(`${BYTES_AT_ONCE}`)}`.unprepared
    ),
    rowsIn
  )

/** Those of the records that there are; undefined where their values are too large to be read at once. */
export const rowsWith = (sql: Sql, { fields, instanceId, modelId }: OfModel, ids: ReadonlyArray<number>) => {
  const changed = sql`from custom_records record where record.instance_id = ${instanceId}
    and record.model_id = ${modelId} and record.id = any(${idArray(sql, ids)})`
  return Effect.map(
    changedTexts.get(
      sql`select case when size.bytes <= ${sql.literal(`${CHANGED_BYTES_MAX}`)} then (
          select coalesce(json_agg(${sql.literal(rowText(fields))}), '[]')::text ${changed}) end as rows
        from (select case when stored.bytes <= ${sql.literal(`${CHANGED_BYTES_MAX}`)} then (
            select coalesce(sum(${sql.literal(bytesText)}), 0) ${changed}) end as bytes
          from (select coalesce(sum(pg_column_size(record.values)), 0) as bytes ${changed}) stored) size`
        .unprepared
    ),
    ({ rows }) => (rows === null ? undefined : rowsIn({ rows }))
  )
}
