// The use cases of chats (contract §7).
import {
  Chat,
  type ChatPatch,
  type ChatRequest,
  chats as collection
} from "@rapport/contract/appeals/ChatsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { withoutEmpty } from "../receipts/CommandText.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { requireNoViolations, requireVersion } from "../receipts/Writes.ts"
import { changeChat, postponementViolations } from "./AppealChange.ts"
import {
  assignmentViolations,
  assumeUsable,
  chatDraft,
  closedAtViolations,
  draftViolations,
  noReferences,
  referencesIn,
  type UsableReferences
} from "./AppealDraft.ts"
import { createdAppeal } from "./AppealCreation.ts"
import { requireClient, requireFit, requireHistory } from "./AppealRights.ts"
import { AppealStore, type AppealWrite } from "./AppealStore.ts"
import { changeOnce, exportUseCase, requireRecord, readUseCases } from "../lists/RecordUseCases.ts"

type Change = ChangeOf<ChatPatch>

/** InvalidRequest names every unusable record and every time in the future. */
export class Chats extends Context.Service<Chats>()("core/appeals/Chats", {
  make: Effect.gen(function* () {
    const store = yield* AppealStore
    const receipts = yield* Receipts
    const pages = yield* Pages
    const listed = {
      name: "Chats",
      collection,
      access: (session: AuthorizedSession) => Permissions.require(session, "chats.read"),
      ...store.chats
    }
    return {
      ...readUseCases(pages, listed),
      export: exportUseCase(pages, listed),

      create: create(store, receipts),
      update: update(store, receipts)
    }
  })
}) {
  static readonly layer = Layer.effect(Chats, Chats.make)
}

type Store = AppealStore["Service"]

const create = (store: Store, receipts: Receipts["Service"]) =>
  Effect.fn("Chats.create")(function* (
    session: AuthorizedSession,
    request: ChatRequest,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "chats.manage")
    yield* requireHistory(session, request)
    const given = withoutEmpty(request, ["messages"])
    const content = { priority: "normal", tags: [], isOutgoing: false, customFields: {}, ...given }
    const command = { operation: "chat.create", pathIds: [], content }
    const prepared = yield* receipts.prepare({ caller: session, command, key })
    const now = yield* Clock.currentTimeMillis
    const records = referencesIn(request)
    const taker = takesIt(session) ? session.userId : null
    const violations = (known: UsableReferences) => chatViolations(request, known, now)
    const write: AppealWrite = {
      draft: chatDraft(request, { now, taker }),
      named: { ...records, operatorId: records.operatorId ?? taker },
      isValid: violations(assumeUsable(records)).length === 0,
      statusesVersion: null,
      prepared
    }
    return yield* createdAppeal(yield* store.chats.create(session, write), {
      caller: session,
      command,
      key,
      answer: Chat,
      store,
      receipts,
      methods: store.chats,
      write,
      violations
    })
  }, orUnavailable)

const update = (store: Store, receipts: Receipts["Service"]) =>
  Effect.fn("Chats.update")(function* (
    session: AuthorizedSession,
    id: number,
    expectedVersion: number,
    change: Change,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "chats.manage")
    const command = { operation: "chat.update", pathIds: [id], content: { ...change, expectedVersion } }
    const closedBy = session.seesAsUser ? session.userId : null
    // A replay also requires that the caller still sees the chat.
    const allowed = requireRecord(store.chats.find, session, id)
    const updated = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* requireClient(yield* store.lockClient(session, "chat", id))
      const operator = yield* check(store, session, change)
      return yield* store.chats.update(session, id, (present) =>
        Effect.gen(function* () {
          yield* requireVersion(present.version, expectedVersion)
          yield* requireNoViolations(postponementViolations(change, present.status, now))
          if (change.operatorId !== present.operatorId) yield* requireFit(operator, "chat")
          return yield* Effect.fromResult(changeChat(present, change, { closedBy, now }))
        })
      )
    })
    return yield* changeOnce(receipts, { caller: session, command, key, answer: Chat, allowed }, updated)
  }, orUnavailable)

const chatViolations = (request: ChatRequest, known: UsableReferences, now: number) => [
  ...draftViolations(request, known, now),
  ...closedAtViolations(request, (request.status ?? "closed") === "closed")
]

/** Checks and locks the referenced records before the chat. */
const check = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  { operatorId = null, subjectId = null }: Change
) {
  if (subjectId === null && operatorId === null) return null
  const known = yield* store.checkReferences(session, { ...noReferences, subjectId, operatorId })
  yield* requireNoViolations(assignmentViolations({ subjectId, operatorId }, known))
  return known.operator
})

/** An operator who opens a chat without an operator becomes its operator. */
const takesIt = ({ roles, seesAsUser }: AuthorizedSession): boolean =>
  seesAsUser && roles.includes("operator")
