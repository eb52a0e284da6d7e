// The search request of a context read and its response.
import type {
  DocumentCandidate,
  DocumentQuery,
  DocumentScope,
  DocumentsFound,
  DocumentVisibility
} from "@rapport/core/search/DocumentIndex.ts"
import {
  type EvidenceTerms,
  familiesOf,
  familyOf,
  type QueryDate,
  termsOf
} from "@rapport/core/search/text/Terms.ts"
import {
  BOTH_OF_GROUP_WEIGHT,
  FAMILY_WEIGHT,
  OPENING_WEIGHT,
  SPELLED_PASSAGE_WEIGHT,
  SPELLED_WHOLE_WEIGHT,
  WEAK_PASSAGE_WEIGHT,
  WHOLE_WEIGHT
} from "@rapport/core/search/ranking/RankingWeights.ts"
import { spelledShare } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { type Relevance, roundShare } from "@rapport/core/search/ranking/Relevance.ts"
import { stem } from "@rapport/core/search/text/Words.ts"
import { Schema } from "effect"
import { dateQuery } from "./EvidenceDates.ts"

type Clause = Readonly<Record<string, unknown>>

/** The body of the search; undefined: the query has no words, so nothing matches. */
export const searchBody = (
  query: DocumentQuery,
  timeoutMillis: number,
  counted: ReadonlyArray<string>
): Clause | undefined => {
  const filter = filtersOf(query)
  const frame = {
    size: query.limit + 1,
    timeout: `${timeoutMillis}ms`,
    track_total_hits: false,
    _source: false,
    docvalue_fields: ["instance", "appeal"]
  }
  const newest = [{ createdAt: "desc" }, { appeal: "desc" }]
  if (query.query === null) return { ...frame, sort: newest, query: { bool: { filter } } }
  const terms = termsOf(query.query)
  if (terms.matching === 0) return undefined
  return {
    ...frame,
    ...countsOf(counted),
    sort: [{ _score: "desc" }, ...newest],
    query: weighedIn(query.scope, {
      bool: {
        filter,
        must: [passageQuery(terms, query.passagesPerDocument)],
        should: [
          ...wordsIn(WHOLE, matchingOf(terms), WHOLE_WEIGHT),
          openingQuery(matchingOf(terms)),
          ...plainWordsIn("whole", weakOf(terms), WHOLE_WEIGHT),
          ...plainWordsIn(
            "wholeSpelled",
            [...terms.spelled],
            spelledShare(terms, "openSearch") * SPELLED_WHOLE_WEIGHT
          ),
          ...datesOf(terms.dates)
        ]
      }
    })
  }
}

/** Applies the weight of an appeal in the scope (`weightIn` of core). */
const weighedIn = (scope: DocumentScope, query: Clause): Clause =>
  scope._tag !== "Group"
    ? query
    : {
        function_score: {
          query,
          functions: [
            {
              filter: {
                bool: { filter: [idsIn("subject", scope.subjectIds), idsIn("operators", scope.userIds)] }
              },
              weight: BOTH_OF_GROUP_WEIGHT
            }
          ],
          boost_mode: "multiply"
        }
      }

/** For each stem, counts the visible appeals that contain it in a message. */
const countsOf = (stems: ReadonlyArray<string>): Clause =>
  stems.length === 0
    ? {}
    : {
        aggs: {
          counts: {
            filters: {
              filters: Object.fromEntries(
                stems.map((stem, at) => [
                  `s${at}`,
                  {
                    nested: {
                      path: "passages",
                      score_mode: "none",
                      query: { term: { "passages.own": stem } }
                    }
                  }
                ])
              )
            }
          }
        }
      }

/** The body of a search that only counts. */
export const countBody = (
  query: DocumentQuery,
  timeoutMillis: number,
  stems: ReadonlyArray<string>
): Clause => ({
  size: 0,
  timeout: `${timeoutMillis}ms`,
  query: { bool: { filter: filtersOf(query) } },
  ...countsOf(stems)
})

/** For each counted stem, the number of visible appeals that contain it; stems with none are left out. */
export const appealsWith = (
  { aggregations }: typeof SearchAnswer.Type,
  counted: ReadonlyArray<string>
): ReadonlyMap<string, number> =>
  new Map(
    counted
      .map((stem, at) => [stem, aggregations?.counts.buckets[`s${at}`]?.doc_count ?? 0] as const)
      .filter(([, appeals]) => appeals > 0)
  )

const matchingOf = (terms: EvidenceTerms): ReadonlyArray<string> => terms.stems.slice(0, terms.matching)
const weakOf = (terms: EvidenceTerms): ReadonlyArray<string> => terms.stems.slice(terms.matching)

const plainWordsIn = (field: string, stems: ReadonlyArray<string>, boost: number): ReadonlyArray<Clause> =>
  stems.length === 0 ? [] : [{ match: { [field]: { query: stems.join(" "), boost } } }]

interface Fields {
  readonly words: string
  readonly families: string
}
const WHOLE: Fields = { words: "whole", families: "wholeFamilies" }
const OPENING: Fields = { words: "opening", families: "openingFamilies" }
const PASSAGE: Fields = { words: "passages.text", families: "passages.families" }

/** Each word scores either as itself or by its family, whichever is more. */
const wordsIn = (fields: Fields, stems: ReadonlyArray<string>, boost: number): ReadonlyArray<Clause> => [
  ...plainWordsIn(
    fields.words,
    stems.filter((stem) => familyOf(stem) === undefined),
    boost
  ),
  ...stems.flatMap((stem) => {
    const family = familyOf(stem)
    if (family === undefined) return []
    const word = { term: { [fields.words]: { value: stem, boost } } }
    const kin = { term: { [fields.families]: { value: family, boost: boost * FAMILY_WEIGHT.openSearch } } }
    return [{ dis_max: { queries: [word, kin] } }]
  })
]

/** The first text; scores less in a longer appeal. */
const openingQuery = (stems: ReadonlyArray<string>): Clause => ({
  function_score: {
    query: { bool: { should: wordsIn(OPENING, stems, OPENING_WEIGHT) } },
    field_value_factor: { field: "openingShare", missing: 1 },
    boost_mode: "multiply"
  }
})

const datesOf = (dates: ReadonlyArray<QueryDate>): ReadonlyArray<Clause> =>
  dates.length === 0 ? [] : [{ dis_max: { queries: dates.map(dateQuery) } }]

const passageQuery = (terms: EvidenceTerms, passagesPerDocument: number): Clause => {
  const matching = matchingOf(terms)
  return {
    nested: {
      path: "passages",
      score_mode: "max",
      query: {
        bool: {
          filter: [anyOf(terms)],
          should: [
            ...wordsIn(PASSAGE, matching, 1),
            ...plainWordsIn("passages.text", weakOf(terms), WEAK_PASSAGE_WEIGHT),
            ...plainWordsIn(
              "passages.spelled",
              spelledOf(terms),
              spelledShare(terms, "openSearch") * SPELLED_PASSAGE_WEIGHT
            )
          ]
        }
      },
      ...(passagesPerDocument === 0
        ? {}
        : {
            inner_hits: { size: passagesPerDocument, _source: false, docvalue_fields: ["passages.message"] }
          })
    }
  }
}

/** Requires a matching word, or a word of its family, in the message itself. */
const anyOf = (terms: EvidenceTerms): Clause => ({
  bool: {
    should: [
      { terms: { "passages.own": matchingOf(terms) } },
      { terms: { "passages.ownFamilies": [...familiesOf(terms).keys()] } }
    ],
    minimum_should_match: 1
  }
})

/** The matching words in their original spelling. */
const spelledOf = (terms: EvidenceTerms): ReadonlyArray<string> => {
  const matching = new Set(matchingOf(terms))
  return [...terms.spelled].filter((word) => matching.has(stem(word)))
}

const filtersOf = ({ from, instanceId, scope, to, visibility }: DocumentQuery): ReadonlyArray<Clause> => [
  { term: { instance: String(instanceId) } },
  scopeFilter(scope),
  ...visibilityFilters(visibility),
  ...(from === null && to === null
    ? []
    : [
        {
          range: {
            createdAt: { ...(from === null ? {} : { gte: from }), ...(to === null ? {} : { lt: to }) }
          }
        }
      ])
]

const idsIn = (field: string, ids: ReadonlyArray<number>): Clause => ({ terms: { [field]: ids.map(String) } })

const anyClause = (should: ReadonlyArray<Clause>): Clause => ({ bool: { should, minimum_should_match: 1 } })

const scopeFilter = (scope: DocumentScope): Clause => {
  switch (scope._tag) {
    case "Client":
      return { term: { client: String(scope.clientId) } }
    case "Subject":
      return { term: { subject: String(scope.subjectId) } }
    case "Participant":
      return { term: { operators: String(scope.userId) } }
    case "Group":
      return anyClause([idsIn("subject", scope.subjectIds), idsIn("operators", scope.userIds)])
  }
}

const visibilityFilters = (visibility: DocumentVisibility): ReadonlyArray<Clause> => {
  const { hiddenIds } = visibility
  const hiding = hiddenIds.length === 0 ? [] : [{ bool: { must_not: [idsIn("appeal", hiddenIds)] } }]
  if (visibility.everything) return hiding
  const { authorIds, closed, participantIds, subjectIds, unassignedSubjectIds } = visibility
  const admitting = [
    ...(closed ? [{ term: { closed: true } }] : []),
    ...(subjectIds.length > 0 ? [idsIn("subject", subjectIds)] : []),
    ...(unassignedSubjectIds.length > 0
      ? [{ bool: { filter: [{ term: { assigned: false } }, idsIn("subject", unassignedSubjectIds)] } }]
      : []),
    ...(participantIds.length > 0 ? [idsIn("operators", participantIds)] : []),
    ...(authorIds.length > 0 ? [idsIn("author", authorIds)] : [])
  ]
  return [...hiding, admitting.length === 0 ? { match_none: {} } : anyClause(admitting)]
}

const Hit = Schema.Struct({
  _score: Schema.NullOr(Schema.Finite),
  fields: Schema.Struct({
    instance: Schema.Tuple([Schema.String]),
    appeal: Schema.Tuple([Schema.Int])
  }),
  inner_hits: Schema.optionalKey(
    Schema.Struct({
      passages: Schema.Struct({
        hits: Schema.Struct({
          hits: Schema.Array(
            Schema.Struct({
              _score: Schema.Finite,
              fields: Schema.optionalKey(
                Schema.Struct({ "passages.message": Schema.optionalKey(Schema.Tuple([Schema.Int])) })
              )
            })
          )
        })
      })
    })
  )
})

/** The members of the response that are read. */
export const SearchAnswer = Schema.Struct({
  timed_out: Schema.Boolean,
  _shards: Schema.Struct({ failed: Schema.Int, total: Schema.Int }),
  hits: Schema.Struct({ hits: Schema.Array(Hit) }),
  aggregations: Schema.optionalKey(
    Schema.Struct({
      counts: Schema.Struct({
        buckets: Schema.Record(Schema.String, Schema.Struct({ doc_count: Schema.Int }))
      })
    })
  )
})

/** Why the response is incomplete; undefined: it is complete. */
export const incomplete = (answer: typeof SearchAnswer.Type, query: DocumentQuery): string | undefined => {
  if (answer.timed_out) return "it ran out of time"
  if (answer._shards.failed > 0 || answer._shards.total === 0) return "a shard did not answer"
  const instance = String(query.instanceId)
  return answer.hits.hits.some(({ fields }) => fields.instance[0] !== instance)
    ? "it names documents of another instance"
    : undefined
}

/** The documents of a complete response. */
export const foundIn = (
  answer: typeof SearchAnswer.Type,
  query: DocumentQuery,
  relevance: Relevance
): Omit<DocumentsFound, "readings"> => {
  const { hits } = answer.hits
  return {
    candidates: hits.slice(0, query.limit).map((hit) => candidateOf(hit, query, relevance)),
    more: hits.length > query.limit
  }
}

const candidateOf = (hit: typeof Hit.Type, query: DocumentQuery, relevance: Relevance): DocumentCandidate => {
  if (query.query === null) return { documentId: hit.fields.appeal[0], score: null, passages: [] }
  const { estimate, missing, words } = relevance
  const passages = hit.inner_hits?.passages.hits.hits ?? []
  const [best] = passages
  return {
    documentId: hit.fields.appeal[0],
    score: estimate(hit._score ?? 0),
    parts: {
      ranking: roundShare(hit._score ?? 0),
      // Rarity is counted in the shard already.
      weighed: roundShare(hit._score ?? 0),
      passage: best === undefined ? null : roundShare(best._score),
      words,
      missing
    },
    // A passage without a message is title and description of a ticket.
    passages: passages.map(({ _score, fields }) => ({
      messageId: fields?.["passages.message"]?.[0] ?? null,
      score: estimate(_score)
    }))
  }
}
