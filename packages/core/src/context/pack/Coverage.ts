// The order in which a pack drops items that do not fit (contract §3.2, "Trimming"), and the reasons why a pack is partial
// ("coverage.reasons").
import type { UnavailableReason } from "@rapport/contract/Errors.ts"
import {
  type CoverageDetail,
  CoverageReason,
  type ExplanationJson
} from "@rapport/contract/context/ContextPack.ts"
import {
  type ContextSection,
  type ContextTarget,
  targetsNeedingQuery
} from "@rapport/contract/context/ContextRequest.ts"
import { INDEX_LAG_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import { memoize } from "../../values/Memoize.ts"
import type { IndexStatus } from "../../search/DocumentIndex.ts"
import type { AppealEvidence } from "../read/AppealSearch.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import {
  type ActionJson,
  type Cited,
  type EvidenceDraft,
  type NamespaceJson,
  type PackDraft,
  partsIn
} from "./PackDraft.ts"
import { bytesOf, UNIT_BYTES_MAX } from "./Tokens.ts"

/** Bytes of an action payload. A larger one is the first thing that is trimmed from a pack. */
export const PAYLOAD_KEPT_BYTES_MAX = 4_096
/** Every list of evidence is cut down to this many entries before any list is cut further. */
const EVIDENCE_KEPT_LAST = 3
/** The list of actions is cut down to this many before any list is cut further. */
const ACTIONS_KEPT_LAST = 5

/** Each reason once, in the order of the contract. */
export const inReasonOrder = (reasons: ReadonlyArray<CoverageReason>): ReadonlyArray<CoverageReason> =>
  CoverageReason.literals.filter((one) => reasons.includes(one))

/** The reason of a section in `coverage`: only two keep their name. */
const reasonOf = (reason: UnavailableReason): CoverageReason =>
  reason === "timeout" || reason === "client_memory_not_ready" ? reason : "source_unavailable"

type Sections = Pick<PackDraft, "state" | "actions" | "properties" | "evidence">

/** The sources of an answer; null for a source that was not read or is unavailable. */
interface Touching {
  readonly appeals: AppealEvidence | null
  readonly quarantinedMemoryIds: ReadonlyArray<string>
  readonly indexStatus: IndexStatus | null
  readonly memoryStatus: IndexStatus | null
}

export const coverageOf = (
  plan: ContextPlan,
  sections: Sections,
  { appeals, memoryStatus, quarantinedMemoryIds, indexStatus }: Touching
): Pick<PackDraft["coverage"], "reasons" | "details"> => {
  const section = "evidence"
  const target = "relevant_client_memory"
  const details: ReadonlyArray<CoverageDetail> = [
    ...missingSections(sections),
    ...missingEvidence(sections),
    ...(appeals === null ? [] : touchedBy(plan, appeals)),
    ...irrelevant(plan, sections),
    ...quarantinedMemoryIds.map(
      (memoryId) => ({ reason: "memory_quarantined", section, target, memoryId }) as const
    ),
    ...lagDetails(indexStatus, {}),
    ...lagDetails(memoryStatus, { target })
  ]
  return { reasons: inReasonOrder(details.map(({ reason }) => reason)), details }
}

const missingSections = (sections: Sections): ReadonlyArray<CoverageDetail> =>
  (["state", "actions", "properties"] as const satisfies ReadonlyArray<ContextSection>).flatMap((section) => {
    const draft = sections[section]
    return draft?._tag === "Unavailable" ? [{ reason: reasonOf(draft.reason), section }] : []
  })

const missingEvidence = ({ evidence }: Sections): ReadonlyArray<CoverageDetail> => {
  if (evidence === null || evidence.reason === null) return []
  const section = "evidence"
  const targets = evidence.targets.flatMap(({ reason, target }) =>
    reason === null ? [] : [{ reason: reasonOf(reason), section, target } as const]
  )
  return targets.length > 0 ? targets : [{ reason: reasonOf(evidence.reason), section }]
}

const targetsByQuery: ReadonlyArray<ContextTarget> = [...targetsNeedingQuery, "relevant_client_memory"]

/** Targets of which minScore left nothing. */
const irrelevant = (
  { minScore, query }: ContextPlan,
  { evidence }: Sections
): ReadonlyArray<CoverageDetail> =>
  evidence === null || query === null || minScore === 0
    ? []
    : evidence.targets.flatMap(({ candidates, reason, target }) =>
        reason === null && candidates === 0 && targetsByQuery.includes(target)
          ? [{ reason: "no_relevant_evidence", section: "evidence", target } as const]
          : []
      )

/** Visible candidates that are missing: quarantined, too long, or beyond candidateLimit. */
const touchedBy = (
  { appealLists }: ContextPlan,
  { chosen, touching }: AppealEvidence
): ReadonlyArray<CoverageDetail> => {
  const section = "evidence"
  return [
    ...touching.quarantinedIds.map(
      (appealId) => ({ reason: "appeal_quarantined", section, appealId }) as const
    ),
    ...touching.longIds.map((appealId) => ({ reason: "conversation_too_long", section, appealId }) as const),
    ...appealLists.flatMap(({ target }, list) =>
      chosen.limited[list] === true
        ? [{ reason: "candidate_limit", section, ...(target === null ? {} : { target }) } as const]
        : []
    )
  ]
}

const lagDetails = (
  indexStatus: IndexStatus | null,
  of: Pick<CoverageDetail, "target">
): ReadonlyArray<CoverageDetail> =>
  indexStatus !== null && indexStatus.lagMillis > INDEX_LAG_MILLIS_MAX
    ? [{ reason: "index_lag", section: "evidence", ...of, indexLagMs: indexStatus.lagMillis }]
    : []

/** One entry for each dropped namespace and payload, and one for the other items that each section lost. */
export const makeCutsOf = (draft: PackDraft): ((kept: KeptParts) => ReadonlyArray<CoverageDetail>) => {
  const { actions, appeals, conversations, interactions, memories, namespaces } = partsIn(draft)
  // Sizes are measured once for all cuts of the draft.
  const [stateCut, payloadCut] = [memoize(stateCutOf), memoize(payloadCutOf)]
  return (kept) => {
    const droppedActions = actions.length - kept.actions
    const keptSnippets = kept.snippets.slice(0, kept.appeals)
    const counts = {
      droppedAppeals: appeals.length - kept.appeals,
      droppedSnippets: sum(appeals.map(({ snippets }) => snippets.length)) - sum(keptSnippets),
      droppedConversations: conversations.length - kept.conversations,
      droppedInteractions: interactions.length - kept.interactions,
      droppedMemories: memories.length - kept.memories
    }
    const { droppedAppeals, droppedSnippets, ...others } = counts
    const named = Object.fromEntries(Object.entries(others).filter(([, n]) => n > 0))
    const evidence = { section: "evidence", droppedAppeals, droppedSnippets, ...named } as const
    return [
      ...Array.from(kept.withoutState)
        .flatMap((index) => namespaces[index] ?? [])
        .map(stateCut),
      ...Array.from(kept.withoutPayload)
        .flatMap((index) => (index < kept.actions ? (actions[index] ?? []) : []))
        .map(payloadCut),
      ...(droppedActions === 0
        ? []
        : [{ reason: "pack_budget", section: "actions", droppedActions } as const]),
      ...(Object.values(counts).some((n) => n > 0) ? [{ reason: "pack_budget", ...evidence } as const] : [])
    ]
  }
}

const stateCutOf = ({ leftBytes, value }: Cited<NamespaceJson>): CoverageDetail => ({
  reason: "pack_budget",
  section: "state",
  namespace: value.namespace,
  bytes: leftBytes ?? bytesOf(value.state)
})

const payloadCutOf = ({ leftBytes, value }: Cited<ActionJson>): CoverageDetail => ({
  reason: "pack_budget",
  section: "actions",
  actionId: value.id,
  bytes: leftBytes ?? bytesOf(value.payload)
})

/** One entry for each target that shows a cut text. */
export const truncatedOf = ({
  conversations,
  interactions,
  memories
}: EvidenceDraft): ReadonlyArray<CoverageDetail> => {
  return [
    ...truncatedIn(
      "previous_client_conversations",
      conversations.flatMap(({ messages }) => messages)
    ),
    ...truncatedIn("recent_client_interactions", interactions),
    ...truncatedIn("relevant_client_memory", memories)
  ]
}

const truncatedIn = (
  target: ContextTarget,
  texts: ReadonlyArray<Cited<{ readonly truncated?: true }>>
): ReadonlyArray<CoverageDetail> => {
  const truncatedTexts = texts.filter(({ value }) => value.truncated === true).length
  return truncatedTexts === 0
    ? []
    : [{ reason: "text_truncated", section: "evidence", target, truncatedTexts }]
}

/** The number of items that remain of each list of a draft. Lists lose their last members. */
export interface KeptParts {
  /** Indexes of namespaces whose state is replaced by null. */
  readonly withoutState: ReadonlySet<number>
  /** The state of a client has one citation for all of its namespaces. */
  readonly isCitedWhole: boolean
  /** Indexes of actions whose payload is replaced by {}. */
  readonly withoutPayload: ReadonlySet<number>
  readonly actions: number
  readonly appeals: number
  /** Of each appeal. */
  readonly snippets: ReadonlyArray<number>
  readonly conversations: number
  readonly interactions: number
  readonly memories: number
}

/** Drops items, which an explanation names. */
interface Step {
  readonly drop: (kept: Keeping) => void
  readonly items: ReadonlyArray<DroppedItem>
}
type Keeping = { -readonly [Part in keyof KeptParts]: Mutable<KeptParts[Part]> }
type Mutable<A> = A extends ReadonlySet<infer B> ? Set<B> : A extends ReadonlyArray<infer B> ? Array<B> : A

export type DroppedItem = Pick<ExplanationJson["dropped"][number], "id" | "kind" | "score">
const droppedItem = (kind: DroppedItem["kind"], id: string, score: number | null = null): DroppedItem => ({
  kind,
  id,
  score
})

const lastOf = (
  list: "actions" | "appeals" | "conversations" | "interactions" | "memories",
  item: DroppedItem
): Step => ({ drop: (kept) => void (kept[list] -= 1), items: [item] })

const indexesLeft = (items: ReadonlyArray<Cited<unknown>>): Set<number> => {
  const left = new Set<number>()
  for (const [index, { leftBytes }] of items.entries()) if (leftBytes !== undefined) left.add(index)
  return left
}

/** The parts that remain after the first `count` steps. Parts that were not read are never among them. */
export const keptAfter = (draft: PackDraft, steps: ReadonlyArray<Step>, count: number): KeptParts => {
  const { actions, appeals, conversations, interactions, memories, namespaces } = partsIn(draft)
  const kept = {
    withoutState: indexesLeft(namespaces),
    isCitedWhole: false,
    withoutPayload: indexesLeft(actions),
    actions: actions.length,
    appeals: appeals.length,
    snippets: appeals.map(({ snippets }) => snippets.length),
    conversations: conversations.length,
    interactions: interactions.length,
    memories: memories.length
  }
  for (const { drop } of steps.slice(0, count)) drop(kept)
  return kept
}

/** All trimming steps without allowPartial, the least important part first. The order is the same for every budget. */
export const stepsOf = (draft: PackDraft): ReadonlyArray<Step> => {
  const evidence = evidenceSteps(draft)
  const actions = actionSteps(draft)
  const lastEvidence = evidence.last.slice(-1)
  // The last evidence takes an action with it, so that no section vanishes while another is complete.
  const taken = actions.first.length > 0 ? [] : actions.last.slice(0, lastEvidence.length)
  return [
    ...payloadSteps(draft),
    ...snippetSteps(draft),
    ...evidence.first,
    ...actions.first,
    ...evidence.last.slice(0, -1),
    ...lastEvidence.map(({ drop, items }) => ({
      drop: (kept: Keeping) => {
        for (const action of taken) action.drop(kept)
        drop(kept)
      },
      items: [...taken.flatMap((action) => action.items), ...items]
    })),
    ...actions.last.slice(taken.length),
    ...citedWholeSteps(draft)
  ]
}

/** Bytes of a payload that may be large; 0 if it was not read. */
const payloadBytes = ({ json, leftBytes, value }: Cited<ActionJson>): number =>
  leftBytes !== undefined || json.text.length * UNIT_BYTES_MAX <= PAYLOAD_KEPT_BYTES_MAX
    ? 0
    : bytesOf(value.payload)

/** 0: payloads above 4 KiB, the largest first. */
const payloadSteps = (draft: PackDraft): ReadonlyArray<Step> =>
  partsIn(draft)
    .actions.map((action, index) => ({ action, index, bytes: payloadBytes(action) }))
    .filter(({ bytes }) => bytes > PAYLOAD_KEPT_BYTES_MAX)
    .toSorted((a, b) => b.bytes - a.bytes || b.index - a.index)
    .map(({ action, index }) => ({
      drop: (kept) => void kept.withoutPayload.add(index),
      items: [droppedItem("payload", action.value.id)]
    }))

/** 1: the lowest-scored snippets beyond the first of each appeal; null is lowest, of equal ones the lowest-ranked. */
const snippetSteps = (draft: PackDraft): ReadonlyArray<Step> =>
  partsIn(draft)
    .appeals.flatMap(({ snippets }, appeal) =>
      snippets
        .slice(1)
        .map((snippet, index) => ({ snippet, score: snippet.value.score ?? -1, appeal, index }))
    )
    .toSorted((a, b) => a.score - b.score || b.appeal - a.appeal || b.index - a.index)
    .map(({ appeal, snippet }) => ({
      drop: (kept) => void (kept.snippets[appeal] = (kept.snippets[appeal] ?? 1) - 1),
      items: [droppedItem("snippet", snippet.citation.sourceId, snippet.value.score)]
    }))

/**
 * 2 and 4: the lowest items of each list, down to three, and in step 4 the rest. Of equal places the interaction is dropped
 * first, the appeal last. The snippets of a dropped appeal are not named.
 */
const evidenceSteps = (draft: PackDraft) => {
  const { appeals, conversations, interactions, memories } = partsIn(draft)
  const lists = [
    interactions.map(({ value }) => lastOf("interactions", droppedItem("interaction", value.id))),
    memories.map(({ value }) => lastOf("memories", droppedItem("memory", value.id, value.score))),
    conversations.map(({ header }) => lastOf("conversations", droppedItem("conversation", header.sessionId))),
    appeals.map(({ header: { value } }) =>
      lastOf("appeals", droppedItem("appeal", String(value.appealId), value.score))
    )
  ]
  const longest = Math.max(...lists.map(({ length }) => length))
  const from = (first: number, end: number): ReadonlyArray<Step> =>
    Array.from({ length: Math.max(0, first - end) }, (_, i) => first - 1 - i).flatMap((place) =>
      lists.flatMap((list) => list[place] ?? [])
    )
  return { first: from(longest, EVIDENCE_KEPT_LAST), last: from(Math.min(longest, EVIDENCE_KEPT_LAST), 0) }
}

/** 3 and 5: the oldest actions, down to the five newest, and in step 5 the rest. */
const actionSteps = (draft: PackDraft) => {
  const steps = partsIn(draft)
    .actions.toReversed()
    .map(({ value }) => lastOf("actions", droppedItem("action", value.id)))
  const last = Math.max(0, steps.length - ACTIONS_KEPT_LAST)
  return { first: steps.slice(0, last), last: steps.slice(last) }
}

/** 6: the citations of single namespaces, which can be larger than their state. No data is dropped. */
const citedWholeSteps = (draft: PackDraft): ReadonlyArray<Step> =>
  partsIn(draft).namespaces.length > 1 ? [{ drop: (kept) => void (kept.isCitedWhole = true), items: [] }] : []

/** With allowPartial: the largest namespaces, if the entry that names one is smaller than its state. */
export const namespaceSteps = (draft: PackDraft): ReadonlyArray<Step> =>
  partsIn(draft)
    .namespaces.map((namespace, index) => ({
      index,
      bytes: namespace.leftBytes === undefined ? bytesOf(namespace.value.state) : 0
    }))
    .filter(({ bytes }) => bytes > STATE_NAMED_BYTES)
    .toSorted((a, b) => b.bytes - a.bytes || a.index - b.index)
    .map(({ index }) => ({ drop: (kept) => void kept.withoutState.add(index), items: [] }))
/** The approximate bytes of the entry in coverage for a dropped namespace. */
const STATE_NAMED_BYTES = 200

export const sum = (numbers: ReadonlyArray<number>): number => {
  let total = 0
  for (const n of numbers) total += n
  return total
}
