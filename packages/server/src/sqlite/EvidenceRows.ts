// Encodes rows and words of the full text index: a row contains appeal and position, a word its scope.
import type { DocumentQuery, DocumentScope } from "@rapport/core/search/DocumentIndex.ts"
import type { EvidenceHeader } from "@rapport/core/search/EvidenceFilter.ts"
import type { ScopeStatistics } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { nullableNumberAt, numberAt, type ReadFile, rowOf, type SqliteRow, textAt } from "./EvidenceFiles.ts"
import type { IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import type { Passage } from "@rapport/core/search/text/Words.ts"
import { familiesIn, familyOf, isFoundByFamily } from "@rapport/core/search/text/Terms.ts"

export const headerColumns =
  "a.id, a.created, a.client, a.subject, a.operator, a.operators, a.author, a.closed, a.passages, a.words"

export const headerOf = (row: SqliteRow): EvidenceHeader => ({
  documentId: numberAt(row, 0),
  clientId: nullableNumberAt(row, 2) ?? 0,
  subjectId: nullableNumberAt(row, 3),
  operatorId: nullableNumberAt(row, 4),
  operatorIds: usersOf(textAt(row, 5)),
  authorId: nullableNumberAt(row, 6),
  closed: numberAt(row, 7) === 1,
  createdAt: numberAt(row, 1)
})

/** Parses the column `operators`. */
export const usersOf = (operators: string): ReadonlyArray<number> =>
  operators === "[]" ? [] : operators.slice(1, -1).split(",").map(Number)

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
    case "Group":
      return [
        ...Array.from(new Set(scope.subjectIds), (id) => ({ kind: "subject", id }) as const),
        ...Array.from(new Set(scope.userIds), (id) => ({ kind: "participant", id }) as const)
      ]
  }
}

/** The scope of a query. */
export interface EvidenceScope {
  /** Statistics of all texts, visible or not. */
  readonly statistics: ScopeStatistics
  /** FTS5 expression for texts with one of the stems, or with `kin` a word of its family. */
  readonly holding: (stems: Iterable<string>, kin: boolean) => string
  /** The same for texts with words of the families of both stems. */
  readonly holdingBoth: (first: string, second: string) => string
}

export const scopeOf = (file: ReadFile, { instanceId, scope }: DocumentQuery): EvidenceScope => {
  const members = membersOf(scope)
  const tokens = members.map(({ kind, id }) => scopeToken[kind](instanceId, id))
  // Words are indexed by subject, so the search of a client reads those of the client's subjects.
  const searched = scope._tag === "Client" ? subjectsOf(file, instanceId, scope.clientId) : tokens
  const within = (words: string) => (scope._tag === "Client" ? `("${tokens[0]}" AND ${words})` : words)
  return {
    statistics: statisticsOf(file, members, tokens),
    holding: (stems, kin) => within(anyOf(searched, stems, kin)),
    holdingBoth: (first, second) => within(bothOf(searched, first, second))
  }
}

const subjectsOf = (file: ReadFile, instanceId: number, clientId: number): ReadonlyArray<string> =>
  file
    .read("select distinct subject from appeal where instance = ? and client = ?")
    .all(instanceId, clientId)
    .map((found) => scopeToken.subject(instanceId, nullableNumberAt(rowOf(found), 0)))

/** Of a group the larger of its two parts: most appeals of its subjects are also appeals of its members. */
const statisticsOf = (
  file: ReadFile,
  members: ReturnType<typeof membersOf>,
  tokens: ReadonlyArray<string>
): ScopeStatistics => {
  const statement = file.read(
    "select appeals, appeal_words, passages, passage_words from scope where token = ?"
  )
  const halves = new Map<string, ScopeStatistics>()
  for (const [at, { kind }] of members.entries()) {
    const found = statement.get(tokens[at] ?? "")
    if (found === undefined) continue
    const row = rowOf(found)
    const half = halves.get(kind) ?? emptyStatistics
    halves.set(kind, {
      appeals: half.appeals + numberAt(row, 0),
      appealWords: half.appealWords + numberAt(row, 1),
      passages: half.passages + numberAt(row, 2),
      passageWords: half.passageWords + numberAt(row, 3)
    })
  }
  return [...halves.values()].reduce(
    (most, half) => (half.passages > most.passages ? half : most),
    emptyStatistics
  )
}

/** Statistics of the instance: the sum over its subjects, because each appeal has one (0 for none). */
export const instanceStatistics = (file: ReadFile, instanceId: number): ScopeStatistics => {
  const row = rowOf(
    file
      .read(
        `select coalesce(sum(appeals), 0), coalesce(sum(appeal_words), 0), coalesce(sum(passages), 0),
           coalesce(sum(passage_words), 0) from scope where token >= ? and token < ?`
      )
      .get(`${instanceId}s`, `${instanceId}t`)
  )
  return {
    appeals: numberAt(row, 0),
    appealWords: numberAt(row, 1),
    passages: numberAt(row, 2),
    passageWords: numberAt(row, 3)
  }
}

const emptyStatistics: ScopeStatistics = { appeals: 0, appealWords: 0, passages: 0, passageWords: 0 }

/** More than the texts of an indexed appeal. */
export const POSITIONS = 8_192

/** Rows of one appeal are adjacent, those of newer appeals follow. */
export const rowAt = (ref: number, position: number): number => ref * POSITIONS + position
export const refOf = (row: number): number => Math.floor(row / POSITIONS)
export const positionOf = (row: number): number => row % POSITIONS

/** Tokens of scopes. An appeal without a subject has subject 0. */
const scopeToken = {
  client: (instance: number, id: number) => `${instance}c${id}`,
  subject: (instance: number, id: number | null) => `${instance}s${id ?? 0}`,
  participant: (instance: number, id: number) => `${instance}u${id}`
}

/** The scopes of a document, its client first. */
export const scopesOf = (instance: number, document: IndexedDocument): ReadonlyArray<string> => [
  scopeToken.client(instance, document.clientId),
  scopeToken.subject(instance, document.subjectId),
  ...new Set(document.operatorIds.map((id) => scopeToken.participant(instance, id)))
]

const wordIn = (scope: string, stem: string): string => `${scope}w${stem}`
const familyIn = (scope: string, family: string): string => `${scope}f${family}`

/** The words of a text in the full text index. A client has few texts, so its scope is a separate word. */
export const indexedWords = (
  [client = "", ...scopes]: ReadonlyArray<string>,
  text: Passage["text"]
): string => {
  const stems = stemsIn(text)
  const families = familiesIn(text)
  const found = [client]
  for (const scope of scopes) {
    for (const stem of stems) found.push(wordIn(scope, stem))
    for (const family of families) found.push(familyIn(scope, family))
  }
  return found.join(" ")
}

export const stemsIn = (text: Passage["text"]): ReadonlySet<string> => new Set(text.map(({ stem }) => stem))

/** FTS5 expression for texts with one of the stems in one of the scopes, or with `kin` a word of its family. */
const anyOf = (scopes: ReadonlyArray<string>, stems: Iterable<string>, kin: boolean): string => {
  const found = new Set<string>()
  for (const stem of stems) {
    const family = kin ? familyOf(stem) : undefined
    const byFamily = kin && isFoundByFamily(stem)
    for (const scope of scopes) {
      if (!byFamily) found.add(`"${wordIn(scope, stem)}"`)
      if (family !== undefined) found.add(`"${familyIn(scope, family)}"`)
    }
  }
  return `(${[...found].join(" OR ")})`
}

/**
 * FTS5 expression for texts with words of the families of both stems in one of the scopes. One condition for each scope: with one
 * for all scopes FTS5 would compare as many lists in each step as there are scopes.
 */
const bothOf = (scopes: ReadonlyArray<string>, first: string, second: string): string =>
  `(${scopes.map((scope) => `(${anyOf([scope], [first], true)} AND ${anyOf([scope], [second], true)})`).join(" OR ")})`

/** A stored text without the speaker's name. */
export const saidText = (text: string, names: number): string => {
  let from = 0
  for (let word = 0; word < names && from >= 0; word++) from = text.indexOf(" ", from) + 1 || text.length
  return text.slice(from)
}
