// The one public vocabulary of failures: `_tag` inside the program, `code` on the wire, RFC 9457 documents for everybody.
import { Context, Effect, Option, Schema, SchemaGetter } from "effect"
import { HttpApiError } from "effect/http-api"

/** The id of the request that is being answered; problem documents take it from here while they are encoded. */
export const CurrentRequestId = Context.Reference<string>("rapport/CurrentRequestId", {
  defaultValue: () => ""
})

const RequestId = Schema.optionalKey(Schema.String).pipe(
  Schema.encodeTo(Schema.optionalKey(Schema.String), {
    decode: SchemaGetter.passthrough(),
    encode: SchemaGetter.transformOptionalEffect<string, string>(() =>
      Effect.map(CurrentRequestId, Option.some)
    )
  })
)

/** What problems say of the result of a request; call_node alone has one (contract §8). */
export const CurrentResult = Context.Reference<"error" | undefined>("rapport/CurrentResult", {
  defaultValue: () => undefined
})

const Result = Schema.optionalKey(
  Schema.Literal("error").annotate({ description: "on call_node alone" })
).pipe(
  Schema.encodeTo(
    Schema.optionalKey(Schema.Literal("error").annotate({ description: "on call_node alone" })),
    {
      decode: SchemaGetter.passthrough(),
      encode: SchemaGetter.transformOptionalEffect<"error", "error">(() =>
        Effect.map(CurrentResult, Option.fromUndefinedOr)
      )
    }
  )
)

/** One violation of a request: `path` is written scope.id, sections[1], a query name as sent, or "" (contract §1.1). */
export const Violation = Schema.Struct({ path: Schema.String, message: Schema.String }).annotate({
  identifier: "Violation",
  title: "Violation"
})
export type Violation = typeof Violation.Type

/** Every `code` there is; closed (contract §1.1). */
export type ErrorCode =
  | "INVALID_REQUEST"
  | "QUERY_BUDGET_EXCEEDED"
  | "IDEMPOTENCY_KEY_REQUIRED"
  | "UNAUTHENTICATED"
  | "ACCESS_DENIED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "NOT_ACCEPTABLE"
  | "REQUEST_TIMEOUT"
  | "VERSION_CONFLICT"
  | "IDEMPOTENCY_IN_PROGRESS"
  | "EXTERNAL_EVENT_CONFLICT"
  | "SESSION_CLOSED"
  | "STATUS_TRANSITION_NOT_ALLOWED"
  | "UNIQUE_CONFLICT"
  | "QUOTA_EXCEEDED"
  | "STATE_NOT_ALLOWED"
  | "CLIENT_NOT_SUBSCRIBED"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "IDEMPOTENCY_KEY_REUSED"
  | "RATE_LIMITED"
  | "HEADERS_TOO_LARGE"
  | "INTERNAL_ERROR"
  | "SEARCH_UNAVAILABLE"

const says = <const C extends ErrorCode, const S extends number>(code: C, status: S, title: string) => ({
  type: `urn:rapport:error:${code}` as const,
  status,
  title
})

/** `detail` is for people; every class has a sentence of its own, said when the thrower has none. */
const members = <const C extends ErrorCode>(code: C, detail: string) => ({
  code: Schema.tag(code),
  detail: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(detail))),
  requestId: RequestId,
  result: Result
})

const errors = Schema.optionalKey(Schema.Array(Violation))

/** The one fault that a key can have: its path is the name of the header. */
const headerFault = (message: string) =>
  Schema.Array(Violation).pipe(
    Schema.withConstructorDefault(Effect.succeed([{ path: "Idempotency-Key", message }]))
  )

/** 400: shape, type, scope, id, target, unknown member, missing query, or a bad filter, order or include name. */
export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()(
  "InvalidRequest",
  says("INVALID_REQUEST", 400, "Invalid request"),
  { ...members("INVALID_REQUEST", "the request is not valid"), errors },
  { identifier: "InvalidRequest" }
) {}

/** 400: a numeric limit or the query length above its maximum, or state and properties alone exceed the budget. */
export class QueryBudgetExceeded extends HttpApiError.Problem<QueryBudgetExceeded>()(
  "QueryBudgetExceeded",
  says("QUERY_BUDGET_EXCEEDED", 400, "Query budget exceeded"),
  { ...members("QUERY_BUDGET_EXCEEDED", "a limit is above its maximum"), errors },
  { identifier: "QueryBudgetExceeded" }
) {}

/** 400: the Idempotency-Key is missing or empty where it is required (contract §1.3). */
export class IdempotencyKeyRequired extends HttpApiError.Problem<IdempotencyKeyRequired>()(
  "IdempotencyKeyRequired",
  says("IDEMPOTENCY_KEY_REQUIRED", 400, "Idempotency key required"),
  {
    ...members("IDEMPOTENCY_KEY_REQUIRED", "this route needs the header Idempotency-Key"),
    errors: headerFault("is required")
  },
  { identifier: "IdempotencyKeyRequired" }
) {}

/** 401: no, malformed, expired or revoked token, or different tokens under the two schemes. `detail` says which, as far as a caller may know. */
export class Unauthenticated extends HttpApiError.Problem<Unauthenticated>()(
  "Unauthenticated",
  says("UNAUTHENTICATED", 401, "Unauthenticated"),
  members("UNAUTHENTICATED", "a valid token is needed: Authorization: Bearer, or x-auth-token"),
  { identifier: "Unauthenticated" }
) {}

/** 403: no right, an unknown or foreign entity of a context read, or access that changed during the request. */
export class AccessDenied extends HttpApiError.Problem<AccessDenied>()(
  "AccessDenied",
  says("ACCESS_DENIED", 403, "Access denied"),
  members("ACCESS_DENIED", "you may not do this"),
  { identifier: "AccessDenied" }
) {}

/** 404: an unknown route, or a record that is unknown, foreign or not visible, in the same words for all three. */
export class NotFound extends HttpApiError.Problem<NotFound>()(
  "NotFound",
  says("NOT_FOUND", 404, "Not found"),
  members("NOT_FOUND", "there is no such record"),
  { identifier: "NotFound" }
) {}

/** 405, with `Allow`. */
export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  says("METHOD_NOT_ALLOWED", 405, "Method not allowed"),
  members("METHOD_NOT_ALLOWED", "this path does not know the method"),
  { identifier: "MethodNotAllowed" }
) {}

/** 406: the media type of the answer is not in the range of Accept. */
export class NotAcceptable extends HttpApiError.Problem<NotAcceptable>()(
  "NotAcceptable",
  says("NOT_ACCEPTABLE", 406, "Not acceptable"),
  members("NOT_ACCEPTABLE", "the header Accept leaves out the media type of the answer"),
  { identifier: "NotAcceptable" }
) {}

/** 408: a read deadline passed (contract §10). */
export class RequestTimeout extends HttpApiError.Problem<RequestTimeout>()(
  "RequestTimeout",
  says("REQUEST_TIMEOUT", 408, "Request timeout"),
  members("REQUEST_TIMEOUT", "the request did not arrive in time"),
  { identifier: "RequestTimeout" }
) {}

/** 409: compare-and-set lost; `currentVersion` is that of the stored record. */
export class VersionConflict extends HttpApiError.Problem<VersionConflict>()(
  "VersionConflict",
  says("VERSION_CONFLICT", 409, "Version conflict"),
  { ...members("VERSION_CONFLICT", "the record has changed since it was read"), currentVersion: Schema.Int },
  { identifier: "VersionConflict" }
) {}

/** 409 with `Retry-After: 1`: the first request with this key still runs; of an import `batchId` names it. */
export class IdempotencyInProgress extends HttpApiError.Problem<IdempotencyInProgress>()(
  "IdempotencyInProgress",
  says("IDEMPOTENCY_IN_PROGRESS", 409, "Idempotent request in progress"),
  {
    ...members("IDEMPOTENCY_IN_PROGRESS", "the first request with this key still runs"),
    batchId: Schema.optionalKey(Schema.String)
  },
  { identifier: "IdempotencyInProgress" }
) {}

/** 409: the same external id with other content. */
export class ExternalEventConflict extends HttpApiError.Problem<ExternalEventConflict>()(
  "ExternalEventConflict",
  says("EXTERNAL_EVENT_CONFLICT", 409, "External event conflict"),
  members("EXTERNAL_EVENT_CONFLICT", "the same external id was already used with other content"),
  { identifier: "ExternalEventConflict" }
) {}

/** 409: a write to a closed session. */
export class SessionClosed extends HttpApiError.Problem<SessionClosed>()(
  "SessionClosed",
  says("SESSION_CLOSED", 409, "Session closed"),
  members("SESSION_CLOSED", "the session is closed"),
  { identifier: "SessionClosed" }
) {}

/** 409: a status that cannot follow the present one. */
export class StatusTransitionNotAllowed extends HttpApiError.Problem<StatusTransitionNotAllowed>()(
  "StatusTransitionNotAllowed",
  says("STATUS_TRANSITION_NOT_ALLOWED", 409, "Status transition not allowed"),
  members("STATUS_TRANSITION_NOT_ALLOWED", "this status cannot follow the present one"),
  { identifier: "StatusTransitionNotAllowed" }
) {}

/** 409: a value that must be unique is taken. */
export class UniqueConflict extends HttpApiError.Problem<UniqueConflict>()(
  "UniqueConflict",
  says("UNIQUE_CONFLICT", 409, "Unique conflict"),
  members("UNIQUE_CONFLICT", "a value that must be unique is taken"),
  { identifier: "UniqueConflict" }
) {}

/** 409: the present state of a record does not allow it. */
export class StateNotAllowed extends HttpApiError.Problem<StateNotAllowed>()(
  "StateNotAllowed",
  says("STATE_NOT_ALLOWED", 409, "State not allowed"),
  members("STATE_NOT_ALLOWED", "the present state does not allow this"),
  { identifier: "StateNotAllowed" }
) {}

/** 409: the instance stores as much as its quota allows; what it has may still be changed and deleted. */
export class QuotaExceeded extends HttpApiError.Problem<QuotaExceeded>()(
  "QuotaExceeded",
  says("QUOTA_EXCEEDED", 409, "Quota exceeded"),
  members("QUOTA_EXCEEDED", "the instance stores as much as its quota allows"),
  { identifier: "QuotaExceeded" }
) {}

/** 409: the client's identity in the channel is not subscribed. */
export class ClientNotSubscribed extends HttpApiError.Problem<ClientNotSubscribed>()(
  "ClientNotSubscribed",
  says("CLIENT_NOT_SUBSCRIBED", 409, "Client not subscribed"),
  members("CLIENT_NOT_SUBSCRIBED", "the client is not subscribed to this channel"),
  { identifier: "ClientNotSubscribed" }
) {}

/** 413: a body, message, batch, working context, payload or state above its limit. */
export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()(
  "PayloadTooLarge",
  says("PAYLOAD_TOO_LARGE", 413, "Payload too large"),
  members("PAYLOAD_TOO_LARGE", "the body is above the limit of this route"),
  { identifier: "PayloadTooLarge" }
) {}

/** 415: anything but one application/json without content coding. */
export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  says("UNSUPPORTED_MEDIA_TYPE", 415, "Unsupported media type"),
  members(
    "UNSUPPORTED_MEDIA_TYPE",
    "the body must be application/json, in UTF-8 and without Content-Encoding"
  ),
  { identifier: "UnsupportedMediaType" }
) {}

/** 422: the same Idempotency-Key with another normalized command. */
export class IdempotencyKeyReused extends HttpApiError.Problem<IdempotencyKeyReused>()(
  "IdempotencyKeyReused",
  says("IDEMPOTENCY_KEY_REUSED", 422, "Idempotency key reused"),
  {
    ...members("IDEMPOTENCY_KEY_REUSED", "this key was already used for another command"),
    errors: headerFault("was already used for another command")
  },
  { identifier: "IdempotencyKeyReused" }
) {}

/** 429 with `Retry-After`, which is `retryAfterMs` rounded up to seconds. */
export class RateLimited extends HttpApiError.Problem<RateLimited>()(
  "RateLimited",
  says("RATE_LIMITED", 429, "Rate limited"),
  {
    ...members("RATE_LIMITED", "too many requests: try again later"),
    limit: Schema.Struct({ kind: Schema.Literals(["rate", "concurrency"]), retryAfterMs: Schema.Int })
  },
  { identifier: "RateLimited" }
) {}

/** 431: request line and headers above 16 KiB. */
export class HeadersTooLarge extends HttpApiError.Problem<HeadersTooLarge>()(
  "HeadersTooLarge",
  says("HEADERS_TOO_LARGE", 431, "Headers too large"),
  members("HEADERS_TOO_LARGE", "the request line and headers are above 16 KiB"),
  { identifier: "HeadersTooLarge" }
) {}

/** 500: a bug; nothing leaks. */
export class InternalError extends HttpApiError.Problem<InternalError>()(
  "InternalError",
  says("INTERNAL_ERROR", 500, "Internal error"),
  members("INTERNAL_ERROR", "something is wrong inside the service"),
  { identifier: "InternalError" }
) {}

/** Why a source cannot answer; closed (contract §3.4). */
export const UnavailableReason = Schema.Literals([
  "capability_disabled",
  "database_unavailable",
  "context_store_not_ready",
  "search_index_not_ready",
  "search_index_unavailable",
  "client_memory_not_ready",
  "storage_full",
  "timeout"
])
export type UnavailableReason = typeof UnavailableReason.Type

/** 503 with `Retry-After`: a required source is disabled, away, not ready, or did not answer before the deadline. */
export class SearchUnavailable extends HttpApiError.Problem<SearchUnavailable>()(
  "SearchUnavailable",
  says("SEARCH_UNAVAILABLE", 503, "Database, search index or disk unavailable"),
  { ...members("SEARCH_UNAVAILABLE", "a required source does not answer"), reason: UnavailableReason },
  { identifier: "SearchUnavailable" }
) {
  /** With the detail of its reason. */
  static readonly of = (reason: UnavailableReason): SearchUnavailable =>
    new SearchUnavailable(reason === "storage_full" ? { reason, detail: DISK_FULL } : { reason })
}

const DISK_FULL =
  "the disk of the service is full: writes are refused until it has free space, reads and deletions go on"
