// What is said on the wire of exporting and erasing everything about one client (contract §9, "Clients").
import { Schema } from "effect"
import { PositiveInt } from "../values/Ids.ts"
import { Time } from "../values/Time.ts"

/** How far the erasure of a client is. Times are epoch milliseconds inside. */
export const ClientErasure = Schema.Struct({
  clientId: PositiveInt,
  status: Schema.Literals(["running", "finished"]),
  /** Rows that were deleted or emptied so far. */
  erased: Schema.Int,
  requestedAt: Time,
  finishedAt: Schema.NullOr(Time)
}).annotate({ identifier: "ClientErasure" })
export type ClientErasure = typeof ClientErasure.Type
