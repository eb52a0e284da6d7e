// Tickets: open, read, list and change them, histories included (docs/contract.md §7).
import { AuthorType } from "@rapport/contract/appeals/AppealsApi.ts"
import { SearchCoverage } from "@rapport/contract/appeals/Appeal.ts"
import {
  Ticket,
  type TicketPatch,
  type TicketRequest,
  tickets as collection,
  type TicketStatus
} from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type InvalidRequest,
  NotFound,
  type StateNotAllowed,
  type StatusTransitionNotAllowed,
  type Violation
} from "@rapport/contract/Errors.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, Creating, Reading, Updating } from "../lists/Records.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { withoutEmpty } from "../receipts/CommandText.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { fresh, distinctIds, refuse, requireVersion, unknownAt, unknownRecord } from "../receipts/Writes.ts"
import { ticketChanged } from "./AppealChange.ts"
import { closedAtViolations, draftViolations, type Known, namedIn, ticketDraft } from "./AppealDraft.ts"
import { requireClient, requireFit, requireHistory } from "./AppealRights.ts"
import { AppealStore } from "./AppealStore.ts"
import { found, reading } from "../lists/RecordUseCases.ts"

type Change = ChangeOf<TicketPatch>

/** A ticket as receipts keep it: those of versions before lack members, which nearly always had these values. */
const KeptTicket = Schema.Struct({
  ...Ticket.fields,
  authorType: AuthorType.pipe(Schema.withDecodingDefaultKey(Effect.succeed("client" as const))),
  searchCoverage: SearchCoverage.pipe(Schema.withDecodingDefaultKey(Effect.succeed("complete" as const)))
})

/** InvalidRequest names every record that is not the caller's to use, and a status that there is not. */
export class Tickets extends Context.Service<
  Tickets,
  Reading<Ticket> &
    Creating<TicketRequest, Ticket, InvalidRequest | StateNotAllowed> &
    Updating<TicketPatch, Ticket, InvalidRequest | StateNotAllowed | StatusTransitionNotAllowed>
>()("core/appeals/Tickets") {
  static readonly layer = Layer.effect(
    Tickets,
    Effect.gen(function* () {
      const store = yield* AppealStore
      const receipts = yield* Receipts
      const pages = yield* Pages
      return Tickets.of({
        ...reading(pages, {
          name: "Tickets",
          collection,
          access: (session) => Permissions.require(session, "tickets.read"),
          list: store.listTickets,
          find: store.findTicket
        }),

        create: Effect.fn("Tickets.create")(function* (session, request, key) {
          yield* Permissions.require(session, "tickets.manage")
          yield* requireHistory(session, request)
          const normal = withSets(request)
          const given = withoutEmpty(normal, ["messages"])
          const content = { priority: "normal", tags: [], chatIds: [], customFields: {}, ...given }
          const command = { operation: "ticket.create", pathIds: [], content }
          return yield* receipts.once({ caller: session, command, key, answer: KeptTicket }, () =>
            Effect.map(open(store, session, request), fresh)
          )
        }, orUnavailable),

        update: Effect.fn("Tickets.update")(function* (session, id, expectedVersion, change, key) {
          yield* Permissions.require(session, "tickets.manage")
          // A replay too is for those alone who see the ticket still.
          if (key !== null) yield* found(store.findTicket, session, id)
          const normal = withSets(change)
          const { status, ...members } = normal
          const command = {
            operation: "ticket.update",
            pathIds: [id],
            content: { ...normal, expectedVersion }
          }
          return yield* receipts.once({ caller: session, command, key, answer: KeptTicket }, () =>
            Effect.gen(function* () {
              const now = yield* Clock.currentTimeMillis
              const { statuses } = yield* store.lockTicketStatuses(session, "for use")
              const client = yield* requireClient(yield* store.lockClient(session, "ticket", id))
              const known = yield* lookAt(store, session, client.id, change)
              const updated = yield* store.updateTicket(session, id, (found) =>
                Effect.gen(function* () {
                  yield* refuse(changeViolations(found, change, known, statuses))
                  yield* requireVersion(found.version, expectedVersion)
                  if (change.operatorId !== found.operatorId)
                    yield* requireFit(known.operator, "tickets.manage")
                  const next = status === undefined ? undefined : named(statuses, status)
                  return yield* Effect.fromResult(
                    ticketChanged(found, members, next, { closedBy: null, now })
                  )
                })
              )
              return fresh(updated ?? (yield* new NotFound()))
            })
          )
        }, orUnavailable)
      })
    })
  )
}

type Store = AppealStore["Service"]

/** What other users and tokens open is in the words of the client. */
const writesAsOperator = ({ roles, tokenId }: AuthorizedSession): boolean =>
  tokenId === null && roles.some((role) => role === "operator" || role === "supervisor")

const open = Effect.fnUntraced(function* (store: Store, session: AuthorizedSession, request: TicketRequest) {
  const now = yield* Clock.currentTimeMillis
  const { statuses } = yield* store.lockTicketStatuses(session, "for use")
  const known = yield* store.look(session, namedIn(request))
  const group = request.closedAt === undefined ? "new" : "done"
  const status = request.status === undefined ? firstOf(statuses, group) : named(statuses, request.status)
  yield* refuse([
    ...draftViolations(request, known, now),
    ...unknownStatus(statuses, request.status),
    ...closedAtViolations(request, status === undefined || status.group === "done")
  ])
  if (status === undefined) return yield* Effect.die("an instance without ticket statuses")
  yield* requireFit(known.operator, "tickets.manage")
  const opening = {
    clientId: known.clientId ?? request.clientId,
    now,
    userId: session.userId,
    takesIt: false,
    isOperator: writesAsOperator(session)
  }
  return yield* store.createTicket(session, ticketDraft(request, status, opening))
})

/** What the change names, locked before the ticket. */
const lookAt = (store: Store, session: AuthorizedSession, clientId: number, change: Change) =>
  store.look(session, {
    clientId: change.chatIds === undefined ? null : clientId,
    subjectId: change.subjectId ?? null,
    operatorId: change.operatorId ?? null,
    authorIds: [],
    clientAuthorIds: [],
    chatIds: change.chatIds ?? [],
    botIds: []
  })

/** Chats that the ticket has already may be named whoever sees them. */
const changeViolations = (
  ticket: Ticket,
  { chatIds = [], operatorId = null, status, subjectId = null }: Change,
  known: Known,
  statuses: ReadonlyArray<TicketStatus>
): ReadonlyArray<Violation> => {
  const unknownChatIds = known.unknownChatIds.filter((id) => !ticket.chatIds.includes(id))
  return [
    ...(subjectId !== null && !known.subject ? [unknownRecord("subjectId")] : []),
    ...(operatorId !== null && known.operator === undefined ? [unknownRecord("operatorId")] : []),
    ...unknownAt("chatIds", chatIds, unknownChatIds),
    ...unknownStatus(statuses, status)
  ]
}

const named = (statuses: ReadonlyArray<TicketStatus>, name: string): TicketStatus | undefined =>
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
  name === undefined || named(statuses, name) !== undefined
    ? []
    : [{ path: "status", message: `must be one of ${statuses.map((status) => status.name).join(", ")}` }]

/** Each chat once, so that equal sets are equal commands. */
const withSets = <R extends Pick<Change, "chatIds">>(request: R) => ({
  ...request,
  ...(request.chatIds === undefined ? {} : { chatIds: distinctIds(request.chatIds) })
})
