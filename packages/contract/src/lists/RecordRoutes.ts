// Parameters, answers and errors of the usual routes of records: list, get, create, change, act, delete (contract §1.2, §1.3).
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { AccessDenied, NotFound, VersionConflict } from "../Errors.ts"
import { idempotencyErrors, idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { ifMatchHeaders } from "../values/IfMatch.ts"
import { type Collection, envelope, listQuery, queryOf } from "./Collection.ts"

/** Errors of every route of one record. */
export const accessErrors = [AccessDenied, NotFound] as const

/** Errors of every create. */
export const createErrors = [AccessDenied, ...idempotencyErrors] as const
/** Errors of every other write of one record. */
export const changeErrors = [...accessErrors, ...idempotencyErrors] as const

/** A page. `identifier` is its schema name in the document. */
export const listRoute = <S extends Schema.Constraint>(
  collection: Collection,
  record: S,
  identifier: string
) => ({
  query: queryOf(collection, listQuery(collection)),
  success: envelope(record).annotate({ identifier }),
  error: AccessDenied
})

const ofPages: ReadonlyArray<string> = ["limit", "offset", "cursor", "include", "fields"]
/** All records of the list as a CSV file, which `describeExport` describes. */
export const exportRoute = (collection: Collection) => ({
  query: listQuery(collection, (name) => !ofPages.includes(name)),
  success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
  error: AccessDenied
})

export const describeExport = (records: string): string =>
  `Streams all matching ${records} in the requested order. The file begins with a byte order mark. Text that a spreadsheet would run as a formula gets an apostrophe in front.`

export const getRoute = <Params extends Schema.Struct.Fields, R extends Schema.Top>(
  params: Params,
  record: R
) => ({ params, success: record, error: accessErrors })

/** A replay answers with 200. `errors` are those of this route only, here and below. */
export const createRoute = <
  Request extends Schema.Top,
  R extends Schema.Top,
  const E extends ReadonlyArray<Schema.Top>
>(
  request: Request,
  record: R,
  ...errors: E
) => ({
  headers: idempotencyHeaders,
  payload: request,
  success: [record.pipe(HttpApiSchema.status(201)), record.pipe(HttpApiSchema.status(200))] as const,
  error: [...errors, ...createErrors] as const
})

/** With the version that the caller read, in the body or as If-Match. */
export const updateRoute = <
  Params extends Schema.Struct.Fields,
  Patch extends Schema.Top,
  R extends Schema.Top,
  const E extends ReadonlyArray<Schema.Top>
>(
  params: Params,
  patch: Patch,
  record: R,
  ...errors: E
) => ({
  params,
  headers: { ...idempotencyHeaders, ...ifMatchHeaders },
  payload: patch,
  success: record,
  error: [...errors, VersionConflict, ...changeErrors] as const
})

/** A change without a version, such as a step. */
export const actionRoute = <
  Params extends Schema.Struct.Fields,
  const Payload extends Schema.Top | ReadonlyArray<Schema.Top>,
  R extends Schema.Top,
  const E extends ReadonlyArray<Schema.Top>
>(
  params: Params,
  payload: Payload,
  record: R,
  ...errors: E
) => ({
  params,
  headers: idempotencyHeaders,
  payload,
  success: record,
  error: [...errors, ...changeErrors] as const
})

export const deleteRoute = <Params extends Schema.Struct.Fields, const E extends ReadonlyArray<Schema.Top>>(
  params: Params,
  ...errors: E
) => ({ params, success: HttpApiSchema.NoContent, error: [...accessErrors, ...errors] as const })
