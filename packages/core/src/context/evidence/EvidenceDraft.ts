// The section evidence: appeals with snippets, conversations, interactions, memories, each target with what it brought.
import type { Relation } from "@rapport/contract/context/ContextPack.ts"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { searchCoverageOf } from "../../appeals/SearchCoverage.ts"
import type { FoundMemories } from "../../memory/ClientMemory.ts"
import type { FoundMemory } from "../../memory/MemoryStore.ts"
import { distinctReadings } from "../../search/text/Readings.ts"
import type { AppealEvidence } from "./AppealRecheck.ts"
import type { ShownSnippet } from "./AppealSnippets.ts"
import type { Cite, SourceUrls } from "../pack/Citations.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import type { AppealRow, ConversationRow, InteractionRow } from "../read/ContextStore.ts"
import type { Cited, EvidenceDraft, SnippetJson } from "../pack/PackDraft.ts"
import type { Attempted } from "../read/Attempt.ts"

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
    conversations: valueOf(parts.conversations, []).map((row, place) => ({
      header: {
        channel: row.channel,
        closedAt: row.closedAt,
        createdAt: row.createdAt,
        sessionId: row.sessionId,
        status: row.status
      },
      messages: row.messages.map((message, index) =>
        cite(
          (citationIds) => shownMessage(message, citationIds),
          `${path}.conversations[${place}].messages[${index}]`,
          {
            sourceType: "session_message",
            sourceId: message.messageId,
            occurredAt: message.occurredAt,
            url: urls.sessionMessage(row.sessionId, message.messageId)
          }
        )
      )
    })),
    interactions: valueOf(parts.interactions, []).map(
      ({ id, kind, occurredAt, sessionId, text, truncated }, place) =>
        cite(
          (citationIds) => ({ citationIds, id, kind, occurredAt, text, ...cut(truncated) }),
          `${path}.interactions[${place}]`,
          {
            sourceType: kind === "action" ? "action" : "session_message",
            sourceId: id,
            occurredAt,
            url: sessionId === null ? urls.action(plan.scope.id, id) : urls.sessionMessage(sessionId, id)
          }
        )
    ),
    memories: memoriesOf(parts).map((memory, place) => {
      const { id, kind, occurredAt, score, text, truncated } = memory
      return cite(
        (citationIds) => ({ citationIds, id, kind, occurredAt, score, text, ...cut(truncated) }),
        `${path}.memories[${place}]`,
        {
          sourceType: "memory",
          sourceId: id,
          occurredAt,
          url: memoryUrl(plan.scope.id, memory, urls)
        }
      )
    }),
    readings: distinctReadings([
      ...(valueOf(parts.appeals, null)?.readings ?? []),
      ...(valueOf(parts.memories, null)?.readings ?? [])
    ])
  }
}

const memoriesOf = ({ memories }: EvidenceParts): ReadonlyArray<FoundMemory> =>
  valueOf(memories, null)?.memories ?? []

const shownMessage = (
  { messageId, occurredAt, role, text, truncated }: ConversationRow["messages"][number],
  citationIds: ReadonlyArray<string>
) => ({ citationIds, messageId, occurredAt, role, text, ...cut(truncated) })

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
      const row = rows.get(appealId)
      return row === undefined ? [] : [{ row, lists }]
    })
    .map(({ lists, row }, place) => {
      const targets = lists.flatMap((list) => plan.appealLists[list]?.target ?? [])
      const match = matches.get(row.appealId)
      return {
        header: cite(
          (citationIds) => ({
            appealId: row.appealId,
            appealType: row.appealType,
            channel: row.channel,
            citationIds,
            closedAt: row.closedAt,
            createdAt: row.createdAt,
            messageCount: row.messageCount,
            number: row.number,
            operatorIds: row.operatorIds,
            rank: place + 1,
            relation: relationOf(plan, row, targets),
            score: match?.score ?? null,
            searchCoverage: searchCoverageOf(row.messageCount),
            status: row.status,
            subject: row.subject,
            subjectId: row.subjectId,
            targets,
            title: row.title
          }),
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
          snippet(row, shown, { cite, urls, path: `${path}.appeals[${place}].snippets[${index}]` })
        )
      }
    })
}

const snippet = (
  { appealId, appealType }: AppealRow,
  { highlights, message: { authorType, messageId, occurredAt }, score, text }: ShownSnippet,
  { cite, path, urls }: { readonly cite: Cite; readonly urls: SourceUrls; readonly path: string }
): Cited<SnippetJson> =>
  cite((citationIds) => ({ authorType, citationIds, highlights, messageId, occurredAt, score, text }), path, {
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
