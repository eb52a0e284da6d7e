// A search that corrects words which occur in no visible text, with a second and a third request if necessary.
import type { DocumentsFound, DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { asRead, possibleReadings, chosenReadings, stemsOf } from "@rapport/core/search/text/Readings.ts"
import { relevanceOf } from "@rapport/core/search/ranking/Relevance.ts"
import { termsOf } from "@rapport/core/search/text/Terms.ts"
import { Effect } from "effect"
import { appealsWith, foundIn, type SearchAnswer, searchBody, countBody } from "./EvidenceSearch.ts"

/** `left`: milliseconds that remain for a request. */
export const searchReading = Effect.fnUntraced(function* <E>(
  query: DocumentQuery,
  request: (body: object) => Effect.Effect<typeof SearchAnswer.Type, E>,
  left: Effect.Effect<number>
): Effect.fn.Return<DocumentsFound, E> {
  const text = query.query
  const terms = text === null ? null : termsOf(text)
  const searchedStems = terms === null ? [] : terms.stems.slice(0, terms.matching)
  const body = searchBody(query, yield* left, searchedStems)
  if (body === undefined) return { candidates: [], more: false, readings: [] }
  const answer = yield* request(body)
  const known = appealsWith(answer, searchedStems)
  const relevance = relevanceOf(terms ?? termsOf(""), (stem) => known.has(stem))
  const plain = { ...foundIn(answer, query, relevance), readings: [] }
  if (text === null || known.size === searchedStems.length) return plain
  const candidates = possibleReadings(text, (stem) => known.has(stem))
  if (candidates.length === 0) return plain
  const stems = stemsOf(candidates)
  const found = appealsWith(yield* request(countBody(query, yield* left, stems)), stems)
  const readings = chosenReadings(candidates, (stem) => found.get(stem) ?? 0)
  if (readings.length === 0) return plain
  const read = { ...query, query: asRead(text, readings) }
  const correctedRelevance = relevanceOf(termsOf(read.query), (stem) => known.has(stem) || found.has(stem))
  const corrected = searchBody(read, yield* left, [])
  if (corrected === undefined) return { candidates: [], more: false, readings }
  return { ...foundIn(yield* request(corrected), read, correctedRelevance), readings }
})
