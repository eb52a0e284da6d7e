// The checks before the schema: Accept, media type, body size and JSON (contract §1, "Order of checks").
import { CurrentSession, type AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  NotAcceptable,
  PayloadTooLarge,
  UnsupportedMediaType,
  type Violation
} from "@rapport/contract/Errors.ts"
import {
  Answers,
  BodyBytesMax,
  FileBody,
  Formats,
  HistoryBody,
  RequestBody
} from "@rapport/contract/http/RequestBody.ts"
import { DEFAULT_MEDIA_TYPE, isMediaType } from "@rapport/contract/files/FilesApi.ts"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { Context, Effect, Layer, Option, SchemaAST } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { bytesOf } from "../BodyLimit.ts"
import { queryViolations } from "./QueryString.ts"
import { withRetryAfter } from "./RetryAfter.ts"
import { strictBody, yieldBeforeLong } from "./StrictJson.ts"
import {
  faultsOfRequest,
  invalidRequest,
  unsupportedCondition,
  unknownParameters,
  unreadable
} from "./SchemaErrors.ts"

/** Whether a body of this endpoint may contain a history that its caller may import. */
export const mayCarryHistory = (
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession | undefined
): boolean =>
  Context.get(endpoint.annotations, HistoryBody).members.length > 0 &&
  session?.permissions.has("appeals.import") === true

/** The media types of the answer to this URL, preferred first. An unknown format is a schema error. */
const answersTo = ({ annotations }: HttpApiEndpoint.Top, url: string): ReadonlyArray<string> => {
  const formats = new Map(Object.entries(Context.get(annotations, Formats)))
  if (formats.size === 0) return Context.get(annotations, Answers)
  const types = [...formats.values()]
  const format = new URLSearchParams(url.split("?", 2)[1]).get("format")
  const requested = format === null ? types[0] : formats.get(format)
  return requested === undefined ? types : [requested]
}

/** The largest raw body of the endpoint for this caller, in bytes. */
export const bodyBytesMaxOf = (
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession | undefined
): number =>
  mayCarryHistory(endpoint, session)
    ? Context.get(endpoint.annotations, HistoryBody).bytesMax
    : Context.get(endpoint.annotations, BodyBytesMax)

/**
 * Whether the body contains a history. An unreadable body contains none, and RequestBody answers its faults. Reading costs, so the request
 * must be counted before (contract §10, APPEAL_IMPORTS_PER_MINUTE). The framework caches the bytes.
 */
export const carriesHistory = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const { bytesMax, members } = Context.get(endpoint.annotations, HistoryBody)
  const request = yield* HttpServerRequest.HttpServerRequest
  const body = yield* Effect.result(bytesOf(request, bytesMax))
  if (body._tag === "Failure") return false
  const checked = yield* strictBody(body.success)
  return "names" in checked && checked.names.some((name) => members.includes(name))
})

type Request = HttpServerRequest.HttpServerRequest

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/iu

const tooLarge = (limit: number) => new PayloadTooLarge({ detail: `the body is above ${limit} bytes` })

export const isJsonType = (contentType: string | undefined): boolean =>
  contentType !== undefined && jsonType.test(contentType.trim())

/** Whether the headers announce a body. A request in memory announces none; its bytes decide. */
const announcesBody = ({ headers }: Request): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** The checked body: its text, or its fault; undefined without a body. */
const checkedBody = Effect.fnUntraced(function* (request: Request, limit: number) {
  const { headers } = request
  const contentType = headers["content-type"]
  const isJson = isJsonType(contentType)
  if (headers["content-encoding"] !== undefined || (contentType !== undefined && !isJson)) {
    return yield* new UnsupportedMediaType()
  }
  if (!isJson && announcesBody(request)) return yield* new UnsupportedMediaType()
  const bytes = yield* Effect.mapError(bytesOf(request, limit), (fault) =>
    fault === "too_large" ? tooLarge(limit) : unreadable("the body could not be read")
  )
  if (!isJson) return bytes.byteLength > 0 ? yield* new UnsupportedMediaType() : undefined
  return yield* strictBody(bytes)
})

const FILE_TYPE = "a file needs no Content-Encoding, and type/subtype as its Content-Type"

/** Checks the headers of a file. The handler reads its bytes. */
const checkFile = Effect.fnUntraced(function* ({ headers }: Request, limit: number) {
  const type = headers["content-type"] ?? DEFAULT_MEDIA_TYPE
  if (headers["content-encoding"] !== undefined || !isMediaType(type))
    return yield* new UnsupportedMediaType({ detail: FILE_TYPE })
  if (Number(headers["content-length"] ?? 0) > limit) yield* tooLarge(limit)
})

/** A route without a body accepts only an empty object. */
const unwantedMembers = (
  endpoint: HttpApiEndpoint.Top,
  names: ReadonlyArray<string>
): ReadonlyArray<Violation> =>
  endpoint.payload.size > 0
    ? []
    : names
        .slice(0, VIOLATIONS_MAX)
        .map((path) => ({ path, message: "is unknown: this route takes no body" }))

/** An absent body is an empty object if every member is optional. */
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

/** The same request with the checked text as its body. */
const withText = (request: Request, text: string): Request =>
  Object.create(request, { text: { value: Effect.succeed(text) } })

// Whether the caller takes an answer of a media type, by RFC 9110 §12.5.1 (contract §1, "Media types").

/** The match of the most specific range: specificity 0 names the type itself, quality 0 is "not acceptable". Only the parameter q counts. */
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

/** Only the first type matches the range of everything; the others have to be named. */
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

/** The type of the highest quality; among equals the one that is named more exactly, then the first. */
export const preferredMediaType = (
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
      // Public routes have no session.
      const session = Option.getOrUndefined(yield* Effect.serviceOption(CurrentSession))
      const limit = bodyBytesMaxOf(endpoint, session)
      const types = answersTo(endpoint, request.url)
      if (types.length > 0 && !accepts(request.headers["accept"], types)) return yield* new NotAcceptable()
      const isFile = Context.get(endpoint.annotations, FileBody)
      if (isFile) yield* checkFile(request, limit)
      const hasNoBody =
        isFile || ((request.method === "GET" || request.method === "HEAD") && !announcesBody(request))
      const body = hasNoBody ? undefined : yield* checkedBody(request, limit)
      const { params } = yield* HttpRouter.RouteContext
      const found: Array<Violation> = [...queryViolations(request.url), ...paramViolations(params)]
      found.push(...(yield* unknownParameters(endpoint)), ...unsupportedCondition(endpoint, request))
      if (body !== undefined && "fault" in body) found.push({ path: "", message: body.fault })
      if (body !== undefined && "text" in body) found.push(...unwantedMembers(endpoint, body.names))
      const emptyText = body === undefined && mayBeAbsent(endpoint) ? "{}" : undefined
      const text = body !== undefined && "text" in body ? body.text : emptyText
      const checked = text === undefined ? request : withText(request, text)
      const asChecked = Effect.provideService(HttpServerRequest.HttpServerRequest, checked)
      if (found.length > 0) return yield* invalidRequest(yield* asChecked(faultsOfRequest(endpoint, found)))
      if (text !== undefined) yield* yieldBeforeLong(text)
      return yield* asChecked(httpEffect)
    })
  )
})
