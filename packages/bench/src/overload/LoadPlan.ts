// The argument of a load process.
import { Schema } from "effect"

const Request = Schema.Struct({
  url: Schema.String,
  method: Schema.Literals(["GET", "POST"]),
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String
})

export const LoadPlan = Schema.Struct({
  /** Sent round-robin. */
  requests: Schema.NonEmptyArray(Request),
  seconds: Schema.Finite,
  connections: Schema.Int,
  /** Without it the load is closed: each connection sends again as soon as it has its answer. */
  perSecond: Schema.optionalKey(Schema.Finite)
})
export type LoadPlan = typeof LoadPlan.Type
