// Converts the outcome of a created chat or ticket to its answer, and continues an imported one (contract §7).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { IdempotencyKeyReused, type Violation } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import type { OnceOptions, Receipts } from "../receipts/Receipts.ts"
import {
  firstResult,
  invalidRequest,
  requireNoViolations,
  unknownFiles,
  unknownRecord
} from "../receipts/Writes.ts"
import type { UsableReferences } from "./AppealDraft.ts"
import { requireClient, requireFit } from "./AppealRights.ts"
import type { AppealMethods, AppealOutcome, AppealStore, AppealWrite, UnknownFiles } from "./AppealStore.ts"

interface Creation<A, I> extends OnceOptions<A, I> {
  readonly caller: AuthorizedSession
  readonly store: AppealStore["Service"]
  readonly receipts: Receipts["Service"]
  readonly write: AppealWrite
  readonly methods: AppealMethods<A>
  readonly violations: (known: UsableReferences) => ReadonlyArray<Violation>
}

/** Invalid references fail with all violations, or because the operator may not answer the appeal. */
export const createdAppeal = Effect.fnUntraced(function* <A, I>(
  outcome: AppealOutcome<A>,
  creation: Creation<A, I>
) {
  const { violations, write } = creation
  const { draft, prepared } = write
  switch (outcome._tag) {
    case "Created":
      return firstResult(outcome.appeal)
    case "Replayed":
      return { answer: outcome.appeal, replayed: true }
    case "Known":
      return yield* continueImport(creation, outcome.id)
    case "UnknownFiles":
      return yield* unknownFilesError(outcome)
    case "NumberInUse":
      return yield* invalidRequest([{ path: "number", message: "is the number of another ticket" }])
    case "Invalid":
      yield* requireNoViolations(violations(outcome.known))
      if (draft.closedAt === null) yield* requireFit(outcome.known.operator, draft.kind)
      return yield* Effect.die("an appeal was refused without a reason")
    case "StatusesChanged":
      return yield* Effect.die("a chat has no ticket status")
    case "KeyReused":
      return yield* new IdempotencyKeyReused({})
    case "Refused":
      return yield* prepared.refusal ?? Effect.die("refused without a reason")
  }
})

const unknownFilesError = ({ places }: UnknownFiles) =>
  invalidRequest(places.map((place) => unknownFiles(`messages[${place}].attachments`)))

/** Adds what is new of an imported appeal. Its other members may have changed here, so they stay. */
const continueImport = <A, I>(creation: Creation<A, I>, id: number) => {
  const { caller, methods, receipts, store, violations, write } = creation
  const { draft, named } = write
  return receipts.once(creation, () =>
    Effect.gen(function* () {
      const locked = yield* store.lockClient(caller, draft.kind, id)
      if (locked === undefined) yield* requireNoViolations([unknownRecord("externalId")])
      const client = yield* requireClient(locked).pipe(Effect.catchTag("NotFound", Effect.die))
      const known = yield* store.checkReferences(caller, named)
      yield* requireNoViolations([
        ...violations(known),
        ...(known.clientId === null || known.clientId === client.id
          ? []
          : [{ path: "clientId", message: `must be the client of the ${draft.kind} with this externalId` }])
      ])
      yield* Effect.mapError(store.continueHistory(caller, id, draft), (error) =>
        error._tag === "UnknownFiles" ? unknownFilesError(error) : error
      )
      const answer = yield* methods.find(caller, id)
      return answer === undefined ? yield* Effect.die("a locked appeal vanished") : { answer, replayed: true }
    })
  )
}
