// What a pack lacks besides what its budget cut, and why: the closed list of docs/contract.md §3.2, "coverage.reasons".
import type { CoverageDetail, CoverageReason } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { INDEX_LAG_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import type { UnavailableReason } from "../../failures/SourceUnavailable.ts"
import type { EvidenceStanding } from "../../search/EvidenceIndex.ts"
import type { AppealEvidence } from "../evidence/AppealRecheck.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import type { PackDraft } from "./PackDraft.ts"

const order: ReadonlyArray<CoverageReason> = [
  "pack_budget",
  "source_unavailable",
  "client_memory_not_ready",
  "appeal_quarantined",
  "conversation_too_long",
  "candidate_limit",
  "timeout",
  "index_lag"
]

/** Sections give the reason of a 503; here two of them stay what they are. */
const reasonOf = (reason: UnavailableReason): CoverageReason =>
  reason === "timeout" || reason === "client_memory_not_ready" ? reason : "source_unavailable"

type Sections = Pick<PackDraft, "state" | "actions" | "properties" | "evidence">

export const coverageOf = (
  plan: ContextPlan,
  sections: Sections,
  appeals: AppealEvidence | null,
  standing: EvidenceStanding | null
): Pick<PackDraft["coverage"], "reasons" | "details"> => {
  const details = [
    ...missingSections(sections),
    ...missingEvidence(sections),
    ...(appeals === null ? [] : touchedBy(plan, appeals)),
    ...lagging(standing)
  ]
  return { reasons: order.filter((one) => details.some(({ reason }) => reason === one)), details }
}

const missingSections = (sections: Sections): ReadonlyArray<CoverageDetail> =>
  (["state", "actions", "properties"] as const satisfies ReadonlyArray<ContextSection>).flatMap((section) => {
    const draft = sections[section]
    return draft?._tag === "Missing" ? [{ reason: reasonOf(draft.reason), section }] : []
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
  { chosen, longIds, quarantinedIds }: AppealEvidence
): ReadonlyArray<CoverageDetail> => {
  const section = "evidence"
  return [
    ...quarantinedIds.map((appealId) => ({ reason: "appeal_quarantined", section, appealId }) as const),
    ...longIds.map((appealId) => ({ reason: "conversation_too_long", section, appealId }) as const),
    ...appealLists.flatMap(({ target }, list) =>
      chosen.limited[list] === true
        ? [{ reason: "candidate_limit", section, ...(target === null ? {} : { target }) } as const]
        : []
    )
  ]
}

const lagging = (standing: EvidenceStanding | null): ReadonlyArray<CoverageDetail> =>
  standing !== null && standing.lagMillis > INDEX_LAG_MILLIS_MAX
    ? [{ reason: "index_lag", section: "evidence", indexLagMs: standing.lagMillis }]
    : []
