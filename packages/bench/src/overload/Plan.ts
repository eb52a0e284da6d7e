// What a load is asked to send, and what it says came of it.
import { Schema } from "effect"

const Asked = Schema.Struct({
  method: Schema.Literals(["GET", "POST"]),
  path: Schema.String,
  token: Schema.String,
  body: Schema.optionalKey(Schema.String)
})

export const Plan = Schema.Struct({
  origin: Schema.String,
  /** Sent in turn, on each connection of a closed load too: what is asked most is what is answered most. */
  requests: Schema.NonEmptyArray(Asked),
  /** 0: closed, each connection asks again as soon as it was answered. */
  perSecond: Schema.Finite,
  seconds: Schema.Finite,
  connections: Schema.Int
})

const Quantiles = Schema.Struct({
  count: Schema.Int,
  p50: Schema.Finite,
  p95: Schema.Finite,
  p99: Schema.Finite
})

export const Sent = Schema.Struct({
  seconds: Schema.Finite,
  /** Processors that the load took for itself, on average. */
  processors: Schema.Finite,
  sentPerSecond: Schema.Finite,
  goodPerSecond: Schema.Finite,
  /** Requests whose time came while all connections were busy. */
  unsent: Schema.Int,
  statuses: Schema.Record(Schema.String, Schema.Int),
  /** How often each of the requests was answered with 200. */
  goodOf: Schema.Array(Schema.Int),
  /** Milliseconds from sending to the end of the answer: of 200, and of 429. */
  good: Quantiles,
  refused: Quantiles
})
export type Sent = typeof Sent.Type
