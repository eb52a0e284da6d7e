// Ranks the appeals that contain words of a query by their rows, without reading texts.
import { OPENING_WEIGHT, WHOLE_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import { refOf, rowAt } from "./EvidenceRows.ts"

/** Rows of texts with the same words of a query, newest first; `bits` encode the words. */
export interface MarkedRows {
  readonly rows: Float64Array
  readonly bits: number
}

export interface Promising {
  /** Rows with any word, newest first. */
  readonly rows: Float64Array
  /** For each appeal the index of its first row, the best appeal first. */
  readonly appeals: ReadonlyArray<number>
  /** The indexes of the appeal's rows, those with the most words first. */
  readonly placesOf: (from: number) => ReadonlyArray<number>
}

/** `weights`: one for each bit of the marks; words and their families alternate. */
export const promisingOf = (lists: ReadonlyArray<MarkedRows>, weights: ReadonlyArray<number>): Promising => {
  const { marks, rows } = mergeLists(lists)
  const sumOf = sums(weights)
  const byScore = new Map<number, Array<number>>()
  for (let from = 0; from < rows.length;) {
    const oldest = rowAt(refOf(rows[from] ?? 0), 0)
    let [to, best, all, opening] = [from, 0, 0, 0]
    for (; to < rows.length; to++) {
      const row = rows[to] ?? 0
      if (row < oldest) break
      const bits = marks[to] ?? 0
      const sum = sumOf(bits)
      if (sum > best) best = sum
      all |= bits
      if (row === oldest) opening = sum
    }
    // Like the ranking: the best text, the first one, and the words of all texts.
    const score = best + OPENING_WEIGHT * opening + WHOLE_WEIGHT * sumOf(all)
    const same = byScore.get(score)
    if (same === undefined) byScore.set(score, [from])
    else same.push(from)
    from = to
  }
  const byPromise = (from: number): ReadonlyArray<number> => {
    const oldest = rowAt(refOf(rows[from] ?? 0), 0)
    const places: Array<number> = []
    for (let at = from; at < rows.length && (rows[at] ?? 0) >= oldest; at++) places.push(at)
    return places.toSorted((a, b) => sumOf(marks[b] ?? 0) - sumOf(marks[a] ?? 0) || b - a)
  }
  return {
    rows,
    // Few distinct scores; the appeals of one score are already sorted, newest first.
    appeals: [...byScore].toSorted(([a], [b]) => b - a).flatMap(([, appeals]) => appeals),
    placesOf: byPromise
  }
}

/** Sums the weights of the words of a mark. */
const sums =
  (weights: ReadonlyArray<number>) =>
  (bits: number): number => {
    let sum = 0
    // A text with the word itself does not count for its family too.
    for (let at = 0; at < weights.length; at += 2) {
      if ((bits & (1 << at)) !== 0) sum += weights[at] ?? 0
      else if ((bits & (2 << at)) !== 0) sum += weights[at + 1] ?? 0
    }
    return sum
  }

/** Merges the lists: distinct rows with all their bits, newest first, so that rows of an appeal are adjacent. */
const mergeLists = (lists: ReadonlyArray<MarkedRows>) => {
  let open = lists.filter((list) => list.rows.length > 0).map((list) => ({ ...list, at: 0 }))
  const most = lists.reduce((sum, list) => sum + list.rows.length, 0)
  const rows = new Float64Array(most)
  const marks = new Int32Array(most)
  let size = 0
  for (; open.length > 0; size++) {
    let newest = -1
    for (const { at, rows } of open) newest = Math.max(newest, rows[at] ?? -1)
    let bits = 0
    let hasEnded = false
    for (const list of open) {
      if (list.rows[list.at] !== newest) continue
      bits |= list.bits
      list.at++
      hasEnded ||= list.at === list.rows.length
    }
    rows[size] = newest
    marks[size] = bits
    if (hasEnded) open = open.filter(({ at, rows }) => at < rows.length)
  }
  return { rows: rows.subarray(0, size), marks: marks.subarray(0, size) }
}
