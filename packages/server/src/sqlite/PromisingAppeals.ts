// Which appeals of those that hold words of a query promise most, as far as the rows of its words tell.
import { OPENING_WEIGHT, WHOLE_WEIGHT } from "@rapport/core/search/ranking/RankingWeights.ts"
import { refOf, rowAt } from "./EvidenceRows.ts"

/** Rows that hold the same of a query, the newest first; `bits`: what that is. */
export interface MarkedRows {
  readonly rows: Float64Array
  readonly bits: number
}

export interface Promising {
  /** What holds any word, the newest first. */
  readonly rows: Float64Array
  /** What each of them holds. */
  readonly marks: Int32Array
  /** Where in `rows` those of an appeal begin, the most promising appeal first. */
  readonly appeals: ReadonlyArray<number>
  /** The places of those that begin there, those that hold the most first. */
  readonly placesOf: (from: number) => ReadonlyArray<number>
}

/** `weights`: of each bit of the marks, a word and its family in turn. */
export const promisingOf = (lists: ReadonlyArray<MarkedRows>, weights: ReadonlyArray<number>): Promising => {
  const { marks, rows } = merged(lists)
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
    // As ranking will see it: the best text, the first one, and what all texts hold together.
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
    marks,
    // There are few scores, and the appeals of one stand in order: the newest first.
    appeals: [...byScore].toSorted(([a], [b]) => b - a).flatMap(([, appeals]) => appeals),
    placesOf: byPromise
  }
}

/** Bits of a mark whose sums are kept in a table. */
const BITS_IN_TABLE = 16

/** What the words of a mark weigh. */
const sums = (weights: ReadonlyArray<number>) => {
  const known = new Float64Array(2 ** Math.min(BITS_IN_TABLE, weights.length)).fill(-1)
  return (bits: number): number => {
    const kept = known[bits] ?? -1
    if (kept >= 0) return kept
    let sum = 0
    // A text that holds the word itself does not count for its family again.
    for (let at = 0; at < weights.length; at += 2) {
      if ((bits & (1 << at)) !== 0) sum += weights[at] ?? 0
      else if ((bits & (2 << at)) !== 0) sum += weights[at + 1] ?? 0
    }
    // Of a query with more words what lies behind the table is not kept.
    known[bits] = sum
    return sum
  }
}

/** The rows of all lists, each once, with the bits of all that hold it; the newest first, so that those of an appeal stand together. */
const merged = (lists: ReadonlyArray<MarkedRows>) => {
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
