// Every fault of shape in one answer: the framework stops at the first part that fails, so on failure all parts are judged again.
import {
  InternalError,
  InvalidRequest,
  QueryBudgetExceeded,
  type Violation
} from "@rapport/contract/Errors.ts"
import { detailOf, faultsOf, strict } from "@rapport/contract/values/Faults.ts"
import { Violations } from "@rapport/contract/http/RequestBody.ts"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { ListedCollection, unknownParameter } from "@rapport/contract/lists/Collection.ts"
import { rulesOf } from "@rapport/contract/values/Rules.ts"
import { Cause, Context, Effect, ErrorReporter, Predicate, Schema, SchemaAST } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"

/** Marks the messages of maximums until they are told apart from faults of shape. */
const budgetMark = "\u0000"

type Judged = Map<string, Violation>

/** One value against one schema; two checks that fail on one value are one entry. */
const judge = Effect.fnUntraced(function* (
  judged: Judged,
  schema: Schema.Top,
  input: unknown,
  pathLength: number,
  unknown?: (name: string) => string
) {
  const decode = Schema.decodeUnknownEffect(schema as Schema.Codec<unknown>, strict)
  const error = yield* Effect.flip(Effect.asVoid(decode(input))).pipe(Effect.orElseSucceed(() => undefined))
  for (const { isOverBudget, message, path } of error === undefined
    ? []
    : faultsOf(error.issue, pathLength)) {
    if (judged.size >= VIOLATIONS_MAX) return
    const said = message === "is unknown" && unknown !== undefined ? unknown(path) : message
    if (!judged.has(path)) judged.set(path, { path, message: isOverBudget ? `${budgetMark}${said}` : said })
  }
})

const declaredHeaders = ({ headers }: HttpApiEndpoint.Top): ReadonlyArray<string> =>
  headers !== undefined && SchemaAST.isObjects(headers.ast)
    ? headers.ast.propertySignatures.map(({ name }) => String(name))
    : []

/** The parameters of a query string where the route takes none: the framework would pass them by. */
export const unknownParameters = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  if (endpoint.query !== undefined) return []
  const names = Object.keys(yield* HttpServerRequest.ParsedSearchParams)
  return names.map((path): Violation => ({ path, message: "is unknown: this route takes no parameters" }))
})

/** All violations of a request, those that were `found` before its shape included. */
export const violationsOf = Effect.fnUntraced(function* (
  endpoint: HttpApiEndpoint.Top,
  found: ReadonlyArray<Violation> = []
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { params } = yield* HttpRouter.RouteContext
  const query = yield* HttpServerRequest.ParsedSearchParams
  const judged: Judged = new Map(found.map((violation) => [violation.path, violation]))
  if (endpoint.params !== undefined) yield* judge(judged, endpoint.params, params, 1)
  if (endpoint.headers !== undefined) {
    const named = new Map<string, Violation>()
    // Only those that the endpoint declares are judged: every request carries others.
    const declared = Object.keys(request.headers).filter((name) => declaredHeaders(endpoint).includes(name))
    const headers = Object.fromEntries(declared.map((name) => [name, request.headers[name]]))
    yield* judge(named, endpoint.headers, headers, 1)
    for (const { message, path } of named.values()) {
      const name = path.replace(/(?<![a-z])[a-z]/gu, (letter) => letter.toUpperCase())
      judged.set(name, { path: name, message })
    }
  }
  if (endpoint.query === undefined) {
    for (const violation of yield* unknownParameters(endpoint)) {
      if (!judged.has(violation.path)) judged.set(violation.path, violation)
    }
  } else {
    const collection = Context.get(endpoint.annotations, ListedCollection)
    const unknown =
      collection === undefined ? undefined : (name: string) => unknownParameter(collection, name)
    yield* judge(judged, Schema.toCodecArrayFromSingle(endpoint.query), query, 1, unknown)
  }
  const body = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  if (body.length > 0 && !judged.has("")) {
    const text = yield* Effect.orDie(request.text)
    const value: unknown = text === "" ? undefined : JSON.parse(text)
    yield* judge(judged, Schema.Union(body), value, Infinity)
    // Rules between members are judged by the schema only when its members are right.
    const rules = body.flatMap((schema) => (Predicate.isObject(value) ? rulesOf(schema)(value) : []))
    for (const rule of rules) if (!judged.has(rule.path)) judged.set(rule.path, rule)
  }
  return [...judged.values()]
})

/** INVALID_REQUEST of a request that nobody could read: one violation of the whole. */
export const unreadable = (message: string): InvalidRequest =>
  new InvalidRequest({ detail: message, errors: [{ path: "", message }] })

/** INVALID_REQUEST with every fault of shape; maximums are left out, they are judged later. */
export const invalidRequest = (violations: ReadonlyArray<Violation>): InvalidRequest => {
  const errors = violations.filter(({ message }) => !message.startsWith(budgetMark))
  return new InvalidRequest({ detail: detailOf(errors), errors })
}

/**
 * INVALID_REQUEST with every fault of shape; where only maximums are passed, QUERY_BUDGET_EXCEEDED with all of those
 * (docs/contract.md §1 "Order of judgement").
 */
export const refusal = (violations: ReadonlyArray<Violation>): InvalidRequest | QueryBudgetExceeded => {
  if (violations.some(({ message }) => !message.startsWith(budgetMark))) return invalidRequest(violations)
  const ofBudget = violations.map(({ message, path }) => ({
    path,
    message: message.slice(budgetMark.length)
  }))
  return new QueryBudgetExceeded({ detail: detailOf(ofBudget), errors: ofBudget })
}

/** Answers what the decoding of a request refuses; an answer that cannot be encoded is a bug of ours. */
export const violationsLayer = HttpApiMiddleware.layerSchemaErrorTransform(
  Violations,
  (error, { endpoint }) =>
    error.kind === "Body" || error.kind === "ResponseHeaders"
      ? Effect.andThen(ErrorReporter.report(Cause.fail(error)), Effect.fail(new InternalError()))
      : Effect.flatMap(violationsOf(endpoint), (violations) => Effect.fail(refusal(violations)))
)
