// Chats and tickets: the largest legal bodies of each route (docs/security.md).
import { many, tags, text } from "./Bodies.ts"
import { ends } from "./WorstData.ts"
import type { Entries } from "./WorstRequests.ts"

const history = (count: number, points: number) =>
  many(count, (n) => ({
    authorType: "client",
    occurredAt: new Date(Date.UTC(2026, 1, 1, 0, 0, n)).toISOString(),
    text: text(points)
  }))

export const entries: Entries = {
  receiveInbound: () => [
    [
      "a message of 65,536 characters",
      () => ({
        update_id: 1,
        message: {
          message_id: Math.floor(performance.now() * 1_000),
          chat: { id: 77, first_name: "Worst" },
          text: text(65_536)
        }
      })
    ]
  ],
  postChatMessage: () => [["65,536 characters", () => ({ text: text(65_536) })]],
  postTicketMessage: () => [["65,536 characters", () => ({ text: text(65_536) })]],
  createChat: (world) => [
    [
      "a history of 1,000 messages, 6 MB",
      () => ({
        clientId: world.clientId,
        channel: "web",
        createdAt: "2026-02-01T00:00:00Z",
        messages: history(1_000, 3_200)
      })
    ],
    [
      "a history of 45 long messages",
      () => ({
        clientId: world.clientId,
        channel: "web",
        createdAt: "2026-02-01T00:00:00Z",
        messages: history(45, 65_000)
      })
    ],
    ["600 tags", () => ({ clientId: world.clientId, channel: "web", tags: tags() })]
  ],
  createTicket: (world) => [
    [
      "a history of 1,000 messages, 6 MB",
      () => ({
        clientId: world.clientId,
        title: "Worst",
        createdAt: "2026-02-01T00:00:00Z",
        messages: history(1_000, 3_200)
      })
    ],
    [
      "1,000 chatIds",
      () => ({ clientId: world.clientId, title: "Worst", chatIds: many(1_000, (n) => n + 1) })
    ]
  ],
  updateChat: () => [["600 tags", () => ({ expectedVersion: 1, comment: ends(10_000), tags: tags() })]],
  updateTicket: () => [
    ["1,000 chatIds", () => ({ expectedVersion: 1, chatIds: many(1_000, (n) => n + 1), tags: tags() })]
  ],
  setTicketStatuses: () => [
    [
      "100 statuses",
      () => ({
        expectedVersion: 1,
        statuses: many(100, (n) => ({
          name: `${n}${text(190)}`,
          position: n + 1,
          group: n === 0 ? "new" : n === 99 ? "done" : "open"
        }))
      })
    ]
  ]
}
