// What a pack lacks besides what its budget cut, and why: the closed list of docs/contract.md §3.2, "coverage.reasons".
import { type CoverageDetail, CoverageReason } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { INDEX_LAG_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import type { UnavailableReason } from "../../failures/SourceUnavailable.ts"
import type { IndexStatus } from "../../search/DocumentIndex.ts"
import type { AppealEvidence } from "../evidence/AppealRecheck.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import type { PackDraft } from "./PackDraft.ts"

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
