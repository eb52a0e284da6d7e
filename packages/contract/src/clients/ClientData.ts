// Export and erasure of the personal data of a client (contract §9, "Clients").
import { Schema } from "effect"
import { PositiveInt } from "../values/Ids.ts"
import { Time } from "../values/Time.ts"

/** The progress of an erasure. Times are epoch milliseconds in the program. */
export const ClientErasure = Schema.Struct({
  clientId: PositiveInt,
  status: Schema.Literals(["running", "finished"]),
  /** Rows deleted or emptied so far. */
  erased: Schema.Int,
  requestedAt: Time,
  finishedAt: Schema.NullOr(Time)
}).annotate({ identifier: "ClientErasure" })
export type ClientErasure = typeof ClientErasure.Type
