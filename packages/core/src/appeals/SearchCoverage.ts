// How far a search finds what an appeal says, by its size (docs/contract.md §7).
import { APPEAL_MESSAGES_INDEXED_MAX, APPEAL_MESSAGES_NORMAL_MAX } from "@rapport/contract/Limits.ts"

type SearchCoverage = "complete" | "delayed" | "incomplete"

export const searchCoverageOf = (messageCount: number): SearchCoverage =>
  messageCount <= APPEAL_MESSAGES_NORMAL_MAX
    ? "complete"
    : messageCount <= APPEAL_MESSAGES_INDEXED_MAX
      ? "delayed"
      : "incomplete"
