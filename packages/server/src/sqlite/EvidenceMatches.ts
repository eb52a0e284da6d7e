// What a query finds in a SQLite evidence index: the texts that match, then of the best appeals all texts, for core to rank.
import {
  SEARCH_APPEALS_WHOLE_MAX,
  SEARCH_TEXTS_AT_ONCE,
  SEARCH_TEXTS_COUNTED_MAX,
  SEARCH_TEXTS_MAX,
  SEARCH_TEXTS_PLAIN_MAX,
  SEARCH_TEXTS_WHOLE_MAX
} from "./SqliteLimits.ts"
import { type EvidenceHeader, passes } from "@rapport/core/search/EvidenceFilter.ts"
import type { DocumentQuery, DocumentScope } from "@rapport/core/search/DocumentIndex.ts"
import {
  candidatesOf,
  scoreAppeals,
  type ScoredAppeal
} from "@rapport/core/search/ranking/EvidenceRanking.ts"
import type { RankedText } from "@rapport/core/search/ranking/RankedAppeal.ts"
import { type EvidenceTerms, familyOf, TERM_COUNTS, termCounter } from "@rapport/core/search/text/Terms.ts"
import { type ScopeStatistics, weightsOf } from "@rapport/core/search/ranking/TermWeights.ts"
import { Effect } from "effect"
import type { EvidenceFile } from "./EvidenceFile.ts"
import { scopeToken, usersOf } from "./EvidenceWrites.ts"
import { nullableNumberAt, numberAt, rowOf, type SqliteRow, textAt } from "./SqliteRow.ts"

export const headerColumns =
  "a.id, a.created, a.client, a.subject, a.operator, a.operators, a.author, a.closed, a.passages, a.words"

export const headerOf = (row: SqliteRow): EvidenceHeader => ({
  clientId: nullableNumberAt(row, 2) ?? 0,
  subjectId: nullableNumberAt(row, 3),
  operatorId: nullableNumberAt(row, 4),
  operatorIds: usersOf(textAt(row, 5)),
  authorId: nullableNumberAt(row, 6),
  closed: numberAt(row, 7) === 1,
  createdAt: numberAt(row, 1)
})

export const membersOf = (
  scope: DocumentScope
): ReadonlyArray<{ readonly kind: "client" | "subject" | "participant"; readonly id: number }> => {
  switch (scope._tag) {
    case "Client":
      return [{ kind: "client", id: scope.clientId }]
    case "Subject":
      return [{ kind: "subject", id: scope.subjectId }]
    case "Participant":
      return [{ kind: "participant", id: scope.userId }]
    case "Subjects":
      return [...new Set(scope.subjectIds)].map((id) => ({ kind: "subject", id }))
    case "Participants":
      return [...new Set(scope.userIds)].map((id) => ({ kind: "participant", id }))
  }
}

/** An appeal that matches, with the texts read so far. */
interface Gathered {
  readonly ref: number
  readonly documentId: number
  readonly createdAt: number
  readonly passages: number
  readonly words: number
  readonly texts: Array<RankedText>
}

export const relevant = Effect.fnUntraced(function* <E>(
  file: EvidenceFile,
  query: DocumentQuery,
  terms: EvidenceTerms,
  pause: Effect.Effect<void, E>
) {
  const tokens = tokensOf(query)
  if (tokens.length === 0 || terms.matching === 0) return { candidates: [], more: false }
  const count = termCounter(terms)
  const { appeals, gather } = gathering(file, query, count)
  let seen = 0
  let cut = false
  const { expressions, times } = yield* phasesOf(file, tokens, terms.stems.slice(0, terms.matching), pause)
  for (const { enough, expression } of expressions) {
    for (let before = Number.MAX_SAFE_INTEGER; !cut;) {
      // Enough is seen only when enough of it may be shown.
      cut = seen >= enough && appeals.size > query.limit
      if (cut) break
      const rows = file.read(textsSql).all(expression, before, SEARCH_TEXTS_AT_ONCE).map(rowOf)
      rows.forEach(gather)
      seen += rows.length
      const end = rows.at(-1)
      if (end === undefined || rows.length < SEARCH_TEXTS_AT_ONCE) break
      before = numberAt(end, 0)
      yield* pause
    }
  }
  for (const appeal of appeals.values()) appeal.texts.sort((a, b) => a.position - b.position)
  const statistics = statisticsOf(file, tokens)
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
    more: cut || ranked.length > query.limit
  }
})

/** Collects the texts that matched by the appeals that the query may name. */
const gathering = (
  file: EvidenceFile,
  query: DocumentQuery,
  count: (words: string) => RankedText["counts"]
) => {
  const appeals = new Map<number, Gathered>()
  const hidden = new Set<number>()
  const passing = passes(query)
  const headers = file.read(`select ${headerColumns} from appeal a where a.ref = ?`)
  const found = (ref: number): Gathered | undefined => {
    const row = headers.get(ref)
    const header = row === undefined ? undefined : rowOf(row)
    if (header === undefined || header[2] === null || !passing(headerOf(header))) return undefined
    return {
      ref,
      documentId: numberAt(header, 0),
      createdAt: numberAt(header, 1),
      passages: numberAt(header, 8),
      words: numberAt(header, 9),
      texts: []
    }
  }
  const gather = (row: SqliteRow): void => {
    const ref = numberAt(row, 1)
    if (hidden.has(ref)) return
    const appeal = appeals.get(ref) ?? found(ref)
    if (appeal === undefined) {
      hidden.add(ref)
      return
    }
    appeals.set(ref, appeal)
    appeal.texts.push({
      position: numberAt(row, 2),
      messageId: nullableNumberAt(row, 3),
      words: numberAt(row, 4),
      matches: true,
      counts: count(textAt(row, 5))
    })
  }
  return { appeals, gather }
}

const APPEALS_AT_ONCE = 8

const wholeOf = (
  file: EvidenceFile,
  appeal: Gathered,
  count: (words: string) => RankedText["counts"]
): Gathered => {
  if (appeal.texts.length === appeal.passages) return appeal
  const matching = new Map(appeal.texts.map((text) => [text.position, text]))
  const rows = file
    .read("select position, message, words, text from passage where ref = ? order by position")
    .all(appeal.ref)
    .map(rowOf)
  const texts = rows.map((row): RankedText => {
    const position = numberAt(row, 0)
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

const textsSql = `select p.row, p.ref, p.position, p.message, p.words, p.text
  from passage_text f join passage p on p.row = f.rowid
  where f.passage_text match ? and f.rowid < ? order by f.rowid desc limit ?`

const anyOf = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(" OR ")

/** The scopes of a query, as words of the full text index; none: nothing is in it. */
export const tokensOf = ({ instanceId, scope }: DocumentQuery): ReadonlyArray<string> =>
  membersOf(scope).map(({ kind, id }) => scopeToken[kind](instanceId, id))

export const textsIn = (tokens: ReadonlyArray<string>): string => `({scope} : (${anyOf(tokens)}))`

/** Texts that hold one of the words or a word of its family. */
const holding = (stems: ReadonlyArray<string>): string => {
  const families = new Set(stems.flatMap((stem) => familyOf(stem) ?? []))
  const words = `({stems} : (${anyOf(stems)}))`
  return families.size === 0 ? words : `(${words} OR ({families} : (${anyOf([...families])})))`
}

/** Common words of which two in one text are looked for: the rarest of them. */
const PAIRED_WORDS_MAX = 6

/** A part of the matches, left out where `enough` texts were seen before. */
interface Phase {
  readonly expression: string
  readonly enough: number
}

/**
 * The matches of a query as expressions without overlap, and how many texts hold each word, as far as that was counted. Usually
 * one; where many texts match, first those with the rare words, each word without those before it, then those that hold two
 * of the common ones, then the rest: what holds a rare word comes before what holds only a common one.
 */
const phasesOf = Effect.fnUntraced(function* <E>(
  file: EvidenceFile,
  tokens: ReadonlyArray<string>,
  stems: ReadonlyArray<string>,
  pause: Effect.Effect<void, E>
): Effect.fn.Return<
  { readonly expressions: ReadonlyArray<Phase>; readonly times: ReadonlyArray<number> },
  E
> {
  const scope = textsIn(tokens)
  const counting = file.read(
    "select count(*) from (select rowid from passage_text where passage_text match ? limit ?)"
  )
  const timesOf = (words: ReadonlyArray<string>, most: number): number =>
    numberAt(rowOf(counting.get(`${scope} AND ${holding(words)}`, most)), 0)
  const all = { expression: `${scope} AND ${holding(stems)}`, enough: SEARCH_TEXTS_MAX }
  if (stems.length === 1 || timesOf(stems, SEARCH_TEXTS_PLAIN_MAX + 1) <= SEARCH_TEXTS_PLAIN_MAX) {
    return { expressions: [all], times: [] }
  }
  const counted: Array<{ readonly stem: string; readonly times: number }> = []
  for (const stem of stems) {
    yield* pause
    counted.push({ stem, times: timesOf([stem], SEARCH_TEXTS_COUNTED_MAX) })
  }
  const times = counted.map((one) => one.times)
  const rarest = counted.toSorted((a, b) => a.times - b.times)
  let sum = 0
  const rare = rarest.filter((one) => (sum += one.times) <= SEARCH_TEXTS_PLAIN_MAX).map(({ stem }) => stem)
  const common = rarest.slice(rare.length).map(({ stem }) => stem)
  const without = (words: ReadonlyArray<string>, before: ReadonlyArray<string>): string =>
    before.length === 0 ? words.join(" OR ") : `((${words.join(" OR ")}) NOT ${holding(before)})`
  const paired = common.slice(0, PAIRED_WORDS_MAX)
  const pairs = paired.flatMap((stem, at) =>
    paired.slice(at + 1).map((other) => `(${holding([stem])} AND ${holding([other])})`)
  )
  const expressions = [
    ...rare.map((stem, at) => ({
      expression: `${scope} AND (${without([holding([stem])], rare.slice(0, at))})`,
      enough: Infinity
    })),
    ...(pairs.length === 0
      ? []
      : [{ expression: `${scope} AND (${without(pairs, rare)})`, enough: SEARCH_TEXTS_MAX }]),
    ...common.map((stem, at) => {
      const before = [...rare, ...common.slice(0, at), ...paired.slice(at + 1)]
      return {
        expression: `${scope} AND (${without([holding([stem])], before)})`,
        enough: SEARCH_TEXTS_PLAIN_MAX
      }
    })
  ]
  return { expressions, times }
})

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

const statisticsOf = (file: EvidenceFile, tokens: ReadonlyArray<string>): ScopeStatistics => {
  const statement = file.read(
    "select appeals, appeal_words, passages, passage_words from scope where token = ?"
  )
  const sums = { appeals: 0, appealWords: 0, passages: 0, passageWords: 0 }
  for (const token of tokens) {
    const found = statement.get(token)
    if (found === undefined) continue
    const row = rowOf(found)
    sums.appeals += numberAt(row, 0)
    sums.appealWords += numberAt(row, 1)
    sums.passages += numberAt(row, 2)
    sums.passageWords += numberAt(row, 3)
  }
  return sums
}
