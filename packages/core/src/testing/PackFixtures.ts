// Drafts of packs for tests: texts in three languages, payloads and state of any JSON, every part of evidence.
import type { QueryBudgetExceeded, UnavailableReason } from "@rapport/contract/Errors.ts"
import type { Relation } from "@rapport/contract/context/ContextPack.ts"
import {
  appealOf,
  type CitedSource,
  conversationOf,
  makeCite,
  sourceUrls,
  stateCitation
} from "../context/pack/Citations.ts"
import { type FitBudget, fitPack } from "../context/pack/PackBudget.ts"
import type { AppealHeaderJson, PackDraft } from "../context/pack/PackDraft.ts"
import type { PackAnswer } from "../context/pack/PackForm.ts"
import { jsonForm } from "../context/pack/PackJson.ts"
import type { Reading } from "../search/text/Readings.ts"
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Result } from "effect"
import { hash } from "node:crypto"

export const sha256 = (text: string) => hash("sha256", text, "hex")
export const bytesIn = (text: string) => Buffer.byteLength(text)

/** A budget that every draft fits. */
export const wide: FitBudget = {
  maxResponseBytes: ContextLimits.maxResponseBytes.maximum,
  tokenBudget: 1_000_000,
  allowPartial: false
}

/** The content of a draft. Every list may be empty, and a null section is absent. */
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
  readonly readings?: ReadonlyArray<Reading>
  readonly reason?: UnavailableReason
  /** Of every appeal. */
  readonly relation?: Relation
  readonly labels?: Pick<AppealHeaderJson, "priority" | "tags" | "customFields" | "truncated">
  /** The name of the operator of every appeal. */
  readonly operator?: string | null
  /** The label, subject, channel, title and status of every record. */
  readonly recordText?: string
}

/** The written pack that fits, made without yielding. */
export const fit = (
  draft: PackDraft,
  form: Parameters<typeof fitPack>[1],
  budget: FitBudget = wide
): Result.Result<PackAnswer, QueryBudgetExceeded> => {
  const run = fitPack(draft, form, budget, sha256)
  for (;;) {
    const { done, value } = run.next()
    if (done === true) return Result.map(value, ({ cut }) => form.written(cut))
  }
}

const at = "2026-10-05T10:00:00.000Z"
const hexOf = (n: number, length: number): string => {
  let digits = ""
  // Mixed, so that ids take as many tokens as real ones.
  for (let x = (n + 1) * 2_654_435_761; digits.length < length; x = (x % 4_294_967_291) * 48_271 + n + 7) {
    digits += (x >>> 0).toString(16).padStart(8, "0")
  }
  return digits.slice(0, length)
}
/** A deterministic UUIDv7. */
export const uuidOf = (n: number): string => {
  const hex = hexOf(n, 32)
  return `0199${hex.slice(4, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
const source = (
  sourceType: CitedSource["sourceType"],
  sourceId: string,
  url: string,
  mark?: string
): CitedSource => ({
  sourceType,
  sourceId,
  ...(mark === undefined ? {} : { mark }),
  occurredAt: at,
  url
})

/** The pack as JSON. */
export const fitJson = (draft: PackDraft, budget: FitBudget = wide) =>
  fit(draft, jsonForm(budget, sha256), budget)

export const draftFrom = (seed: DraftSeed): PackDraft => {
  const cite = makeCite(sha256)
  const namespaces = seed.namespaces?.map(({ name, state }, i) =>
    cite(
      { namespace: name, state, updatedAt: at, version: i + 1 },
      `sections.state.namespaces[${i}]`,
      source("state", uuidOf(i), `/kw/clients/501/context/state/${name}`)
    )
  )
  const state: PackDraft["state"] =
    namespaces === undefined
      ? null
      : {
          _tag: "Namespaces",
          namespaces,
          citation: stateCitation(namespaces, 501, sourceUrls({ permissions: new Set(), seesAsUser: true })),
          isCitedWhole: false
        }
  const actions: PackDraft["actions"] =
    seed.actions === null
      ? null
      : {
          _tag: "Actions",
          matching: 0,
          truncated: false,
          items: seed.actions.map(({ payload, summary }, i) => {
            const id = uuidOf(1_000 + i)
            return cite(
              {
                actorId: null,
                actorType: "client" as const,
                id,
                occurredAt: at,
                payload,
                recordedAt: at,
                summary,
                type: "order.created"
              },
              `sections.actions.items[${i}]`,
              source("action", id, `/kw/clients/501/context/actions?filter[id]=${id}`, `a${i + 1}`)
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
              { label: seed.recordText ?? name, updatedAt: at, value },
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
  { conversations, interactions, memories, reason, ...records }: DraftSeed,
  appeals: NonNullable<DraftSeed["appeals"]>,
  cite: ReturnType<typeof makeCite>
): NonNullable<PackDraft["evidence"]> => ({
  status: reason === undefined ? "available" : "partial",
  reason: reason ?? null,
  targets: [{ target: "previous_client_appeals", reason: null, candidates: appeals.length }],
  appeals: appeals.map((snippets, place) =>
    appealOf(
      cite(
        {
          appealId: 9_001 + place,
          appealType: place % 2 === 0 ? ("chat" as const) : ("ticket" as const),
          ...records.labels,
          channel: records.recordText ?? "telegram",
          closedAt: at,
          createdAt: at,
          messageCount: 48,
          number: place % 2 === 0 ? null : 100 + place,
          operatorIds: [31],
          rank: place + 1,
          relation: records.relation ?? ("previous_client_appeal" as const),
          score: snippets[0]?.score ?? null,
          searchCoverage: "complete" as const,
          status: records.recordText ?? "closed",
          subject: records.recordText ?? "Рахунки й оплата",
          subjectId: 12,
          targets: ["previous_client_appeals" as const],
          title: place % 2 === 0 ? null : (records.recordText ?? "Не прийшов рахунок")
        },
        `sections.evidence.appeals[${place}]`,
        {
          ...source(
            "appeal",
            String(9_001 + place),
            `/kw/api/v1/${place % 2 === 0 ? "OpChatRooms" : "Ticket"}/${9_001 + place}`
          ),
          appealId: 9_001 + place
        }
      ),
      snippets.map(({ score, text }, index) => {
        const messageId = 480_123 + place * 100 + index
        // Uncut, cut on one side, or cut on both.
        const cut = { cutBefore: index % 2 === 1, cutAfter: place % 2 === 1 }
        const isCut = cut.cutBefore || cut.cutAfter
        const snippet = cite(
          {
            authorType: "client" as const,
            highlights: [[0, 1]] as const,
            messageId,
            occurredAt: at,
            score,
            text,
            ...(isCut ? { truncated: true as const } : {})
          },
          `sections.evidence.appeals[${place}].snippets[${index}]`,
          {
            ...source(
              "appeal_message",
              String(messageId),
              `/kw/api/v1/${place % 2 === 0 ? "OpChatRooms" : "Ticket"}/${9_001 + place}/messages?around=${messageId}`
            ),
            appealId: 9_001 + place
          }
        )
        return isCut ? { ...snippet, cut } : snippet
      })
    )
  ),
  conversations: conversations.map((texts, place) =>
    conversationOf(
      {
        channel: records.recordText ?? null,
        closedAt: at,
        createdAt: at,
        mark: `s${place + 1}`,
        sessionId: uuidOf(3_000 + place),
        status: "closed"
      },
      texts.map((text, index) => {
        const messageId = uuidOf(4_000 + place * 20 + index)
        return cite(
          { messageId, occurredAt: at, role: "client" as const, text },
          `sections.evidence.conversations[${place}].messages[${index}]`,
          source(
            "session_message",
            messageId,
            `/kw/context/sessions/${uuidOf(3_000 + place)}/messages?around=${messageId}`,
            `s${place + 1}.${index + 1}`
          )
        )
      })
    )
  ),
  interactions: interactions.map((text, place) => {
    const id = uuidOf(5_000 + place)
    const path = `sections.evidence.interactions[${place}]`
    return place % 2 === 0
      ? cite(
          { id, kind: "action" as const, occurredAt: at, text },
          path,
          source("action", id, `/kw/clients/501/context/actions?filter[id]=${id}`, `a${101 + place}`)
        )
      : cite(
          { id, kind: "message" as const, occurredAt: at, role: "assistant" as const, text },
          path,
          source(
            "session_message",
            id,
            `/kw/context/sessions/${uuidOf(3_000)}/messages?around=${id}`,
            `s1.${101 + place}`
          )
        )
  }),
  operators: typeof records.operator === "string" ? [{ id: 31, name: records.operator }] : [],
  query: null,
  readings: records.readings ?? [],
  memories: memories.map((text, place) => {
    const id = uuidOf(6_000 + place)
    return cite(
      { id, kind: "action" as const, occurredAt: at, score: 0.5, text },
      `sections.evidence.memories[${place}]`,
      source("memory", id, `/kw/clients/501/context/actions?filter[id]=${id}`, `a${201 + place}`)
    )
  })
})
