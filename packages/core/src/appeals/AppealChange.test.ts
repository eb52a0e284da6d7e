// Changes of chats: status, operator, postponement (contract §7).
import { assert, it } from "@effect/vitest"
import type { Chat, ChatPatch, ChatStatus } from "@rapport/contract/appeals/ChatsApi.ts"
import { Result } from "effect"
import { changeChat, postponementViolations } from "./AppealChange.ts"

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

it("a chat that loses its operator waits since the client's unanswered message", () => {
  const from = { status: "active", operatorId: 5, operatorIds: [5], messageCount: 3 } as const
  assert.deepInclude(changeOf({ ...from, waitingSince: 44 }, { operatorId: null }), { waitingSince: 44 })
  assert.deepInclude(changeOf({ ...from, waitingSince: null }, { operatorId: null }), { waitingSince: null })
})
it("an outgoing chat without messages does not wait when it loses its operator", () => {
  const from = { isOutgoing: true, status: "active", operatorId: 5, waitingSince: null } as const
  assert.deepInclude(changeOf(from, { operatorId: null }), { status: "waiting", waitingSince: null })
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
