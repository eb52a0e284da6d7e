// The use cases of assessments (contract §9.4).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied, NotFound, StateNotAllowed, type Violation } from "@rapport/contract/Errors.ts"
import {
  Assessment,
  type AssessmentRequest,
  assessments as collection,
  type ResultPatch
} from "@rapport/contract/quality/Assessment.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import {
  firstResult,
  applyPatch,
  requireNoViolations,
  requireVersion,
  unknownRecord
} from "../receipts/Writes.ts"
import { type Assessable, AssessmentStore } from "./AssessmentStore.ts"
import { isOpen, needsComment, resultOf, scoreOf, statusAfter, type AssessmentStep } from "./Scoring.ts"
import { changeOnce, readUseCases, requireRecord } from "../lists/RecordUseCases.ts"

export class Assessments extends Context.Service<Assessments>()("core/quality/Assessments", {
  make: Effect.gen(function* () {
    const store = yield* AssessmentStore
    const receipts = yield* Receipts
    const pages = yield* Pages

    return {
      ...changes(store, receipts),
      ...readUseCases(pages, {
        name: "Assessments",
        collection,
        access: (session) => Permissions.require(session, "quality.read"),
        list: store.list,
        find: store.find
      }),

      create: Effect.fn("Assessments.create")(function* (
        session: AuthorizedSession,
        request: AssessmentRequest,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "quality.assess")
        const { appealId, automatic = [], checklistId } = request
        const content = { appealId, checklistId, automatic: automatic.toSorted(byCriterion) }
        const command = { operation: "assessment.create", pathIds: [], content }
        return yield* receipts.once({ caller: session, command, key, answer: Assessment }, () =>
          Effect.gen(function* () {
            const { appeal, checklist } = yield* store.readAssessable(session, appealId, checklistId)
            yield* requireNoViolations(draftViolations(request, { appeal, checklist }))
            if (appeal === undefined || checklist === undefined) return yield* new NotFound()
            if (!appeal.closed) return yield* new StateNotAllowed({ detail: "the appeal is not closed" })
            if (!checklist.active)
              return yield* new StateNotAllowed({ detail: "the checklist is not active" })
            const criteria = checklist.criteria.map((criterion) => ({
              ...criterion,
              automatic:
                automatic.find(({ criterionId }) => criterionId === criterion.criterionId)?.result ?? null
            }))
            const draft = { appealId, checklistId, operatorId: appeal.operatorId, criteria }
            const made = { ...draft, checklistVersion: checklist.version, score: scoreOf(criteria) }
            return firstResult(yield* store.create(session, made))
          }).pipe(Effect.catchTag("NotFound", (error) => Effect.die(error)))
        )
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Assessments, Assessments.make)
}

type Store = AssessmentStore["Service"]

const changes = (store: Store, receipts: Receipts["Service"]) => ({
  /** Sets the human result of one criterion. */
  setResult: Effect.fn("Assessments.setResult")(function* (
    session: AuthorizedSession,
    ids: { readonly id: number; readonly criterionId: number },
    expectedVersion: number,
    change: ChangeOf<ResultPatch>,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "quality.assess")
    const { criterionId, id } = ids
    const content = { ...change, expectedVersion }
    const command = { operation: "assessment.judge", pathIds: [id, criterionId], content }
    const allowed = requireRecord(store.find, session, id)
    const updated = store.update(session, id, { kind: "result", criterionId }, (found) =>
      withResult(found, criterionId, expectedVersion, change)
    )
    return yield* changeOnce(
      receipts,
      { caller: session, command, key, answer: Assessment, allowed },
      updated
    )
  }, orUnavailable),

  take: Effect.fn("Assessments.take")(function* (
    session: AuthorizedSession,
    id: number,
    step: AssessmentStep,
    comment: string | null,
    key: IdempotencyKey
  ) {
    if (step !== "dispute" || !(yield* isOwn(store, session, id))) yield* requireRight(session, step)
    const command = { operation: `assessment.${step}`, pathIds: [id], content: { comment } }
    const allowed = requireRecord(store.find, session, id)
    const updated = store.update(session, id, { kind: step, comment }, (found) =>
      takeStep(session, found, step)
    )
    return yield* changeOnce(
      receipts,
      { caller: session, command, key, answer: Assessment, allowed },
      updated
    )
  }, orUnavailable)
})

const byCriterion = (a: { readonly criterionId: number }, b: { readonly criterionId: number }): number =>
  a.criterionId - b.criterionId

/** Unknown records, and results of criteria that the checklist lacks or that are given twice. */
const draftViolations = (
  { automatic = [] }: AssessmentRequest,
  { appeal, checklist }: Assessable
): ReadonlyArray<Violation> => [
  ...(appeal === undefined ? [unknownRecord("appealId")] : []),
  ...(checklist === undefined ? [unknownRecord("checklistId")] : []),
  ...automatic.flatMap(({ criterionId }, place): ReadonlyArray<Violation> => {
    const path = `automatic[${place}].criterionId`
    if (automatic.findIndex((other) => other.criterionId === criterionId) < place)
      return [{ path, message: "is named twice" }]
    return checklist === undefined || checklist.criteria.some((known) => known.criterionId === criterionId)
      ? []
      : [{ path, message: "must be a criterion of the checklist" }]
  })
]

const withResult = Effect.fnUntraced(function* (
  found: Assessment,
  criterionId: number,
  expectedVersion: number,
  change: ChangeOf<ResultPatch>
) {
  const criterion = found.criteria.find((known) => known.criterionId === criterionId)
  if (criterion === undefined) return yield* new NotFound()
  const comment = change.comment === undefined ? criterion.comment : change.comment
  yield* requireNoViolations(
    needsComment(criterion.automatic, change.result, comment)
      ? [{ path: "comment", message: "is required where the result differs from the automatic one" }]
      : []
  )
  yield* requireVersion(found.version, expectedVersion)
  if (!isOpen(found.status))
    return yield* new StateNotAllowed({
      detail: `results of an assessment that is ${found.status} cannot change`
    })
  const criteria = found.criteria.map((known) =>
    known === criterion ? { ...known, human: change.result, comment } : known
  )
  return applyPatch(found, { criteria, score: scoreOf(criteria) })
})

const mayManage = (session: AuthorizedSession): boolean => session.permissions.has("quality.manage")

/** Whether the caller sees the assessment and is the assessed user, in any role. */
const isOwn = (store: Store, session: AuthorizedSession, id: number) =>
  session.seesAsUser && session.permissions.has("quality.read")
    ? Effect.map(store.find(session, id), (found) => found?.operatorId === session.userId)
    : Effect.succeed(false)

/** The right to a step of another user's assessment. Operators get 404 for assessments that they do not see. */
const requireRight = (
  session: AuthorizedSession,
  step: AssessmentStep
): Effect.Effect<void, AccessDenied> => {
  if (step === "approve") return Permissions.require(session, "quality.assess")
  const isOperator = session.seesAsUser && session.roles.includes("operator")
  return step === "dispute" && isOperator
    ? Permissions.require(session, "quality.read")
    : Permissions.require(session, "quality.manage")
}

const takeStep = Effect.fnUntraced(function* (
  session: AuthorizedSession,
  found: Assessment,
  step: AssessmentStep
) {
  if (step === "dispute" && !mayManage(session) && found.operatorId !== session.userId)
    return yield* new AccessDenied({ detail: "only the user who was assessed disputes it" })
  const status = statusAfter(found.status, step)
  if (status === undefined)
    return yield* new StateNotAllowed({ detail: `${step} does not follow ${found.status}` })
  if (step === "approve" && found.criteria.some((criterion) => resultOf(criterion) === null))
    return yield* new StateNotAllowed({ detail: "every criterion needs a result" })
  const now = yield* Clock.currentTimeMillis
  const approvedAt = step === "approve" ? now : step === "reopen" ? null : found.approvedAt
  return { ...found, status, approvedAt }
})
