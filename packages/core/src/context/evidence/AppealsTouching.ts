// Which long and quarantined appeals could have been shown, and so make an answer partial. Pure; docs/contract.md §3.2,
// "long and quarantined".
import { APPEAL_MESSAGES_INDEXED_MAX } from "@rapport/contract/Limits.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import type { AppealRow, FlaggedAppeal, Rechecked } from "../read/ContextStore.ts"
import type { Chosen } from "./AppealSelection.ts"

export interface Touching {
  readonly longIds: ReadonlyArray<number>
  readonly quarantinedIds: ReadonlyArray<number>
}

/**
 * Where appeals are searched by words any of them could have matched. Where only the latest are asked for it must be
 * among the first topK: a long one is there by itself, a quarantined one is where its time puts it.
 */
export const touchingOf = (
  { appealLists, topK }: Pick<ContextPlan, "appealLists" | "topK">,
  chosen: Chosen,
  rows: ReadonlyMap<number, AppealRow>,
  { long, quarantined }: Pick<Rechecked, "long" | "quarantined">
): Touching => {
  if (appealLists.some(({ order }) => order === "relevant"))
    return { longIds: long.map(idOf), quarantinedIds: quarantined.map(idOf) }
  const shown = chosen.appeals.flatMap(({ appealId }) => rows.get(appealId) ?? [])
  const latest = [...shown, ...quarantined].toSorted(latestFirst).slice(0, topK)
  return {
    longIds: shown.filter(({ messageCount }) => messageCount > APPEAL_MESSAGES_INDEXED_MAX).map(idOf),
    quarantinedIds: quarantined.filter((appeal) => latest.includes(appeal)).map(idOf)
  }
}

const idOf = ({ appealId }: FlaggedAppeal): number => appealId

/** As lists of the latest have it: of a skill group its subjects' before its members'. Times compare as they are written. */
const latestFirst = (a: FlaggedAppeal, b: FlaggedAppeal): number =>
  Number(b.ofSubject) - Number(a.ofSubject) ||
  (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : b.appealId - a.appealId)
