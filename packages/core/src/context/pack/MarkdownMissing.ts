// The section Missing of a Markdown pack: what it lacks, with the name of the reason (contract §3.5, "Missing").
import type { CoverageDetail } from "@rapport/contract/context/ContextPack.ts"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { SHOWN_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import type { PackDraft } from "./PackDraft.ts"

/** The name of a target in a heading. */
export const targetNames: Readonly<Record<ContextTarget, string>> = {
  previous_client_appeals: "recent",
  previous_client_conversations: "conversations",
  recent_client_interactions: "interactions",
  relevant_client_memory: "memory",
  relevant_appeals: "relevant",
  recent_subject_appeals: "recent",
  relevant_subject_appeals: "relevant"
}

/** One line for each detail of the coverage. Times are left out: the same data give the same text. */
export const missingLines = (cut: PackDraft): ReadonlyArray<string> =>
  cut.coverage.details.map((detail) => `- ${wordsOf(detail)} (${reasonOf(cut, detail)})`)

/** With the finer reason of a section that could not be read. */
const reasonOf = ({ actions, evidence, properties, state }: PackDraft, detail: CoverageDetail): string => {
  const { reason, section, target } = detail
  if (reason !== "source_unavailable") return reason
  const sections = { state, actions, properties }
  const missing =
    section === "evidence"
      ? (evidence?.targets.find((one) => one.target === target)?.reason ?? evidence?.reason)
      : section !== undefined && sections[section]?._tag === "Unavailable"
        ? sections[section].reason
        : undefined
  return typeof missing === "string" ? `${reason}: ${missing}` : reason
}

const wordsOf = (detail: CoverageDetail): string => {
  const { appealId, memoryId, section = "evidence", target } = detail
  const subject = target === undefined ? section : targetNames[target]
  switch (detail.reason) {
    case "pack_budget":
      return leftOut(detail)
    case "source_unavailable":
    case "client_memory_not_ready":
    case "timeout":
      return `${subject}: could not be read now`
    case "appeal_quarantined":
      return `appeal ${appealId}: not searchable, in quarantine`
    case "memory_quarantined":
      return `memory ${memoryId}: not searchable, in quarantine`
    case "conversation_too_long":
      return `appeal ${appealId}: too long to be searched`
    case "text_truncated":
      return `${subject}: ${detail.truncatedTexts} texts cut at ${SHOWN_TEXT_POINTS_MAX} characters`
    case "candidate_limit":
      return `${subject}: there are more than candidateLimit let in`
    case "no_relevant_evidence":
      return `${subject}: nothing has a score of minScore or more`
    case "index_lag":
      return `${subject}: the newest changes are not searchable yet`
  }
}

const leftOut = (detail: CoverageDetail): string => {
  const { actionId, bytes, namespace, section } = detail
  if (namespace !== undefined) return `state of ${namespace}: ${bytes} bytes left out to fit`
  if (actionId !== undefined) return `payload of action ${actionId}: ${bytes} bytes left out to fit`
  const counts = [
    [detail.droppedActions, "actions"],
    [detail.droppedAppeals, "appeals"],
    [detail.droppedSnippets, "snippets"],
    [detail.droppedConversations, "conversations"],
    [detail.droppedInteractions, "interactions"],
    [detail.droppedMemories, "memories"]
  ] as const
  const dropped = counts.flatMap(([count, name]) =>
    count === undefined || count === 0 ? [] : [`${count} ${name}`]
  )
  return `${section}: ${dropped.join(", ")} left out to fit`
}
