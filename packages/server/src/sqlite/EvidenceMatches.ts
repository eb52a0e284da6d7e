// Searches a SQLite evidence index by words: reads matching texts, then all texts of the best appeals, which core ranks.
import { passes, weightIn } from "@rapport/core/search/EvidenceFilter.ts"
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import {
  candidatesOf,
  scoreAppeals,
  type ScoredAppeal,
  unreadShares,
  weightsInInstance,
  weightsOf
} from "@rapport/core/search/ranking/EvidenceRanking.ts"
import type { Relevance } from "@rapport/core/search/ranking/Relevance.ts"
import type { RankedText } from "@rapport/core/search/ranking/RankedAppeal.ts"
import { type EvidenceTerms, termCounter } from "@rapport/core/search/text/Terms.ts"
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
import { type Postings, postingsOf } from "./EvidencePostings.ts"
import { SEARCH_TEXTS_BATCH } from "./EvidenceTexts.ts"
import { instanceWords } from "./EvidenceVocabulary.ts"
import { positionOf, refOf, rowAt, type EvidenceScope, headerColumns, headerOf } from "./EvidenceRows.ts"

/** Up to this many matching texts are all read. If more match, only the best appeals by their rows are read. */
export const SEARCH_TEXTS_PLAIN_MAX = 400
/** The best appeals by their rows, of which texts are read. */
export const SEARCH_APPEALS_READ_MAX = 512
const SEARCH_TEXTS_OF_APPEAL_MAX = 16
/** The best appeals are ranked again by all their texts. */
const SEARCH_APPEALS_WHOLE_MAX = 32
/** Texts read for that. */
const SEARCH_TEXTS_WHOLE_MAX = 2_000

/** A matching appeal with the texts read so far. */
interface MatchedAppeal {
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
  { relevance, terms }: { readonly relevance: Relevance; readonly terms: EvidenceTerms },
  pause: Effect.Effect<void, E>
) {
  if (terms.matching === 0) return { candidates: [], more: false }
  const count = termCounter(terms)
  const matches = collectMatches(file, query, count)
  const { appeals } = matches
  const { statistics } = scope
  const stems = terms.stems.slice(0, terms.matching)
  const postings = yield* postingsOf(file, scope, stems, pause)
  const times = yield* read(file, scope.holding(stems, true), postings, query, matches, pause)
  for (const appeal of appeals.values()) appeal.texts.sort((a, b) => a.position - b.position)
  const matched = [...appeals.values()]
  const unread = unreadShares(matched, times)
  const first = scoreAppeals(terms, weightsOf(terms, statistics, matched, unread), matched)
  // Texts without a match add to the score too: speakers, and words that do not have to match.
  const whole: Array<MatchedAppeal> = []
  let texts = 0
  for (const { appeal } of first.slice(0, SEARCH_APPEALS_WHOLE_MAX)) {
    texts += appeal.passages
    if (texts > SEARCH_TEXTS_WHOLE_MAX) break
    whole.push(wholeOf(file, appeal, count))
    if (whole.length % APPEALS_BATCH === 0) yield* pause
  }
  const rest = first.slice(whole.length)
  const all = [...whole, ...rest.map(({ appeal }) => appeal)]
  const ranked = [...scoreAppeals(terms, weightsOf(terms, statistics, all, unread), whole), ...rest]
  return {
    candidates: candidatesOf(
      terms,
      withDescendingScores(ranked.slice(0, query.limit)),
      weightsInInstance(terms, instanceWords(file, query.instanceId, terms), all),
      query.passagesPerDocument,
      relevance
    ),
    more: ranked.length > query.limit
  }
})

/**
 * Reads the matching texts, or if there are many, those of the best appeals by their rows. Returns the number of texts with each
 * word as far as it was counted; empty if all texts were read.
 */
const read = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  all: string,
  postings: Postings,
  { limit }: DocumentQuery,
  { appealOf, appeals, gather, readHeaders }: Matches,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<ReadonlyArray<number>, E> {
  const isPlain = postings.complete && postings.size <= SEARCH_TEXTS_PLAIN_MAX
  const textsMax = isPlain ? Infinity : SEARCH_TEXTS_OF_APPEAL_MAX
  const appealsMax = Math.max(SEARCH_APPEALS_READ_MAX, limit + 1)
  const rows: Array<number> = []
  for (let from = 0, shown = 0; from < postings.appeals.length && shown < appealsMax; from += HEADERS_BATCH) {
    if (from > 0) yield* pause
    const listed = postings.appeals.slice(from, from + HEADERS_BATCH)
    readHeaders(listed.map(({ ref }) => ref))
    for (const one of listed) {
      if (shown >= appealsMax || appealOf(one.ref) === null) continue
      shown++
      rows.push(...one.rows.slice(0, textsMax))
    }
  }
  for (let from = 0; from < rows.length; from += SEARCH_TEXTS_BATCH) {
    yield* pause
    const page = JSON.stringify(rows.slice(from, from + SEARCH_TEXTS_BATCH))
    file.read(rowsSql).all(page).map(rowOf).forEach(gather)
  }
  // Older texts follow when most of the listed ones are hidden from the caller.
  for (let before = Number.MAX_SAFE_INTEGER; !postings.complete && appeals.size <= limit;) {
    yield* pause
    const older = file.read(matchingSql).all(all, before, SEARCH_TEXTS_BATCH).map(rowOf)
    older.forEach(gather)
    const end = older.at(-1)
    if (end === undefined) break
    before = numberAt(end, 0)
  }
  return isPlain ? [] : postings.times
})

/** Headers read between two checks of the deadline. */
const HEADERS_BATCH = 256

/** Collects matching texts by appeal; only appeals that the query may return. */
const collectMatches = (
  file: ReadFile,
  query: DocumentQuery,
  count: (words: string) => RankedText["counts"]
) => {
  const appeals = new Map<number, MatchedAppeal>()
  const seen = new Map<number, MatchedAppeal | null>()
  const read = new Set<number>()
  const passing = passes(query)
  const headers = file.read(headersSql)
  const gatheredOf = (row: SqliteRow): MatchedAppeal | null => {
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
  /** Many in one statement: half the time of single reads. */
  const readHeaders = (refs: ReadonlyArray<number>): void => {
    for (const row of headers.all(JSON.stringify(refs)).map(rowOf))
      seen.set(numberAt(row, 0), gatheredOf(row))
  }
  /** Null for an appeal that the query may not return. */
  const appealOf = (ref: number): MatchedAppeal | null => {
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

type Matches = ReturnType<typeof collectMatches>

const APPEALS_BATCH = 8

const wholeOf = (
  file: ReadFile,
  appeal: MatchedAppeal,
  count: (words: string) => RankedText["counts"]
): MatchedAppeal => {
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

// Makes scores descend: appeals that were read completely stay above the rest.
const withDescendingScores = (
  ranked: ReadonlyArray<ScoredAppeal<MatchedAppeal>>
): ReadonlyArray<ScoredAppeal<MatchedAppeal>> => {
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
