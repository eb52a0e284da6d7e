// Outcomes that all set-based writes share, with their public errors.
import { AccessDenied, IdempotencyKeyReused, NotFound } from "@rapport/contract/Errors.ts"
import { Effect, Schema } from "effect"
import type { OnceResult, PreparedWrite } from "./Receipts.ts"

/** Nothing was written. `Refused` stands for the refusal of the prepared write. */
export interface RefusedWrite {
  readonly _tag: "Forbidden" | "NotFound" | "KeyReused" | "Refused"
}

/** The key has a stored answer. */
export interface ReplayedWrite {
  readonly _tag: "Replayed"
  /** As JSON. */
  readonly answer: unknown
}

export const replayedAnswer = <A, I>(codec: Schema.Codec<A, I>, { answer }: ReplayedWrite) =>
  Schema.decodeUnknownEffect(Schema.toCodecJson(codec))(answer).pipe(
    Effect.orDie,
    Effect.map((decoded): OnceResult<A> => ({ answer: decoded, replayed: true }))
  )

export const failedWrite = Effect.fnUntraced(function* (
  { _tag }: RefusedWrite,
  { refusal }: Pick<PreparedWrite, "refusal">
) {
  switch (_tag) {
    case "Forbidden":
      return yield* new AccessDenied()
    case "NotFound":
      return yield* new NotFound()
    case "KeyReused":
      return yield* new IdempotencyKeyReused({})
    case "Refused":
      return yield* refusal ?? Effect.die("refused without a reason")
  }
})
