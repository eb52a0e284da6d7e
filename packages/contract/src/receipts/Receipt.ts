// The receipt of an idempotent write, stored in the transaction of its effect (contract §1.3).
import { Schema } from "effect"
import { UuidV7 } from "../values/Ids.ts"
import { Time } from "../values/Time.ts"

export const Receipt = Schema.Struct({
  id: UuidV7,
  operation: Schema.String,
  fingerprint: Schema.String.annotate({ description: "sha256: and the hash of the canonical command" }),
  committedAt: Time
}).annotate({
  identifier: "Receipt",
  description: "Proof of a write. A repeat returns the same receipt"
})
export type Receipt = typeof Receipt.Type
