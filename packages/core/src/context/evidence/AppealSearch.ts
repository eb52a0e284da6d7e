// Asks the search index for the lists of a plan, with what the caller may see as a filter.
import { Effect } from "effect"
import type { SourceUnavailable } from "../../failures/SourceUnavailable.ts"
import type {
  DocumentIndex,
  DocumentVisibility,
  DocumentsFound,
  DocumentPassage,
  DocumentScope
} from "../../search/DocumentIndex.ts"
import type { Reading } from "../../search/text/Readings.ts"
import type { FoundList } from "./AppealSelection.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import type { ContextScope, Opened } from "../read/ContextStore.ts"

/** What the query found in an appeal. */
export interface Match {
  readonly score: number | null
  readonly passages: ReadonlyArray<DocumentPassage>
}

export interface SearchedAppeals {
  /** As the index has them: not re-checked. */
  readonly lists: ReadonlyArray<FoundList>
  readonly matches: ReadonlyMap<number, Match>
  /** Words of the query that were read otherwise. */
  readonly readings: ReadonlyArray<Reading>
}

interface AppealSearch {
  readonly instanceId: number
  readonly visibility: DocumentVisibility
  readonly plan: ContextPlan
  readonly scope: DocumentScope
  /** Candidates of each list. */
  readonly limit: number
  readonly deadline: number
}

/** What is searched for an entity: of a skill group its subjects and its members. */
export const searchScope = (scope: ContextScope, group: Opened["group"]): DocumentScope => {
  switch (scope.entity) {
    case "client":
      return { _tag: "Client", clientId: scope.id }
    case "subject":
      return { _tag: "Subject", subjectId: scope.id }
    case "operator":
      return { _tag: "Participant", userId: scope.id }
    case "skill_group":
      return { _tag: "Group", subjectIds: group?.subjectIds ?? [], userIds: group?.memberIds ?? [] }
  }
}

/** The latest of a skill group are those of its subjects before those of its members (subject_coverage, member_participation). */
const latestScopes = (scope: DocumentScope): ReadonlyArray<DocumentScope> =>
  scope._tag === "Group"
    ? [
        { ...scope, userIds: [] },
        { ...scope, subjectIds: [] }
      ]
    : [scope]

const isEmpty = (scope: DocumentScope): boolean =>
  scope._tag === "Group" && scope.subjectIds.length === 0 && scope.userIds.length === 0

/** All lists at once. With a query the appeals of every list are searched for words, so that their best passages are known. */
export const searchAppeals = Effect.fnUntraced(function* (
  index: DocumentIndex,
  search: AppealSearch
): Effect.fn.Return<SearchedAppeals, SourceUnavailable> {
  const { plan } = search
  const recent = plan.appealLists.some(({ order }) => order === "recent")
  const [latest, matching] = yield* Effect.all(
    [
      recent ? searchIn(index, search, latestScopes(search.scope), null) : Effect.succeed([]),
      plan.query === null ? Effect.succeed([]) : searchIn(index, search, [search.scope], plan.query)
    ],
    { concurrency: "unbounded" }
  )
  const best = matching.flatMap(({ candidates }) => candidates)
  const ids = { recent: latest.flatMap(({ candidates }) => candidates), relevant: best }
  const more = { recent: latest.some(({ more }) => more), relevant: matching.some(({ more }) => more) }
  return {
    lists: plan.appealLists.map((list) => ({
      list,
      appealIds: [...new Set(ids[list.order].map(({ documentId }) => documentId))].slice(0, search.limit),
      more: more[list.order] || ids[list.order].length > search.limit
    })),
    matches: new Map(best.map(({ documentId, passages, score }) => [documentId, { score, passages }])),
    readings: matching.flatMap(({ readings }) => readings)
  }
})

const searchIn = (
  index: DocumentIndex,
  { deadline, instanceId, limit, plan, visibility }: AppealSearch,
  scopes: ReadonlyArray<DocumentScope>,
  query: string | null
): Effect.Effect<ReadonlyArray<DocumentsFound>, SourceUnavailable> =>
  Effect.forEach(
    scopes.filter((scope) => !isEmpty(scope)),
    (scope) =>
      index.search({
        instanceId,
        scope,
        visibility,
        query,
        from: plan.from,
        to: plan.to,
        limit,
        passagesPerDocument: query === null ? 0 : plan.maxSnippetsPerAppeal,
        deadline
      }),
    { concurrency: "unbounded" }
  )
