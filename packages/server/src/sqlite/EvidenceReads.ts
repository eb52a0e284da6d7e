// The searching half of the SQLite evidence index. SQLite gives candidates a page at a time, so that between pages the
// deadline is looked at, an interrupt is heard and other searches go on; filtering and ranking are core's.
import { SEARCH_TEXTS_AT_ONCE, SEARCH_TEXTS_MAX, SEARCH_TEXTS_PLAIN_MAX } from "@rapport/contract/Limits.ts"
import { type EvidenceHeader, passes } from "@rapport/core/search/EvidenceFilter.ts"
import type { EvidenceFound, EvidenceQuery, EvidenceScope } from "@rapport/core/search/EvidenceIndex.ts"
import { type RankedText, rankAppeals, type ScopeStatistics } from "@rapport/core/search/EvidenceRanking.ts"
import { type EvidenceTerms, termCounter, termsOf } from "@rapport/core/search/EvidenceTerms.ts"
import { Effect } from "effect"
import type { EvidenceFile } from "./EvidenceFile.ts"
import { scopeToken, usersOf } from "./EvidenceWrites.ts"
import { nullableNumberAt, numberAt, rowOf, type SqliteRow, textAt } from "./SqliteRow.ts"

/** `pause` lets others in and fails when the deadline has passed. */
export const searchEvidence = <E>(
  file: EvidenceFile,
  query: EvidenceQuery,
  pause: Effect.Effect<void, E>
): Effect.Effect<EvidenceFound, E> =>
  query.query === null ? latest(file, query, pause) : relevant(file, query, termsOf(query.query), pause)

const headerColumns =
  "a.id, a.created, a.client, a.subject, a.operator, a.operators, a.author, a.closed, a.passages, a.words"

const headerOf = (row: SqliteRow): EvidenceHeader => ({
  clientId: nullableNumberAt(row, 2) ?? 0,
  subjectId: nullableNumberAt(row, 3),
  operatorId: nullableNumberAt(row, 4),
  operatorIds: usersOf(textAt(row, 5)),
  authorId: nullableNumberAt(row, 6),
  closed: numberAt(row, 7) === 1,
  createdAt: numberAt(row, 1)
})

// ---- the latest

/** Appeals of one client, subject or participant, newest first, a page at a time. */
interface Source {
  readonly next: () => ReadonlyArray<SqliteRow>
  page: ReadonlyArray<SqliteRow>
  at: number
}

const latest = Effect.fnUntraced(function* <E>(
  file: EvidenceFile,
  query: EvidenceQuery,
  pause: Effect.Effect<void, E>
) {
  const passing = passes(query)
  const sources = sourcesOf(file, query)
  const found: Array<number> = []
  let last = -1
  for (let seen = 1; found.length <= query.limit; seen++) {
    if (seen % SEARCH_TEXTS_AT_ONCE === 0) yield* pause
    const row = takeNewest(sources)
    if (row === undefined) break
    const id = numberAt(row, 0)
    // Several participants of one appeal bring it one after the other.
    if (id !== last && passing(headerOf(row))) found.push(id)
    last = id
  }
  const candidates = found.slice(0, query.limit).map((appealId) => ({ appealId, score: null, passages: [] }))
  return { candidates, more: found.length > query.limit }
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

const sourcesOf = (file: EvidenceFile, query: EvidenceQuery): ReadonlyArray<Source> =>
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
        .all(query.instanceId, id, ...before, query.from ?? Number.MIN_SAFE_INTEGER, LATEST_AT_ONCE)
        .map(rowOf)
      const end = rows.at(-1)
      if (end !== undefined) before = [numberAt(end, 1), numberAt(end, 0)]
      return rows
    }
    return { next, page: next(), at: 0 }
  })

const LATEST_AT_ONCE = 64

const membersOf = (
  scope: EvidenceScope
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

// ---- the relevant

interface Gathered {
  readonly createdAt: number
  readonly passages: number
  readonly words: number
  readonly texts: Array<RankedText>
}

const relevant = Effect.fnUntraced(function* <E>(
  file: EvidenceFile,
  query: EvidenceQuery,
  terms: EvidenceTerms,
  pause: Effect.Effect<void, E>
) {
  const tokens = membersOf(query.scope).map(({ kind, id }) => scopeToken[kind](query.instanceId, id))
  if (tokens.length === 0 || terms.matching === 0) return { candidates: [], more: false }
  const count = termCounter(terms)
  const appeals = new Map<number, Gathered & { readonly appealId: number }>()
  const hidden = new Set<number>()
  const passing = passes(query)
  const headers = file.read(`select ${headerColumns} from appeal a where a.ref = ?`)
  const gather = (row: SqliteRow): void => {
    const ref = numberAt(row, 1)
    if (hidden.has(ref)) return
    let appeal = appeals.get(ref)
    if (appeal === undefined) {
      const found = headers.get(ref)
      const header = found === undefined ? undefined : rowOf(found)
      if (header === undefined || header[2] === null || !passing(headerOf(header))) {
        hidden.add(ref)
        return
      }
      appeal = {
        appealId: numberAt(header, 0),
        createdAt: numberAt(header, 1),
        passages: numberAt(header, 8),
        words: numberAt(header, 9),
        texts: []
      }
      appeals.set(ref, appeal)
    }
    appeal.texts.push({
      position: numberAt(row, 2),
      messageId: nullableNumberAt(row, 3),
      words: numberAt(row, 4),
      counts: count(textAt(row, 5))
    })
  }
  let seen = 0
  let cut = false
  for (const expression of yield* phasesOf(file, tokens, terms.stems.slice(0, terms.matching), pause)) {
    for (let before = Number.MAX_SAFE_INTEGER; !cut;) {
      const rows = file.read(textsSql).all(expression, before, SEARCH_TEXTS_AT_ONCE).map(rowOf)
      rows.forEach(gather)
      seen += rows.length
      const end = rows.at(-1)
      if (end === undefined || rows.length < SEARCH_TEXTS_AT_ONCE) break
      before = numberAt(end, 0)
      // Enough is seen only when enough of it may be shown.
      cut = seen >= SEARCH_TEXTS_MAX && appeals.size > query.limit
      yield* pause
    }
  }
  for (const appeal of appeals.values()) appeal.texts.sort((a, b) => a.position - b.position)
  const ranked = rankAppeals(
    terms,
    statisticsOf(file, tokens),
    [...appeals.values()],
    query.passagesPerAppeal
  )
  return { candidates: ranked.slice(0, query.limit), more: cut || ranked.length > query.limit }
})

const textsSql = `select p.row, p.ref, p.position, p.message, p.words, p.text
  from passage_text f join passage p on p.row = f.rowid
  where f.passage_text match ? and f.rowid < ? order by f.rowid desc limit ?`

const anyOf = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(" OR ")

/**
 * The matches of a query as expressions without overlap. Usually one; where very many texts match, one for each word, the
 * rarest first and each without those before it: what holds a rare word stands above what holds a common one alone.
 */
const phasesOf = Effect.fnUntraced(function* <E>(
  file: EvidenceFile,
  tokens: ReadonlyArray<string>,
  stems: ReadonlyArray<string>,
  pause: Effect.Effect<void, E>
) {
  const scope = `({scope} : (${anyOf(tokens)}))`
  const counting = file.read(
    "select count(*) from (select rowid from passage_text where passage_text match ? limit ?)"
  )
  const times = (words: ReadonlyArray<string>): number =>
    numberAt(rowOf(counting.get(`${scope} AND ({stems} : (${anyOf(words)}))`, SEARCH_TEXTS_PLAIN_MAX + 1)), 0)
  if (stems.length === 1 || times(stems) <= SEARCH_TEXTS_PLAIN_MAX) {
    return [`${scope} AND ({stems} : (${anyOf(stems)}))`]
  }
  const counted: Array<{ readonly stem: string; readonly times: number }> = []
  for (const stem of stems) {
    yield* pause
    counted.push({ stem, times: times([stem]) })
  }
  const rarest = counted.toSorted((a, b) => a.times - b.times).map(({ stem }) => stem)
  return rarest.map((stem, at) =>
    at === 0
      ? `${scope} AND ({stems} : ("${stem}"))`
      : `${scope} AND (({stems} : ("${stem}")) NOT ({stems} : (${anyOf(rarest.slice(0, at))})))`
  )
})

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
