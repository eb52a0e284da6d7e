// All schema errors of a request in one answer; the framework stops at the first.
import { InternalError, InvalidRequest, type Violation } from "@rapport/contract/Errors.ts"
import { collectFaults, collectParameterFaults, isUnknown } from "@rapport/contract/values/CollectFaults.ts"
import { detailOf, type Fault } from "@rapport/contract/values/Faults.ts"
import { LateQuery, SchemaErrors } from "@rapport/contract/http/RequestBody.ts"
import { ARRAY_MEMBERS_MAX, VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { collectionIn, unknownParameter } from "@rapport/contract/lists/Collection.ts"
import { rulesOf } from "@rapport/contract/values/Checks.ts"
import { refusalOf } from "@rapport/core/receipts/Writes.ts"
import { Cause, Context, Effect, ErrorReporter, Predicate, Schema, SchemaAST } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { namelessParameter } from "./QueryString.ts"
import { yieldBeforeLong } from "./StrictJson.ts"

/** Faults by path: the first fault of each value, at most VIOLATIONS_MAX. */
class Faults {
  private readonly byPath = new Map<string, Fault>()

  add(faults: Iterable<Fault>) {
    for (const fault of faults) {
      if (this.byPath.size >= VIOLATIONS_MAX) return
      // A fault of a parameter without a name and a fault of the whole body both have an empty path.
      const key = fault.message === namelessParameter ? "?" : fault.path
      if (!this.byPath.has(key)) this.byPath.set(key, fault)
    }
  }
  has(path: string): boolean {
    return this.byPath.has(path)
  }
  list(): ReadonlyArray<Fault> {
    return [...this.byPath.values()]
  }
}

/** QueryString already refused a parameter without a name. */
const namedParameters = (query: Readonly<Record<string, string | ReadonlyArray<string>>>) =>
  Object.fromEntries(Object.entries(query).filter(([name]) => name !== ""))

/** A schema error that is no exceeded maximum. */
export const ofShape = (violation: Violation): Fault => ({ ...violation, isOverBudget: false })

const declaredHeaders = ({ headers }: HttpApiEndpoint.Top): ReadonlyArray<string> =>
  headers !== undefined && SchemaAST.isObjects(headers.ast)
    ? headers.ast.propertySignatures.map(({ name }) => String(name))
    : []

/** If-Match on a route that ignores it: the caller would lose the protection unnoticed (RFC 9110 §13.1.1). */
export const unsupportedCondition = (
  endpoint: HttpApiEndpoint.Top,
  { headers, method }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">
): ReadonlyArray<Violation> =>
  headers["if-match"] !== undefined &&
  ["DELETE", "PATCH", "PUT"].includes(method) &&
  !declaredHeaders(endpoint).includes("if-match")
    ? [{ path: "If-Match", message: "is not taken: this route compares no versions" }]
    : []

/** Parameters on a route without any. The framework would ignore them. */
export const unknownParameters = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  if (endpoint.query !== undefined) return []
  const names = Object.keys(namedParameters(yield* HttpServerRequest.ParsedSearchParams))
  return names
    .slice(0, VIOLATIONS_MAX)
    .map((path): Violation => ({ path, message: "is unknown: this route takes no parameters" }))
})

/** All faults of a request including `found`, at most VIOLATIONS_MAX. */
export const faultsOfRequest = Effect.fnUntraced(function* (
  endpoint: HttpApiEndpoint.Top,
  found: ReadonlyArray<Violation> = []
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { params } = yield* HttpRouter.RouteContext
  const query = namedParameters(yield* HttpServerRequest.ParsedSearchParams)
  const faults = new Faults()
  faults.add(found.map(ofShape))
  if (endpoint.params !== undefined) faults.add(collectParameterFaults(endpoint.params, params))
  if (endpoint.headers !== undefined) faults.add(faultsOfHeaders(endpoint.headers, endpoint, request))
  if (endpoint.query === undefined) faults.add((yield* unknownParameters(endpoint)).map(ofShape))
  else {
    const schema = Context.get(endpoint.annotations, LateQuery) ?? endpoint.query
    faults.add(faultsOfQuery(schema, endpoint, query))
  }
  const body = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  if (body.length > 0 && !faults.has("")) {
    const text = yield* Effect.orDie(request.text)
    yield* yieldBeforeLong(text)
    const value: unknown = text === "" ? undefined : JSON.parse(text)
    yield* yieldBeforeLong(text)
    faults.add(faultsOfBody(body, value))
  }
  return faults.list()
})

/** Only declared headers are checked, because every request carries others. */
const faultsOfHeaders = (
  schema: Schema.Top,
  endpoint: HttpApiEndpoint.Top,
  request: HttpServerRequest.HttpServerRequest
): ReadonlyArray<Fault> => {
  const declared = declaredHeaders(endpoint).filter((name) => request.headers[name] !== undefined)
  const headers = Object.fromEntries(declared.map((name) => [name, request.headers[name]]))
  return collectParameterFaults(schema, headers).map((fault) => ({
    ...fault,
    path: fault.path.replace(/(?<![a-z])[a-z]/gu, (letter) => letter.toUpperCase())
  }))
}

const faultsOfQuery = (
  schema: Schema.Top,
  endpoint: HttpApiEndpoint.Top,
  query: Readonly<Record<string, unknown>>
) => {
  const collection = collectionIn(endpoint.query)
  return collectParameterFaults(Schema.toCodecArrayFromSingle(schema), query).map((fault) =>
    collection !== undefined && fault.message === isUnknown
      ? { ...fault, message: unknownParameter(collection, fault.path) }
      : fault
  )
}

const faultsOfBody = (schemas: ReadonlyArray<Schema.Top>, value: unknown): ReadonlyArray<Fault> => {
  // StrictJson guarantees an object, so undefined means that the body is missing.
  if (value === undefined) return [ofShape({ path: "", message: "must be a JSON object" })]
  const faults = [...collectFaults(Schema.Union(schemas), value)]
  // The schema checks rules between members only if all members are valid. The rules walk whole lists, so they run only on lists
  // of allowed length.
  if (Predicate.isReadonlyObject(value) && Object.values(value).every(isShort))
    for (const schema of schemas) faults.push(...rulesOf(schema)(value).map(ofShape))
  return faults
}
const isShort = (u: unknown): boolean => !Array.isArray(u) || u.length <= ARRAY_MEMBERS_MAX

/** INVALID_REQUEST with one violation of the whole request. */
export const unreadable = (message: string): InvalidRequest =>
  new InvalidRequest({ detail: message, errors: [{ path: "", message }] })

/** INVALID_REQUEST with the schema errors except exceeded maximums, which are checked later. */
export const invalidRequest = (faults: ReadonlyArray<Fault>): InvalidRequest => {
  const errors = faults.flatMap(({ isOverBudget, message, path }) =>
    isOverBudget ? [] : [{ path, message }]
  )
  return new InvalidRequest({ detail: detailOf(errors), errors })
}

/** Answers a request that cannot be decoded. An answer that cannot be encoded is an internal error. */
export const schemaErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(
  SchemaErrors,
  (error, { endpoint }) =>
    error.kind === "Body" || error.kind === "ResponseHeaders"
      ? Effect.andThen(ErrorReporter.report(Cause.fail(error)), Effect.fail(new InternalError()))
      : Effect.flatMap(faultsOfRequest(endpoint), (faults) => Effect.fail(refusalOf(faults)))
)
