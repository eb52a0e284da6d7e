// Where a query looks: the scopes of the full text index, what they hold in all, and the headers of appeals.
import type { Effect } from "effect"
import type { DocumentQuery, DocumentScope } from "@rapport/core/search/DocumentIndex.ts"
import type { EvidenceHeader } from "@rapport/core/search/EvidenceFilter.ts"
import type { ScopeStatistics } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { nullableNumberAt, numberAt, type ReadFile, rowOf, type SqliteRow, textAt } from "./EvidenceFile.ts"
import { anyOf, bothOf, kinOf, scopeToken } from "./EvidenceRows.ts"

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

/** Participants as they are in the column `operators`. */
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

/** Where the texts of a query are found. */
export interface EvidenceScope {
  readonly tokens: ReadonlyArray<string>
  /** Of everything that is there, visible or not. */
  readonly statistics: ScopeStatistics
  /** An expression for the texts that hold one of the stems, or with `kin` a word of its family. */
  readonly holding: (stems: Iterable<string>, kin: boolean) => string
  /** One for the texts that hold words of the families of both stems. */
  readonly both: (first: string, second: string) => string
  /** One for the texts that hold a word of the family of the stem; none: it has no family. */
  readonly kin: (stem: string) => string | undefined
}

export const scopeOf = (file: ReadFile, { instanceId, scope }: DocumentQuery): EvidenceScope => {
  const members = membersOf(scope)
  const tokens = members.map(({ kind, id }) => scopeToken[kind](instanceId, id))
  const statistics = statisticsOf(file, members, tokens)
  if (scope._tag !== "Client") {
    return {
      tokens,
      statistics,
      holding: (stems, kin) => anyOf(tokens, stems, kin),
      both: (first, second) => bothOf(tokens, first, second),
      kin: (stem) => kinOf(tokens, stem)
    }
  }
  const subjects = file
    .read("select distinct subject from appeal where instance = ? and client = ?")
    .all(instanceId, scope.clientId)
    .map((found) => scopeToken.subject(instanceId, nullableNumberAt(rowOf(found), 0)))
  const [client = ""] = tokens
  return {
    tokens,
    statistics,
    holding: (stems, kin) => `("${client}" AND ${anyOf(subjects, stems, kin)})`,
    both: (first, second) => `("${client}" AND ${bothOf(subjects, first, second)})`,
    kin: (stem) => {
      const kin = kinOf(subjects, stem)
      return kin === undefined ? undefined : `("${client}" AND ${kin})`
    }
  }
}

const statisticsOf = (
  file: ReadFile,
  members: ReturnType<typeof membersOf>,
  tokens: ReadonlyArray<string>
): ScopeStatistics => {
  const statement = file.read(
    "select appeals, appeal_words, passages, passage_words from scope where token = ?"
  )
  const sums = new Map<string, ScopeStatistics>()
  for (const [at, { kind }] of members.entries()) {
    const found = statement.get(tokens[at] ?? "")
    if (found === undefined) continue
    const row = rowOf(found)
    const sum = sums.get(kind) ?? noTexts
    sums.set(kind, {
      appeals: sum.appeals + numberAt(row, 0),
      appealWords: sum.appealWords + numberAt(row, 1),
      passages: sum.passages + numberAt(row, 2),
      passageWords: sum.passageWords + numberAt(row, 3)
    })
  }
  // Most appeals of a group's subjects are those of its members too: whichever are more, not both.
  return [...sums.values()].reduce((most, one) => (one.passages > most.passages ? one : most), noTexts)
}

const noTexts: ScopeStatistics = { appeals: 0, appealWords: 0, passages: 0, passageWords: 0 }

/** The texts that a query may see. */
export interface VisibleTexts<E> {
  /** Those of the stems that occur in one; `textsMax`: texts that are read, the newest first. */
  readonly present: (stems: Iterable<string>, textsMax: number) => Effect.Effect<ReadonlySet<string>, E>
  /** Appeals that hold a stem, up to APPEALS_COUNTED_MAX. */
  readonly appealsWith: (stem: string) => Effect.Effect<number, E>
}
