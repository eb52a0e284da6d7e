// Models and records of custom data in PostgreSQL (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import { Time } from "@rapport/contract/values/Time.ts"
import {
  isScalar,
  type RecordList,
  RecordStore,
  shownValues,
  type StoredModel,
  type StoredValues,
  uniqueValueDetail
} from "@rapport/core/records/RecordStore.ts"
import { type ListedRecord, withRecords } from "@rapport/core/lists/ListRequest.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, idArray, type Sql } from "../sql/Fragment.ts"
import { pageStatement, readPage, type TableList } from "../sql/ListQuery.ts"
import { hasRow, planForValues, query, storeLayer, valuesOf } from "../sql/Query.ts"
import { audit, auditedFrom, brokeUnique, entryOf } from "../sql/Records.ts"
import { callerOf } from "../sql/Visibility.ts"
import { associationsOf } from "./Associations.ts"
import { firstInFieldOrder } from "./FieldOrder.ts"
import { isObject, modelChanges, modelOperations, targets } from "./Models.ts"
import { isText, recordTable } from "./RecordColumns.ts"
import { conditionsOf, indexedNumber } from "./RecordConditions.ts"

const Made = Schema.Struct({ id: Schema.Int, version: Schema.Int, createdAt: Time, updatedAt: Time })
/** Checked without a schema per member, because that would take longer than the rest of a record. */
const Values = Schema.declare((u): u is StoredValues => isObject(u) && Object.values(u).every(isScalar))
const recordRows = valuesOf(Schema.Struct({ ...Made.fields, values: Values }))
const madeRows = valuesOf(Made)
const foundRows = valuesOf(Schema.Array(Schema.Int))

const recordText = `json_build_object('id', record.id, 'values', record.values, 'version', record.version,
  'createdAt', record.created_at, 'updatedAt', record.updated_at)`

type Store = RecordStore["Service"]

export const layer = storeLayer(RecordStore)((sql) => ({
  ...modelOperations(sql),
  ...modelChanges(sql),
  ...recordWrites(sql),
  ...associationsOf(sql),
  find: query("RecordStore.find", ({ instanceId }, model, id, lock) =>
    recordRows.find(sql`select ${sql.literal(recordText)} as record from custom_records record
      where record.instance_id = ${instanceId}
      and record.model_id = ${model.id} and record.id = ${id} ${sql.literal(lock ? "for no key update" : "")}`)
  ),
  findByKey: query("RecordStore.findByKey", ({ instanceId }, model, field, keys) =>
    recordRows.all(sql`select ${sql.literal(recordText)} as record from custom_records record
      where record.instance_id = ${instanceId} and record.model_id = ${model.id} and record.id = any(array(
        select value.record_id from record_values value where value.instance_id = ${instanceId}
          and value.field_id = ${field.id} and value.unique_key = any(array(
            select sha256(convert_to(${sql.literal(isText(field) ? "normalize(key, NFC)" : "key::float8::text")}, 'UTF8'))
            from unnest(${keys.map((key) => String(isText(field) ? key : indexedNumber(field, key)))}::text[]) keys (key)))))
      order by record.id for no key update`)
  ),
  list: query("RecordStore.list", (session, list) =>
    Effect.map(inSnapshot(sql, pageOf(sql, session, list)), (rows) => withRecords(rows, valuesByName(list)))
  )
}))

/** Runs statements in one snapshot, planned for their values, because values determine how many records match. */
const inSnapshot = <A>(sql: Sql, read: Effect.Effect<A, SqlError.SqlError>) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set transaction isolation level repeatable read, read only`
      yield* planForValues(sql)
      return yield* read
    })
  )

/**
 * First finds matching records, up to the maximum count of a list. Few matches are sorted. With many matches the page follows the
 * order and skips records that do not match.
 */
const pageOf = Effect.fnUntraced(function* (sql: Sql, session: AuthorizedSession, list: RecordList) {
  const { request } = list
  const table = recordTable(session, list)
  const conditions = conditionsOf(session, list)
  const among = (ids: ReadonlyArray<number>) => sql`record.id = any(${idArray(ids)})`
  const own = { ...request, filters: [] }
  // Not prepared, because models and searches have too many different statements.
  const read = (page: TableList, at: RecordList["request"]) =>
    readPage(pageStatement(sql, page, at).unprepared)
  const found = conditions && (yield* matchingIds(sql, session, conditions.ids))
  if (found !== undefined && found.length <= LIST_TOTAL_MAX) {
    const few = { ...table, where: sql.and([table.where, among(found)]), counted: false }
    return { ...(yield* read(few, own)), counted: found.length }
  }
  const many = { ...table, where: sql.and([table.where, ...(conditions?.each ?? [])]) }
  const rows = yield* read(
    {
      ...many,
      counted: list.counted && found === undefined,
      narrowed: firstInFieldOrder(session, many, list)
    },
    own
  )
  return found === undefined ? rows : { ...rows, counted: found.length }
})

/** At most one more than the maximum count of a list. */
const matchingIds = (sql: Sql, session: AuthorizedSession, ids: Fragment) =>
  foundRows.get(
    sql`with ${callerOf(session)} select array_to_json(array(
      select met.id from (${ids}) met (id) limit ${LIST_TOTAL_MAX + 1})) as ids`.unprepared
  )

/** Each record has an audit entry. A trigger writes the rows of their values (schema/baseline/CustomData.ts). */
const recordWrites = (sql: Sql) => {
  const write = Effect.fnUntraced(function* (
    session: AuthorizedSession,
    model: StoredModel,
    action: string,
    records: Fragment
  ) {
    const entry = yield* entryOf(session, { action, id: "", details: { model: model.name } })
    return yield* Effect.catchTag(
      madeRows.all(sql`with record as (${records}
          returning record.id, record.version, record.created_at, record.updated_at),
        audited as (${auditedFrom("(select id from record order by id) written", entry, { entityId: "written.id::text" })})
        select json_build_object('id', record.id, 'version', record.version, 'createdAt', record.created_at,
          'updatedAt', record.updated_at) as record from record order by record.id`),
      "SqlError",
      (error) => valueInUse(model, error)
    )
  })
  return {
    // Ids ascend in the order of the request.
    insert: query("RecordStore.insert", (session, model, records) =>
      write(
        session,
        model,
        "record.create",
        sql`insert into custom_records as record (instance_id, model_id, values)
          select ${session.instanceId}, ${model.id}, sent.values
          from jsonb_array_elements(${JSON.stringify(records)}::text::jsonb) with ordinality sent (values, place)
          order by sent.place`
      ).pipe(Effect.map((made) => made.map((row, i) => ({ ...row, values: records[i] ?? {} }))))
    ),

    change: query("RecordStore.change", function* (session, model, records) {
      const sent = JSON.stringify(records.map(({ id, values }) => ({ id, values })))
      const made = yield* write(
        session,
        model,
        "record.update",
        sql`update custom_records record set values = sent.values, version = record.version + 1, updated_at = now()
          from jsonb_to_recordset(${sent}::text::jsonb) sent (id int8, values jsonb)
          where record.instance_id = ${session.instanceId} and record.model_id = ${model.id} and record.id = sent.id`
      )
      const byId = new Map(made.map((row) => [row.id, row]))
      return records.flatMap(({ id, values }) => {
        const row = byId.get(id)
        return row === undefined ? [] : [{ ...row, values }]
      })
    }),

    remove: query("RecordStore.remove", function* (session, model, id) {
      const locked =
        yield* sql`select 1 from custom_records record where record.instance_id = ${session.instanceId}
        and record.model_id = ${model.id} and record.id = ${id} for update`
      if (locked.length === 0) return "unknown" as const
      const isNamed =
        yield* hasRow(sql`select 1 from custom_models model, json_array_elements(model.fields) field, record_values value
        where model.instance_id = ${session.instanceId} and ${targets(model.name)}
          and value.instance_id = model.instance_id and value.field_id = (field->>'id')::int8
          and value.number = ${id}::int8::float8 and value.record_id <> ${id} limit 1`)
      if (isNamed) return "referenced" as const
      yield* sql`delete from custom_records record where record.instance_id = ${session.instanceId}
        and record.model_id = ${model.id} and record.id = ${id}`
      yield* audit(sql, session, { action: "record.delete", id, details: { model: model.name } })
      return "removed" as const
    })
  } satisfies Partial<Store>
}

/** The trigger that writes the rows of values reports the field whose value another record has. */
const valueInUse = (
  { fields }: StoredModel,
  error: SqlError.SqlError
): Effect.Effect<never, SqlError.SqlError | UniqueConflict> => {
  const field = fields.find(({ id }) => brokeUnique(error, `record_values_unique_${id}`))
  return field === undefined
    ? Effect.fail(error)
    : Effect.fail(new UniqueConflict({ detail: uniqueValueDetail(field.name) }))
}

/** Values by the names of all fields. */
const valuesByName =
  ({ model }: RecordList) =>
  (record: ListedRecord): ListedRecord => {
    const { values } = record
    if (!isObject(values)) return record
    return { ...record, values: shownValues(model.fields, values) }
  }
