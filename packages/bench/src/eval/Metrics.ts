// How good an answer is, and how many of them are: pure functions over ranked ids, defined as in docs/retrieval-figures.md.

/** Share of `gold` among the first `k`; gold may hold more than k. An id that is ranked twice counts once. */
export const recallAt = (k: number, ranked: ReadonlyArray<number>, gold: ReadonlySet<number>): number =>
  gold.size === 0 ? 0 : countFound(k, ranked, gold) / gold.size

/** 1 when at least one of `gold` stands among the first `k`, else 0. With k = 1 the hit rate at the first place. */
export const anyAt = (k: number, ranked: ReadonlyArray<number>, gold: ReadonlySet<number>): number =>
  countFound(k, ranked, gold) > 0 ? 1 : 0

/** Binary NDCG: the gain of a place p (from 1) is 1 / log2(p + 1), the ideal has all of `gold` first. */
export const ndcgAt = (k: number, ranked: ReadonlyArray<number>, gold: ReadonlySet<number>): number => {
  const ideal = sum(Array.from({ length: Math.min(k, gold.size) }, (_, place) => gain(place)))
  const got = sum(
    once(ranked)
      .slice(0, k)
      .map((id, place) => (gold.has(id) ? gain(place) : 0))
  )
  return ideal === 0 ? 0 : got / ideal
}

/** 1 over the place of the first that is relevant, 0 where none of the first `k` is. */
export const reciprocalRankAt = (k: number, relevant: ReadonlyArray<boolean>): number => {
  const place = relevant.slice(0, k).indexOf(true)
  return place < 0 ? 0 : 1 / (place + 1)
}

/** 1 when a message of `shown` is one of `evidence` or next to it in `transcripts`, else 0. */
export const snippetHit = (
  shown: ReadonlySet<string>,
  evidence: ReadonlySet<string>,
  transcripts: ReadonlyArray<ReadonlyArray<string>>
): number =>
  transcripts.some((ids) =>
    ids.some(
      (id, at) => evidence.has(id) && ids.slice(Math.max(0, at - 1), at + 2).some((near) => shown.has(near))
    )
  )
    ? 1
    : 0

/** 0 of nothing. */
export const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : sum(values) / values.length

/** By nearest rank: the least value that at least this share of all do not exceed; 0 of nothing. */
export const percentile = (share: number, values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

/** Of a place, from 0. */
const gain = (place: number): number => 1 / Math.log2(place + 2)
const once = (ranked: ReadonlyArray<number>): ReadonlyArray<number> => [...new Set(ranked)]
const countFound = (k: number, ranked: ReadonlyArray<number>, gold: ReadonlySet<number>): number =>
  once(ranked)
    .slice(0, k)
    .filter((id) => gold.has(id)).length
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
