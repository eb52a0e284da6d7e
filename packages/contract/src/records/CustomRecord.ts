// Records of custom data, and their lists and searches (contract §9.2).
import { Schema } from "effect"
import {
  LIST_ORDERS_MAX,
  ListLimits,
  RECORD_UPSERT_MAX,
  SEARCH_MEMBERS_MAX,
  CURSOR_CHARACTERS_MAX
} from "../Limits.ts"
import type { Collection, Field } from "../lists/Collection.ts"
import { PositiveInt, Version } from "../values/Ids.ts"
import { AnyObject, expectedVersion, listOf } from "../values/Members.ts"
import { limitMember } from "../values/Numbers.ts"
import { textOf } from "../values/Checks.ts"
import { Time } from "../values/Time.ts"
import type { FieldType, ModelField } from "./Model.ts"

/** `values` has every field of the model, null if empty. */
export const CustomRecord = Schema.Struct({
  id: PositiveInt,
  model: Schema.String,
  values: Schema.Record(Schema.String, Schema.Json),
  version: Version,
  createdAt: Time,
  updatedAt: Time
}).annotate({ identifier: "CustomRecord" })
export type CustomRecord = typeof CustomRecord.Type

export const RecordRequest = Schema.Struct({ values: AnyObject }).annotate({
  identifier: "CustomRecordRequest",
  examples: [{ values: { number: "W-1042", until: "2027-05-31" } }]
})
export type RecordRequest = typeof RecordRequest.Type

export const RecordPatch = Schema.Struct({ expectedVersion, values: AnyObject }).annotate({
  identifier: "CustomRecordPatch",
  examples: [{ expectedVersion: 1, values: { until: "2028-05-31" } }]
})
export type RecordPatch = typeof RecordPatch.Type

const someOf = <S extends Schema.Constraint>(item: S, maximum: number) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "must have at least one item" }),
    Schema.isMaxLength(maximum, { message: `must have at most ${maximum} items` })
  )

export const UpsertRequest = Schema.Struct({
  keyField: Schema.String,
  records: someOf(Schema.Struct({ values: AnyObject }), RECORD_UPSERT_MAX)
}).annotate({
  identifier: "UpsertRequest",
  examples: [{ keyField: "number", records: [{ values: { number: "W-1042", until: "2027-05-31" } }] }]
})
export type UpsertRequest = typeof UpsertRequest.Type

export const Upserted = Schema.Struct({
  created: Schema.Int,
  updated: Schema.Int,
  records: Schema.Array(CustomRecord)
}).annotate({ identifier: "Upserted" })
export type Upserted = typeof Upserted.Type

/** A group or a condition. The use case checks groups, because it knows the fields. */
const Members = someOf(AnyObject, SEARCH_MEMBERS_MAX)
export const SearchRequest = Schema.Struct({
  where: Schema.optionalKey(
    Schema.Struct({ and: Schema.optionalKey(Members), or: Schema.optionalKey(Members) }).annotate({
      identifier: "SearchGroup",
      description:
        "Either `and` or `or`, with 1 to 15 conditions {field, op, value} and groups, at most 3 levels"
    })
  ),
  order: Schema.optionalKey(
    listOf(
      Schema.Struct({
        field: Schema.String,
        direction: Schema.Literals(["asc", "desc"]).annotate({ message: "must be asc or desc" })
      }),
      LIST_ORDERS_MAX
    )
  ),
  limit: Schema.optionalKey(limitMember(ListLimits, "Records of a page")),
  cursor: Schema.optionalKey(textOf(1, CURSOR_CHARACTERS_MAX))
}).annotate({
  identifier: "RecordSearch",
  examples: [
    {
      where: { and: [{ field: "until", op: "gte", value: "2026-01-01" }] },
      order: [{ field: "until", direction: "asc" }]
    }
  ]
})
export type SearchRequest = typeof SearchRequest.Type

const kinds: Readonly<Record<FieldType, Field>> = {
  STRING: "text",
  TEXT: "text",
  INTEGER: "signed",
  FLOAT: "number",
  BOOLEAN: "boolean",
  DATE: "date",
  DATETIME: "time",
  ASSOCIATION: "id"
}

const members = Object.keys(CustomRecord.fields)
/** Fields by which the records of every model are listed. */
const common: Collection["fields"] = {
  id: "id",
  version: "integer",
  createdAt: "time",
  updatedAt: "time"
}
export const anyRecords: Collection = {
  name: "records",
  fields: common,
  members
}

/** The list of one model's records. `id` distinguishes successive models of the same name. */
export const recordsOf = (id: number, fields: ReadonlyArray<ModelField>): Collection => ({
  ...anyRecords,
  name: `records ${id}`,
  fields: { ...common, ...Object.fromEntries(fields.map(({ name, type }) => [name, kinds[type]])) }
})
