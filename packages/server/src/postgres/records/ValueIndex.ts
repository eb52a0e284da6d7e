// The narrow rows that the values of records are found and ordered by, and that keep unique ones apart (docs/contract.md §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { type FieldType, fieldTypes } from "@rapport/contract/records/Model.ts"
import type { RecordChange, StoredModel, StoredValues } from "@rapport/core/records/RecordStore.ts"
import type { AuditEntry } from "@rapport/core/audit/AuditLog.ts"
import type { SqlClient, Statement } from "effect/sql"
import { auditedFrom } from "../sql/AuditEntry.ts"
import { idArray } from "../sql/IdArray.ts"
import type { Rows } from "../sql/Query.ts"

export const kindOf = (type: FieldType): "text" | "number" | "boolean" | "date" | "time" => {
  switch (type) {
    case "STRING":
    case "TEXT":
      return "text"
    case "BOOLEAN":
      return "boolean"
    case "DATE":
      return "date"
    case "DATETIME":
      return "time"
    default:
      return "number"
  }
}

/** A value, of which `text` is the SQL, as a double. */
export const numberText: Readonly<
  Record<Exclude<ReturnType<typeof kindOf>, "text">, (text: string) => string>
> = {
  number: (text) => `${text}::float8`,
  boolean: (text) => `${text}::boolean::int4::float8`,
  date: (text) => `(${text}::date - date '1970-01-01')::float8`,
  time: (text) => `(extract(epoch from ${text}::timestamptz) * 1000)::float8`
}

const numbers = Object.entries(numberText).map(([kind, of]) => `when '${kind}' then ${of("value")}`)

/** How a value becomes its row: of `value`, its field's `kind`, and `is_unique`. */
const valueColumns = `case when kind = 'text' then left(value, 255) end as txt,
        case when kind = 'text' then lower(value) end as low,
        case kind ${numbers.join(" ")} end as num,
        case when is_unique then sha256(convert_to(value, 'UTF8')) end as uniq`

const kinds = `case field->>'type' ${fieldTypes.map((type) => `when '${type}' then '${kindOf(type)}'`).join(" ")} end`

/** Writes the rows of every record that has none, of every instance: for records that came otherwise than by the service. */
export const allValuesText = `insert into custom_values (instance_id, model_id, field_id, record_id, txt, low, num, uniq)
  select instance_id, model_id, field_id, record_id, ${valueColumns}
  from (select record.instance_id, record.model_id, record.id as record_id, (field->>'id')::int8 as field_id,
    ${kinds} as kind,
      (field->>'unique')::boolean as is_unique, record.values->>(field->>'id') as value
    from custom_records record join custom_models model on model.instance_id = record.instance_id
      and model.id = record.model_id,
      json_array_elements(model.fields) field
    where record.values ? (field->>'id') and not exists (select 1 from custom_values indexed
      where indexed.instance_id = record.instance_id
      and indexed.model_id = record.model_id and indexed.record_id = record.id)) given`

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/**
 * Narrow rows of the values that `given` finds, of records and of `field`. `kept`: unique ones in one order, in which equal ones
 * wait. The rest has nothing to wait for, and is not written in the two steps of a row that may not be kept.
 */
const keeping = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { fields, id }: StoredModel,
  given: Fragment
) => sql`
  field as (select * from unnest(${idArray(
    sql,
    fields.map((field) => field.id)
  )}, ${fields.map(({ type }) => kindOf(type))}::text[], ${fields.map(({ unique }) => String(unique))}::text[]::boolean[])
    as sent (id, kind, is_unique)),
  given as (${given}),
  ready as (select record_id, field_id, ${sql.literal(valueColumns)} from given order by field_id, uniq),
  kept as (insert into custom_values (instance_id, model_id, field_id, record_id, txt, low, num, uniq)
    select ${instanceId}, ${id}, field_id, record_id, txt, low, num, uniq from ready where uniq is not null
    on conflict do nothing returning field_id, record_id),
  plain as (insert into custom_values (instance_id, model_id, field_id, record_id, txt, low, num)
    select ${instanceId}, ${id}, field_id, record_id, txt, low, num from ready where uniq is null)`

/** Fields of values that another record has: a row was not kept. */
const takenText = `select distinct field_id from (select field_id, record_id from ready where uniq is not null
  except select field_id, record_id from kept) taken`

/** What writes records, and which of their values have no narrow rows yet. */
interface Writing {
  /** Gives id, values, version, created_at and updated_at of each. */
  readonly records: Fragment
  /** As record_id and field_id; all where it is undefined. */
  readonly changed: Fragment | undefined
  /** Of one of them. */
  readonly entry: AuditEntry
}

/**
 * Writes records, the narrow rows of their values that have none, and an audit entry of each, in one statement: who waits for the
 * same unique value waits for no more. Gives what is new of them as a JSON array, by id, and the fields whose values another record
 * has: then the transaction is to be undone.
 */
export const writeRecords = (
  sql: Sql,
  session: AuthorizedSession,
  model: StoredModel,
  { changed, entry, records }: Writing
): Rows => {
  const among =
    changed === undefined
      ? sql.literal("record, field")
      : sql`${changed} join record on record.id = changed.record_id join field on field.id = changed.field_id`
  const given = sql`select record.id as record_id, field.id as field_id, field.kind, field.is_unique,
    record.values->>(field.id::text) as value from ${among} where record.values ? (field.id::text)`
  return sql`with record as (${records}), ${keeping(sql, session, model, given)},
    audited as (${auditedFrom(sql, "(select id from record order by id) written", entry, { entityId: "written.id::text" })})
    select coalesce((select json_agg(field_id order by field_id) from (${sql.literal(takenText)}) taken), '[]') as taken,
      coalesce((select json_agg(json_build_object('id', record.id, 'version', record.version,
        'createdAt', record.created_at, 'updatedAt', record.updated_at) order by record.id) from record), '[]') as records`
}

const written = `returning ${[
  "instance_id",
  "model_id",
  "id",
  "values",
  "version",
  "created_at",
  "updated_at"
]
  .map((column) => `record.${column}`)
  .join(", ")}`

/** New records; ids ascend in the order of the request. */
export const inserted = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { id }: StoredModel,
  records: ReadonlyArray<StoredValues>
): Fragment => sql`insert into custom_records as record (instance_id, model_id, values)
  select ${instanceId}, ${id}, sent.values
  from jsonb_array_elements(${JSON.stringify(records)}::text::jsonb) with ordinality sent (values, place)
  order by sent.place ${sql.literal(written)}`

export const updated = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { id }: StoredModel,
  records: ReadonlyArray<RecordChange>
): Fragment => sql`update custom_records record set values = w.values, version = record.version + 1, updated_at = now()
  from jsonb_to_recordset(${JSON.stringify(records.map(({ id: own, values }) => ({ id: own, values })))}::text::jsonb)
    w (id int8, values jsonb)
  where record.instance_id = ${instanceId} and record.model_id = ${id} and record.id = w.id ${sql.literal(written)}`

/** The values that differ, those of a field that is gone too, as `changed (record_id, field_id)`. */
export const changedIn = (sql: Sql, records: ReadonlyArray<RecordChange>): Fragment => {
  const differing = records.flatMap(({ before, id, values }) =>
    Object.keys({ ...before, ...values }).flatMap((field) =>
      before[field] === values[field] ? [] : [{ id, field: Number(field) }]
    )
  )
  const [ids, fields] = [differing.map(({ id }) => id), differing.map(({ field }) => field)]
  return sql`unnest(${idArray(sql, ids)}, ${idArray(sql, fields)}) changed (record_id, field_id)`
}
