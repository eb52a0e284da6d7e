// Names of the targets in a Markdown pack (contract §3.5).
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"

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
