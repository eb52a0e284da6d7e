// Creates that may carry a history: known from the body alone, so it is counted as an import before its body is read
// (docs/contract.md §7 "Body limit", §10 APPEAL_IMPORTS_PER_MINUTE).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { BodyBytesMax, HistoryBody } from "@rapport/contract/http/RequestBody.ts"
import { BODY_BYTES_IMPORT_MAX } from "@rapport/contract/Limits.ts"
import { ByteSize, Context, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { strictBody } from "./StrictJson.ts"

/** Whether a body of this endpoint may be a history, which its caller may import. */
export const mayCarryHistory = (
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession | undefined
): boolean =>
  Context.get(endpoint.annotations, HistoryBody).length > 0 &&
  session?.permissions.has("appeals.import") === true

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
