// Models and records of custom data in PostgreSQL (docs/contract.md §9.2). Uniqueness is settled by an index, whoever comes
// at once; a model is held still while its records are written.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { ModelField, models } from "@rapport/contract/records/Model.ts"
import { Time } from "@rapport/contract/values/Time.ts"
import {
  type RecordList,
  RecordStore,
  shownValues,
  type StoredField,
  type StoredModel
} from "@rapport/core/records/RecordStore.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { shownModel } from "@rapport/core/records/RecordStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { type Column, listRows } from "../sql/ListQuery.ts"
import { insertedId, query, queryOr, recordsOf, rowsOf } from "../sql/Query.ts"
import { audit, brokeUnique, recordJson } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { callerOf } from "../sql/Visibility.ts"
import { associationsOf } from "./Associations.ts"
import { foundBy, orderedBy } from "./Narrowing.ts"
import { recordTable } from "./RecordColumns.ts"
import { indexValues, type TakenField } from "./ValueIndex.ts"

const StoredFieldRow = Schema.Struct({ ...ModelField.fields, id: Schema.Int })
const modelRows = recordsOf(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    label: Schema.NullOr(Schema.String),
    fields: Schema.Array(StoredFieldRow),
    version: Schema.Int
  })
)
const recordRows = recordsOf(
  Schema.Struct({
    id: Schema.Int,
    values: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
    version: Schema.Int,
    createdAt: Time,
    updatedAt: Time
  })
)
const names = rowsOf(Schema.Struct({ name: Schema.String }))
const ids = rowsOf(Schema.Struct({ id: Schema.Int }))
const found = rowsOf(Schema.Struct({ found: Schema.Boolean }))

/** Of `custom_models m`. */
const modelColumns: Readonly<Record<string, Column>> = {
  name: { sql: "m.name", required: true },
  label: { sql: "m.label" },
  fields: { sql: "m.fields" },
  version: { sql: "m.version", required: true }
}
const modelJson = recordJson({ ...modelColumns, id: { sql: "m.id" } }, [
  "id",
  "name",
  "label",
  "fields",
  "version"
])
const recordText = `json_build_object('id', r.id, 'values', r.values, 'version', r.version,
  'createdAt', r.created_at, 'updatedAt', r.updated_at)`

const nameTaken = (error: SqlError.SqlError): Effect.Effect<never, UniqueConflict | SourceUnavailable> =>
  brokeUnique(error, "custom_models_instance_id_name_key")
    ? Effect.fail(new UniqueConflict({ detail: "name is taken" }))
    : unavailableOrDie(error)
const valuesRepeated = (error: SqlError.SqlError): Effect.Effect<never, UniqueConflict | SourceUnavailable> =>
  brokeUnique(error, "custom_values_unique")
    ? Effect.fail(new UniqueConflict({ detail: "a field that becomes unique holds a value twice" }))
    : unavailableOrDie(error)

const conflict = (model: StoredModel, { field }: TakenField) =>
  new UniqueConflict({
    detail: `values.${model.fields.find(({ id }) => id === field)?.name ?? ""} is taken`
  })

export const layer: Layer.Layer<RecordStore, never, SqlClient.SqlClient> = Layer.effect(
  RecordStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const record = sql.literal(recordText)

    /** With the ids that names had before, and new ones for the others. */
    const identified = Effect.fnUntraced(function* (
      fields: ReadonlyArray<ModelField>,
      before: ReadonlyArray<StoredField>
    ) {
      const known = new Map(before.map(({ id, name }) => [name, id]))
      const fresh = yield* ids.all(
        sql`select nextval('custom_field_ids')::float8 as id
          from generate_series(1, ${fields.filter(({ name }) => !known.has(name)).length}::int4)`
      )
      let next = 0
      return fields.map((field): StoredField => ({
        ...field,
        id: known.get(field.name) ?? fresh[next++]?.id ?? 0
      }))
    })
    const written = (session: AuthorizedSession, model: StoredModel, of: ReadonlyArray<number>) =>
      recordRows.all(sql`select ${record} as record from unnest(${idArray(sql, of)}) with ordinality w (id, place)
        join custom_records r on r.instance_id = ${session.instanceId} and r.model_id = ${model.id} and r.id = w.id
        order by w.place`)
    const indexed = Effect.fnUntraced(function* (
      session: AuthorizedSession,
      model: StoredModel,
      of: ReadonlyArray<number>
    ) {
      const [taken] = yield* indexValues(sql, session, model, model.fields, of)
      if (taken !== undefined) return yield* conflict(model, taken)
    })

    return RecordStore.of({
      ...associationsOf(sql),

      createModel: queryOr("RecordStore.createModel", nameTaken, (session, model) =>
        Effect.gen(function* () {
          const fields = yield* identified(model.fields, [])
          const id = yield* insertedId(sql`insert into custom_models (instance_id, name, label, fields)
            values (${session.instanceId}, ${model.name}, ${model.label}, ${JSON.stringify(fields)}::text::json)
            returning id::float8 as id`)
          yield* audit(sql, session, { action: "custom_model.create", id: model.name })
          return { ...model, fields, id, version: 1 }
        })
      ),

      findModel: query("RecordStore.findModel", ({ instanceId }, name, hold) =>
        modelRows.find(sql`select ${sql.literal(modelJson)} as record from custom_models m
          where m.instance_id = ${instanceId} and m.name = ${name}
          ${sql.literal(hold === "none" ? "" : hold === "records" ? "for key share" : "for update")}`)
      ),

      listModels: query("RecordStore.listModels", (session, request) =>
        listRows(
          sql,
          {
            collection: models,
            common: callerOf(sql, session),
            from: sql.literal("custom_models m, caller u"),
            where: sql.literal("m.instance_id = u.instance_id"),
            columns: modelColumns,
            includes: {},
            searched: []
          },
          request
        ).pipe(Effect.map((page) => ({ ...page, rows: page.rows.map(withoutIds) })))
      ),

      updateModel: queryOr("RecordStore.updateModel", valuesRepeated, (session, present, next) =>
        Effect.gen(function* () {
          const fields = yield* identified(next.fields, present.fields)
          const [now] = yield* modelRows.all(sql`update custom_models m set label = ${next.label},
              fields = ${JSON.stringify(fields)}::text::json, version = version + 1
            where m.instance_id = ${session.instanceId} and m.id = ${present.id}
            returning ${sql.literal(modelJson)} as record`)
          for (const field of fields) {
            const before = present.fields.find(({ id }) => id === field.id)
            if (before === undefined || before.unique === field.unique) continue
            yield* sql`update custom_values v
              set uniq = ${field.unique ? sql.literal(`sha256(convert_to(r.values->>'${field.id}', 'UTF8'))`) : sql.literal("null")}
              from custom_records r where v.instance_id = ${session.instanceId} and v.field_id = ${field.id}
                and r.instance_id = v.instance_id and r.model_id = v.model_id and r.id = v.record_id`
          }
          const details = { changed: changedMembers(shownModel(present), next) }
          yield* audit(sql, session, { action: "custom_model.update", id: present.name, details })
          return now ?? (yield* Effect.die("a model that is held and gone"))
        })
      ),

      removeModel: query("RecordStore.removeModel", (session, model) =>
        Effect.gen(function* () {
          const [used] = yield* found.all(sql`select exists (select 1 from custom_records r
              where r.instance_id = ${session.instanceId} and r.model_id = ${model.id})
            or exists (select 1 from custom_models m, json_array_elements(m.fields) field
              where m.instance_id = ${session.instanceId} and m.id <> ${model.id}
                and field->>'target' = ${model.name}) as found`)
          if (used?.found === true) return false
          yield* sql`delete from custom_models where instance_id = ${session.instanceId} and id = ${model.id}`
          yield* audit(sql, session, { action: "custom_model.delete", id: model.name })
          return true
        })
      ),

      // Held, so that what is about to be named is not deleted meanwhile.
      knownModels: query("RecordStore.knownModels", ({ instanceId }, wanted) =>
        Effect.map(
          names.all(sql`select m.name from custom_models m where m.instance_id = ${instanceId}
            and m.name = any(${wanted}::text[]) order by m.id for key share`),
          (rows) => rows.map(({ name }) => name)
        )
      ),

      insert: Effect.fn("RecordStore.insert")(
        function* (session, model, records) {
          // Ids ascend in the order of the request.
          const made = yield* ids.all(sql`insert into custom_records (instance_id, model_id, values)
            select ${session.instanceId}, ${model.id}, w.values
            from jsonb_array_elements(${JSON.stringify(records)}::text::jsonb) with ordinality w (values, place)
            order by w.place returning id::float8 as id`)
          const own = made.map(({ id }) => id)
          yield* indexed(session, model, own)
          for (const id of own)
            yield* audit(sql, session, { action: "record.create", id, details: { model: model.name } })
          return yield* written(session, model, own)
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      change: Effect.fn("RecordStore.change")(
        function* (session, model, records) {
          const own = records.map(({ id }) => id)
          yield* sql`update custom_records r set values = w.values, version = r.version + 1, updated_at = now()
            from jsonb_to_recordset(${JSON.stringify(records)}::text::jsonb) w (id int8, values jsonb)
            where r.instance_id = ${session.instanceId} and r.model_id = ${model.id} and r.id = w.id`
          yield* sql`delete from custom_values v where v.instance_id = ${session.instanceId}
            and v.model_id = ${model.id} and v.record_id = any(${idArray(sql, own)})`
          yield* indexed(session, model, own)
          for (const id of own)
            yield* audit(sql, session, { action: "record.update", id, details: { model: model.name } })
          return yield* written(session, model, own)
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      find: query("RecordStore.find", ({ instanceId }, model, id, lock) =>
        recordRows.find(sql`select ${record} as record from custom_records r where r.instance_id = ${instanceId}
          and r.model_id = ${model.id} and r.id = ${id} ${sql.literal(lock ? "for update" : "")}`)
      ),

      findByKey: query("RecordStore.findByKey", ({ instanceId }, model, field, keys) =>
        recordRows.all(sql`select ${record} as record from custom_records r
          where r.instance_id = ${instanceId} and r.model_id = ${model.id} and r.id = any(array(
            select v.record_id from custom_values v where v.instance_id = ${instanceId} and v.field_id = ${field.id}
              and v.uniq = any(array(select sha256(convert_to(k, 'UTF8')) from unnest(${keys.map(String)}::text[]) k))))
          order by r.id for update`)
      ),

      remove: query("RecordStore.remove", (session, model, id) =>
        Effect.gen(function* () {
          const locked = yield* sql`select 1 from custom_records r where r.instance_id = ${session.instanceId}
            and r.model_id = ${model.id} and r.id = ${id} for update`
          if (locked.length === 0) return "unknown" as const
          const [named] = yield* found.all(sql`select exists (
            select 1 from custom_models m, json_array_elements(m.fields) field, custom_values v
            where m.instance_id = ${session.instanceId} and field->>'target' = ${model.name}
              and v.instance_id = m.instance_id and v.field_id = (field->>'id')::int8 and v.num = ${id}::int8::float8
              and v.num is not null and v.record_id <> ${id}) as found`)
          if (named?.found === true) return "named" as const
          yield* sql`delete from custom_records r where r.instance_id = ${session.instanceId}
            and r.model_id = ${model.id} and r.id = ${id}`
          yield* audit(sql, session, { action: "record.delete", id, details: { model: model.name } })
          return "removed" as const
        })
      ),

      list: query("RecordStore.list", (session, list) =>
        Effect.gen(function* () {
          const table = recordTable(sql, session, list)
          const found = yield* foundBy(sql, session, list)
          const narrowed = found === undefined ? yield* orderedBy(sql, session, list) : undefined
          const page = yield* listRows(
            sql,
            {
              ...table,
              ...(found === undefined ? {} : { where: sql.and([table.where, found]) }),
              ...(narrowed === undefined ? {} : { narrowed })
            },
            list.request
          )
          return { ...page, rows: page.rows.map(named(list)) }
        })
      )
    })
  })
)

type Row = Effect.Success<ReturnType<typeof listRows>>["rows"][number]
const isObject = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === "object" && u !== null

/** Values by the names of their fields, every field. */
const named =
  ({ model }: RecordList) =>
  ({ position, record }: Row): Row => {
    const { values } = record
    return isObject(values)
      ? { position, record: { ...record, values: shownValues(model.fields, values) } }
      : { position, record }
  }

const withoutIds = ({ position, record }: Row): Row => {
  const { fields } = record
  return Array.isArray(fields)
    ? {
        position,
        record: {
          ...record,
          fields: fields.map((field: unknown) => {
            if (!isObject(field)) return field
            const { id: _, ...shown } = field
            return shown
          })
        }
      }
    : { position, record }
}
