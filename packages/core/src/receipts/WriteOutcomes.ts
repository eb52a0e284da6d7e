// Outcomes that all set-based writes share, with their public errors.
import { AccessDenied, IdempotencyKeyReused, NotFound, type QuotaExceeded } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { PreparedWrite } from "./Receipts.ts"

/** Nothing was written. `Refused` stands for the refusal of the prepared write. */
export type RefusedWrite =
  | { readonly _tag: "Forbidden" }
  | { readonly _tag: "NotFound" }
  | { readonly _tag: "KeyReused" }
  | { readonly _tag: "Refused" }

/** The key has a stored answer. */
export interface ReplayedWrite {
  readonly _tag: "Replayed"
  /** As JSON. */
  readonly answer: unknown
}

export const failedWrite = (
  { _tag }: RefusedWrite,
  { refusal }: Pick<PreparedWrite, "refusal">
): Effect.Effect<
  never,
  AccessDenied | NotFound | IdempotencyKeyReused | QuotaExceeded | SourceUnavailable
> => {
  switch (_tag) {
    case "Forbidden":
      return Effect.fail(new AccessDenied())
    case "NotFound":
      return Effect.fail(new NotFound())
    case "KeyReused":
      return Effect.fail(new IdempotencyKeyReused({}))
    case "Refused":
      return refusal === null ? Effect.die("refused without a reason") : Effect.fail(refusal)
  }
}
