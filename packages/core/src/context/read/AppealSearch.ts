// Finds the appeals of a pack: the search index proposes candidates, PostgreSQL re-checks them and returns their texts (contract §3.3).
import { Effect } from "effect"
import type { Caller } from "../../access/Caller.ts"
import type { SourceUnavailable } from "../../failures/SourceUnavailable.ts"
import type { Reading } from "../../search/text/Readings.ts"
import { type TextQuery, correctedQuery } from "../../search/text/TextQuery.ts"
import {
  chooseAppeals,
  type ChosenAppeals,
  type FoundList,
  type PartialReasons,
  partialReasonsOf
} from "./AppealChoice.ts"
import type { ContextPlan } from "./ContextPlan.ts"
import type {
  AppealRow,
  ContextScope,
  ContextStore,
  MessageRow,
  OpenedParts,
  RecheckedAppeals
} from "./ContextStore.ts"
import { type Snippet, withSnippets } from "../../search/text/Snippets.ts"
import type {
  DocumentIndex,
  DocumentPassage,
  DocumentScope,
  DocumentsFound,
  DocumentVisibility,
  ScoreParts
} from "../../search/DocumentIndex.ts"

/** Searches of one read at most, while too many candidates are hidden from the caller. */
const CANDIDATE_ROUNDS_MAX = 6
/** Factor by which each further search requests more candidates. */
const CANDIDATE_ROUND_FACTOR = 4

/** The matches in an appeal. */
interface Match {
  readonly score: number | null
  readonly parts: ScoreParts | null
  readonly passages: ReadonlyArray<DocumentPassage>
}

/** A visible appeal that the pack leaves out. */
export interface DroppedAppeal {
  readonly appealId: number
  readonly score: number | null
  /** The limit that would have kept it. */
  readonly keptBy: { readonly topK: number } | { readonly minScore: number }
}

interface SearchedAppeals {
  /** From the index, not re-checked. */
  readonly lists: ReadonlyArray<FoundList>
  readonly matches: ReadonlyMap<number, Match>
  /** Appeals below minScore, best first; only to explain the pack. */
  readonly irrelevantIds: ReadonlyArray<number>
  /** Corrected words of the query. */
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

/** The search scope of an entity: for a skill group its subjects and its members. */
export const searchScope = (scope: ContextScope, group: OpenedParts["group"]): DocumentScope => {
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

/** For the latest of a skill group: its subjects (subject_coverage) before its members (member_participation). */
const latestScopes = (scope: DocumentScope): ReadonlyArray<DocumentScope> =>
  scope._tag === "Group"
    ? [
        { ...scope, userIds: [] },
        { ...scope, subjectIds: [] }
      ]
    : [scope]

const isEmpty = (scope: DocumentScope): boolean =>
  scope._tag === "Group" && scope.subjectIds.length === 0 && scope.userIds.length === 0

/** Searches all lists in parallel; with a query all of them by words, so that their best passages are known. */
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
  // Scores descend, so every candidate after a dropped one would be dropped too.
  const relevant = best.filter(({ score }) => (score ?? 0) >= plan.minScore)
  const more = {
    recent: latest.some(({ more }) => more),
    relevant: relevant.length === best.length && matching.some(({ more }) => more)
  }
  const ids = { recent: latest.flatMap(({ candidates }) => candidates), relevant }
  return {
    lists: plan.appealLists.map((list) => ({
      list,
      appealIds: [...new Set(ids[list.order].map(({ documentId }) => documentId))].slice(0, search.limit),
      more: more[list.order] || ids[list.order].length > search.limit
    })),
    matches: new Map(
      best.map(({ documentId, parts = null, passages, score }) => [documentId, { score, parts, passages }])
    ),
    irrelevantIds: plan.explain ? best.slice(relevant.length).map(({ documentId }) => documentId) : [],
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

/** The appeals that passed the re-check. */
export interface AppealEvidence {
  readonly chosen: ChosenAppeals
  readonly rows: ReadonlyMap<number, AppealRow>
  readonly matches: ReadonlyMap<number, Match>
  readonly readings: ReadonlyArray<Reading>
  /** The snippets of each. */
  readonly snippets: ReadonlyMap<number, ReadonlyArray<ShownSnippet>>
  /** Long or quarantined appeals that could have been shown. */
  readonly touching: PartialReasons
  /** Visible appeals beyond topK, then those below minScore; only to explain the pack. */
  readonly dropped: ReadonlyArray<DroppedAppeal>
}

/**
 * Re-checks found appeals. Hidden ones are left out; while the index has more, further candidates are requested, so that a page
 * of hidden appeals is not the end (contract §3.3).
 */
export const recheckAppeals = Effect.fnUntraced(function* (
  store: ContextStore["Service"],
  caller: Caller,
  plan: ContextPlan,
  first: SearchedAppeals,
  searchAgain: (limit: number) => Effect.Effect<SearchedAppeals, SourceUnavailable>
): Effect.fn.Return<AppealEvidence, SourceUnavailable> {
  const checked = new Set<number>()
  const visible = new Set<number>()
  const rows = new Map<number, AppealRow>()
  const textQuery = plan.textQuery === null ? null : correctedQuery(plan.textQuery, first.readings)
  const recheck = Effect.fnUntraced(function* (
    candidateIds: ReadonlyArray<number>,
    wantedIds: ReadonlyArray<number>,
    matches: ReadonlyMap<number, Match>,
    flags: boolean
  ) {
    const seen: RecheckedAppeals = yield* store.recheck({
      caller,
      scope: plan.scope,
      from: plan.from,
      to: plan.to,
      leftOut: plan.conversation,
      candidateIds,
      wanted: wantedOf(wantedIds, matches),
      latestMessages: plan.maxSnippetsPerAppeal,
      wordStarts: textQuery?.starts ?? [],
      flags
    })
    for (const id of candidateIds) checked.add(id)
    for (const id of seen.visibleIds) visible.add(id)
    for (const row of seen.appeals) rows.set(row.appealId, row)
    return seen
  })

  let searched = first
  let limit = plan.candidateLimit
  let flagged: RecheckedAppeals | undefined
  for (let round = 1; ; round++) {
    const candidateIds = idsOf(searched).filter((id) => !checked.has(id))
    // Usually all candidates are visible, and this one statement returns everything that is shown.
    const expected = chooseAppeals(
      visibleOf(searched.lists, (id) => !checked.has(id) || visible.has(id)),
      plan
    )
    const wanted = expected.appeals.map(({ appealId }) => appealId).filter((id) => !rows.has(id))
    const seen = yield* recheck(candidateIds, wanted, searched.matches, flagged === undefined)
    flagged ??= seen
    const lists = visibleOf(searched.lists, (id) => visible.has(id))
    const short = lists.some(({ appealIds, more }) => more && appealIds.length < plan.candidateLimit)
    if (short && round < CANDIDATE_ROUNDS_MAX) {
      limit *= CANDIDATE_ROUND_FACTOR
      searched = yield* searchAgain(limit)
      continue
    }
    const chosen = chooseAppeals(lists, plan)
    const missing = chosen.appeals.map(({ appealId }) => appealId).filter((id) => !rows.has(id))
    if (missing.length > 0) yield* recheck(missing, missing, searched.matches, false)
    // Appeals that became invisible between two statements are left out.
    const appeals = chosen.appeals.filter(({ appealId }) => rows.has(appealId))
    const shown = appeals.flatMap(({ appealId }) => rows.get(appealId) ?? [])
    const found = { ...chosen, appeals }
    return {
      chosen: found,
      snippets: yield* appealSnippets(shown, searched.matches, textQuery, plan.maxSnippetsPerAppeal),
      rows,
      matches: searched.matches,
      readings: first.readings,
      touching: partialReasonsOf(plan, found, rows, flagged),
      dropped: plan.explain ? droppedOf(plan, lists, found, searched, visible) : []
    }
  }
})

/** Candidates that PostgreSQL has confirmed to be visible, and that no list shows. */
const droppedOf = (
  { topK }: ContextPlan,
  lists: ReadonlyArray<FoundList>,
  { appeals, brought }: ChosenAppeals,
  { irrelevantIds, matches }: SearchedAppeals,
  visible: ReadonlySet<number>
): ReadonlyArray<DroppedAppeal> => {
  const dropped = new Map<number, DroppedAppeal>()
  const shown = new Set(appeals.map(({ appealId }) => appealId))
  const scoreOf = (appealId: number) => matches.get(appealId)?.score ?? null
  const drop = (appealId: number, keptBy: DroppedAppeal["keptBy"]) => {
    if (!shown.has(appealId) && !dropped.has(appealId))
      dropped.set(appealId, { appealId, score: scoreOf(appealId), keptBy })
  }
  for (const [list, { appealIds }] of lists.entries())
    for (const [place, appealId] of appealIds.slice(topK, brought[list]).entries())
      drop(appealId, { topK: topK + place + 1 })
  for (const appealId of irrelevantIds)
    if (visible.has(appealId)) drop(appealId, { minScore: scoreOf(appealId) ?? 0 })
  return [...dropped.values()]
}

const visibleOf = (
  lists: ReadonlyArray<FoundList>,
  isVisible: (appealId: number) => boolean
): ReadonlyArray<FoundList> =>
  lists.map(({ appealIds, list, more }) => ({ list, appealIds: appealIds.filter(isVisible), more }))

const idsOf = ({ irrelevantIds, lists }: SearchedAppeals): ReadonlyArray<number> => [
  ...new Set([...lists.flatMap(({ appealIds }) => appealIds), ...irrelevantIds])
]

/** Appeals with their matching messages; without one, the latest messages are read. */
const wantedOf = (appealIds: ReadonlyArray<number>, matches: ReadonlyMap<number, Match>) =>
  appealIds.map((appealId) => ({
    appealId,
    messageIds: matches.get(appealId)?.passages.map(({ messageId }) => messageId) ?? []
  }))

export interface ShownSnippet extends Snippet {
  readonly message: MessageRow
  /** Null without a query. */
  readonly score: number | null
}

/** Snippets by appeal: matching messages, best first; without a match or query the latest messages. */
const appealSnippets = Effect.fnUntraced(function* (
  rows: Iterable<AppealRow>,
  matches: ReadonlyMap<number, Match>,
  textQuery: TextQuery | null,
  snippetsMax: number
): Effect.fn.Return<ReadonlyMap<number, ReadonlyArray<ShownSnippet>>> {
  const shown = Array.from(rows).flatMap(({ appealId, messages }) =>
    shownMessages(messages, matches.get(appealId), snippetsMax).map((one) => ({
      ...one,
      appealId,
      text: one.message.text
    }))
  )
  const found = yield* withSnippets(textQuery, shown, (one) => one.score !== null)
  const snippets = found.map(([{ appealId, message, score }, snippet]) => ({
    ...snippet,
    cutBefore: snippet.cutBefore || message.cutBefore,
    cutAfter: snippet.cutAfter || message.cutAfter,
    appealId,
    message,
    score
  }))
  return Map.groupBy(snippets, ({ appealId }) => appealId)
})

const shownMessages = (
  messages: ReadonlyArray<MessageRow>,
  match: Match | undefined,
  latest: number
): ReadonlyArray<{ readonly message: MessageRow; readonly score: number | null }> => {
  if (match === undefined || match.passages.length === 0) {
    return messages
      .toSorted((a, b) => b.sequence - a.sequence)
      .slice(0, latest)
      .map((message) => ({ message, score: null }))
  }
  const byId = new Map(messages.map((message) => [message.messageId, message]))
  return match.passages.flatMap(({ messageId, score }) => {
    const message = byId.get(messageId)
    return message === undefined ? [] : [{ message, score }]
  })
}
