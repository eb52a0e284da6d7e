// The section evidence: appeals with snippets, conversations, interactions, memories, each target with what it brought.
import type { Relation } from "@rapport/contract/context/ContextPack.ts"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { searchCoverageOf, type AppealEvidence, type ShownSnippet } from "./AppealSearch.ts"
import type { FoundMemories } from "../../memory/ClientMemory.ts"
import type { FoundMemory } from "../../memory/MemoryStore.ts"
import { distinctReadings } from "../../search/text/Readings.ts"
import type { Cite, SourceUrls } from "../pack/Citations.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import type { AppealRow, ConversationRow, InteractionRow } from "../read/ContextStore.ts"
import type { Cited, EvidenceDraft, SnippetJson } from "../pack/PackDraft.ts"
import type { Attempted } from "../../failures/SourceUnavailable.ts"

/** Each part that the plan asks for, or why it is missing; null for what was not asked. */
export interface EvidenceParts {
  readonly appeals: Attempted<AppealEvidence> | null
  readonly conversations: Attempted<ReadonlyArray<ConversationRow>> | null
  readonly interactions: Attempted<ReadonlyArray<InteractionRow>> | null
  readonly memories: Attempted<FoundMemories> | null
}

const path = "sections.evidence"

export const evidenceDraft = (
  plan: ContextPlan,
  parts: EvidenceParts,
  cite: Cite,
  urls: SourceUrls
): EvidenceDraft => {
  const asked = Object.values(parts).filter((part) => part !== null)
  const reasons = asked.flatMap((part) => (part._tag === "Unavailable" ? [part.reason] : []))
  return {
    status: reasons.length === 0 ? "available" : reasons.length < asked.length ? "partial" : "unavailable",
    reason: reasons[0] ?? null,
    targets: targetsOf(plan, parts),
    appeals: appealsOf(plan, parts.appeals, cite, urls),
    conversations: valueOf(parts.conversations, []).map((found, place) => {
      const { appealId: _, messages, ...header } = found
      return {
        header,
        messages: messages.map(({ truncated, ...row }, index) =>
          cite({ ...row, ...cut(truncated) }, `${path}.conversations[${place}].messages[${index}]`, {
            sourceType: "session_message",
            sourceId: row.messageId,
            occurredAt: row.occurredAt,
            url: urls.sessionMessage(header.sessionId, row.messageId)
          })
        )
      }
    }),
    interactions: valueOf(parts.interactions, []).map((found, place) => {
      const { appealId: _, sessionId, truncated, ...row } = found
      return cite({ ...row, ...cut(truncated) }, `${path}.interactions[${place}]`, {
        sourceType: row.kind === "action" ? "action" : "session_message",
        sourceId: row.id,
        occurredAt: row.occurredAt,
        url: sessionId === null ? urls.action(plan.scope.id, row.id) : urls.sessionMessage(sessionId, row.id)
      })
    }),
    memories: memoriesOf(parts).map((memory, place) => {
      const { appealId: _, namespace: __, sessionId: ___, truncated, ...row } = memory
      return cite({ ...row, ...cut(truncated) }, `${path}.memories[${place}]`, {
        sourceType: "memory",
        sourceId: row.id,
        occurredAt: row.occurredAt,
        url: memoryUrl(plan.scope.id, memory, urls)
      })
    }),
    readings: distinctReadings([
      ...(valueOf(parts.appeals, null)?.readings ?? []),
      ...(valueOf(parts.memories, null)?.readings ?? [])
    ])
  }
}

const memoriesOf = ({ memories }: EvidenceParts): ReadonlyArray<FoundMemory> =>
  valueOf(memories, null)?.memories ?? []

const cut = (truncated: boolean) => (truncated ? { truncated: true as const } : {})

const valueOf = <A, B>(part: Attempted<A> | null, otherwise: B): A | B =>
  part?._tag === "Available" ? part.value : otherwise

const memoryUrl = (clientId: number, { id, namespace, sessionId }: FoundMemory, urls: SourceUrls): string =>
  sessionId !== null
    ? sessionId === id
      ? urls.session(sessionId)
      : urls.sessionMessage(sessionId, id)
    : namespace !== null
      ? urls.state(clientId, namespace)
      : urls.action(clientId, id)

const told = (target: ContextTarget, part: Attempted<unknown> | null, candidates: number) =>
  part === null ? [] : [{ target, reason: part._tag === "Unavailable" ? part.reason : null, candidates }]

const targetsOf = (plan: ContextPlan, parts: EvidenceParts): EvidenceDraft["targets"] => {
  const brought = valueOf(parts.appeals, null)?.chosen.brought ?? []
  return [
    ...plan.appealLists.flatMap(({ target }, index) =>
      target === null ? [] : told(target, parts.appeals, brought[index] ?? 0)
    ),
    ...told("previous_client_conversations", parts.conversations, valueOf(parts.conversations, []).length),
    ...told("recent_client_interactions", parts.interactions, valueOf(parts.interactions, []).length),
    ...told("relevant_client_memory", parts.memories, memoriesOf(parts).length)
  ]
}

const appealsOf = (
  plan: ContextPlan,
  part: Attempted<AppealEvidence> | null,
  cite: Cite,
  urls: SourceUrls
): EvidenceDraft["appeals"] => {
  if (part?._tag !== "Available") return []
  const { chosen, matches, rows, snippets } = part.value
  return chosen.appeals
    .flatMap(({ appealId, lists }) => {
      const found = rows.get(appealId)
      return found === undefined ? [] : [{ found, lists }]
    })
    .map(({ found, lists }, place) => {
      const { messages: _, ofSubject: __, ...row } = found
      const targets = lists.flatMap((list) => plan.appealLists[list]?.target ?? [])
      const match = matches.get(row.appealId)
      return {
        header: cite(
          {
            ...row,
            rank: place + 1,
            relation: relationOf(plan, found, targets),
            score: match?.score ?? null,
            searchCoverage: searchCoverageOf(row.messageCount),
            targets
          },
          `${path}.appeals[${place}]`,
          {
            sourceType: "appeal",
            sourceId: String(row.appealId),
            appealId: row.appealId,
            occurredAt: row.createdAt,
            url: urls.appeal(row.appealType, row.appealId)
          }
        ),
        snippets: (snippets.get(row.appealId) ?? []).map((shown, index) =>
          snippet(found, shown, { cite, urls, path: `${path}.appeals[${place}].snippets[${index}]` })
        )
      }
    })
}

const snippet = (
  { appealId, appealType }: AppealRow,
  { highlights, message: { authorType, messageId, occurredAt }, score, text }: ShownSnippet,
  { cite, path, urls }: { readonly cite: Cite; readonly urls: SourceUrls; readonly path: string }
): Cited<SnippetJson> =>
  cite({ authorType, highlights, messageId, occurredAt, score, text }, path, {
    ...(messageId === null
      ? { sourceType: "ticket", sourceId: String(appealId), url: urls.appeal(appealType, appealId) }
      : {
          sourceType: "appeal_message",
          sourceId: String(messageId),
          url: urls.appealMessage(appealType, appealId, messageId)
        }),
    appealId,
    occurredAt
  })

/** Rule 2, and: previous_client_appeal when that target brought it. */
const relationOf = (
  { scope }: ContextPlan,
  { ofSubject }: AppealRow,
  targets: ReadonlyArray<ContextTarget>
): Relation => {
  switch (scope.entity) {
    case "client":
      return targets.includes("previous_client_appeals") ? "previous_client_appeal" : "relevant_appeal"
    case "subject":
      return "subject_appeal"
    case "operator":
      return "recorded_participation"
    case "skill_group":
      return ofSubject ? "subject_coverage" : "member_participation"
  }
}
