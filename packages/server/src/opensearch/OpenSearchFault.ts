// The failure of a call to OpenSearch.
import { errors } from "@opensearch-project/opensearch"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Data } from "effect"

/**
 * `unavailable`: no answer, 429 or 5xx; `open`: no call, because the breaker is open; `timeout`: no answer in time; `missing`:
 * 404; `conflict`: 409; `refused`: another 4xx; `unexpected`: a response of another shape. Retries help against
 * `unavailable`, `timeout` and `unexpected`; `open` ends only with the next successful probe.
 */
export class OpenSearchFault extends Data.TaggedError("OpenSearchFault")<{
  readonly kind: "unavailable" | "open" | "timeout" | "missing" | "conflict" | "refused" | "unexpected"
  /** HTTP status; 0: no response. */
  readonly status: number
  /** The error of OpenSearch, for logs. */
  readonly detail: string
  readonly cause?: unknown
}> {}

const kindOf = (status: number): OpenSearchFault["kind"] => {
  if (status === 404) return "missing"
  if (status === 409) return "conflict"
  // 429: too many requests, or OpenSearch's own circuit breaker for memory.
  if (status === 429 || status >= 500) return "unavailable"
  return "refused"
}

/** Converts whatever the client throws. */
export const faultOf = (cause: unknown): OpenSearchFault => {
  if (cause instanceof errors.ResponseError) {
    const status = cause.statusCode ?? 0
    return new OpenSearchFault({
      kind: kindOf(status),
      status,
      detail: `${status} ${cause.message}`.slice(0, 1_000),
      cause
    })
  }
  const detail = cause instanceof Error ? `${cause.name}: ${cause.message}` : "an unknown error"
  if (cause instanceof errors.TimeoutError)
    return new OpenSearchFault({ kind: "timeout", status: 0, detail, cause })
  const unexpected =
    cause instanceof errors.DeserializationError || cause instanceof errors.SerializationError
  return new OpenSearchFault({ kind: unexpected ? "unexpected" : "unavailable", status: 0, detail, cause })
}

/** A response that does not match its schema, or an incomplete one. */
export const unexpectedResponse = (detail: string, cause?: unknown): OpenSearchFault =>
  new OpenSearchFault({ kind: "unexpected", status: 200, detail, cause })

/** The error of every adapter (contract §3.4). */
export const unavailable = (fault: OpenSearchFault): SourceUnavailable =>
  new SourceUnavailable({
    source: "search",
    reason:
      fault.kind === "timeout"
        ? "timeout"
        : fault.kind === "missing"
          ? "search_index_not_ready"
          : "search_index_unavailable",
    cause: fault
  })
