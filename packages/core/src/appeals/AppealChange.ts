// The allowed changes of a chat or ticket (contract §7); pure.
import type { Chat, ChatPatch, ChatStatus } from "@rapport/contract/appeals/ChatsApi.ts"
import type { Ticket, TicketPatch, TicketStatus } from "@rapport/contract/appeals/TicketsApi.ts"
import { StatusTransitionNotAllowed, type Violation } from "@rapport/contract/Errors.ts"
import { Result } from "effect"
import { applyPatch } from "../receipts/Writes.ts"
import { addParticipants } from "./Answering.ts"

const chatSteps: Readonly<Record<ChatStatus, ReadonlyArray<ChatStatus>>> = {
  waiting: ["active", "closed"],
  active: ["postponed", "closed"],
  postponed: ["active", "closed"],
  closed: ["waiting", "active"]
}

type Changed<A> = Result.Result<A | null, StatusTransitionNotAllowed>

const refuseTransition = (from: string, to: string) =>
  Result.fail(new StatusTransitionNotAllowed({ detail: `${to} cannot follow ${from}` }))

/** Null without a change. `closedBy` is the user who closes it, null for an external token. */
export const changeChat = (
  chat: Chat,
  patch: Omit<ChatPatch, "expectedVersion">,
  { closedBy, now }: { readonly closedBy: number | null; readonly now: number }
): Changed<Chat> => {
  const reopens = chat.status === "closed" && patch.status !== undefined && patch.status !== "closed"
  const kept = reopens && patch.status === "waiting" ? null : chat.operatorId
  const operatorId = patch.operatorId === undefined ? kept : patch.operatorId
  const loses = chat.operatorId !== null && operatorId === null && chat.status !== "closed"
  // Only the loss of the operator leads back to waiting; a new operator ends it.
  const present: ChatStatus = loses ? "waiting" : chat.status
  const gained = present === "waiting" && chat.operatorId === null && operatorId !== null
  const named = patch.status === chat.status ? undefined : patch.status
  const status = named ?? (gained ? "active" : present)
  if (named !== undefined && named !== present && !chatSteps[present].includes(named))
    return refuseTransition(chat.status, named)
  const { postponedUntil = chat.postponedUntil } = patch
  const closes = status === "closed" && chat.status !== "closed"
  const waits = status === "waiting" && chat.messageCount === 0 && !chat.isOutgoing
  return Result.succeed(
    applyPatch(chat, {
      ...patch,
      status,
      operatorId,
      operatorIds: addParticipants(chat.operatorIds, [operatorId]),
      postponedUntil: status === "postponed" ? postponedUntil : null,
      ...(closes ? { closedAt: now, closedBy, waitingSince: null } : {}),
      ...(reopens ? { closedAt: null, closedBy: null } : {}),
      ...(closes || chat.messageCount > 0 || chat.isOutgoing
        ? {}
        : { waitingSince: waits ? chat.createdAt : null })
    })
  )
}

/** A postponed chat becomes active in the future. `before` is its status before the patch. */
export const postponementViolations = (
  { operatorId, postponedUntil, status }: Omit<ChatPatch, "expectedVersion">,
  before: ChatStatus,
  now: number
): ReadonlyArray<Violation> => {
  if (postponedUntil === undefined || postponedUntil === null) return []
  const after = status === undefined && operatorId !== null ? before : status
  if (after !== "postponed")
    return [{ path: "postponedUntil", message: "must be left out: the chat is not postponed" }]
  return postponedUntil > now ? [] : [{ path: "postponedUntil", message: "must lie in the future" }]
}

/** `next` is the status of the patch, if any. Null without a change. */
export const changeTicket = (
  ticket: Ticket,
  patch: Omit<TicketPatch, "expectedVersion" | "status">,
  next: TicketStatus | undefined,
  now: number
): Changed<Ticket> => {
  if (next === undefined || next.name === ticket.status) return Result.succeed(applyPatch(ticket, patch))
  if (next.position <= ticket.statusPosition) return refuseTransition(ticket.status, next.name)
  return Result.succeed(
    applyPatch(ticket, {
      ...patch,
      status: next.name,
      statusPosition: next.position,
      statusGroup: next.group,
      closedAt: ticket.closedAt ?? (next.group === "done" ? now : null)
    })
  )
}
