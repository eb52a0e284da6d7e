// Every fault of shape in one answer: the framework stops at the first part that fails, so on failure all parts are judged again.
import {
  InternalError,
  InvalidRequest,
  QueryBudgetExceeded,
  type Violation
} from "@rapport/contract/Errors.ts"
import { Violations } from "@rapport/contract/Gate.ts"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { ListedCollection, unknownParameter } from "@rapport/contract/lists/Collection.ts"
import { overBudget } from "@rapport/contract/Numbers.ts"
import { rulesOf } from "@rapport/contract/Rules.ts"
import { Cause, Context, Effect, ErrorReporter, Predicate, Schema, SchemaAST, SchemaIssue } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"

const strict = { errors: "all", onExcessProperty: "error" } as const

/** Marks the messages of maximums until they are told apart from faults of shape. */
const budgetMark = "\u0000"

const kinds: Record<string, string> = {
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Arrays: "an array",
  Objects: "an object",
  Union: "one of the kinds that the document names"
}

const leafMessage: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "MissingKey") return "is required"
  if (issue._tag === "UnexpectedKey") return "is unknown"
  const message = SchemaIssue.defaultLeafHook(issue)
  const kind = issue._tag === "InvalidType" ? kinds[issue.ast._tag] : undefined
  return kind !== undefined && message.startsWith("Expected ") ? `must be ${kind}` : message
}

/** What the framework says of a closed list or of a value without wording of its own, in our words. */
const inOurWords = (message: string): string => {
  if (!message.startsWith("Expected ")) return message
  const expected = message.slice("Expected ".length)
  const literals = expected.split(" | ")
  return literals.every((literal) => /^".*"$/u.test(literal))
    ? `must be ${literals.length > 1 ? "one of " : ""}${literals.map((literal) => literal.slice(1, -1)).join(", ")}`
    : `must be ${/^[A-Z]/u.test(expected) ? "a known " : ""}${expected}`
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: leafMessage,
  checkHook: (issue) => {
    const message = SchemaIssue.defaultCheckHook(issue)
    const isOverBudget = Object.keys(overBudget).some((key) => issue.filter.annotations?.[key] === true)
    return isOverBudget ? `${budgetMark}${message ?? "is above its maximum"}` : message
  }
})

/** `scope.id`, `sections[1]`; a member of the root stands alone. */
const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.reduce<string>((text, part, i) => {
    const key = typeof part === "object" ? part.key : part
    return typeof key === "number" ? `${text}[${key}]` : `${text}${i === 0 ? "" : "."}${String(key)}`
  }, "")

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
  for (const issue of error === undefined ? [] : format(error.issue).issues) {
    if (judged.size >= VIOLATIONS_MAX) return
    const path = pathOf((issue.path ?? []).slice(0, pathLength))
    const message =
      issue.message === "is unknown" && unknown !== undefined ? unknown(path) : inOurWords(issue.message)
    if (!judged.has(path)) judged.set(path, { path, message })
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

const detailOf = (violations: ReadonlyArray<Violation>): string => {
  const told = violations
    .slice(0, 3)
    .map(({ message, path }) => `${path === "" ? "the body" : path} ${message}`)
  return violations.length > 3 ? `${told.join("; ")}; and ${violations.length - 3} more` : told.join("; ")
}

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
