// Changes of chats and tickets: status, operator, closing (contract §7).
import { assert, it } from "@effect/vitest"
import type { Chat, ChatPatch, ChatStatus } from "@rapport/contract/appeals/ChatsApi.ts"
import type { Ticket, TicketStatus } from "@rapport/contract/appeals/TicketsApi.ts"
import { Result } from "effect"
import { changeChat, postponementViolations, changeTicket } from "./AppealChange.ts"

const chat = (more: Partial<Chat> = {}): Chat => ({
  id: 1,
  chatId: null,
  channel: "web",
  botId: null,
  clientId: 2,
  operatorId: null,
  operatorIds: [],
  subjectId: null,
  skillGroupIds: [],
  status: "waiting",
  postponedUntil: null,
  priority: "normal",
  isOutgoing: false,
  tags: [],
  comment: null,
  customFields: {},
  messageCount: 0,
  searchCoverage: "complete",
  waitingSince: 10,
  firstResponseAt: null,
  lastMessageAt: null,
  closedBy: null,
  createdAt: 10,
  updatedAt: 10,
  closedAt: null,
  externalId: null,
  source: null,
  version: 1,
  ...more
})
const by = { now: 99, closedBy: 7 }
const changeOf = (
  from: Partial<Chat>,
  patch: Omit<ChatPatch, "expectedVersion">
): Chat | "refused" | "same" =>
  Result.match(changeChat(chat(from), patch, by), {
    onFailure: () => "refused" as const,
    onSuccess: (next) => next ?? ("same" as const)
  })
const statusAfter = (from: Partial<Chat>, patch: Omit<ChatPatch, "expectedVersion">): string => {
  const next = changeOf(from, patch)
  return typeof next === "string" ? next : next.status
}

const until = (from: Partial<Chat>, patch: Omit<ChatPatch, "expectedVersion">) => {
  const next = changeOf(from, patch)
  return typeof next === "string" ? next : next.postponedUntil
}
const messages = (status: ChatStatus, patch: Omit<ChatPatch, "expectedVersion">) =>
  postponementViolations(patch, status, 99).map(({ message }) => message)

const allowed: Readonly<Record<ChatStatus, ReadonlyArray<ChatStatus>>> = {
  waiting: ["active", "closed"],
  active: ["postponed", "closed"],
  postponed: ["active", "closed"],
  closed: ["waiting", "active"]
}
const all: ReadonlyArray<ChatStatus> = ["waiting", "active", "postponed", "closed"]
it.each(all.flatMap((from) => all.map((to) => [from, to] as const)))(
  "a change of a chat from %s to %s is allowed or refused as in the contract",
  (status, to) => {
    const expected = status === to ? "same" : allowed[status].includes(to) ? to : "refused"
    const waitingSince = status === "waiting" ? 10 : null
    assert.strictEqual(statusAfter({ status, waitingSince }, { status: to }), expected)
  }
)

it("a waiting chat becomes active when it gets an operator", () => {
  const next = changeOf({}, { operatorId: 5 })
  assert.deepInclude(next, { status: "active", operatorIds: [5], waitingSince: null })
})
it("a chat that loses its operator waits again, whatever its status", () => {
  for (const status of ["active", "postponed"] as const) {
    const next = changeOf(
      { status, operatorId: 5, operatorIds: [5], waitingSince: null },
      { operatorId: null }
    )
    assert.deepInclude(next, { status: "waiting", operatorIds: [5], waitingSince: 10 })
  }
})
it("a chat that loses its operator waits since the client's unanswered message", () => {
  const from = { status: "active", operatorId: 5, operatorIds: [5], messageCount: 3 } as const
  assert.deepInclude(changeOf({ ...from, waitingSince: 44 }, { operatorId: null }), { waitingSince: 44 })
  assert.deepInclude(changeOf({ ...from, waitingSince: null }, { operatorId: null }), { waitingSince: null })
})
it("a chat that is reopened keeps its operator unless it goes back to the queue", () => {
  const closed = { status: "closed", operatorId: 5, closedAt: 50, closedBy: 5, waitingSince: null } as const
  const open = { closedAt: null, closedBy: null }
  assert.deepInclude(changeOf(closed, { status: "active" }), { ...open, status: "active", operatorId: 5 })
  assert.deepInclude(changeOf(closed, { status: "waiting" }), {
    ...open,
    status: "waiting",
    operatorId: null
  })
  assert.deepInclude(changeOf(closed, { status: "active", operatorId: 6 }), { ...open, operatorId: 6 })
})
it("postponedUntil is null unless the chat is postponed", () => {
  const postponed = { status: "postponed", operatorId: 5, waitingSince: null, postponedUntil: 200 } as const
  const active = { ...postponed, status: "active", postponedUntil: null } as const
  assert.strictEqual(until(active, { status: "postponed", postponedUntil: 300 }), 300)
  assert.isNull(until(active, { status: "postponed" }))
  assert.strictEqual(until(postponed, { postponedUntil: 300 }), 300)
  assert.isNull(until(postponed, { postponedUntil: null }))
  assert.strictEqual(until(postponed, { comment: "Дзвонити пізніше" }), 200)
  for (const patch of [{ status: "active" }, { status: "closed" }, { operatorId: null }] as const)
    assert.isNull(until(postponed, patch))
})
it("refuses postponedUntil in the past, and for a chat that is not postponed", () => {
  const future = { postponedUntil: 100 }
  assert.deepStrictEqual(messages("postponed", future), [])
  assert.deepStrictEqual(messages("active", { ...future, status: "postponed" }), [])
  assert.deepStrictEqual(messages("postponed", { postponedUntil: 99 }), ["must lie in the future"])
  assert.deepStrictEqual(messages("active", { postponedUntil: null }), [])
  const left = ["must be left out: the chat is not postponed"]
  assert.deepStrictEqual(messages("active", future), left)
  assert.deepStrictEqual(messages("postponed", { ...future, status: "active" }), left)
  assert.deepStrictEqual(messages("postponed", { ...future, operatorId: null }), left)
})
it("a chat keeps its status when it gets another operator", () => {
  const next = changeOf({ status: "postponed", operatorId: 5, operatorIds: [5] }, { operatorId: 6 })
  assert.deepInclude(next, { status: "postponed", operatorIds: [5, 6] })
})
it("closing a chat sets closedBy and closedAt, and ends the waiting", () => {
  const next = changeOf({ waitingSince: 10 }, { status: "closed" })
  assert.deepInclude(next, { status: "closed", closedAt: 99, closedBy: 7, waitingSince: null })
})
it("a closed chat keeps its status when it loses its operator", () => {
  const closed = {
    status: "closed",
    operatorId: 5,
    operatorIds: [5],
    closedAt: 50,
    waitingSince: null
  } as const
  assert.strictEqual(statusAfter(closed, { operatorId: null }), "closed")
})
it("a change of a chat without effect changes nothing", () => {
  assert.strictEqual(changeOf({}, { tags: [], comment: null, priority: "normal" }), "same")
})

const ticket = (status: TicketStatus | undefined, closedAt: number | null = null): Ticket => ({
  id: 1,
  number: 1,
  title: "t",
  description: null,
  clientId: 2,
  authorType: "client",
  authorId: null,
  operatorId: null,
  subjectId: null,
  skillGroupIds: [],
  status: status?.name ?? "",
  statusPosition: status?.position ?? 0,
  statusGroup: status?.group ?? "new",
  priority: "normal",
  channel: null,
  searchCoverage: "complete",
  chatIds: [],
  customFields: {},
  tags: [],
  dueAt: null,
  createdAt: 10,
  updatedAt: 10,
  closedAt,
  externalId: null,
  source: null,
  version: 1
})

const statuses: ReadonlyArray<TicketStatus> = [
  { name: "new", position: 1, group: "new" },
  { name: "open", position: 2, group: "open" },
  { name: "resolved", position: 4, group: "done" },
  { name: "closed", position: 5, group: "done" }
]
it.each(statuses.flatMap((from) => statuses.map((to) => [from.name, to.name, from, to] as const)))(
  "a change of a ticket from %s to %s is allowed only forward, and may skip a status",
  (_, __, from, to) => {
    const result = changeTicket(ticket(from), {}, to, by)
    const expected = to.position < from.position ? "refused" : to === from ? "same" : to.name
    const got = Result.match(result, {
      onFailure: () => "refused",
      onSuccess: (next) => next?.status ?? "same"
    })
    assert.strictEqual(got, expected)
  }
)
it("a ticket gets closedAt only when it is first done", () => {
  const [, open, resolved, closed] = statuses
  const first = changeTicket(ticket(open), {}, resolved, by)
  assert.deepInclude(Result.getOrThrow(first), { closedAt: 99 })
  const later = changeTicket(ticket(resolved, 50), {}, closed, by)
  assert.deepInclude(Result.getOrThrow(later), { closedAt: 50 })
})
