// Creates that may carry a history: known from the body alone, so it is looked at before it is counted and judged
// (docs/contract.md §7 "Body limit", §10 APPEAL_IMPORTS_PER_MINUTE).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { BodyBytesMax, HistoryBody } from "@rapport/contract/http/RequestBody.ts"
import { BODY_BYTES_IMPORT_MAX } from "@rapport/contract/Limits.ts"
import { ByteSize, Context, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"

const mayCarry = (endpoint: HttpApiEndpoint.Top, session: AuthorizedSession | undefined): boolean =>
  Context.get(endpoint.annotations, HistoryBody).length > 0 &&
  session?.permissions.has("appeals.import") === true

/** The largest raw body of the endpoint for this caller, in bytes. */
export const bodyBytesMaxOf = (
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession | undefined
): number =>
  mayCarry(endpoint, session) ? BODY_BYTES_IMPORT_MAX : Context.get(endpoint.annotations, BodyBytesMax)

const isObject = (u: unknown): u is object => typeof u === "object" && u !== null
const membersOf = (text: string): ReadonlyArray<string> => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? Object.keys(value) : []
  } catch {
    return []
  }
}

/**
 * Whether the request brings a history. What cannot be read is none: Gate tells its faults. The body is read once, what
 * comes after gets the same bytes.
 */
export const carriesHistory = Effect.fnUntraced(function* (
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession
) {
  if (!mayCarry(endpoint, session)) return false
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
  const text = Buffer.from(body.success).toString()
  const names = Context.get(endpoint.annotations, HistoryBody)
  // Few bodies hold one of the names at all, and only those are parsed.
  return (
    names.some((name) => text.includes(`"${name}"`)) && membersOf(text).some((name) => names.includes(name))
  )
})
