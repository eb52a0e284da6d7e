// The use cases of tickets (contract §7).
import {
  Ticket,
  type TicketPatch,
  type TicketRequest,
  tickets as collection,
  type TicketStatus
} from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Violation } from "@rapport/contract/Errors.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { withoutEmpty } from "../receipts/CommandText.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { distinctIds, requireNoViolations, requireVersion, unknownAt } from "../receipts/Writes.ts"
import { changeTicket } from "./AppealChange.ts"
import {
  assignmentViolations,
  assumeUsable,
  closedAtViolations,
  draftViolations,
  noReferences,
  referencesIn,
  ticketDraft,
  type UsableReferences
} from "./AppealDraft.ts"
import { createdAppeal } from "./AppealCreation.ts"
import { requireClient, requireFit, requireHistory } from "./AppealRights.ts"
import { AppealStore, type AppealWrite } from "./AppealStore.ts"
import { ticketStatusUseCases } from "./TicketStatusList.ts"
import { changeOnce, exportUseCase, requireRecord, readUseCases } from "../lists/RecordUseCases.ts"

type Change = ChangeOf<TicketPatch>

/** InvalidRequest names every unusable record and an unknown status. */
export class Tickets extends Context.Service<Tickets>()("core/appeals/Tickets", {
  make: Effect.gen(function* () {
    const store = yield* AppealStore
    const receipts = yield* Receipts
    const pages = yield* Pages
    const listed = {
      name: "Tickets",
      collection,
      access: (session: AuthorizedSession) => Permissions.require(session, "tickets.read"),
      ...store.tickets
    }
    return {
      ...readUseCases(pages, listed),
      export: exportUseCase(pages, listed),

      create: create(store, receipts),
      update: update(store, receipts),
      statuses: ticketStatusUseCases(store, receipts)
    }
  })
}) {
  static readonly layer = Layer.effect(Tickets, Tickets.make)
}

type Store = AppealStore["Service"]

const create = (store: Store, receipts: Receipts["Service"]) =>
  Effect.fn("Tickets.create")(function* (
    session: AuthorizedSession,
    request: TicketRequest,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "tickets.manage")
    yield* requireHistory(session, request)
    const given = withoutEmpty(withSets(request), ["messages"])
    const content = { priority: "normal", tags: [], chatIds: [], customFields: {}, ...given }
    const command = { operation: "ticket.create", pathIds: [], content }
    const prepared = yield* receipts.prepare({ caller: session, command, key })
    const now = yield* Clock.currentTimeMillis
    const opening = { now, userId: session.userId, isOperator: writesAsOperator(session) }
    const records = referencesIn(request)
    const group = request.closedAt === undefined ? "new" : "done"
    for (;;) {
      const { statuses, version } = yield* store.ticketStatuses(session)
      const status =
        request.status === undefined ? firstOf(statuses, group) : findStatus(statuses, request.status)
      const violations = (known: UsableReferences) => [
        ...draftViolations(request, known, now),
        ...unknownStatus(statuses, request.status),
        ...closedAtViolations(request, status === undefined || status.group === "done")
      ]
      const drafted = status ?? firstOf(statuses, "new")
      if (drafted === undefined) return yield* Effect.die("an instance without ticket statuses")
      const write: AppealWrite = {
        draft: ticketDraft(request, drafted, opening),
        named: records,
        isValid: violations(assumeUsable(records)).length === 0,
        statusesVersion: version,
        prepared
      }
      const outcome = yield* store.tickets.create(session, write)
      // The statuses changed meanwhile, which is rare.
      if (outcome._tag === "StatusesChanged") continue
      return yield* createdAppeal(outcome, {
        caller: session,
        command,
        key,
        answer: Ticket,
        store,
        receipts,
        methods: store.tickets,
        write,
        violations
      })
    }
  }, orUnavailable)

const update = (store: Store, receipts: Receipts["Service"]) =>
  Effect.fn("Tickets.update")(function* (
    session: AuthorizedSession,
    id: number,
    expectedVersion: number,
    change: Change,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "tickets.manage")
    const normal = withSets(change)
    const { status, ...members } = normal
    const command = {
      operation: "ticket.update",
      pathIds: [id],
      content: { ...normal, expectedVersion }
    }
    // A replay also requires that the caller still sees the ticket.
    const allowed = requireRecord(store.tickets.find, session, id)
    const updated = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { statuses } = yield* store.lockTicketStatuses(session, "for use")
      const client = yield* requireClient(yield* store.lockClient(session, "ticket", id))
      const known = yield* checkReferences(store, session, client.id, change)
      return yield* store.tickets.update(session, id, (present) =>
        Effect.gen(function* () {
          yield* requireNoViolations(changeViolations(present, change, known, statuses))
          yield* requireVersion(present.version, expectedVersion)
          if (change.operatorId !== present.operatorId) yield* requireFit(known.operator, "ticket")
          const next = status === undefined ? undefined : findStatus(statuses, status)
          return yield* Effect.fromResult(changeTicket(present, members, next, now))
        })
      )
    })
    return yield* changeOnce(receipts, { caller: session, command, key, answer: Ticket, allowed }, updated)
  }, orUnavailable)

/** Other users and tokens open tickets in the client's name. */
const writesAsOperator = ({ roles, seesAsUser }: AuthorizedSession): boolean =>
  seesAsUser && roles.some((role) => role === "operator" || role === "supervisor")

/** Checks and locks the referenced records before the ticket. */
const checkReferences = (
  store: Store,
  session: AuthorizedSession,
  clientId: number,
  { chatIds, operatorId = null, subjectId = null }: Change
) =>
  store.checkReferences(session, {
    ...noReferences,
    subjectId,
    operatorId,
    ...(chatIds === undefined ? {} : { clientId, chatIds })
  })

/** Chats that the ticket already has are allowed, even if the caller cannot see them. */
const changeViolations = (
  ticket: Ticket,
  change: Change,
  known: UsableReferences,
  statuses: ReadonlyArray<TicketStatus>
): ReadonlyArray<Violation> => {
  const unknownChatIds = known.unknownChatIds.filter((id) => !ticket.chatIds.includes(id))
  return [
    ...assignmentViolations(change, known),
    ...unknownAt("chatIds", change.chatIds ?? [], unknownChatIds),
    ...unknownStatus(statuses, change.status)
  ]
}

const findStatus = (statuses: ReadonlyArray<TicketStatus>, name: string): TicketStatus | undefined =>
  statuses.find((status) => status.name === name)
/** New tickets begin with the first status of the group new. */
const firstOf = (
  statuses: ReadonlyArray<TicketStatus>,
  wanted: TicketStatus["group"]
): TicketStatus | undefined => statuses.find(({ group }) => group === wanted)

const unknownStatus = (
  statuses: ReadonlyArray<TicketStatus>,
  name: string | undefined
): ReadonlyArray<Violation> =>
  name === undefined || findStatus(statuses, name) !== undefined
    ? []
    : [{ path: "status", message: `must be one of ${statuses.map((status) => status.name).join(", ")}` }]

/** Distinct chats, so that equal sets are equal commands. */
const withSets = <R extends Pick<Change, "chatIds">>(request: R) => ({
  ...request,
  ...(request.chatIds === undefined ? {} : { chatIds: distinctIds(request.chatIds) })
})
