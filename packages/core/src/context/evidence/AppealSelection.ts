// Which of the appeals that were found a pack shows, and in which order. Pure; docs/contract.md §3.1, "candidateLimit".
import type { AppealList } from "../read/ContextPlan.ts"

/** The visible appeals of one list, in its order. `more`: the index knows further ones. */
export interface FoundList {
  readonly list: AppealList
  readonly appealIds: ReadonlyArray<number>
  readonly more: boolean
}

export interface Chosen {
  /** By rank; `lists` names the lists that show it, by index. */
  readonly appeals: ReadonlyArray<{ readonly appealId: number; readonly lists: ReadonlyArray<number> }>
  /** Distinct appeals that were considered. */
  readonly considered: number
  /** How many of them each list brought. */
  readonly brought: ReadonlyArray<number>
  /** By list: the limit left places of topK empty though there are further appeals. */
  readonly limited: ReadonlyArray<boolean>
}

/**
 * The lists take from `candidateLimit` in turn; an appeal that another list has brought costs nothing. The first topK of
 * each list are shown, again in turn, each once.
 */
export const choose = (
  found: ReadonlyArray<FoundList>,
  { candidateLimit, topK }: { readonly candidateLimit: number; readonly topK: number }
): Chosen => {
  const { brought, considered } = takeInTurn(found, candidateLimit)
  const shown = found.map(({ appealIds }, list) => appealIds.slice(0, Math.min(topK, brought[list] ?? 0)))
  const ranked: Array<{ readonly appealId: number; readonly lists: ReadonlyArray<number> }> = []
  const seen = new Set<number>()
  for (let place = 0; place < topK; place++) {
    for (const list of shown) {
      const appealId = list[place]
      if (appealId === undefined || seen.has(appealId)) continue
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

const takeInTurn = (found: ReadonlyArray<FoundList>, candidateLimit: number) => {
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
