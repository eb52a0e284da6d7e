// Drafts of packs for tests: texts in three languages, payloads and state of any JSON, every part of evidence.
import type { UnavailableReason } from "../readiness/SourceUnavailable.ts"
import { citing, type CitedSource } from "../context/Citations.ts"
import type { PackDraft } from "../context/PackDraft.ts"

/** What a draft is made of; every list may be empty, a null section is absent. */
export interface DraftSeed {
  readonly namespaces: ReadonlyArray<{ readonly name: string; readonly state: object }> | null
  readonly actions: ReadonlyArray<{ readonly summary: string | null; readonly payload: object }> | null
  readonly properties: ReadonlyArray<{ readonly name: string; readonly value: unknown }> | null
  /** By rank, each with its snippets, best first. */
  readonly appeals: ReadonlyArray<
    ReadonlyArray<{ readonly text: string; readonly score: number | null }>
  > | null
  readonly conversations: ReadonlyArray<ReadonlyArray<string>>
  readonly interactions: ReadonlyArray<string>
  readonly memories: ReadonlyArray<string>
  readonly reason?: UnavailableReason
}

const at = "2026-10-05T10:00:00.000Z"
const hexOf = (n: number, length: number): string => {
  let digits = ""
  // Spread, so that ids and hashes look like real ones: letters and digits in any order.
  for (let x = (n + 1) * 2_654_435_761; digits.length < length; x = (x % 4_294_967_291) * 48_271 + n + 7) {
    digits += (x >>> 0).toString(16).padStart(8, "0")
  }
  return digits.slice(0, length)
}
/** A UUIDv7 that looks like one. */
export const uuidOf = (n: number): string => {
  const hex = hexOf(n, 32)
  return `0199${hex.slice(4, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
const source = (sourceType: CitedSource["sourceType"], sourceId: string, url: string): CitedSource => ({
  sourceType,
  sourceId,
  occurredAt: at,
  url
})

export const draftFrom = (seed: DraftSeed, sha256: (text: string) => string): PackDraft => {
  const cite = citing(sha256)
  const state: PackDraft["state"] =
    seed.namespaces === null
      ? null
      : {
          _tag: "Namespaces",
          namespaces: seed.namespaces.map(({ name, state }, i) =>
            cite(
              { namespace: name, version: i + 1, state, updatedAt: at },
              `sections.state.namespaces[${i}]`,
              source("state", uuidOf(i), `/kw/clients/501/context/state/${name}`)
            )
          )
        }
  const actions: PackDraft["actions"] =
    seed.actions === null
      ? null
      : {
          _tag: "Actions",
          truncated: false,
          items: seed.actions.map(({ payload, summary }, i) => {
            const id = uuidOf(1_000 + i)
            const times = { occurredAt: at, recordedAt: at }
            return cite(
              {
                id,
                type: "order.created",
                actorType: "client" as const,
                actorId: null,
                ...times,
                summary,
                payload
              },
              `sections.actions.items[${i}]`,
              source("action", id, `/kw/clients/501/context/actions?filter[id]=${id}`)
            )
          })
        }
  const properties: PackDraft["properties"] =
    seed.properties === null
      ? null
      : {
          _tag: "Properties",
          values: seed.properties.map(({ name, value }, i) => ({
            name,
            cited: cite(
              { label: name, value, updatedAt: at },
              `sections.properties.values.${name}`,
              source("property", uuidOf(2_000 + i), "/kw/api/v1/clients/501/properties")
            )
          }))
        }
  return {
    requestId: uuidOf(9_999),
    scope: { entity: "client", id: 501 },
    generatedAt: at,
    state,
    actions,
    properties,
    evidence: seed.appeals === null ? null : evidenceFrom(seed, seed.appeals, cite),
    coverage: { reasons: [], details: [], asOf: { database: at, index: at, indexLagMs: 0 } },
    candidates: { limit: 80, considered: 41 },
    timeMs: { limit: 2_000, used: 31 }
  }
}

const evidenceFrom = (
  { conversations, interactions, memories, reason }: DraftSeed,
  appeals: NonNullable<DraftSeed["appeals"]>,
  cite: ReturnType<typeof citing>
): NonNullable<PackDraft["evidence"]> => ({
  status: reason === undefined ? "available" : "partial",
  reason: reason ?? null,
  targets: [{ target: "previous_client_appeals", reason: null, candidates: appeals.length }],
  appeals: appeals.map((snippets, place) => ({
    header: {
      appealId: 9_001 + place,
      appealType: place % 2 === 0 ? "chat" : "ticket",
      status: "closed",
      subjectId: 12,
      subject: "Рахунки й оплата",
      channel: "telegram",
      operatorIds: [31],
      createdAt: at,
      closedAt: at,
      messageCount: 48,
      relation: "previous_client_appeal",
      targets: ["previous_client_appeals"],
      rank: place + 1,
      score: snippets[0]?.score ?? null,
      searchCoverage: "complete"
    },
    snippets: snippets.map(({ score, text }, index) => {
      const messageId = 480_123 + place * 100 + index
      return cite(
        {
          messageId,
          authorType: "client" as const,
          text,
          highlights: [[0, 1]] as const,
          occurredAt: at,
          score
        },
        `sections.evidence.appeals[${place}].snippets[${index}]`,
        {
          ...source(
            "appeal_message",
            String(messageId),
            `/kw/api/v1/OpChatRooms/${9_001 + place}/messages?around=${messageId}`
          ),
          appealId: 9_001 + place
        }
      )
    })
  })),
  conversations: conversations.map((texts, place) => ({
    header: {
      sessionId: uuidOf(3_000 + place),
      status: "closed",
      channel: null,
      createdAt: at,
      closedAt: at
    },
    messages: texts.map((text, index) => {
      const messageId = uuidOf(4_000 + place * 20 + index)
      return cite(
        { messageId, role: "client" as const, text, occurredAt: at },
        `sections.evidence.conversations[${place}].messages[${index}]`,
        source(
          "session_message",
          messageId,
          `/kw/context/sessions/${uuidOf(3_000 + place)}/messages?around=${messageId}`
        )
      )
    })
  })),
  interactions: interactions.map((text, place) => {
    const id = uuidOf(5_000 + place)
    return cite(
      { kind: "action" as const, id, text, occurredAt: at },
      `sections.evidence.interactions[${place}]`,
      source("action", id, `/kw/clients/501/context/actions?filter[id]=${id}`)
    )
  }),
  memories: memories.map((text, place) => {
    const id = uuidOf(6_000 + place)
    return cite(
      { kind: "action" as const, id, text, occurredAt: at, score: 0.5 },
      `sections.evidence.memories[${place}]`,
      source("memory", id, `/kw/clients/501/context/actions?filter[id]=${id}`)
    )
  })
})
