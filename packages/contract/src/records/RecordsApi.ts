// Routes of custom data: models and their records (contract §9.2).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { NotFound, StateNotAllowed, UniqueConflict } from "../Errors.ts"
import { Formats, LateQuery } from "../http/RequestBody.ts"
import { envelope, listQuery } from "../lists/Collection.ts"
import { shownKey } from "../values/Numbers.ts"
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
import {
  actionRoute,
  updateRoute,
  createRoute,
  deleteRoute,
  getRoute,
  listRoute,
  accessErrors
} from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/custom-data"
const name = { name: ModelName.annotate({ examples: ["warranties"] }) }
/** The model of the example of createModel, which has no records. */
const emptyName = { name: ModelName.annotate({ examples: ["visits"] }) }
const model = { model: ModelName.annotate({ examples: ["warranties"] }) }
const one = { ...model, id: pathId(1) }
const recordFormats = { csv: "text/csv", ndjson: "application/x-ndjson" }
const listed = envelope(CustomRecord).annotate({ identifier: "CustomRecordList" })

/** Names and values of fields are checked when the model is known. */
const recordQuery = (
  left: ReadonlyArray<string>,
  as: (parameter: Schema.Constraint) => Schema.Codec<string>
) =>
  Schema.StructWithRest(
    Schema.Struct(
      Object.fromEntries(
        Object.entries(listQuery(anyRecords, (parameter) => !left.includes(parameter))).map(
          ([parameter, { schema }]) => [parameter, Schema.optionalKey(as(schema))]
        )
      )
    ),
    [Schema.Record(Schema.String, Schema.String)]
  )

/** Any text, documented by the schema. Its faults are reported together with those that need the model. */
const checkedLater = (schema: Schema.Constraint) => {
  const encoded = Schema.toEncoded(schema)
  const { schema: shown } = Schema.toJsonSchemaDocument(encoded)
  const others = Object.entries(encoded.ast.annotations ?? {}).filter(([key]) => shown[key] === undefined)
  return Schema.String.annotate({ ...Object.fromEntries(others), [shownKey]: shown })
}

/** The parameters of a list of records, without those in `left`. */
const parametersOf = (left: ReadonlyArray<string> = []) => ({
  query: recordQuery(left, checkedLater),
  late: recordQuery(left, (schema) => Schema.make<Schema.Codec<string>>(Schema.toEncoded(schema).ast))
})
const ofList = parametersOf()
const ofExport = parametersOf(["limit", "offset", "cursor", "fields"])
const byFields =
  "In addition to the parameters below, every field of the model has filter[…] and order[…], with the operators of its type."

export class RecordsApi extends HttpApiGroup.make("records")
  .add(
    HttpApiEndpoint.get(
      "listCustomModels",
      `${root}/models`,
      listRoute(models, Model, "CustomModelList")
    ).pipe(operation("List models", "Requires records.read.")),
    HttpApiEndpoint.get("getCustomModel", `${root}/models/:name`, getRoute(name, Model)).pipe(
      operation("Get a model", "The ETag is the version. Requires records.read.")
    ),
    HttpApiEndpoint.post(
      "createCustomModel",
      `${root}/models`,
      createRoute(ModelRequest, Model, UniqueConflict)
    ).pipe(
      operation("Create a model", "The name is the key in paths and never changes. Requires records.models.")
    ),
    HttpApiEndpoint.patch(
      "updateCustomModel",
      `${root}/models/:name`,
      updateRoute(name, ModelPatch, Model, UniqueConflict, StateNotAllowed)
    ).pipe(
      operation(
        "Update a model",
        "`fields` replaces all fields: an absent field is deleted with its values. The type of a field never changes (409), and a field can become unique only if its values are (409). Requires records.models, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.delete(
      "deleteCustomModel",
      `${root}/models/:name`,
      deleteRoute(emptyName, StateNotAllowed)
    ).pipe(
      operation(
        "Delete a model",
        "409 if it has records, or a field of another model names it. Requires records.models."
      )
    ),
    HttpApiEndpoint.get("listCustomRecords", `${root}/:model/records`, {
      params: model,
      query: ofList.query,
      success: listed,
      error: accessErrors
    })
      .annotate(LateQuery, ofList.late)
      .pipe(operation("List records", `${byFields} Requires records.read.`)),
    HttpApiEndpoint.get("exportCustomRecords", `${root}/:model/records/export`, {
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
      error: accessErrors
    })
      .annotate(LateQuery, ofExport.late)
      .annotate(Formats, recordFormats)
      .pipe(
        operation(
          "Export records",
          `Streams all matching records in the requested order. csv has id, the fields, version, createdAt and updatedAt; text that a spreadsheet would run as a formula gets an apostrophe in front. ndjson has one record in each line. ${byFields} Requires records.read.`
        )
      ),
    HttpApiEndpoint.post("searchCustomRecords", `${root}/:model/records/search`, {
      params: model,
      payload: SearchRequest,
      success: listed,
      error: accessErrors
    }).pipe(
      operation(
        "Search records",
        "Groups of conditions, at most 3 levels, with the operators of the list. Requires records.read."
      )
    ),
    HttpApiEndpoint.post(
      "upsertCustomRecords",
      `${root}/:model/records/upsert`,
      actionRoute(model, UpsertRequest, Upserted, UniqueConflict)
    ).pipe(
      operation(
        "Create or update records by a unique field",
        "At most 100 records, all or none. Values are merged into the record with the same key. Requires records.manage."
      )
    ),
    HttpApiEndpoint.get("getCustomRecord", `${root}/:model/records/:id`, getRoute(one, CustomRecord)).pipe(
      operation("Get a record", "The ETag is the version. Requires records.read.")
    ),
    HttpApiEndpoint.post("createCustomRecord", `${root}/:model/records`, {
      params: model,
      ...createRoute(RecordRequest, CustomRecord, NotFound, UniqueConflict)
    }).pipe(
      operation("Create a record", "The values follow the rules of the model. Requires records.manage.")
    ),
    HttpApiEndpoint.patch(
      "updateCustomRecord",
      `${root}/:model/records/:id`,
      updateRoute(one, RecordPatch, CustomRecord, UniqueConflict)
    ).pipe(
      operation(
        "Update a record",
        "Absent values stay, null empties. Requires records.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.delete(
      "deleteCustomRecord",
      `${root}/:model/records/:id`,
      deleteRoute(one, StateNotAllowed)
    ).pipe(operation("Delete a record", "409 if another record names it. Requires records.manage."))
  )
  .pipe(withSession("Custom data", "Models that the instance defines, and their records.")) {}
