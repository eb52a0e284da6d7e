// The narrow rows that the values of records are found and ordered by, and that keep unique ones apart (docs/contract.md §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { type FieldType, fieldTypes } from "@rapport/contract/records/Model.ts"
import type { StoredModel, StoredValues } from "@rapport/core/records/RecordStore.ts"
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

/** `kept`: narrow rows of the values that `given` finds, of records and of `field`, in one order: equal unique values wait in it. */
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
    select ${instanceId}, ${id}, field_id, record_id, txt, low, num, uniq from ready
    on conflict do nothing returning field_id, record_id)`

/** Fields of values that another record has: a row was not kept. */
const takenText = `select distinct field_id from (select field_id, record_id from ready
  except select field_id, record_id from kept) taken`

/** What writes records, and of which of their values there are no narrow rows yet. */
interface Writing {
  /** Gives id, values, version, created_at and updated_at of each. */
  readonly records: Fragment
  readonly isNew: boolean
  /** Of one of them. */
  readonly entry: AuditEntry
  /** What is answered of one. */
  readonly shown: string
}

/**
 * Writes records, the narrow rows of their values that have none, and an audit entry of each, in one statement: who waits for the
 * same unique value waits for no more. Gives what is shown of them as a JSON array, and the fields whose values another record has:
 * then the transaction is to be undone.
 */
export const writeRecords = (
  sql: Sql,
  session: AuthorizedSession,
  model: StoredModel,
  { entry, isNew, records, shown }: Writing
): Rows => {
  const missing = sql.literal(`not exists (select 1 from custom_values present
    where present.instance_id = record.instance_id and present.model_id = record.model_id
      and present.record_id = record.id and present.field_id = field.id)`)
  const given = sql`select record.id as record_id, field.id as field_id, field.kind, field.is_unique,
    record.values->>(field.id::text) as value from record, field
    where record.values ? (field.id::text) and ${isNew ? sql.literal("true") : missing}`
  return sql`with record as (${records}), ${keeping(sql, session, model, given)},
    audited as (${auditedFrom(sql, "(select id from record order by id) written", entry, { entityId: "written.id::text" })})
    select coalesce((select json_agg(field_id order by field_id) from (${sql.literal(takenText)}) taken), '[]') as taken,
      coalesce((select json_agg(${sql.literal(shown)} order by record.id) from record), '[]') as records`
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

/** `next` has the new values of each, as `w (id, values)`. */
export const updated = (
  sql: Sql,
  { instanceId }: AuthorizedSession,
  { id }: StoredModel,
  next: Fragment
): Fragment => sql`update custom_records record set values = w.values, version = record.version + 1, updated_at = now()
  from ${next} where record.instance_id = ${instanceId} and record.model_id = ${id} and record.id = w.id
  ${sql.literal(written)}`
