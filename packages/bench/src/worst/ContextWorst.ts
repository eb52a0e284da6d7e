// Context, client context, sessions, imports and tools: the largest legal bodies of each route (docs/security.md).
import { randomUUID } from "node:crypto"
import { KIB, many, members, text } from "./Bodies.ts"
import { cyrillic, words, type World } from "./WorstData.ts"
import type { Entries } from "./WorstRequests.ts"

const retrieve = (world: World, more: object) => ({
  scope: { entity: "client", id: world.clientId },
  timeoutMs: 5_000,
  maxResponseBytes: 262_144,
  allowPartial: true,
  ...more
})
const relevant = (query: string) => ({
  sections: ["evidence", "actions", "properties"],
  targets: [
    "previous_client_appeals",
    "previous_client_conversations",
    "recent_client_interactions",
    "relevant_client_memory",
    "relevant_appeals"
  ],
  query,
  actions: { limit: 100 },
  topK: 20,
  candidateLimit: 200,
  maxSnippetsPerAppeal: 5
})
const toolCall = (id: number, world: World, more: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: {
    name: "get_client_context",
    arguments: {
      client_id: world.clientId,
      query: "quetzalcoatl",
      max_response_bytes: 262_144,
      timeout_ms: 5_000,
      ...more
    }
  }
})

export const entries: Entries = {
  retrieveContext: (world) => [
    ["state of 64 x 64 KiB", () => retrieve(world, {})],
    ["all targets by a word of every text", () => retrieve(world, relevant("quetzalcoatl"))],
    ["all targets by 512 characters, uk", () => retrieve(world, relevant(text(512)))],
    ["all targets by 512 characters, marks", () => retrieve(world, relevant("!?".repeat(256)))],
    [
      "all targets, recent",
      () =>
        retrieve(world, {
          ...relevant(""),
          query: undefined,
          targets: ["previous_client_appeals", "previous_client_conversations", "recent_client_interactions"]
        })
    ],
    [
      "all sections of the demo client",
      () => ({ ...retrieve(world, relevant("не прийшов рахунок")), scope: { entity: "client", id: 501 } })
    ],
    [
      "a skill group",
      () => ({
        scope: { entity: "skill_group", id: 3 },
        targets: ["relevant_appeals"],
        query: "quetzalcoatl",
        topK: 20,
        candidateLimit: 200,
        timeoutMs: 5_000
      })
    ]
  ],
  registerClientAction: () => [
    [
      "64 KiB of words",
      () => ({
        type: "worst",
        actorType: "client",
        occurredAt: "2026-03-01T08:00:00Z",
        summary: text(10_000),
        payload: { text: words(64_000) }
      })
    ],
    [
      "64 KiB of members",
      () => ({
        type: "worst",
        actorType: "client",
        occurredAt: "2026-03-01T08:00:00Z",
        payload: Object.fromEntries(many(4_400, (n) => [`m${n}`, n]))
      })
    ]
  ],
  putClientState: () => [
    ["64 KiB of members", () => ({ expectedVersion: 1, state: members(4_400) })],
    ["64 KiB of members, merged", () => ({ expectedVersion: 1, mode: "merge", state: members(4_400) })]
  ],
  createSession: (world) => [
    ["metadata of 16 KiB", () => ({ clientId: world.clientId, metadata: { text: words(16_000) } })]
  ],
  addSessionMessage: () => [
    ["1 MiB of words", () => ({ role: "client", content: words(KIB * KIB - 64) })],
    ["1 MiB of letters, escaped", () => ({ role: "client", content: "\u0001".repeat(KIB * KIB - 64) })],
    ["1 MiB, uk", () => ({ role: "client", content: cyrillic(KIB * KIB).slice(0, 500_000) })]
  ],
  setWorkingContext: () => [
    ["8 KiB", () => ({ expectedVersion: 0, workingContext: { goals: many(20, (n) => `${n}${text(180)}`) } })]
  ],
  closeSession: () => [["a reason of 10,000 characters", () => ({ reason: text(10_000) })]],
  importBatch: (world) => [
    [
      "100 actions, 1 MiB",
      () => ({
        source: randomUUID(),
        items: many(100, (n) => ({
          kind: "action",
          clientId: world.clientId,
          externalId: `${randomUUID()}${n}`,
          data: {
            type: "worst",
            actorType: "client",
            occurredAt: "2026-03-01T08:00:00Z",
            summary: words(9_900)
          }
        }))
      })
    ]
  ],
  callTools: (world) => [
    ["100 tools/list", () => many(100, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" }))],
    ["20 tools/list", () => many(20, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" }))],
    ["the largest pack, markdown", () => toolCall(1, world, { sections: ["evidence", "actions"] })],
    [
      "the largest pack, json",
      () => toolCall(1, world, { sections: ["evidence", "actions"], format: "json" })
    ],
    [
      "20 of them",
      () => many(20, (id) => toolCall(id, world, { sections: ["evidence", "actions"], format: "json" }))
    ]
  ]
}
