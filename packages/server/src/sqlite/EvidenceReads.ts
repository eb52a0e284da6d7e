// Searches a SQLite evidence index, page by page: between two pages the deadline is checked and other work of the thread runs.
import { SEARCH_TEXTS_BATCH } from "./SqliteLimits.ts"
import { passes } from "@rapport/core/search/EvidenceFilter.ts"
import type { DocumentQuery, DocumentsFound } from "@rapport/core/search/DocumentIndex.ts"
import {
  termsOf,
  type EvidenceTerms,
  type TermCounts,
  TERM_COUNTS,
  termCounter
} from "@rapport/core/search/text/Terms.ts"
import { Effect } from "effect"
import { numberAt, type ReadFile, rowOf, type SqliteRow, nullableNumberAt, textAt } from "./EvidenceFiles.ts"
import { relevant } from "./EvidenceMatches.ts"
import { rowsOfWords } from "./EvidencePostings.ts"
import {
  headerColumns,
  headerOf,
  membersOf,
  scopeOf,
  type VisibleTexts,
  type EvidenceScope,
  positionOf,
  rowAt,
  saidText
} from "./EvidenceRows.ts"
import { indexedTexts } from "./EvidenceTexts.ts"
import { instanceWords, textsWith } from "./EvidenceVocabulary.ts"
import {
  asRead,
  possibleReadings,
  chosenReadings,
  type Reading,
  stemsOf,
  APPEALS_COUNTED_MAX
} from "@rapport/core/search/text/Readings.ts"
import {
  candidatesOf,
  type InstanceWords,
  scoreAppeals,
  weightsInInstance,
  weightsOf
} from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { type Relevance, relevanceOf } from "@rapport/core/search/ranking/Relevance.ts"
import type { RankedAppeal } from "@rapport/core/search/ranking/RankedAppeal.ts"

/** Up to this many texts of a client are all read: no index is faster. */
const SEARCH_TEXTS_SCANNED_MAX = 1_000

/** `pause` lets other work run and fails after the deadline. */
export const searchEvidence = <E>(
  file: ReadFile,
  query: DocumentQuery,
  pause: Effect.Effect<void, E>
): Effect.Effect<DocumentsFound, E> =>
  query.query === null ? latest(file, query, pause) : matching(file, query, query.query, pause)

const matching = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  query: DocumentQuery,
  text: string,
  pause: Effect.Effect<void, E>
) {
  const scope = scopeOf(file, query)
  if (scope.statistics.passages === 0) return { candidates: [], more: false, readings: [] }
  const known = (stems: Iterable<string>) => [...textsWith(file, query.instanceId, stems).keys()]
  if (query.scope._tag === "Client" && scope.statistics.passages <= SEARCH_TEXTS_SCANNED_MAX) {
    const texts = yield* scanned(file, query, pause)
    const read = yield* correctedQuery(texts, known, text)
    const words = instanceWords(file, query.instanceId, read.terms)
    return { ...relevantScanned(texts, query, scope, words, read), readings: read.readings }
  }
  const ownRows = rowsOfWords(file, scope)
  const read = yield* correctedQuery(indexedTexts(file, scope, ownRows, passes(query), pause), known, text)
  const found = yield* relevant(file, query, scope, ownRows, read, pause)
  return { ...found, readings: read.readings }
})

/** The words of a query after its corrections. */
export interface CorrectedQuery {
  readonly terms: EvidenceTerms
  readonly relevance: Relevance
  readonly readings: ReadonlyArray<Reading>
}

/** Newest texts that decide which corrections occur. */
const TEXTS_WITH_READINGS_MAX = 8

/**
 * Corrects words of the query that occur in no visible text, if the correction does. Hidden texts never count. `known` returns the
 * stems that occur in the instance.
 */
const correctedQuery = Effect.fnUntraced(function* <E>(
  texts: VisibleTexts<E>,
  known: (stems: Iterable<string>) => ReadonlyArray<string>,
  query: string
): Effect.fn.Return<CorrectedQuery, E> {
  const terms = termsOf(query)
  const { matching, stems } = terms
  const searchedStems = stems.slice(0, matching)
  const present = yield* texts.present(searchedStems, Infinity)
  const plain = { terms, relevance: relevanceOf(terms, (stem) => present.has(stem)), readings: [] }
  if (present.size === searchedStems.length) return plain
  const candidates = possibleReadings(query, (stem) => present.has(stem))
  if (candidates.length === 0) return plain
  const found = yield* texts.present(known(stemsOf(candidates)), TEXTS_WITH_READINGS_MAX)
  const appeals = new Map<string, number>()
  for (const stem of found) appeals.set(stem, yield* texts.appealsWith(stem))
  const readings = chosenReadings(candidates, (stem) => appeals.get(stem) ?? 0)
  const corrected = termsOf(asRead(query, readings))
  return {
    terms: corrected,
    relevance: relevanceOf(corrected, (stem) => present.has(stem) || found.has(stem)),
    readings
  }
})

/** Appeals of one client, subject or participant, newest first, a page at a time. */
interface Source {
  readonly next: () => ReadonlyArray<SqliteRow>
  page: ReadonlyArray<SqliteRow>
  at: number
}

const latest = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  query: DocumentQuery,
  pause: Effect.Effect<void, E>
) {
  const passing = passes(query)
  const sources = sourcesOf(file, query)
  const found: Array<number> = []
  let last = -1
  for (let seen = 1; found.length <= query.limit; seen++) {
    if (seen % SEARCH_TEXTS_BATCH === 0) yield* pause
    const row = takeNewest(sources)
    if (row === undefined) break
    const id = numberAt(row, 0)
    // Several participants of an appeal return it repeatedly, one after the other.
    if (id !== last && passing(headerOf(row))) found.push(id)
    last = id
  }
  const candidates = found
    .slice(0, query.limit)
    .map((documentId) => ({ documentId, score: null, passages: [] }))
  return { candidates, more: found.length > query.limit, readings: [] }
})

const takeNewest = (sources: ReadonlyArray<Source>): SqliteRow | undefined => {
  let best: Source | undefined
  let bestRow: SqliteRow | undefined
  for (const source of sources) {
    if (source.at === source.page.length && source.page.length > 0) {
      source.page = source.next()
      source.at = 0
    }
    const row = source.page[source.at]
    if (row !== undefined && (bestRow === undefined || isNewer(row, bestRow))) {
      best = source
      bestRow = row
    }
  }
  if (best !== undefined) best.at++
  return bestRow
}

const isNewer = (a: SqliteRow, b: SqliteRow): boolean =>
  numberAt(a, 1) > numberAt(b, 1) || (numberAt(a, 1) === numberAt(b, 1) && numberAt(a, 0) > numberAt(b, 0))

const sourcesOf = (file: ReadFile, query: DocumentQuery): ReadonlyArray<Source> =>
  membersOf(query.scope).map(({ kind, id }) => {
    const from =
      kind === "participant"
        ? "participation p join appeal a on a.ref = p.ref where p.instance = ? and p.user = ? and (p.created, p.id) < (?, ?) and p.created >= ?"
        : `appeal a where a.instance = ? and a.${kind} = ? and (a.created, a.id) < (?, ?) and a.created >= ?`
    const order = kind === "participant" ? "p.created desc, p.id desc" : "a.created desc, a.id desc"
    const statement = file.read(`select ${headerColumns} from ${from} order by ${order} limit ?`)
    let before: readonly [number, number] = [query.to ?? Number.MAX_SAFE_INTEGER, 0]
    const next = () => {
      const rows = statement
        .all(query.instanceId, id, ...before, query.from ?? Number.MIN_SAFE_INTEGER, LATEST_BATCH)
        .map(rowOf)
      const end = rows.at(-1)
      if (end !== undefined) before = [numberAt(end, 1), numberAt(end, 0)]
      return rows
    }
    return { next, page: next(), at: 0 }
  })

const LATEST_BATCH = 64

interface ScannedText {
  readonly position: number
  readonly messageId: number | null
  readonly words: number
  readonly names: number
  readonly text: string
}

interface ScannedAppeal extends Omit<RankedAppeal, "texts"> {
  readonly texts: ReadonlyArray<ScannedText>
}

interface ScannedTexts extends VisibleTexts<never> {
  /** The newest first. */
  readonly appeals: ReadonlyArray<ScannedAppeal>
}

/** Appeals read between two pauses. */
const APPEALS_BATCH = 32

/** The visible appeals of the client with their texts. */
const scanned = Effect.fnUntraced(function* <E>(
  file: ReadFile,
  { scope, ...query }: DocumentQuery,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<ScannedTexts, E> {
  const passing = passes(query)
  const clientId = scope._tag === "Client" ? scope.clientId : 0
  const rows = file
    .read(
      `select ${headerColumns}, a.ref from appeal a where a.instance = ? and a.client = ? order by a.ref desc`
    )
    .all(query.instanceId, clientId)
    .map(rowOf)
  const appeals: Array<ScannedAppeal> = []
  for (const [at, row] of rows.entries()) {
    if (at % APPEALS_BATCH === APPEALS_BATCH - 1) yield* pause
    if (!passing(headerOf(row))) continue
    appeals.push({
      documentId: numberAt(row, 0),
      createdAt: numberAt(row, 1),
      passages: numberAt(row, 8),
      words: numberAt(row, 9),
      weight: 1,
      texts: textsOf(file, numberAt(row, 10))
    })
  }
  return { appeals, ...wordsOf(appeals) }
})

const textsOf = (file: ReadFile, ref: number): ReadonlyArray<ScannedText> =>
  file
    .read("select row, message, words, names, text from passage where row >= ? and row < ? order by row")
    .all(rowAt(ref, 0), rowAt(ref + 1, 0))
    .map((found) => {
      const row = rowOf(found)
      return {
        position: positionOf(numberAt(row, 0)),
        messageId: nullableNumberAt(row, 1),
        words: numberAt(row, 2),
        names: numberAt(row, 3),
        text: textAt(row, 4)
      }
    })

const wordsOf = (appeals: ReadonlyArray<ScannedAppeal>): VisibleTexts<never> => {
  const texts = appeals.map(({ texts }) => texts.toReversed())
  return {
    present: (wanted, textsMax) =>
      Effect.sync(() => {
        const stems = [...new Set(wanted)]
        const stemsIn = stemsMet(stems)
        const found = new Set<string>()
        let seen = 0
        for (const text of texts.flat()) {
          if (found.size === stems.length || seen === textsMax) break
          const before = found.size
          for (const stem of stemsIn(text)) found.add(stem)
          if (found.size > before) seen++
        }
        return found
      }),
    appealsWith: (stem) =>
      Effect.sync(() => {
        const stemsIn = stemsMet([stem])
        const holding = texts.filter((own) => own.some((text) => stemsIn(text).length > 0))
        return Math.min(APPEALS_COUNTED_MAX, holding.length)
      })
  }
}

/** Returns those of the stems that occur in a text, without the speaker's name. */
const stemsMet = (stems: ReadonlyArray<string>) => {
  const count = termCounter({ stems, matching: stems.length, spelled: new Set(), pairs: [], dates: [] })
  return ({ names, text }: ScannedText): ReadonlyArray<string> => {
    const { terms } = count(saidText(text, names))
    return stems.filter((_, place) => {
      for (let at = 0; at < terms.length; at += TERM_COUNTS)
        if (terms[at] === place) return (terms[at + 1] ?? 0) > 0
      return false
    })
  }
}

/** Ranks the appeals with a matching text. */
const relevantScanned = (
  { appeals }: ScannedTexts,
  { limit, passagesPerDocument }: DocumentQuery,
  { statistics }: EvidenceScope,
  words: InstanceWords,
  { relevance, terms }: CorrectedQuery
) => {
  const count = termCounter(terms)
  const isMatch = (counts: TermCounts): boolean => {
    for (let at = 0; at < counts.terms.length; at += TERM_COUNTS)
      if ((counts.terms[at] ?? 0) < terms.matching) return true
    return false
  }
  const matched = appeals
    .map((appeal) => ({
      ...appeal,
      texts: appeal.texts.map(({ names, text, ...one }) => {
        const counts = count(text)
        // The speaker's name does not make a text match.
        const matches = isMatch(counts) && (names === 0 || isMatch(count(saidText(text, names))))
        return { ...one, matches, counts }
      })
    }))
    .filter(({ texts }) => texts.some(({ matches }) => matches))
  const ranked = scoreAppeals(terms, weightsOf(terms, statistics, matched), matched)
  return {
    candidates: candidatesOf(
      terms,
      ranked.slice(0, limit),
      weightsInInstance(terms, words, matched),
      passagesPerDocument,
      relevance
    ),
    more: ranked.length > limit
  }
}
