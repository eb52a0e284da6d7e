// Builds a new chat or ticket from a request (contract §7); pure.
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { HistoryMessage } from "@rapport/contract/appeals/Appeal.ts"
import type { Chat, ChatPatch, ChatRequest, ChatStatus } from "@rapport/contract/appeals/ChatsApi.ts"
import type {
  StatusGroup,
  Ticket,
  TicketRequest,
  TicketStatus
} from "@rapport/contract/appeals/TicketsApi.ts"
import type { Violation } from "@rapport/contract/Errors.ts"
import { distinctIds, unknownAt, unknownRecord } from "../receipts/Writes.ts"
import { answeringAfter, addParticipants, initialAnswering } from "./Answering.ts"

export interface MessageDraft {
  readonly authorType: HistoryMessage["authorType"]
  readonly authorId: number | null
  /** Empty for a message that has only files. */
  readonly text: string
  /** Files of the caller that no message has. */
  readonly attachmentIds: ReadonlyArray<string>
  readonly occurredAt: number
  readonly externalMessageId: string | null
  readonly visibility: AppealMessage["visibility"]
}

type TicketMembers = Omit<
  Ticket,
  "id" | "number" | "searchCoverage" | "skillGroupIds" | "statusPosition" | "title" | "updatedAt" | "version"
>
type ChatMembers = Pick<
  Chat,
  | "botId"
  | "chatId"
  | "closedBy"
  | "comment"
  | "firstResponseAt"
  | "isOutgoing"
  | "operatorIds"
  | "waitingSince"
>

/** The members of tickets and chats; null or empty if only the other kind has them. Times are epoch milliseconds. */
export interface AppealDraft extends TicketMembers, ChatMembers {
  readonly kind: "chat" | "ticket"
  readonly title: string | null
  /** The number of an imported ticket; null: the next one. */
  readonly number: number | null
  /** When the appeal is stored; also `recordedAt` of the messages of a history. */
  readonly recordedAt: number
  readonly messages: ReadonlyArray<MessageDraft>
}

/** The records that a request references. */
export interface AppealReferences {
  readonly clientId: number | null
  readonly subjectId: number | null
  readonly operatorId: number | null
  readonly authorIds: ReadonlyArray<number>
  /** Client ids of messages that differ from `clientId`. */
  readonly clientAuthorIds: ReadonlyArray<number>
  readonly chatIds: ReadonlyArray<number>
  /** Bots of the chat and of messages. */
  readonly botIds: ReadonlyArray<number>
}

export const noReferences: AppealReferences = {
  clientId: null,
  subjectId: null,
  operatorId: null,
  authorIds: [],
  clientAuthorIds: [],
  chatIds: [],
  botIds: []
}

/** The referenced records as the caller may use them. */
export interface UsableReferences {
  /** Null: no such client for the caller. */
  readonly clientId: number | null
  readonly subject: boolean
  /** Null: no such user. */
  readonly operator: { readonly active: boolean; readonly roles: ReadonlyArray<string> } | null
  readonly unknownAuthorIds: ReadonlyArray<number>
  /** The `clientAuthorIds` that are not the client. */
  readonly otherClientIds: ReadonlyArray<number>
  /** Chats of other clients, or not visible to the caller. */
  readonly unknownChatIds: ReadonlyArray<number>
  readonly unknownBotIds: ReadonlyArray<number>
}

/** Assumes that the caller may use everything that the request references. */
export const assumeUsable = ({ clientId }: AppealReferences): UsableReferences => ({
  clientId,
  subject: true,
  operator: { active: true, roles: [] },
  unknownAuthorIds: [],
  otherClientIds: [],
  unknownChatIds: [],
  unknownBotIds: []
})

export const chatGroup: Readonly<Record<ChatStatus, StatusGroup>> = {
  waiting: "new",
  active: "open",
  postponed: "waiting",
  closed: "done"
}

type Request = Pick<ChatRequest, "clientId"> &
  Partial<Omit<ChatRequest & TicketRequest, "clientId" | "status">>
const messagesOf = (request: Request): ReadonlyArray<HistoryMessage> => request.messages ?? []

/** Characters of messages in one statement; a longer history takes several. */
const MESSAGE_CHARACTERS_BATCH = 256 * 1024

/** Slices of messages, each for one statement. */
export const slicesOf = <A extends { readonly text: string }>(
  messages: ReadonlyArray<A>
): ReadonlyArray<ReadonlyArray<A>> => {
  const slices: Array<Array<A>> = []
  let characters = Infinity
  for (const message of messages) {
    characters += message.text.length
    if (characters > MESSAGE_CHARACTERS_BATCH) {
      slices.push([])
      characters = message.text.length
    }
    slices.at(-1)?.push(message)
  }
  return slices
}

export const referencesIn = (request: Request): AppealReferences => {
  // The author of the ticket itself, and those of its messages.
  const authors: ReadonlyArray<Pick<Request, "authorId" | "authorType">> = [request, ...messagesOf(request)]
  const idsOf = (type: HistoryMessage["authorType"], of = authors) =>
    of.flatMap(({ authorId, authorType }) => (authorType === type ? (authorId ?? []) : []))
  return {
    clientId: request.clientId,
    subjectId: request.subjectId ?? null,
    operatorId: request.operatorId ?? null,
    authorIds: idsOf("operator"),
    clientAuthorIds: idsOf("client").filter((id) => id !== request.clientId),
    chatIds: request.chatIds ?? [],
    botIds: [...(request.botId === undefined ? [] : [request.botId]), ...idsOf("bot", messagesOf(request))]
  }
}

/** Checks type and id of authors. */
const authorViolations = (
  path: string,
  { authorId, authorType = "system" }: Pick<Request, "authorId" | "authorType">,
  { otherClientIds, unknownAuthorIds, unknownBotIds }: UsableReferences
): ReadonlyArray<Violation> => {
  if (authorId === undefined) return []
  const unknown = {
    client: otherClientIds,
    operator: unknownAuthorIds,
    bot: unknownBotIds,
    system: [authorId]
  }
  return unknown[authorType].includes(authorId) ? [authorViolation(path, authorType)] : []
}

/** The violation of an author id that does not fit the type. */
export const authorViolation = (path: string, authorType: HistoryMessage["authorType"]): Violation => {
  switch (authorType) {
    case "client":
      return { path, message: "must be the client of the appeal" }
    case "system":
      return { path, message: "must be left out: the system has no id" }
    default:
      return unknownRecord(path)
  }
}

/** Subject and operator of a request or change, if the caller may not use them. */
export const assignmentViolations = (
  { operatorId = null, subjectId = null }: Pick<ChatPatch, "operatorId" | "subjectId">,
  known: UsableReferences
): ReadonlyArray<Violation> => [
  ...(subjectId !== null && !known.subject ? [unknownRecord("subjectId")] : []),
  ...(operatorId !== null && known.operator === null ? [unknownRecord("operatorId")] : [])
]

/** Referenced records that the caller may not use, and times in the future. */
export const draftViolations = (
  request: Request,
  known: UsableReferences,
  now: number
): ReadonlyArray<Violation> => {
  const late = (path: string, at: number | undefined) =>
    at !== undefined && at > now ? [{ path, message: "must not lie in the future" }] : []
  const createdAt = createdAtOf(request, now)
  return [
    ...(known.clientId === null ? [unknownRecord("clientId")] : []),
    ...assignmentViolations(request, known),
    ...(request.botId !== undefined && known.unknownBotIds.includes(request.botId)
      ? [unknownRecord("botId")]
      : []),
    ...unknownAt("chatIds", request.chatIds ?? [], known.unknownChatIds),
    ...authorViolations("authorId", request, known),
    ...late("createdAt", request.createdAt),
    ...late("closedAt", request.closedAt),
    ...(request.createdAt === undefined && request.closedAt !== undefined && request.closedAt < createdAt
      ? [{ path: "closedAt", message: "must not be before createdAt" }]
      : []),
    ...messagesOf(request).flatMap((message, i) => [
      ...late(`messages[${i}].occurredAt`, message.occurredAt),
      ...authorViolations(`messages[${i}].authorId`, message, known)
    ])
  ]
}

/** closedAt requires a status that ends the appeal. */
export const closedAtViolations = (
  { closedAt }: Pick<Request, "closedAt">,
  isEnded: boolean
): ReadonlyArray<Violation> =>
  closedAt === undefined || isEnded
    ? []
    : [{ path: "closedAt", message: "must be left out: the status does not end the appeal" }]

/** A history without createdAt begins with its first message. */
const createdAtOf = (request: Request, now: number): number =>
  request.createdAt ?? messagesOf(request)[0]?.occurredAt ?? now

/** closedAt of a request; a closed history ends with its last message. */
const closedAtOf = (request: Request, createdAt: number): number =>
  request.closedAt ?? Math.max(createdAt, messagesOf(request).at(-1)?.occurredAt ?? createdAt)

const historyOf = (request: Request): ReadonlyArray<MessageDraft> =>
  messagesOf(request).map((message) => ({
    authorType: message.authorType,
    authorId: message.authorType === "client" ? request.clientId : (message.authorId ?? null),
    text: message.text ?? "",
    attachmentIds: message.attachments ?? [],
    occurredAt: message.occurredAt,
    externalMessageId: message.externalMessageId ?? null,
    visibility: message.visibility ?? "public"
  }))

const operatorsIn = (messages: ReadonlyArray<MessageDraft>): ReadonlyArray<number | null> =>
  messages.map(({ authorId, authorType }) => (authorType === "operator" ? authorId : null))

/** The members that chats and tickets share, and null or empty for the others. */
const commonDraft = (request: Request, operatorId: number | null, now: number) => {
  const messages = historyOf(request)
  return {
    clientId: request.clientId,
    subjectId: request.subjectId ?? null,
    operatorId,
    operatorIds: addParticipants([], [...operatorsIn(messages), operatorId]),
    authorId: null,
    authorType: "client" as const,
    title: null,
    description: null,
    priority: request.priority ?? "normal",
    channel: request.channel ?? null,
    chatId: null,
    botId: null,
    chatIds: [],
    isOutgoing: false,
    tags: request.tags ?? [],
    comment: null,
    customFields: request.customFields ?? {},
    waitingSince: null,
    firstResponseAt: null,
    dueAt: null,
    closedBy: null,
    createdAt: createdAtOf(request, now),
    externalId: request.externalId ?? null,
    source: request.source ?? null,
    number: null,
    recordedAt: now,
    messages
  }
}

/** `taker` becomes the operator of a chat without one. */
export const chatDraft = (
  request: ChatRequest,
  { now, taker }: { readonly now: number; readonly taker: number | null }
): AppealDraft => {
  const common = commonDraft(request, request.operatorId ?? taker, now)
  const { createdAt, messages, operatorId } = common
  const status: ChatStatus =
    request.status ?? (request.closedAt !== undefined ? "closed" : operatorId === null ? "waiting" : "active")
  const isOutgoing = request.isOutgoing ?? false
  const { firstResponseAt, waitingSince } = messages.reduce(
    answeringAfter,
    initialAnswering({ waits: status === "waiting" && !isOutgoing, createdAt })
  )
  return {
    ...common,
    kind: "chat",
    status,
    statusGroup: chatGroup[status],
    chatId: request.chatId ?? null,
    botId: request.botId ?? null,
    isOutgoing,
    comment: request.comment ?? null,
    waitingSince: status === "closed" ? null : waitingSince,
    firstResponseAt,
    closedAt: status === "closed" ? closedAtOf(request, createdAt) : null
  }
}

interface TicketOpening {
  readonly now: number
  /** The user who opens the ticket, and whether they write as an operator. */
  readonly userId: number
  readonly isOperator: boolean
}

/** `status` is that of the request, or the first suitable one of the instance. */
export const ticketDraft = (
  request: TicketRequest,
  status: TicketStatus,
  { isOperator, now, userId }: TicketOpening
): AppealDraft => {
  const common = commonDraft(request, request.operatorId ?? null, now)
  return {
    ...common,
    kind: "ticket",
    authorId: request.authorType === "operator" ? (request.authorId ?? userId) : userId,
    authorType: request.authorType ?? (isOperator ? "operator" : "client"),
    title: request.title,
    description: request.description ?? null,
    status: status.name,
    statusGroup: status.group,
    chatIds: distinctIds(request.chatIds ?? []),
    dueAt: request.dueAt ?? null,
    closedAt: status.group === "done" ? closedAtOf(request, common.createdAt) : null,
    number: request.number ?? null
  }
}
