// Tickets, whose statuses each instance defines (contract §7).
import { Predicate, Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AccessDenied, StateNotAllowed, StatusTransitionNotAllowed, VersionConflict } from "../Errors.ts"
import { Answers, HistoryBody } from "../http/RequestBody.ts"
import { pathId, PositiveInt, Version } from "../values/Ids.ts"
import { ifMatchHeaders } from "../values/IfMatch.ts"
import { BODY_BYTES_IMPORT_MAX, TICKET_STATUSES_MAX } from "../Limits.ts"
import type { Collection } from "../lists/Collection.ts"
import {
  emptiable,
  expectedVersion,
  FreeObject,
  IdList,
  listOf,
  LongText,
  ShortText,
  Tags
} from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { repetitionsIn, type Rules, withRules } from "../values/Checks.ts"
import { composedText } from "../values/NormalForm.ts"
import { Time } from "../values/Time.ts"
import {
  historyMembers,
  historyNames,
  historyRules,
  messageEndpoints,
  priorities,
  Priority,
  SearchCoverage
} from "./Appeal.ts"
import { appealIncludes, IncludedUser } from "./AppealIncludes.ts"
import { Chat } from "./ChatsApi.ts"
import { AuthorType } from "./AppealsApi.ts"
import { bulkAnswer, bulkRequest, bulkRoute, describeBulk } from "../lists/BulkChanges.ts"
import {
  updateRoute,
  createRoute,
  describeExport,
  exportRoute,
  getRoute,
  listRoute,
  createErrors
} from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

export const statusGroups = ["new", "open", "waiting", "done"] as const
export const StatusGroup = Schema.Literals(statusGroups)
export type StatusGroup = typeof StatusGroup.Type

/** Times are epoch milliseconds in the program. `number` ascends within the instance. */
export const Ticket = Schema.Struct({
  id: PositiveInt,
  number: PositiveInt,
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  clientId: PositiveInt,
  authorType: AuthorType.annotate({ description: "Who wrote title and description" }),
  authorId: Schema.NullOr(PositiveInt).annotate({
    description: "The operator who wrote title and description, else the user who created the ticket"
  }),
  operatorId: Schema.NullOr(PositiveInt),
  subjectId: Schema.NullOr(PositiveInt),
  skillGroupIds: Schema.Array(PositiveInt),
  status: Schema.String,
  statusPosition: Schema.Int,
  statusGroup: StatusGroup,
  priority: Priority,
  channel: Schema.NullOr(Schema.String),
  searchCoverage: SearchCoverage,
  chatIds: Schema.Array(PositiveInt),
  customFields: Schema.Record(Schema.String, Schema.Unknown),
  tags: Schema.Array(Schema.String),
  dueAt: Schema.NullOr(Time),
  createdAt: Time,
  updatedAt: Time,
  closedAt: Schema.NullOr(Time),
  externalId: Schema.NullOr(Schema.String),
  source: Schema.NullOr(Schema.String),
  version: Version
}).annotate({ identifier: "Ticket" })
export type Ticket = typeof Ticket.Type

const ListedTicket = Schema.Struct({
  ...Ticket.fields,
  ...appealIncludes,
  author: Schema.optionalKey(IncludedUser),
  chats: Schema.optionalKey(
    Schema.Array(
      Schema.Struct(Struct.pick(Chat.fields, ["id", "status", "channel", "createdAt", "closedAt"])).annotate({
        identifier: "IncludedChat"
      })
    )
  )
}).annotate({ identifier: "ListedTicket" })

/** authorId needs authorType. Only clients and operators have an id. */
const ticketRules: Rules = (request) => [
  ...historyRules(request),
  ...(request["authorId"] === undefined || request["authorType"] !== undefined
    ? []
    : [{ path: "authorType", message: "is required with authorId" }]),
  ...(request["authorId"] !== undefined &&
  (request["authorType"] === "bot" || request["authorType"] === "system")
    ? [{ path: "authorId", message: "is allowed only for authorType client or operator" }]
    : [])
]

export const TicketRequest = withRules(ticketRules)(
  Schema.Struct({
    clientId: PositiveInt,
    title: ShortText,
    description: Schema.optionalKey(LongText),
    subjectId: Schema.optionalKey(PositiveInt),
    operatorId: Schema.optionalKey(PositiveInt),
    priority: Schema.optionalKey(Priority),
    channel: Schema.optionalKey(ShortText),
    chatIds: Schema.optionalKey(IdList),
    customFields: Schema.optionalKey(FreeObject),
    tags: Schema.optionalKey(Tags),
    dueAt: Schema.optionalKey(Time),
    status: Schema.optionalKey(ShortText),
    number: Schema.optionalKey(PositiveInt),
    authorType: Schema.optionalKey(AuthorType),
    authorId: Schema.optionalKey(PositiveInt),
    ...historyMembers
  })
).annotate({
  identifier: "TicketRequest",
  examples: [{ clientId: 501, title: "The router restarts", subjectId: 12, priority: "high" }]
})
export type TicketRequest = typeof TicketRequest.Type

export const TicketPatch = Schema.Struct({
  expectedVersion,
  status: Schema.optionalKey(ShortText),
  subjectId: emptiable(PositiveInt),
  operatorId: emptiable(PositiveInt),
  priority: Schema.optionalKey(Priority),
  title: Schema.optionalKey(ShortText),
  description: emptiable(LongText),
  chatIds: Schema.optionalKey(IdList),
  customFields: Schema.optionalKey(FreeObject),
  tags: Schema.optionalKey(Tags),
  dueAt: emptiable(Time)
}).annotate({ identifier: "TicketPatch", examples: [{ expectedVersion: 1, status: "resolved" }] })
export type TicketPatch = typeof TicketPatch.Type

const TicketsChange = bulkRequest(
  Struct.omit(TicketPatch.fields, ["expectedVersion"]),
  "TicketChange"
).annotate({
  identifier: "TicketsChange",
  examples: [{ changes: [{ id: 9001, expectedVersion: 1, status: "resolved", priority: "low" }] }]
})
export type TicketChange = (typeof TicketsChange.Type)["changes"][number]

export const CreatedTicket = Schema.Struct({ replayed: Schema.Boolean, ticket: Ticket }).annotate({
  identifier: "CreatedTicket"
})

export const tickets: Collection = {
  name: "tickets",
  fields: {
    id: "id",
    number: "id",
    status: "text",
    statusGroup: { values: statusGroups },
    operatorId: "id",
    authorId: "id",
    skillGroupId: "ids",
    subjectId: "id",
    clientId: "id",
    channel: "text",
    priority: { values: priorities },
    tags: "texts",
    customFields: "pairs",
    dueAt: "time",
    externalId: "text",
    source: "text",
    createdAt: "time",
    updatedAt: "time",
    closedAt: "time"
  },
  members: Object.keys(Ticket.fields),
  includes: ["client", "operator", "subject", "skillGroups", "author", "chats"],
  searched: true
}

export const TicketStatus = Schema.Struct({
  name: ShortText,
  position: PositiveInt,
  group: StatusGroup
}).annotate({ identifier: "TicketStatus" })
export type TicketStatus = typeof TicketStatus.Type

/** Ordered by position. Tickets only move forward. */
export const TicketStatuses = Schema.Struct({
  statuses: Schema.Array(TicketStatus),
  version: Version
}).annotate({ identifier: "TicketStatuses" })
export type TicketStatuses = typeof TicketStatuses.Type

const storedValue = (value: unknown): unknown => (typeof value === "string" ? composedText(value) : value)

/** Names and positions are unique, with at least one new and one done status. */
const statusRules: Rules = (body) => {
  const { statuses } = body
  if (!Array.isArray(statuses)) return []
  const repetitionsOf = (member: "name" | "position") =>
    repetitionsIn(body, "statuses", member, "must be unique", (status) => storedValue(status[member]))
  const missing = (["new", "done"] as const).filter(
    (group) => !statuses.some((status) => Predicate.hasProperty(status, "group") && status.group === group)
  )
  return [
    ...repetitionsOf("name"),
    ...repetitionsOf("position"),
    ...missing.map((group) => ({ path: "statuses", message: `must have a status of the group ${group}` }))
  ]
}

export const TicketStatusesRequest = withRules(statusRules)(
  Schema.Struct({
    expectedVersion,
    statuses: listOf(TicketStatus, TICKET_STATUSES_MAX)
  })
).annotate({
  identifier: "TicketStatusesRequest",
  examples: [
    {
      expectedVersion: 1,
      statuses: [
        { name: "new", position: 1, group: "new" },
        { name: "closed", position: 2, group: "done" }
      ]
    }
  ]
})
export type TicketStatusesRequest = typeof TicketStatusesRequest.Type

const root = "/kw/api/v1/Ticket"
const params = { id: pathId(9001) }

export class TicketsApi extends HttpApiGroup.make("tickets")
  .add(
    HttpApiEndpoint.get("listTickets", `${root}/list`, listRoute(tickets, ListedTicket, "TicketList")).pipe(
      operation(
        "List tickets",
        "Visible tickets, newest first. A ticket with more than 1000 messages has a warning. Requires tickets.read."
      )
    ),
    HttpApiEndpoint.get("exportTickets", `${root}/export`, exportRoute(tickets))
      .annotate(Answers, ["text/csv"])
      .pipe(operation("Export tickets as CSV", `${describeExport("tickets")} Requires tickets.read.`)),
    HttpApiEndpoint.get("getTicket", `${root}/:id`, getRoute(params, Ticket)).pipe(
      operation("Get a ticket", "The ETag is the version. Requires tickets.read.")
    ),
    HttpApiEndpoint.post("createTicket", root, createRoute(TicketRequest, CreatedTicket, StateNotAllowed))
      .annotate(HistoryBody, { members: historyNames, bytesMax: BODY_BYTES_IMPORT_MAX })
      .pipe(
        operation(
          "Create a ticket",
          "`createdAt`, `closedAt`, `status` and `messages` import a history and also require appeals.import. A repeat with the same `source` and `externalId` adds the new messages, and answers 200 with replayed true. Requires tickets.manage."
        )
      ),
    HttpApiEndpoint.patch(
      "updateTicket",
      `${root}/:id`,
      updateRoute(params, TicketPatch, Ticket, StateNotAllowed, StatusTransitionNotAllowed)
    ).pipe(
      operation(
        "Update a ticket",
        "The status moves only forward by position, and may skip positions. Requires tickets.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.patch(
      "updateTickets",
      root,
      bulkRoute(TicketsChange, bulkAnswer(Ticket, "TicketChange"))
    ).pipe(operation("Update many tickets", describeBulk("ticket"))),
    ...messageEndpoints("Ticket", "Ticket"),
    HttpApiEndpoint.get("getTicketStatuses", "/kw/api/v1/ticket-statuses", {
      success: TicketStatuses,
      error: AccessDenied
    }).pipe(operation("Get the ticket statuses", "Ordered by position. Requires tickets.read.")),
    HttpApiEndpoint.put("setTicketStatuses", "/kw/api/v1/ticket-statuses", {
      headers: { ...idempotencyHeaders, ...ifMatchHeaders },
      payload: TicketStatusesRequest,
      success: TicketStatuses,
      error: [StateNotAllowed, VersionConflict, ...createErrors]
    }).pipe(
      operation(
        "Set the ticket statuses",
        "Replaces all statuses. A status in use cannot be removed. Requires directory.manage, and expectedVersion or If-Match."
      )
    )
  )
  .pipe(withSession("Tickets", "Enquiries with a status and a due date.")) {}
