// Models of custom data in PostgreSQL (contract §9.2).
import { Model, ModelField, models } from "@rapport/contract/records/Model.ts"
import { sentBackJson } from "@rapport/core/json/SentBackJson.ts"
import { RecordStore, type StoredField } from "@rapport/core/records/RecordStore.ts"
import { type ListedRecord, withRecords } from "@rapport/core/lists/ListRequest.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { shownModel } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { hasRow, insertedId, query, queryOr, selectedIds, valuesOf } from "../sql/Query.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { audit, uniqueTaken } from "../sql/Records.ts"
import { listOwn } from "../sql/OwnRecords.ts"
import { isText } from "./RecordColumns.ts"

type Store = RecordStore["Service"]

const modelRows = valuesOf(
  Schema.Struct({
    ...Model.fields,
    id: Schema.Int,
    fields: Schema.Array(Schema.Struct({ ...ModelField.fields, id: Schema.Int }))
  })
)

const names = valuesOf(Schema.String)

const modelColumns = columnsOf("model", Model.fields, {
  name: { required: true },
  version: { required: true }
})
const modelJson = recordJson(columnsOf("model", { id: Schema.Int, ...Model.fields }), [
  "id",
  ...models.members
])

const taken = uniqueTaken({
  custom_models_instance_id_name_key: "name is in use",
  record_values_unique: "a field that becomes unique holds a value twice"
})

export const isObject = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === "object" && u !== null

const withoutIds = (record: ListedRecord): ListedRecord => {
  const { fields } = record
  return Array.isArray(fields)
    ? {
        ...record,
        fields: fields.map((field: unknown) => {
          if (!isObject(field)) return field
          const { id: _, ...shown } = field
          return shown
        })
      }
    : record
}

/** Reads models. A lock prevents changes while their records are written. */
export const modelOperations = (sql: Sql) =>
  ({
    findModel: query("RecordStore.findModel", ({ instanceId }, name, hold) =>
      modelRows.find(sql`select ${sql.literal(modelJson)} as record from custom_models model
      where model.instance_id = ${instanceId} and model.name = ${name}
      ${sql.literal(hold === "none" ? "" : hold === "records" ? "for key share" : "for update")}`)
    ),

    listModels: query("RecordStore.listModels", (session, request) =>
      listOwn(sql, session, request, {
        collection: models,
        table: "custom_models",
        name: "model",
        columns: modelColumns
      }).pipe(Effect.map((page) => withRecords(page, withoutIds, sentBackJson)))
    ),

    // Locked, so that no referenced model is deleted at the same time.
    knownModels: query("RecordStore.knownModels", ({ instanceId }, wanted) =>
      names.all(sql`select model.name from custom_models model where model.instance_id = ${instanceId}
        and model.name = any(${wanted}::text[]) order by model.id for key share`)
    )
  }) satisfies Partial<Store>

/** Changes models. A lock prevents writes of their records at the same time. */
export const modelChanges = (sql: Sql) =>
  ({
    createModel: queryOr("RecordStore.createModel", taken, function* (session, model) {
      const fields = yield* withFieldIds(sql, model.fields, [])
      const id = yield* insertedId(sql`insert into custom_models (instance_id, name, label, fields)
        values (${session.instanceId}, ${model.name}, ${model.label}, ${JSON.stringify(fields)}::text::json)
        returning id::float8 as id`)
      yield* audit(sql, session, { action: "custom_model.create", id: model.name })
      return { ...model, fields, id, version: 1 }
    }),

    updateModel: queryOr("RecordStore.updateModel", taken, function* (session, present, next) {
      const fields = yield* withFieldIds(sql, next.fields, present.fields)
      const [now] = yield* modelRows.all(sql`update custom_models model set label = ${next.label},
          fields = ${JSON.stringify(fields)}::text::json, version = version + 1
        where model.instance_id = ${session.instanceId} and model.id = ${present.id}
        returning ${sql.literal(modelJson)} as record`)
      for (const field of fields) {
        const before = present.fields.find(({ id }) => id === field.id)
        if (before === undefined || before.unique === field.unique) continue
        // The same expression as in record_value_rows (schema/baseline/CustomData.ts).
        const key = isText(field) ? `normalize(record.values->>'${field.id}', NFC)` : "value.number::text"
        yield* sql`update record_values value
          set unique_key = ${sql.literal(field.unique ? `sha256(convert_to(${key}, 'UTF8'))` : "null")}
          from custom_records record where value.instance_id = ${session.instanceId} and value.field_id = ${field.id}
            and record.instance_id = value.instance_id and record.model_id = value.model_id
            and record.id = value.record_id`
      }
      const details = { changed: changedMembers(shownModel(present), next) }
      yield* audit(sql, session, { action: "custom_model.update", id: present.name, details })
      return now ?? (yield* Effect.die("a locked model does not exist"))
    }),

    removeModel: query("RecordStore.removeModel", function* (session, model) {
      const isUsed = yield* hasRow(sql`select 1 where exists (select 1 from custom_records record
            where record.instance_id = ${session.instanceId} and record.model_id = ${model.id})
          or exists (select 1 from custom_models model, json_array_elements(model.fields) field
            where model.instance_id = ${session.instanceId} and model.id <> ${model.id}
              and ${targets(model.name)})`)
      if (isUsed) return false
      yield* sql`delete from custom_models where instance_id = ${session.instanceId} and id = ${model.id}`
      yield* audit(sql, session, { action: "custom_model.delete", id: model.name })
      return true
    })
  }) satisfies Partial<Store>

/** Condition on `field`: it references records of this model, which cannot have the name of another target. */
export const targets = (model: string | Fragment) => sql`field->>'target' = ${model}`

/** Keeps the ids of existing names, and assigns new ids to the others. */
const withFieldIds = Effect.fnUntraced(function* (
  sql: Sql,
  fields: ReadonlyArray<ModelField>,
  before: ReadonlyArray<StoredField>
) {
  const known = new Map(before.map(({ id, name }) => [name, id]))
  const fresh = yield* selectedIds(
    sql`select nextval('custom_field_ids')::float8 as id
      from generate_series(1, ${fields.filter(({ name }) => !known.has(name)).length}::int4)`
  )
  let next = 0
  return fields.map((field): StoredField => ({
    ...field,
    id: known.get(field.name) ?? fresh[next++] ?? 0
  }))
})
