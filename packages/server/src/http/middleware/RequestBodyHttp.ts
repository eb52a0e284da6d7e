// What is judged before the shape: Accept, media type, size, JSON; the judged text goes on to the decoder. Creates that may carry a
// history are known from the body alone, so they are counted as imports before their body is read (contract §10,
// APPEAL_IMPORTS_PER_MINUTE).
import { CurrentSession, type AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type InvalidRequest,
  NotAcceptable,
  PayloadTooLarge,
  UnsupportedMediaType,
  type Violation
} from "@rapport/contract/Errors.ts"
import {
  Answers,
  BodyBytesMax,
  Formats,
  HistoryBody,
  RequestBody
} from "@rapport/contract/http/RequestBody.ts"
import { VIOLATIONS_MAX, BODY_BYTES_IMPORT_MAX } from "@rapport/contract/Limits.ts"
import { ByteSize, Context, Effect, Layer, Option, SchemaAST } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { queryViolations } from "./QueryString.ts"
import { withRetryAfter } from "./RetryAfter.ts"
import { strictBody, yieldBeforeLong } from "./StrictJson.ts"
import {
  faultsOfRequest,
  invalidRequest,
  unjudgedCondition,
  unknownParameters,
  unreadable
} from "./SchemaErrors.ts"

/** Whether a body of this endpoint may be a history, which its caller may import. */
export const mayCarryHistory = (
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession | undefined
): boolean =>
  Context.get(endpoint.annotations, HistoryBody).length > 0 &&
  session?.permissions.has("appeals.import") === true

/** The media types of which the answer to this address has one, best first; an unknown format is a fault of shape. */
const answersTo = ({ annotations }: HttpApiEndpoint.Top, url: string): ReadonlyArray<string> => {
  const types = Context.get(annotations, Answers)
  const formats = new Map(Object.entries(Context.get(annotations, Formats)))
  if (formats.size === 0) return types
  const format = new URLSearchParams(url.split("?", 2)[1]).get("format")
  const asked = format === null ? types[0] : formats.get(format)
  return asked === undefined ? types : [asked]
}

/** The largest raw body of the endpoint for this caller, in bytes. */
export const bodyBytesMaxOf = (
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession | undefined
): number =>
  mayCarryHistory(endpoint, session) ? BODY_BYTES_IMPORT_MAX : Context.get(endpoint.annotations, BodyBytesMax)

/**
 * Whether the request brings a history. What cannot be read is none: RequestBody answers its faults. The body is read once, what
 * comes after gets the same bytes. Reading costs, so the request was counted before.
 */
export const carriesHistory = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES_IMPORT_MAX) return false
  const body = yield* Effect.result(
    Effect.provideService(
      request.arrayBuffer,
      HttpIncomingMessage.MaxBodySize,
      ByteSize.bytes(BODY_BYTES_IMPORT_MAX)
    )
  )
  if (body._tag === "Failure") return false
  const judged = yield* strictBody(body.success)
  const names = Context.get(endpoint.annotations, HistoryBody)
  return "names" in judged && judged.names.some((name) => names.includes(name))
})

type Request = HttpServerRequest.HttpServerRequest

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/iu

const tooLarge = (limit: number) => new PayloadTooLarge({ detail: `the body is above ${limit} bytes` })

export const isJsonType = (contentType: string | undefined): boolean =>
  contentType !== undefined && jsonType.test(contentType.trim())

/** Bytes of the body, read no further than the limit. */
const bytesOf = (
  request: Request,
  limit: number
): Effect.Effect<ArrayBuffer, PayloadTooLarge | InvalidRequest> =>
  Effect.provideService(request.arrayBuffer, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)).pipe(
    Effect.mapError(({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
        ? tooLarge(limit)
        : unreadable("the body could not be read")
    ),
    Effect.flatMap((buffer) =>
      buffer.byteLength <= limit ? Effect.succeed(buffer) : Effect.fail(tooLarge(limit))
    )
  )

/** Whether a body is announced; a request in memory announces none, there its bytes decide. */
const announcesBody = ({ headers }: Request): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** The judged body: its text, or what is wrong with it as a whole; undefined where there is none. */
const judgedBody = Effect.fnUntraced(function* (request: Request, limit: number) {
  const { headers } = request
  const contentType = headers["content-type"]
  const isJson = isJsonType(contentType)
  if (headers["content-encoding"] !== undefined || (contentType !== undefined && !isJson)) {
    return yield* new UnsupportedMediaType()
  }
  if (!isJson && announcesBody(request)) return yield* new UnsupportedMediaType()
  if (Number(headers["content-length"] ?? 0) > limit) {
    return yield* tooLarge(limit)
  }
  const bytes = yield* bytesOf(request, limit)
  if (!isJson) return bytes.byteLength > 0 ? yield* new UnsupportedMediaType() : undefined
  return yield* strictBody(bytes)
})

/** A route without a body takes an empty object and nothing more. */
const unwantedMembers = (
  endpoint: HttpApiEndpoint.Top,
  names: ReadonlyArray<string>
): ReadonlyArray<Violation> =>
  endpoint.payload.size > 0
    ? []
    : names
        .slice(0, VIOLATIONS_MAX)
        .map((path) => ({ path, message: "is unknown: this route takes no body" }))

/** Where every member is optional an absent body is an empty object. */
const mayBeAbsent = ({ payload }: HttpApiEndpoint.Top): boolean =>
  [...payload.values()]
    .flatMap(({ schemas }) => schemas.map((schema) => SchemaAST.toEncoded(schema.ast)))
    .some(
      (ast) =>
        SchemaAST.isObjects(ast) &&
        ast.propertySignatures.length > 0 &&
        ast.propertySignatures.every(({ type }) => SchemaAST.isOptional(type))
    )

const paramViolations = (params: Readonly<Record<string, string | undefined>>): ReadonlyArray<Violation> =>
  Object.entries(params).flatMap(([path, value]) =>
    value === undefined || !value.includes("\0") ? [] : [{ path, message: "must not hold NUL" }]
  )

/** The same request, whose body is read as the judged text. */
const withText = (request: Request, text: string): Request =>
  Object.create(request, { text: { value: Effect.succeed(text) } })

// Whether the caller takes an answer of a media type, by RFC 9110 §12.5.1 (contract §1, "Media types").

/** Of the most specific range that holds the type: 0 names the type itself; parameters but q are ignored; quality 0 is "not acceptable". */
const matchOf = (
  accept: string,
  mediaType: string
): { readonly specificity: number; readonly quality: number } => {
  const ranges = [mediaType, `${mediaType.split("/", 1)[0]}/*`, "*/*"]
  const best = { specificity: ranges.length, quality: 0 }
  for (const part of accept.toLowerCase().split(",")) {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim())
    const specificity = ranges.indexOf(range)
    if (specificity < 0 || specificity >= best.specificity) continue
    const q = parameters.find((parameter) => parameter.startsWith("q="))
    best.specificity = specificity
    best.quality = q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return best
}

/** Of each of the types an answer has: every one but the first has to be asked for by more than the range of everything. */
const matches = (accept: string, mediaTypes: ReadonlyArray<string>) =>
  mediaTypes.map((mediaType, at) => {
    const match = matchOf(accept, mediaType)
    return { mediaType, ...match, quality: at > 0 && match.specificity === ANYTHING ? 0 : match.quality }
  })
const ANYTHING = 2

/** Without a header, everything is acceptable. */
export const accepts = (accept: string | undefined, mediaTypes: ReadonlyArray<string>): boolean =>
  accept === undefined ||
  accept.trim() === "" ||
  matches(accept, mediaTypes).some(({ quality }) => quality > 0)

/** The type of the highest quality; of equal ones that which is named more exactly, then the first. */
export const preferred = (
  accept: string | undefined,
  mediaTypes: ReadonlyArray<string>
): string | undefined =>
  accept === undefined
    ? mediaTypes[0]
    : matches(accept, mediaTypes).toSorted(
        (a, b) => b.quality - a.quality || a.specificity - b.specificity
      )[0]?.mediaType

export const requestBodyLayer = Layer.succeed(RequestBody, (httpEffect, { endpoint }) => {
  return withRetryAfter(
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      // Open routes have no session.
      const session = Option.getOrUndefined(yield* Effect.serviceOption(CurrentSession))
      const limit = bodyBytesMaxOf(endpoint, session)
      if (!accepts(request.headers["accept"], answersTo(endpoint, request.url)))
        return yield* new NotAcceptable()
      const hasNoBody = (request.method === "GET" || request.method === "HEAD") && !announcesBody(request)
      const body = hasNoBody ? undefined : yield* judgedBody(request, limit)
      const { params } = yield* HttpRouter.RouteContext
      const found: Array<Violation> = [...queryViolations(request.url), ...paramViolations(params)]
      found.push(...(yield* unknownParameters(endpoint)), ...unjudgedCondition(endpoint, request))
      if (body !== undefined && "fault" in body) found.push({ path: "", message: body.fault })
      if (body !== undefined && "text" in body) found.push(...unwantedMembers(endpoint, body.names))
      const emptyText = body === undefined && mayBeAbsent(endpoint) ? "{}" : undefined
      const text = body !== undefined && "text" in body ? body.text : emptyText
      const judged = text === undefined ? request : withText(request, text)
      const asJudged = Effect.provideService(HttpServerRequest.HttpServerRequest, judged)
      if (found.length > 0) return yield* invalidRequest(yield* asJudged(faultsOfRequest(endpoint, found)))
      if (text !== undefined) yield* yieldBeforeLong(text)
      return yield* asJudged(httpEffect)
    })
  )
})
