// What a query finds in a SQLite evidence index: the texts that match, then of the best appeals all texts, for core to rank.
import {
  SEARCH_APPEALS_COMPARED_MAX,
  SEARCH_APPEALS_READ_MAX,
  SEARCH_TEXTS_AT_ONCE,
  SEARCH_TEXTS_PLAIN_MAX
} from "./SqliteLimits.ts"
import { passes, weightIn } from "@rapport/core/search/EvidenceFilter.ts"
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import {
  candidatesOf,
  scoreAppeals,
  type ScoredAppeal,
  type ScopeStatistics,
  weightsOf
} from "@rapport/core/search/ranking/EvidenceRanking.ts"
import type { RankedText } from "@rapport/core/search/ranking/RankedAppeal.ts"
import { neighboursIn } from "@rapport/core/search/text/Words.ts"
import { type EvidenceTerms, TERM_COUNTS, termCounter } from "@rapport/core/search/text/Terms.ts"
import { Effect } from "effect"
import {
  INTEGER,
  nullableNumberAt,
  numberAt,
  type ReadFile,
  rowOf,
  type SqliteRow,
  textAt
} from "./EvidenceFiles.ts"
import { type Postings, postingsOf, type RowsOfWords } from "./EvidencePostings.ts"
import { positionOf, refOf, rowAt, type EvidenceScope, headerColumns, headerOf } from "./EvidenceRows.ts"

const SEARCH_TEXTS_OF_APPEAL_MAX = 16
/** The best appeals, this many at most, are ranked again by all their texts. */
const SEARCH_APPEALS_WHOLE_MAX = 32
/** Texts that are read for it at most. */
const SEARCH_TEXTS_WHOLE_MAX = 2_000

/** An appeal that matches, with the texts read so far. */
interface Gathered {
  readonly ref: number
  readonly documentId: number
  readonly createdAt: number
  readonly passages: number
  readonly words: number
  readonly weight: number
  readonly texts: Array<RankedText>
}

export const relevant = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  query: DocumentQuery,
  scope: EvidenceScope,
  ownRows: RowsOfWords,
  terms: EvidenceTerms,
  pause: Effect.Effect<void, E>
) {
  if (terms.matching === 0) return { candidates: [], more: false }
  const count = termCounter(terms)
  const gathered = gathering(file, query, count)
  const { appeals } = gathered
  const { statistics } = scope
  const stems = terms.stems.slice(0, terms.matching)
  const postings = yield* postingsOf(file, scope, ownRows, stems, pause)
  const bestOf = bestByMarks(terms, statistics, postings, gathered.appealOf)
  const times = yield* read(file, scope.holding(stems, true), postings, query, gathered, bestOf, pause)
  for (const appeal of appeals.values()) appeal.texts.sort((a, b) => a.position - b.position)
  const matched = [...appeals.values()]
  const unread = unreadShares(matched, times)
  const first = scoreAppeals(terms, weightsOf(terms, statistics, matched, unread), matched)
  // A text without a match weighs too: it names the speakers, and has words that only weigh.
  const whole: Array<Gathered> = []
  let texts = 0
  for (const { appeal } of first.slice(0, SEARCH_APPEALS_WHOLE_MAX)) {
    texts += appeal.passages
    if (texts > SEARCH_TEXTS_WHOLE_MAX) break
    whole.push(wholeOf(file, appeal, count))
    if (whole.length % APPEALS_AT_ONCE === 0) yield* pause
  }
  const rest = first.slice(whole.length)
  const weights = weightsOf(terms, statistics, [...whole, ...rest.map(({ appeal }) => appeal)], unread)
  const ranked = [...scoreAppeals(terms, weights, whole), ...rest]
  return {
    candidates: candidatesOf(descending(ranked.slice(0, query.limit)), query.passagesPerDocument),
    more: ranked.length > query.limit
  }
})

/**
 * Reads the texts that match, or where they are many, of the appeals that promise most. Gives how many texts hold each word, as
 * far as that was counted; nothing where all were read.
 */
const read = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  all: string,
  postings: Postings,
  { limit }: DocumentQuery,
  { appealOf, appeals, gather, readHeaders }: Gathering,
  bestOf: (shown: ReadonlyArray<number>, most: number) => ReadonlyArray<number>,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<ReadonlyArray<number>, E> {
  const isPlain = postings.complete && postings.rows.length <= SEARCH_TEXTS_PLAIN_MAX
  const most = isPlain ? Infinity : Math.max(SEARCH_APPEALS_COMPARED_MAX, limit + 1)
  const shown: Array<number> = []
  for (let from = 0; from < postings.appeals.length && shown.length < most; from += HEADERS_AT_ONCE) {
    if (from > 0) yield* pause
    const listed = postings.appeals.slice(from, from + HEADERS_AT_ONCE)
    readHeaders(listed.map((at) => refOf(postings.rows[at] ?? 0)))
    for (const at of listed)
      if (shown.length < most && appealOf(refOf(postings.rows[at] ?? 0)) !== null) shown.push(at)
  }
  const best = isPlain ? shown : bestOf(shown, Math.max(SEARCH_APPEALS_READ_MAX, limit + 1))
  const textsMax = isPlain ? Infinity : SEARCH_TEXTS_OF_APPEAL_MAX
  const rows = best.flatMap((from) =>
    postings
      .placesOf(from)
      .slice(0, textsMax)
      .map((at) => postings.rows[at] ?? 0)
  )
  for (let from = 0; from < rows.length; from += SEARCH_TEXTS_AT_ONCE) {
    yield* pause
    const page = JSON.stringify(rows.slice(from, from + SEARCH_TEXTS_AT_ONCE))
    file.read(rowsSql).all(page).map(rowOf).forEach(gather)
  }
  // Behind more hidden ones than are listed there may be others.
  for (let before = Number.MAX_SAFE_INTEGER; !postings.complete && appeals.size <= limit;) {
    yield* pause
    const older = file.read(matchingSql).all(all, before, SEARCH_TEXTS_AT_ONCE).map(rowOf)
    older.forEach(gather)
    const end = older.at(-1)
    if (end === undefined) break
    before = numberAt(end, 0)
  }
  return isPlain ? [] : postings.times
})

/**
 * Of appeals that begin there in the list of rows those which rank first by their headers and by what their rows hold: each text
 * is taken for one of usual length that has each word once. So a half of them is read, and not all.
 */
const bestByMarks = (
  terms: EvidenceTerms,
  statistics: ScopeStatistics,
  { marked, marks, placesOf, rows, times }: Postings,
  appealOf: (ref: number) => Gathered | null
) => {
  const known = new Map<number, ReadonlyArray<number>>()
  const termsIn = (bits: number): ReadonlyArray<number> => {
    const kept = known.get(bits)
    if (kept !== undefined) return kept
    const found = marked.flatMap((term, at) => {
      const own = (bits >> (2 * at)) & 1
      const kin = (bits >> (2 * at + 1)) & 1
      return own + kin === 0 ? [] : [term, own, 0, 1 - own]
    })
    known.set(bits, found)
    return found
  }
  const appealAt = (from: number) => {
    const appeal = appealOf(refOf(rows[from] ?? 0))
    if (appeal === null) return []
    const ofText = appeal.words / Math.max(1, appeal.passages)
    const words = Math.min(appeal.words, ofText * (1 + 2 * neighboursIn(appeal.passages)))
    const texts = placesOf(from)
      .slice(0, SEARCH_TEXTS_OF_APPEAL_MAX)
      .toSorted((a, b) => b - a)
      .map((at) => ({
        position: positionOf(rows[at] ?? 0),
        messageId: null,
        words,
        matches: true,
        counts: { terms: termsIn(marks[at] ?? 0), pairs: [], words: ofText }
      }))
    return [{ ...appeal, texts, from }]
  }
  return (shown: ReadonlyArray<number>, most: number): ReadonlyArray<number> => {
    if (shown.length <= most) return shown
    const appeals = shown.flatMap(appealAt)
    const weights = weightsOf(terms, statistics, appeals, unreadShares(appeals, times))
    const ranked = scoreAppeals(terms, weights, appeals)
    return ranked.slice(0, most).map(({ appeal }) => appeal.from)
  }
}

/** Headers read between two checks of the deadline. */
const HEADERS_AT_ONCE = 256

/** Collects the texts that matched by the appeals that the query may name. */
const gathering = (file: ReadFile, query: DocumentQuery, count: (words: string) => RankedText["counts"]) => {
  const appeals = new Map<number, Gathered>()
  const seen = new Map<number, Gathered | null>()
  const read = new Set<number>()
  const passing = passes(query)
  const headers = file.read(headersSql)
  const gatheredOf = (row: SqliteRow): Gathered | null => {
    const header = row[3] === null ? null : headerOf(row.slice(1))
    if (header === null || !passing(header)) return null
    return {
      ref: numberAt(row, 0),
      documentId: numberAt(row, 1),
      createdAt: header.createdAt,
      passages: numberAt(row, 9),
      words: numberAt(row, 10),
      weight: weightIn(query.scope, header),
      texts: []
    }
  }
  /** Of many in one statement: half the time of one by one. */
  const readHeaders = (refs: ReadonlyArray<number>): void => {
    for (const row of headers.all(JSON.stringify(refs)).map(rowOf))
      seen.set(numberAt(row, 0), gatheredOf(row))
  }
  /** Null of an appeal that the query may not name. */
  const appealOf = (ref: number): Gathered | null => {
    if (!seen.has(ref)) readHeaders([ref])
    return seen.get(ref) ?? null
  }
  const gather = (row: SqliteRow): void => {
    const at = numberAt(row, 0)
    const ref = refOf(at)
    const appeal = appealOf(ref)
    if (appeal === null || read.has(at)) return
    read.add(at)
    appeals.set(ref, appeal)
    appeal.texts.push({
      position: positionOf(at),
      messageId: nullableNumberAt(row, 1),
      words: numberAt(row, 2),
      matches: true,
      counts: count(textAt(row, 3))
    })
  }
  return { appealOf, appeals, gather, readHeaders }
}

type Gathering = ReturnType<typeof gathering>

const APPEALS_AT_ONCE = 8

const wholeOf = (
  file: ReadFile,
  appeal: Gathered,
  count: (words: string) => RankedText["counts"]
): Gathered => {
  if (appeal.texts.length === appeal.passages) return appeal
  const matching = new Map(appeal.texts.map((text) => [text.position, text]))
  const rows = file
    .read("select row, message, words, text from passage where row >= ? and row < ? order by row")
    .all(rowAt(appeal.ref, 0), rowAt(appeal.ref + 1, 0))
    .map(rowOf)
  const texts = rows.map((row): RankedText => {
    const position = positionOf(numberAt(row, 0))
    return (
      matching.get(position) ?? {
        position,
        messageId: nullableNumberAt(row, 1),
        words: numberAt(row, 2),
        matches: false,
        counts: count(textAt(row, 3))
      }
    )
  })
  return { ...appeal, texts }
}

// What was read whole stays above the rest, whose scores follow.
const descending = (ranked: ReadonlyArray<ScoredAppeal<Gathered>>): ReadonlyArray<ScoredAppeal<Gathered>> => {
  let least = Infinity
  return ranked.map((one) => {
    least = Math.min(least, one.score)
    return { ...one, score: least }
  })
}

const matchingSql = `select p.row, p.message, p.words, p.text
  from passage_text f join passage p on p.row = f.rowid
  where f.passage_text match ? and f.rowid < ${INTEGER} order by f.rowid desc limit ?`

const headersSql = `select a.ref, ${headerColumns} from json_each(?) r join appeal a on a.ref = r.value`

const rowsSql = `select p.row, p.message, p.words, p.text
  from json_each(?) r join passage p on p.row = r.value`

/** By place of the term, how many times more texts it occurs in than were read; at least 1. */
const unreadShares = (
  appeals: ReadonlyArray<Gathered>,
  times: ReadonlyArray<number>
): ReadonlyArray<number> => {
  if (times.length === 0) return []
  const read = new Float64Array(times.length)
  for (const { texts } of appeals)
    for (const { counts } of texts)
      for (let at = 0; at < counts.terms.length; at += TERM_COUNTS) {
        const term = counts.terms[at] ?? 0
        if (term < read.length) read[term] = (read[term] ?? 0) + 1
      }
  return times.map((counted, term) => Math.max(1, counted / Math.max(1, read[term] ?? 0)))
}
