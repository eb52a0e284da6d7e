// Converts the outcome of a created chat or ticket to its answer.
import type { Permission } from "@rapport/contract/Authorization.ts"
import {
  IdempotencyKeyReused,
  type InvalidRequest,
  type StateNotAllowed,
  type Violation
} from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import type { Effected } from "../receipts/Receipts.ts"
import { fresh, refuse } from "../receipts/Writes.ts"
import type { UsableReferences } from "./AppealDraft.ts"
import { requireFit } from "./AppealRights.ts"
import type { AppealOutcome } from "./AppealStore.ts"

/** A refusal fails with all violations, or because the operator may not answer the appeal. */
export const createdAppeal: <A>(
  outcome: AppealOutcome<A>,
  violations: (known: UsableReferences) => ReadonlyArray<Violation>,
  permission: Permission
) => Effect.Effect<Effected<A>, IdempotencyKeyReused | InvalidRequest | StateNotAllowed> = Effect.fnUntraced(
  function* (outcome, violations, permission) {
    switch (outcome._tag) {
      case "Created":
        return fresh(outcome.appeal)
      case "Replayed":
        return { answer: outcome.appeal, replayed: true }
      case "KeyReused":
        return yield* new IdempotencyKeyReused({})
      case "Refused":
        yield* refuse(violations(outcome.known))
        yield* requireFit(outcome.known.operator, permission)
        return yield* Effect.die("an appeal was refused without a reason")
      case "StatusesChanged":
        return yield* Effect.die("a chat has no ticket status")
    }
  }
)
