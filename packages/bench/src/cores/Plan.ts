// What a cheap load is asked to send, and what it says came of it.
import { Schema } from "effect"

export const Plan = Schema.Struct({
  origin: Schema.String,
  token: Schema.String,
  /** A name of compare/Reads.ts or compare/Writes.ts. */
  what: Schema.String,
  connections: Schema.Int,
  seconds: Schema.Finite
})

export const Sent = Schema.Struct({
  count: Schema.Int,
  seconds: Schema.Finite,
  /** Answers other than 200 and 201. */
  failures: Schema.Int,
  /** What the load took itself. */
  cpuSeconds: Schema.Finite,
  p50Millis: Schema.Finite,
  p95Millis: Schema.Finite
})
