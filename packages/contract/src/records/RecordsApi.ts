// Custom data on the wire: models, and the records of each (contract §9.2).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { AccessDenied, NotFound, StateNotAllowed, UniqueConflict, VersionConflict } from "../Errors.ts"
import { Answers, Formats, JudgedQuery } from "../http/RequestBody.ts"
import { envelope, ListedCollection, listQuery } from "../lists/Collection.ts"
import { shownKey } from "../values/Numbers.ts"
import { idempotencyErrors } from "../receipts/IdempotencyKey.ts"
import { pathId } from "../values/Ids.ts"
import {
  anyRecords,
  CustomRecord,
  RecordPatch,
  RecordRequest,
  SearchRequest,
  Upserted,
  UpsertRequest
} from "./CustomRecord.ts"
import { Model, ModelName, ModelPatch, ModelRequest, models } from "./Model.ts"
import { acting, changing, creating, deleting, reading } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/custom-data"
const name = { name: ModelName.annotate({ examples: ["warranties"] }) }
/** The model of the example of createModel, which has no records. */
const emptyName = { name: ModelName.annotate({ examples: ["visits"] }) }
const model = { model: ModelName.annotate({ examples: ["warranties"] }) }
const one = { ...model, id: pathId(1) }
const written = [AccessDenied, NotFound, UniqueConflict, ...idempotencyErrors] as const
const recordFormats = { csv: "text/csv", ndjson: "application/x-ndjson" }
const listed = envelope(CustomRecord).annotate({ identifier: "CustomRecordList" })

/** Fields are the model's own: their names and values are judged when the model is known. */
const recordQuery = (
  left: ReadonlyArray<string>,
  as: (parameter: Schema.Constraint) => Schema.Codec<string>
) =>
  Schema.StructWithRest(
    Schema.Struct(
      Object.fromEntries(
        Object.entries(listQuery(anyRecords))
          .filter(([parameter]) => !left.includes(parameter))
          .map(([parameter, { schema }]) => [parameter, Schema.optionalKey(as(schema))])
      )
    ),
    [Schema.Record(Schema.String, Schema.String)]
  )

/** Any text, shown as that which the schema decodes: what is wrong with it is said together with what a model finds. */
const judgedLater = (schema: Schema.Constraint) => {
  const encoded = Schema.toEncoded(schema)
  const { schema: shown } = Schema.toJsonSchemaDocument(encoded)
  const others = Object.entries(encoded.ast.annotations ?? {}).filter(([key]) => shown[key] === undefined)
  return Schema.String.annotate({ ...Object.fromEntries(others), [shownKey]: shown })
}

/** The parameters of a list of records, those in `left` not among them. */
const parametersOf = (left: ReadonlyArray<string> = []) => ({
  query: recordQuery(left, judgedLater),
  judged: recordQuery(left, (schema) => Schema.make<Schema.Codec<string>>(Schema.toEncoded(schema).ast))
})
const ofList = parametersOf()
const ofExport = parametersOf(["limit", "offset", "cursor", "fields"])
const byFields =
  "Beside the parameters below there are filter[…] and order[…] of every field of the model, with the operators of its type."

export class RecordsApi extends HttpApiGroup.make("records")
  .add(
    HttpApiEndpoint.get("listModels", `${root}/models`, {
      query: listQuery(models),
      success: envelope(Model).annotate({ identifier: "CustomModelList" }),
      error: AccessDenied
    })
      .annotate(ListedCollection, models)
      .pipe(operation("List models", "Needs records.read.")),
    HttpApiEndpoint.get("getModel", `${root}/models/:name`, reading(name, Model)).pipe(
      operation("Read a model", "Carries its version as ETag. Needs records.read.")
    ),
    HttpApiEndpoint.post(
      "createModel",
      `${root}/models`,
      creating(ModelRequest, Model, [AccessDenied, UniqueConflict, ...idempotencyErrors])
    ).pipe(operation("Make a model", "Its name is the key in paths and stays. Needs records.models.")),
    HttpApiEndpoint.patch(
      "updateModel",
      `${root}/models/:name`,
      changing(name, ModelPatch, Model, [...written, VersionConflict, StateNotAllowed])
    ).pipe(
      operation(
        "Change a model",
        "fields are all that it has then: one that is left out goes with its values, and the type of one that stays never changes (409). Making a field unique whose values are not is 409. Needs records.models, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.delete("deleteModel", `${root}/models/:name`, deleting(emptyName, StateNotAllowed)).pipe(
      operation(
        "Delete a model",
        "409 while it has records, or a field of another model names it. Needs records.models."
      )
    ),
    HttpApiEndpoint.get("listRecords", `${root}/:model/records`, {
      params: model,
      query: ofList.query,
      success: listed,
      error: [AccessDenied, NotFound]
    })
      .annotate(JudgedQuery, ofList.judged)
      .pipe(operation("List records", `${byFields} Needs records.read.`)),
    HttpApiEndpoint.get("exportRecords", `${root}/:model/records/export`, {
      params: model,
      query: Schema.StructWithRest(
        Schema.Struct({
          format: Schema.optionalKey(
            Schema.String.annotate({ description: "csv (default) or ndjson", examples: ["csv"] })
          ),
          ...ofExport.query.schema.fields
        }),
        [Schema.Record(Schema.String, Schema.String)]
      ),
      success: [
        Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
        Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))
      ],
      error: [AccessDenied, NotFound]
    })
      .annotate(JudgedQuery, ofExport.judged)
      .annotate(Answers, Object.values(recordFormats))
      .annotate(Formats, recordFormats)
      .pipe(
        operation(
          "Export records",
          `All records that the filters leave, in their order, written as they are read. csv: id, the fields, version, createdAt, updatedAt; a text that begins with = + - @ gets an apostrophe in front. ndjson: a record a line. ${byFields} Needs records.read.`
        )
      ),
    HttpApiEndpoint.post("searchRecords", `${root}/:model/records/search`, {
      params: model,
      payload: SearchRequest,
      success: listed,
      error: [AccessDenied, NotFound]
    }).pipe(
      operation(
        "Search records",
        "Groups of conditions, at most 3 deep, with the operators of the list. Needs records.read."
      )
    ),
    HttpApiEndpoint.post(
      "upsertRecords",
      `${root}/:model/records/upsert`,
      acting(model, UpsertRequest, Upserted, written)
    ).pipe(
      operation(
        "Make or change records by a unique field",
        "At most 100, all of them or none; values are merged into a record that has the key. Needs records.manage."
      )
    ),
    HttpApiEndpoint.get("getRecord", `${root}/:model/records/:id`, reading(one, CustomRecord)).pipe(
      operation("Read a record", "Carries its version as ETag. Needs records.read.")
    ),
    HttpApiEndpoint.post("createRecord", `${root}/:model/records`, {
      params: model,
      ...creating(RecordRequest, CustomRecord, written)
    }).pipe(operation("Make a record", "Its values obey the fields of the model. Needs records.manage.")),
    HttpApiEndpoint.patch(
      "updateRecord",
      `${root}/:model/records/:id`,
      changing(one, RecordPatch, CustomRecord, [...written, VersionConflict])
    ).pipe(
      operation(
        "Change a record",
        "Values that are left out stay, null empties. Needs records.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.delete("deleteRecord", `${root}/:model/records/:id`, deleting(one, StateNotAllowed)).pipe(
      operation("Delete a record", "409 while another record names it. Needs records.manage.")
    )
  )
  .pipe(withSession("Custom data", "Models of an instance's own, and their records.")) {}
