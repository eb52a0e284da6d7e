// What a load process receives as its argument, and what it prints as JSON when it ends.
import { Schema } from "effect"

const PlannedRequest = Schema.Struct({
  method: Schema.Literals(["GET", "POST"]),
  path: Schema.String,
  token: Schema.String,
  body: Schema.optionalKey(Schema.String)
})

export const LoadPlan = Schema.Struct({
  origin: Schema.String,
  /** Sent round-robin. */
  requests: Schema.NonEmptyArray(PlannedRequest),
  /** 0 means a closed load: each connection sends again as soon as it has its answer. */
  perSecond: Schema.Finite,
  seconds: Schema.Finite,
  connections: Schema.Int
})
export type LoadPlan = typeof LoadPlan.Type

/** Milliseconds from sending a request to the end of its answer. */
const Latencies = Schema.Struct({ count: Schema.Int, p50: Schema.Finite, p95: Schema.Finite })

export const LoadResult = Schema.Struct({
  sentPerSecond: Schema.Finite,
  /** Answers with status 200. */
  servedPerSecond: Schema.Finite,
  /** Requests that were due while every connection was in use, and were not sent. */
  unsent: Schema.Int,
  /** Count of answers by status, or by the message of a connection error. */
  statuses: Schema.Record(Schema.String, Schema.Int),
  served: Latencies,
  refused: Latencies
})
export type LoadResult = typeof LoadResult.Type
