// A search in which words that do not occur are read otherwise: a second and a third request, and only where one is lost.
import type { DocumentsFound, DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { asRead, possibleReadings, chosenReadings, stemsOf } from "@rapport/core/search/text/Readings.ts"
import { termsOf } from "@rapport/core/search/text/Terms.ts"
import { Effect } from "effect"
import { appealsWith, foundIn, type SearchAnswer, searchBody, standingBody } from "./EvidenceSearch.ts"

/** `left`: milliseconds that the engine has for a request. */
export const searchReading = Effect.fnUntraced(function* <E>(
  query: DocumentQuery,
  request: (body: object) => Effect.Effect<typeof SearchAnswer.Type, E>,
  left: Effect.Effect<number>
): Effect.fn.Return<DocumentsFound, E> {
  const asked = query.query
  const terms = asked === null ? null : termsOf(asked)
  const sought = terms === null ? [] : terms.stems.slice(0, terms.matching)
  const body = searchBody(query, yield* left, sought)
  if (body === undefined) return { candidates: [], more: false, readings: [] }
  const answer = yield* request(body)
  const plain = { ...foundIn(answer, query), readings: [] }
  const known = appealsWith(answer, sought)
  if (asked === null || known.size === sought.length) return plain
  const candidates = possibleReadings(asked, (stem) => known.has(stem))
  if (candidates.length === 0) return plain
  const stems = stemsOf(candidates)
  const found = appealsWith(yield* request(standingBody(query, yield* left, stems)), stems)
  const readings = chosenReadings(candidates, (stem) => found.get(stem) ?? 0)
  if (readings.length === 0) return plain
  const read = { ...query, query: asRead(asked, readings) }
  const again = searchBody(read, yield* left, [])
  if (again === undefined) return { candidates: [], more: false, readings }
  return { ...foundIn(yield* request(again), read), readings }
})
