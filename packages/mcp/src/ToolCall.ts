// One tool call: validates the arguments, reads the context through the derived client, returns a tool result.
import { AcceptedType, Client } from "@rapport/contract/Client.ts"
import { collectFaults } from "@rapport/contract/values/CollectFaults.ts"
import { detailOf, type Fault, strictFirst } from "@rapport/contract/values/Faults.ts"
import { ContextLimits, TOOL_ANSWER_GRACE_MILLIS } from "@rapport/contract/Limits.ts"
import { Effect, Option, Predicate, Schema } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { requestOf, type Tool, type ToolArguments } from "./Tools.ts"

/** The tool result of the protocol: the pack as text, a JSON pack also as data, or a failure (contract §6). */
export type ToolResult = {
  content: Array<{ type: "text"; text: string }>
  structuredContent?: { [member: string]: unknown }
  isError?: true
}

/**
 * Calls a tool with unvalidated arguments. Every failure is a result with `isError`, whose text is the JSON
 * `{code, status, detail}` of contract §1.1, with AMBIGUOUS also `ids`. An interrupt cancels the read.
 */
export const callTool = Effect.fn("ToolCall.callTool")(
  function* (tool: Tool, args: unknown) {
    const accepted = lenient(tool, args)
    const input = yield* Schema.decodeUnknownEffect(tool.arguments)(accepted, strictFirst).pipe(
      Effect.catchTag("SchemaError", () => Effect.succeed(undefined))
    )
    return input === undefined
      ? wrongArguments(collectFaults(tool.arguments, accepted))
      : yield* read(tool, input)
  },
  Effect.catchTag("HttpClientError", (error) =>
    Effect.as(Effect.logWarning(unreachable(error)), unavailableResult)
  ),
  // `read` handles refusals of the service; by its type, middleware of the client may fail as well.
  Effect.catch(({ code, detail, status }) => Effect.succeed(errorResult(code, status, detail))),
  Effect.catchDefect((defect) =>
    Effect.as(
      Effect.logError("a tool call failed with a defect", defect),
      errorResult("INTERNAL_ERROR", 500, "something is wrong inside the service")
    )
  )
)

/** Accepts what models often send: null for an omitted argument, and a number as text for an id. */
const lenient = (tool: Tool, args: unknown): unknown => {
  const given = withoutNulls(args ?? {})
  if (!Predicate.isReadonlyObject(given)) return given
  const members = new Map<string, unknown>(Object.entries(Object(tool.inputSchema["properties"])))
  const isId = (name: string) => name.endsWith("_id") && isInteger(members.get(name))
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, isId(name) ? numberIn(value) : value])
  )
}

const isInteger = Schema.is(Schema.Struct({ type: Schema.Literal("integer") }))
const numberIn = (value: unknown): unknown =>
  typeof value === "string" && /^[1-9]\d{0,15}$/u.test(value.trim()) ? Number(value) : value

const withoutNulls = (value: unknown): unknown =>
  Predicate.isReadonlyObject(value) && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, member]) =>
          member === null ? [] : [[name, withoutNulls(member)]]
        )
      )
    : value

const read = Effect.fnUntraced(function* (tool: Tool, input: ToolArguments) {
  const { context } = yield* Client
  const millis = (input.timeoutMs ?? ContextLimits.timeoutMs.default) + TOOL_ANSWER_GRACE_MILLIS
  const format = input.format ?? "markdown"
  const request = context
    .retrieveContext({ payload: requestOf(tool, input), responseMode: "response-only" })
    .pipe(Effect.provideService(AcceptedType, mediaTypes[format]))
  return yield* Effect.flatMap(request, (response) => resultOf(response, format)).pipe(
    Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.succeed(unavailableResult) })
  )
})

const mediaTypes = { markdown: "text/markdown", json: "application/json" } as const

/** The text is the unchanged body, whose bytes the service has counted. JSON is repeated as data. */
const resultOf = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  format: keyof typeof mediaTypes
) {
  const text = yield* response.text
  if (response.status === 200 && format === "markdown")
    return response.headers["content-type"]?.startsWith(mediaTypes.markdown) === true
      ? { content: [{ type: "text" as const, text }] }
      : unavailableResult
  if (response.status === 200) {
    const pack = decodePack(text)
    return Option.isSome(pack) ? packResult(text, pack.value) : unavailableResult
  }
  const problem = decodeProblem(text)
  return Option.isSome(problem)
    ? errorResult(problem.value.code, problem.value.status, problem.value.detail, problem.value.ids)
    : unavailableResult
})

const decodePack = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)
const decodeProblem = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      code: Schema.String,
      status: Schema.Int,
      detail: Schema.String,
      ids: Schema.optionalKey(Schema.Array(Schema.Int))
    })
  )
)

const packResult = (text: string, pack: Readonly<Record<string, unknown>>): ToolResult => ({
  content: [{ type: "text", text }],
  structuredContent: pack
})

/** `ids` of AMBIGUOUS. */
const errorResult = (
  code: string,
  status: number,
  detail: string,
  ids?: ReadonlyArray<number>
): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify({ code, status, detail, ids }) }],
  isError: true
})

const unavailableResult = errorResult("SEARCH_UNAVAILABLE", 503, "the service does not answer")

/**
 * Exceeded maximums are reported as the route does, but only without other faults. All faults are named: a model has
 * only this sentence to correct its call.
 */
const wrongArguments = (faults: ReadonlyArray<Fault>): ToolResult => {
  const ofShape = faults.filter(({ isOverBudget }) => !isOverBudget)
  return ofShape.length > 0
    ? errorResult("INVALID_REQUEST", 400, detailOf(ofShape.map(namePath), Infinity))
    : errorResult("QUERY_BUDGET_EXCEEDED", 400, detailOf(faults, Infinity))
}

const namePath = ({ message, path }: { readonly path: string; readonly message: string }) => ({
  path: path === "" ? "the arguments" : path,
  message
})

// Not the error itself: it contains the request with its headers.
const unreachable = ({ reason }: HttpClientError.HttpClientError): string =>
  `the service was not reached: ${reason._tag}`
