// Every public error: `_tag` in the program, `code` on the wire, RFC 9457 documents. `pnpm run openapi` writes the comments of the
// classes into docs/contract/1.1-errors.md.
import { Context, Effect, Option, Schema, SchemaGetter } from "effect"
import { HttpApiError } from "effect/http-api"
import { AMBIGUOUS_IDS_MAX } from "./Limits.ts"
import { PositiveInt } from "./values/Ids.ts"

/** The id of the current request. Problem documents read it while they are encoded. */
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

/** The member `result` of problem documents. Only call_node sets it (contract §8). */
export const CurrentResult = Context.Reference<"error" | undefined>("rapport/CurrentResult", {
  defaultValue: () => undefined
})

const ErrorResult = Schema.optionalKey(
  Schema.Literal("error").annotate({ description: "Only in answers of call_node" })
)
const Result = ErrorResult.pipe(
  Schema.encodeTo(ErrorResult, {
    decode: SchemaGetter.passthrough(),
    encode: SchemaGetter.transformOptionalEffect<"error", "error">(() =>
      Effect.map(CurrentResult, Option.fromUndefinedOr)
    )
  })
)

/** One violation of a request. `path` is `scope.id`, `sections[1]`, a query parameter as sent, or "" (contract §1.1). */
export const Violation = Schema.Struct({ path: Schema.String, message: Schema.String }).annotate({
  identifier: "Violation",
  title: "Violation"
})
export type Violation = typeof Violation.Type

const problem = <const C extends string, const S extends number>(code: C, status: S, title: string) => ({
  type: `urn:rapport:error:${code}` as const,
  status,
  title
})

/** Members of every problem. `detail` is for people, by default the sentence of the class. */
const members = <const C extends string>(code: C, detail: string) => ({
  code: Schema.tag(code),
  detail: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(detail))),
  requestId: RequestId,
  result: Result
})

const errors = Schema.optionalKey(Schema.Array(Violation))

/** The violation of a key: its path is the name of the header. */
const headerFault = (message: string) =>
  Schema.Array(Violation).pipe(
    Schema.withConstructorDefault(Effect.succeed([{ path: "Idempotency-Key", message }]))
  )

/**
 * 400: Wrong shape, type, scope, id or target; a section that the scope does not have; an unknown member; a
 * missing query; a wrong filter, order or include. Also a record named in a **body** that is unknown, foreign
 * or not visible.
 */
export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()(
  "InvalidRequest",
  problem("INVALID_REQUEST", 400, "Invalid request"),
  { ...members("INVALID_REQUEST", "the request is not valid"), errors }
) {}

/**
 * 400: A number or the length of `query` is above its maximum, or state and properties exceed the
 * response budget.
 */
export class QueryBudgetExceeded extends HttpApiError.Problem<QueryBudgetExceeded>()(
  "QueryBudgetExceeded",
  problem("QUERY_BUDGET_EXCEEDED", 400, "Query budget exceeded"),
  { ...members("QUERY_BUDGET_EXCEEDED", "a limit is above its maximum"), errors }
) {}

/** 400: The route requires `Idempotency-Key`, and the header is missing or empty. */
export class IdempotencyKeyRequired extends HttpApiError.Problem<IdempotencyKeyRequired>()(
  "IdempotencyKeyRequired",
  problem("IDEMPOTENCY_KEY_REQUIRED", 400, "Idempotency key required"),
  {
    ...members("IDEMPOTENCY_KEY_REQUIRED", "this route needs the header Idempotency-Key"),
    errors: headerFault("is required")
  }
) {}

/**
 * 401: The token is missing, malformed, expired or revoked, or the two schemes carry different tokens. With
 * `WWW-Authenticate`.
 */
export class Unauthenticated extends HttpApiError.Problem<Unauthenticated>()(
  "Unauthenticated",
  problem("UNAUTHENTICATED", 401, "Unauthenticated"),
  members("UNAUTHENTICATED", "a valid token is needed: Authorization: Bearer, or x-auth-token")
) {}

/**
 * 403: The caller lacks the permission, or access changed during the request. In a context read also an
 * unknown or foreign entity: a 404 would reveal what exists.
 */
export class AccessDenied extends HttpApiError.Problem<AccessDenied>()(
  "AccessDenied",
  problem("ACCESS_DENIED", 403, "Access denied"),
  members("ACCESS_DENIED", "you may not do this")
) {}

/**
 * 404: Unknown route, or a record in the path that is unknown, foreign or not visible to a caller who holds
 * the permission. The text is the same for all three.
 */
export class NotFound extends HttpApiError.Problem<NotFound>()(
  "NotFound",
  problem("NOT_FOUND", 404, "Not found"),
  members("NOT_FOUND", "there is no such record")
) {}

/** 405: The path exists, the method does not. With `Allow`. */
export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  problem("METHOD_NOT_ALLOWED", 405, "Method not allowed"),
  members("METHOD_NOT_ALLOWED", "this path does not know the method")
) {}

/** 406: `Accept` excludes the media type of the answer. */
export class NotAcceptable extends HttpApiError.Problem<NotAcceptable>()(
  "NotAcceptable",
  problem("NOT_ACCEPTABLE", 406, "Not acceptable"),
  members("NOT_ACCEPTABLE", "the header Accept leaves out the media type of the answer")
) {}

/**
 * 408: The headers or the body did not arrive in time (contract §10). The connection may also close without an
 * answer.
 */
export class RequestTimeout extends HttpApiError.Problem<RequestTimeout>()(
  "RequestTimeout",
  problem("REQUEST_TIMEOUT", 408, "Request timeout"),
  members("REQUEST_TIMEOUT", "the request did not arrive in time")
) {}

/** 409: The record changed since the caller read it. Adds `currentVersion`. */
export class VersionConflict extends HttpApiError.Problem<VersionConflict>()(
  "VersionConflict",
  problem("VERSION_CONFLICT", 409, "Version conflict"),
  { ...members("VERSION_CONFLICT", "the record has changed since it was read"), currentVersion: Schema.Int }
) {}

/**
 * 409: The first request with this key is still running. With `Retry-After: 1`. For an import, `batchId` names
 * the batch.
 */
export class IdempotencyInProgress extends HttpApiError.Problem<IdempotencyInProgress>()(
  "IdempotencyInProgress",
  problem("IDEMPOTENCY_IN_PROGRESS", 409, "Idempotent request in progress"),
  {
    ...members("IDEMPOTENCY_IN_PROGRESS", "the first request with this key still runs"),
    batchId: Schema.optionalKey(Schema.String)
  }
) {}

/** 409: The external id was already used with other content. */
export class ExternalEventConflict extends HttpApiError.Problem<ExternalEventConflict>()(
  "ExternalEventConflict",
  problem("EXTERNAL_EVENT_CONFLICT", 409, "External event conflict"),
  members("EXTERNAL_EVENT_CONFLICT", "the same external id was already used with other content")
) {}

/** 409: The session is closed and takes no writes. */
export class SessionClosed extends HttpApiError.Problem<SessionClosed>()(
  "SessionClosed",
  problem("SESSION_CLOSED", 409, "Session closed"),
  members("SESSION_CLOSED", "the session is closed")
) {}

/** 409: The current status cannot change to this status. */
export class StatusTransitionNotAllowed extends HttpApiError.Problem<StatusTransitionNotAllowed>()(
  "StatusTransitionNotAllowed",
  problem("STATUS_TRANSITION_NOT_ALLOWED", 409, "Status transition not allowed"),
  members("STATUS_TRANSITION_NOT_ALLOWED", "this status cannot follow the present one")
) {}

/** 409: Another record has a value that must be unique. */
export class UniqueConflict extends HttpApiError.Problem<UniqueConflict>()(
  "UniqueConflict",
  problem("UNIQUE_CONFLICT", 409, "Unique conflict"),
  members("UNIQUE_CONFLICT", "a value that must be unique is in use")
) {}

/**
 * 409: Several entities that the caller may see have the key of the scope. Adds `ids`, at most 10: repeat the
 * request with one of them.
 */
export class Ambiguous extends HttpApiError.Problem<Ambiguous>()(
  "Ambiguous",
  problem("AMBIGUOUS", 409, "Ambiguous"),
  {
    ...members("AMBIGUOUS", "several entities match: name one by its id"),
    ids: Schema.Array(PositiveInt)
      .check(Schema.isMaxLength(AMBIGUOUS_IDS_MAX))
      .annotate({ description: "The entities that match, lowest ids first" })
  }
) {}

/** 409: The current state of the record does not allow this. */
export class StateNotAllowed extends HttpApiError.Problem<StateNotAllowed>()(
  "StateNotAllowed",
  problem("STATE_NOT_ALLOWED", 409, "State not allowed"),
  members("STATE_NOT_ALLOWED", "the present state does not allow this")
) {}

/** 409: The instance has used its quota (contract §11). Changes and deletions are still possible. */
export class QuotaExceeded extends HttpApiError.Problem<QuotaExceeded>()(
  "QuotaExceeded",
  problem("QUOTA_EXCEEDED", 409, "Quota exceeded"),
  members("QUOTA_EXCEEDED", "the instance stores as much as its quota allows")
) {}

/** 409: The client is not subscribed to the channel. */
export class ClientNotSubscribed extends HttpApiError.Problem<ClientNotSubscribed>()(
  "ClientNotSubscribed",
  problem("CLIENT_NOT_SUBSCRIBED", 409, "Client not subscribed"),
  members("CLIENT_NOT_SUBSCRIBED", "the client is not subscribed to this channel")
) {}

/** 413: The body, message, batch, working context, payload or state is above its limit (contract §10). */
export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()(
  "PayloadTooLarge",
  problem("PAYLOAD_TOO_LARGE", 413, "Payload too large"),
  members("PAYLOAD_TOO_LARGE", "the body is above the limit of this route")
) {}

/** 415: The body is not `application/json` in UTF-8, or has a Content-Encoding. */
export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  problem("UNSUPPORTED_MEDIA_TYPE", 415, "Unsupported media type"),
  members(
    "UNSUPPORTED_MEDIA_TYPE",
    "the body must be application/json, in UTF-8 and without Content-Encoding"
  )
) {}

/** 416: The range begins after the end of the file. With `Content-Range`. */
export class RangeNotSatisfiable extends HttpApiError.Problem<RangeNotSatisfiable>()(
  "RangeNotSatisfiable",
  problem("RANGE_NOT_SATISFIABLE", 416, "Range not satisfiable"),
  members("RANGE_NOT_SATISFIABLE", "the range begins after the end of the file")
) {}

/** 422: The key was used for another normalized command. */
export class IdempotencyKeyReused extends HttpApiError.Problem<IdempotencyKeyReused>()(
  "IdempotencyKeyReused",
  problem("IDEMPOTENCY_KEY_REUSED", 422, "Idempotency key reused"),
  {
    ...members("IDEMPOTENCY_KEY_REUSED", "this key was already used for another command"),
    errors: headerFault("was already used for another command")
  }
) {}

/**
 * 429: Too many requests per minute, or too many at the same time. With `Retry-After`. Adds `limit: {kind:
 * "rate" \| "concurrency", retryAfterMs}`.
 */
export class RateLimited extends HttpApiError.Problem<RateLimited>()(
  "RateLimited",
  problem("RATE_LIMITED", 429, "Rate limited"),
  {
    ...members("RATE_LIMITED", "too many requests: try again later"),
    limit: Schema.Struct({ kind: Schema.Literals(["rate", "concurrency"]), retryAfterMs: Schema.Int })
  }
) {}

/** 431: The request line and headers are above 16 KiB. */
export class HeadersTooLarge extends HttpApiError.Problem<HeadersTooLarge>()(
  "HeadersTooLarge",
  problem("HEADERS_TOO_LARGE", 431, "Headers too large"),
  members("HEADERS_TOO_LARGE", "the request line and headers are above 16 KiB")
) {}

/** 500: A bug of the service. The answer shows nothing of it. */
export class InternalError extends HttpApiError.Problem<InternalError>()(
  "InternalError",
  problem("INTERNAL_ERROR", 500, "Internal error"),
  members("INTERNAL_ERROR", "something is wrong inside the service")
) {}

/** The closed list of reasons why a source is unavailable (contract §3.4). */
export const UnavailableReason = Schema.Literals([
  "capability_disabled",
  "database_unavailable",
  "context_store_not_ready",
  "search_index_not_ready",
  "search_index_unavailable",
  "client_memory_not_ready",
  "storage_full",
  "file_storage_unavailable",
  "timeout"
])
export type UnavailableReason = typeof UnavailableReason.Type

/**
 * 503: A required source is disabled, unavailable or not ready, or did not answer before the deadline; for
 * writes, the disk is full. With `Retry-After`. Adds `reason` (contract §3.4).
 */
export class SearchUnavailable extends HttpApiError.Problem<SearchUnavailable>()(
  "SearchUnavailable",
  problem("SEARCH_UNAVAILABLE", 503, "Database, search index or disk unavailable"),
  { ...members("SEARCH_UNAVAILABLE", "a required source does not answer"), reason: UnavailableReason }
) {
  /** The error with the `detail` that fits the reason. */
  static readonly of = (reason: UnavailableReason): SearchUnavailable =>
    new SearchUnavailable(reason === "storage_full" ? { reason, detail: DISK_FULL } : { reason })
}

const DISK_FULL =
  "the disk of the service is full: writes are refused until it has free space, reads and deletions go on"
