// Converts the outcome of a created chat or ticket to its answer.
import type { Permission } from "@rapport/contract/Authorization.ts"
import { IdempotencyKeyReused, type Violation } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import type { PreparedWrite } from "../receipts/Receipts.ts"
import { fresh, refuse } from "../receipts/Writes.ts"
import type { UsableReferences } from "./AppealDraft.ts"
import { requireFit } from "./AppealRights.ts"
import type { AppealOutcome } from "./AppealStore.ts"

/** Invalid references fail with all violations, or because the operator may not answer the appeal. */
export const createdAppeal = Effect.fnUntraced(function* <A>(
  outcome: AppealOutcome<A>,
  prepared: PreparedWrite,
  violations: (known: UsableReferences) => ReadonlyArray<Violation>,
  permission: Permission
) {
  switch (outcome._tag) {
    case "Created":
      return fresh(outcome.appeal)
    case "Replayed":
      return { answer: outcome.appeal, replayed: true }
    case "Invalid":
      yield* refuse(violations(outcome.known))
      yield* requireFit(outcome.known.operator, permission)
      return yield* Effect.die("an appeal was refused without a reason")
    case "StatusesChanged":
      return yield* Effect.die("a chat has no ticket status")
    case "KeyReused":
      return yield* new IdempotencyKeyReused({})
    case "Refused":
      return yield* prepared.refusal ?? Effect.die("refused without a reason")
  }
})
