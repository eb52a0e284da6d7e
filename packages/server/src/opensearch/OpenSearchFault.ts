// What can go wrong between this process and OpenSearch, by what is to be done about it.
import { errors } from "@opensearch-project/opensearch"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Data } from "effect"

/**
 * `away`: it does not answer, or says that it cannot now; `open`: it was not asked, because the breaker is open; `late`:
 * no answer within the time; `missing`: 404; `conflict`: 409; `refused`: another status of the 400s; `strange`: an answer
 * of an unexpected shape. `away`, `late` and `strange` may pass by themselves; `open` passes with the next probe only.
 */
export class OpenSearchFault extends Data.TaggedError("OpenSearchFault")<{
  readonly kind: "away" | "open" | "late" | "missing" | "conflict" | "refused" | "strange"
  /** Of the answer; 0: there was none. */
  readonly status: number
  /** For logs: what OpenSearch calls it. */
  readonly said: string
  readonly cause?: unknown
}> {}

const kindOf = (status: number): OpenSearchFault["kind"] => {
  if (status === 404) return "missing"
  if (status === 409) return "conflict"
  // Too many requests, and a circuit breaker of its memory.
  if (status === 429 || status >= 500) return "away"
  return "refused"
}

/** Of whatever the client throws. */
export const faultOf = (cause: unknown): OpenSearchFault => {
  if (cause instanceof errors.ResponseError) {
    const status = cause.statusCode ?? 0
    return new OpenSearchFault({
      kind: kindOf(status),
      status,
      said: `${status} ${cause.message}`.slice(0, 1_000),
      cause
    })
  }
  const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : "an unknown fault"
  if (cause instanceof errors.TimeoutError)
    return new OpenSearchFault({ kind: "late", status: 0, said, cause })
  const strange = cause instanceof errors.DeserializationError || cause instanceof errors.SerializationError
  return new OpenSearchFault({ kind: strange ? "strange" : "away", status: 0, said, cause })
}

/** An answer that its schema does not know, or that is not whole. */
export const strange = (said: string, cause?: unknown): OpenSearchFault =>
  new OpenSearchFault({ kind: "strange", status: 200, said, cause })

/** As every adapter fails (contract §3.4). */
export const unavailable = (fault: OpenSearchFault): SourceUnavailable =>
  new SourceUnavailable({
    source: "search",
    reason:
      fault.kind === "late"
        ? "timeout"
        : fault.kind === "missing"
          ? "search_index_not_ready"
          : "search_index_unavailable",
    cause: fault
  })
