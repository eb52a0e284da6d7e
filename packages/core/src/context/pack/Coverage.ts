// What a pack lacks and why, by itself and by its budget: the closed list of docs/contract.md §3.2, "coverage.reasons".
import type { UnavailableReason } from "@rapport/contract/Errors.ts"
import { type CoverageDetail, CoverageReason } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection, ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { INDEX_LAG_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import type { IndexStatus } from "../../search/DocumentIndex.ts"
import type { AppealEvidence } from "../evidence/AppealSearch.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import type { ActionJson, Cited, EvidenceDraft, NamespaceJson, PackDraft } from "./PackDraft.ts"
import { heldBytes, type Kept, snippetsShown, sum } from "./Trimming.ts"

/** Each once, in the order of the list. */
export const inReasonOrder = (reasons: ReadonlyArray<CoverageReason>): ReadonlyArray<CoverageReason> =>
  CoverageReason.literals.filter((one) => reasons.includes(one))

/** Sections give the reason of a 503; here two of them stay what they are. */
const reasonOf = (reason: UnavailableReason): CoverageReason =>
  reason === "timeout" || reason === "client_memory_not_ready" ? reason : "source_unavailable"

type Sections = Pick<PackDraft, "state" | "actions" | "properties" | "evidence">

/** What an answer was made from; null where a source was not asked, or could not answer. */
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
    ...quarantinedMemoryIds.map(
      (memoryId) => ({ reason: "memory_quarantined", section, target, memoryId }) as const
    ),
    ...lagging(indexStatus, {}),
    ...lagging(memoryStatus, { target })
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

/** Rule 8, and the long and the limited: each visible candidate is named as far as the bounds allow. */
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

const lagging = (
  indexStatus: IndexStatus | null,
  of: Pick<CoverageDetail, "target">
): ReadonlyArray<CoverageDetail> =>
  indexStatus !== null && indexStatus.lagMillis > INDEX_LAG_MILLIS_MAX
    ? [{ reason: "index_lag", section: "evidence", ...of, indexLagMs: indexStatus.lagMillis }]
    : []

/** One entry for each namespace and payload that gave way, one for what else each section lost. */
export const cutsOf = (
  { actions, evidence, state }: PackDraft,
  kept: Kept
): ReadonlyArray<CoverageDetail> => {
  const cuts: Array<CoverageDetail> = []
  if (state?._tag === "Namespaces") {
    for (const index of kept.withoutState) {
      const namespace = state.namespaces[index]
      if (namespace !== undefined) cuts.push(stateCut(namespace))
    }
  }
  if (actions?._tag === "Actions") {
    for (const index of kept.withoutPayload) {
      const action = actions.items[index]
      if (action !== undefined && index < kept.actions) cuts.push(payloadCut(action))
    }
    const droppedActions = actions.items.length - kept.actions
    if (droppedActions > 0) cuts.push({ reason: "pack_budget", section: "actions", droppedActions })
  }
  if (evidence !== null) {
    const dropped = {
      droppedAppeals: evidence.appeals.length - kept.appeals,
      droppedSnippets: sum(evidence.appeals.map(({ snippets }) => snippets.length)) - snippetsShown(kept),
      droppedConversations: evidence.conversations.length - kept.conversations,
      droppedInteractions: evidence.interactions.length - kept.interactions,
      droppedMemories: evidence.memories.length - kept.memories
    }
    const { droppedAppeals, droppedSnippets, ...others } = dropped
    if (Object.values(dropped).some((n) => n > 0)) {
      const named = Object.fromEntries(Object.entries(others).filter(([, n]) => n > 0))
      cuts.push({ reason: "pack_budget", section: "evidence", droppedAppeals, droppedSnippets, ...named })
    }
  }
  return cuts
}

const stateCut = (namespace: Cited<NamespaceJson>): CoverageDetail => ({
  reason: "pack_budget",
  section: "state",
  namespace: namespace.value.namespace,
  bytes: namespace.leftBytes ?? heldBytes(namespace, namespace.value.state)
})

const payloadCut = (action: Cited<ActionJson>): CoverageDetail => ({
  reason: "pack_budget",
  section: "actions",
  actionId: action.value.id,
  bytes: action.leftBytes ?? heldBytes(action, action.value.payload)
})

/** One entry for each target that shows texts which are longer than they are shown. */
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
