// Chooses the found appeals that a pack shows; pure.
import { APPEAL_MESSAGES_INDEXED_MAX, APPEAL_MESSAGES_NORMAL_MAX } from "@rapport/contract/Limits.ts"
import type { AppealList, ContextPlan } from "./ContextPlan.ts"
import type { AppealRow, FlaggedAppeal, RecheckedAppeals } from "./ContextStore.ts"

type SearchCoverage = "complete" | "delayed" | "incomplete"

export const searchCoverageOf = (messageCount: number): SearchCoverage =>
  messageCount <= APPEAL_MESSAGES_NORMAL_MAX
    ? "complete"
    : messageCount <= APPEAL_MESSAGES_INDEXED_MAX
      ? "delayed"
      : "incomplete"

/** The visible appeals of one list, in its order. `more`: the index has further ones. */
export interface FoundList {
  readonly list: AppealList
  readonly appealIds: ReadonlyArray<number>
  readonly more: boolean
}

export interface ChosenAppeals {
  /** By rank; `lists` names the lists that show it, by index. */
  readonly appeals: ReadonlyArray<{ readonly appealId: number; readonly lists: ReadonlyArray<number> }>
  /** Distinct appeals that were considered. */
  readonly considered: number
  /** How many of them each list contributed. */
  readonly brought: ReadonlyArray<number>
  /** By list: whether candidateLimit left topK unfilled although there are further appeals. */
  readonly limited: ReadonlyArray<boolean>
}

/**
 * The lists use up `candidateLimit` round-robin; an appeal that another list has contributed costs nothing. The first topK of
 * each list are shown, each once: what matches the query before what is recent (contract §3.1, "candidateLimit").
 */
export const chooseAppeals = (
  found: ReadonlyArray<FoundList>,
  { candidateLimit, topK }: { readonly candidateLimit: number; readonly topK: number }
): ChosenAppeals => {
  const { brought, considered } = takeRoundRobin(found, candidateLimit)
  const shown = found.map(({ appealIds }, list) => appealIds.slice(0, Math.min(topK, brought[list] ?? 0)))
  const ranked: Array<{ readonly appealId: number; readonly lists: ReadonlyArray<number> }> = []
  const seen = new Set<number>()
  for (const order of ["relevant", "recent"]) {
    for (const appealId of shown.flatMap((ids, list) => (found[list]?.list.order === order ? ids : []))) {
      if (seen.has(appealId)) continue
      seen.add(appealId)
      ranked.push({ appealId, lists: shown.flatMap((ids, index) => (ids.includes(appealId) ? [index] : [])) })
    }
  }
  return {
    appeals: ranked,
    considered,
    brought,
    limited: found.map(({ appealIds, more }, list) => {
      const taken = brought[list] ?? 0
      return taken < topK && (more || taken < appealIds.length)
    })
  }
}

const takeRoundRobin = (found: ReadonlyArray<FoundList>, candidateLimit: number) => {
  const considered = new Set<number>()
  const brought = found.map(() => 0)
  const open = new Set(found.keys())
  while (open.size > 0) {
    for (const list of open) {
      const appealId = found[list]?.appealIds[brought[list] ?? 0]
      if (appealId === undefined || (!considered.has(appealId) && considered.size >= candidateLimit)) {
        open.delete(list)
      } else {
        considered.add(appealId)
        brought[list] = (brought[list] ?? 0) + 1
      }
    }
  }
  return { brought, considered: considered.size }
}

export interface PartialReasons {
  readonly longIds: ReadonlyArray<number>
  readonly quarantinedIds: ReadonlyArray<number>
}

/**
 * Long and quarantined appeals that could have been shown. With a query any of them could have matched. Without one, it must be
 * among the first topK (at most candidateLimit): a long appeal is listed anyway, a quarantined one by its time (contract §3.2).
 */
export const partialReasonsOf = (
  { appealLists, candidateLimit, topK }: Pick<ContextPlan, "appealLists" | "candidateLimit" | "topK">,
  chosen: ChosenAppeals,
  rows: ReadonlyMap<number, AppealRow>,
  { long, quarantined }: Pick<RecheckedAppeals, "long" | "quarantined">
): PartialReasons => {
  if (appealLists.some(({ order }) => order === "relevant"))
    return { longIds: long.map(idOf), quarantinedIds: quarantined.map(idOf) }
  const shown = chosen.appeals.flatMap(({ appealId }) => rows.get(appealId) ?? [])
  const latest = [...shown, ...quarantined].toSorted(latestFirst).slice(0, Math.min(topK, candidateLimit))
  return {
    longIds: shown.filter(({ messageCount }) => messageCount > APPEAL_MESSAGES_INDEXED_MAX).map(idOf),
    quarantinedIds: quarantined.filter((appeal) => latest.includes(appeal)).map(idOf)
  }
}

const idOf = ({ appealId }: FlaggedAppeal): number => appealId

/** The order of lists of the latest: for a skill group appeals of its subjects before those of its members. ISO times compare as texts. */
const latestFirst = (a: FlaggedAppeal, b: FlaggedAppeal): number =>
  Number(b.ofSubject) - Number(a.ofSubject) ||
  (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : b.appealId - a.appealId)
