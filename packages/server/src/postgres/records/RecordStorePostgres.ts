// Models and records of custom data in PostgreSQL (docs/contract.md §9.2). Uniqueness is settled by an index, whoever comes
// at once; a model is held still while its records are written.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { Time } from "@rapport/contract/values/Time.ts"
import {
  isScalar,
  type RecordList,
  RecordStore,
  takenDetail,
  shownValues,
  type StoredModel,
  type StoredValues
} from "@rapport/core/records/RecordStore.ts"
import { sentBack } from "@rapport/core/json/SentBackJson.ts"
import { type ListedRecord, withRecords } from "@rapport/core/lists/ListRequest.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { filterConditions, listRows } from "../sql/ListQuery.ts"
import { hasRow, query, recordsOf, rowsOf } from "../sql/Query.ts"
import { audit, entryOf } from "../sql/Records.ts"
import { associationsOf } from "./Associations.ts"
import { modelColumns, type Told } from "./columns/ModelColumns.ts"
import { enteringLetters } from "./EnteredLetters.ts"
import { foundBy } from "./FoundRecords.ts"
import { orderedBy, skippedTo } from "./OrderedPage.ts"
import { recordTable } from "./RecordColumns.ts"
import { sampled } from "./Sample.ts"
import { changedIn, inserted, kindOf, updated, writeRecords } from "./ValueIndex.ts"
import { isObject, modelChanges, modelOperations, targets } from "./Models.ts"

const Made = Schema.Struct({ id: Schema.Int, version: Schema.Int, createdAt: Time, updatedAt: Time })
/** Read at once: a member by itself takes a schema longer than the rest of a record. */
const Values = Schema.declare((u): u is StoredValues => isObject(u) && Object.values(u).every(isScalar))
const recordRows = recordsOf(Schema.Struct({ ...Made.fields, values: Values }))
const madeRows = rowsOf(Schema.Struct({ taken: Schema.Array(Schema.Int), records: Schema.Array(Made) }))

const recordText = `json_build_object('id', record.id, 'values', record.values, 'version', record.version,
  'createdAt', record.created_at, 'updatedAt', record.updated_at)`

const refuseTaken = ({ fields }: StoredModel, field: number | undefined) =>
  field === undefined
    ? Effect.void
    : new UniqueConflict({ detail: takenDetail(fields.find(({ id }) => id === field)?.name ?? "") })

/** Orders of a list in the order of one field. */
const FIELD_AND_KEY = 2

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment
type Store = RecordStore["Service"]

export const layer: Layer.Layer<RecordStore, never, SqlClient.SqlClient> = Layer.effect(
  RecordStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = yield* modelColumns(sql)
    const enterLetters = yield* enteringLetters(sql)
    return RecordStore.of({
      ...modelOperations(sql),
      ...modelChanges(sql),
      ...recordWrites(sql, enterLetters),
      ...associationsOf(sql),
      find: query("RecordStore.find", ({ instanceId }, model, id, lock) =>
        recordRows.find(sql`select ${sql.literal(recordText)} as record from custom_records record
          where record.instance_id = ${instanceId}
          and record.model_id = ${model.id} and record.id = ${id} ${sql.literal(lock ? "for no key update" : "")}`)
      ),
      findByKey: query("RecordStore.findByKey", ({ instanceId }, model, field, keys) =>
        recordRows.all(sql`select ${sql.literal(recordText)} as record from custom_records record
          where record.instance_id = ${instanceId} and record.model_id = ${model.id} and record.id = any(array(
            select indexed.record_id from custom_values indexed where indexed.instance_id = ${instanceId}
              and indexed.field_id = ${field.id}
              and indexed.uniq = any(array(select sha256(convert_to(key, 'UTF8'))
                from (select ${sql.literal(kindOf(field.type) === "number" ? "key::numeric::text" : "key")}
                  from unnest(${keys.map(String)}::text[]) key) keys (key)))))
          order by record.id for no key update`)
      ),
      list: query("RecordStore.list", function* (session, list) {
        const told = yield* columns.tell(session, list)
        const rows = yield* told?.page === undefined
          ? foundBySql(sql, session, list, told)
          : pageOf(sql, session, list, told.page)
        return withRecords({ ...rows, counted: told?.counted ?? rows.counted }, named(list))
      })
    })
  })
)

/** A page whose records, and some behind them, are known. */
const pageOf = (sql: Sql, session: AuthorizedSession, list: RecordList, ids: ReadonlyArray<number>) =>
  listRows(
    sql,
    {
      ...recordTable(sql, session, list),
      counted: false,
      narrowed: sql`record.id = any(${idArray(sql, ids)})`
    },
    { ...list.request, offset: 0 }
  )

/** A page that the indexes of values find; what columns have told of it is not looked for again. */
const foundBySql = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  asked: RecordList,
  told: Told | undefined
) {
  const list = told === undefined ? asked : { ...asked, counted: false }
  const all = recordTable(sql, session, list)
  const among = (ids: ReadonlyArray<number>) => sql`record.id = any(${idArray(sql, ids)})`
  if (told?.few !== undefined)
    return yield* listRows(sql, { ...all, where: sql.and([all.where, among(told.few)]) }, list.request)
  const known = told?.known
  const sample =
    known !== undefined && list.request.orders.length === FIELD_AND_KEY
      ? { shares: undefined, hasLetters: false }
      : yield* sampled(sql, session, list, all)
  const search = { sql, session, list, ...sample, ...(known === undefined ? {} : { known }) }
  // What columns counted is too much for a look at each.
  const { counted, few } =
    told === undefined ? yield* foundBy(search) : { counted: told.counted, few: undefined }
  const table = few === undefined ? all : { ...all, where: sql.and([all.where, few]) }
  const filtered = sql.and([table.where, ...filterConditions(sql, table, list.request.filters)])
  const skipped = skippedTo(search)
  const found =
    few === undefined && skipped === undefined
      ? yield* orderedBy(search, { ...table, where: filtered })
      : skipped
  const narrowed = found ?? (known && among(known))
  const page = yield* listRows(
    sql,
    {
      ...table,
      counted: list.counted && counted === undefined,
      ...(narrowed === undefined ? {} : { narrowed })
    },
    skipped === undefined ? list.request : { ...list.request, offset: 0 }
  )
  return { ...page, counted: counted ?? page.counted }
})

/** Records, with their values in the index of values. */
const recordWrites = (sql: Sql, enterLetters: Effect.Effect<void>) => {
  const write = Effect.fnUntraced(function* (
    session: AuthorizedSession,
    model: StoredModel,
    {
      action,
      changed,
      records
    }: { readonly action: string; readonly changed?: Fragment; readonly records: Fragment }
  ) {
    const entry = yield* entryOf(session, { action, id: "", details: { model: model.name } })
    const { records: made, taken } = yield* madeRows.get(
      writeRecords(sql, session, model, { changed, entry, records })
    )
    yield* refuseTaken(model, taken[0])
    yield* enterLetters
    return made
  })
  return {
    insert: query("RecordStore.insert", (session, model, records) =>
      write(session, model, {
        action: "record.create",
        // Their ids ascend in the order of the request.
        records: inserted(sql, session, model, records)
      }).pipe(Effect.map((made) => made.map((row, i) => ({ ...row, values: records[i] ?? {} }))))
    ),

    change: query("RecordStore.change", function* (session, model, records) {
      // Most of a record stays as it is, and each row has several indexes.
      const changed = changedIn(sql, records)
      yield* sql`delete from custom_values indexed using ${changed}
          where indexed.instance_id = ${session.instanceId} and indexed.model_id = ${model.id}
            and indexed.record_id = changed.record_id and indexed.field_id = changed.field_id`
      const made = yield* write(session, model, {
        action: "record.update",
        changed,
        records: updated(sql, session, model, records)
      })
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
        yield* hasRow(sql`select 1 from custom_models model, json_array_elements(model.fields) field,
            custom_values indexed
        where model.instance_id = ${session.instanceId} and ${targets(sql, model.name)}
          and indexed.instance_id = model.instance_id and indexed.field_id = (field->>'id')::int8
            and indexed.num = ${id}::int8::float8
          and indexed.num is not null and indexed.record_id <> ${id} limit 1`)
      if (isNamed) return "named" as const
      yield* sql`delete from custom_records record where record.instance_id = ${session.instanceId}
        and record.model_id = ${model.id} and record.id = ${id}`
      yield* audit(sql, session, { action: "record.delete", id, details: { model: model.name } })
      return "removed" as const
    })
  } satisfies Partial<Store>
}

/** Values by the names of their fields, every field. */
const named =
  ({ model }: RecordList) =>
  (record: ListedRecord): ListedRecord => {
    const { values } = record
    if (!isObject(values)) return record
    const shown = Object.entries(shownValues(model.fields, values))
    return { ...record, values: Object.fromEntries(shown.map(([name, value]) => [name, sentBack(value)])) }
  }
