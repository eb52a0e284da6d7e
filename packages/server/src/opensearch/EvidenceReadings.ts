// A search that corrects words which occur in no visible text, with a second and a third request if necessary.
import type { DocumentsFound, DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { correctQuery } from "@rapport/core/search/QueryCorrection.ts"
import { termsOf } from "@rapport/core/search/text/Terms.ts"
import { Effect } from "effect"
import { appealsWith, foundIn, type SearchAnswer, searchBody, countBody } from "./EvidenceSearch.ts"

/** `left`: milliseconds that remain for a request. */
export const searchReading = Effect.fnUntraced(function* <E>(
  query: DocumentQuery,
  request: (body: object) => Effect.Effect<typeof SearchAnswer.Type, E>,
  left: Effect.Effect<number>
): Effect.fn.Return<DocumentsFound, E> {
  const text = query.query ?? ""
  const { matching, stems } = termsOf(text)
  const searchedStems = stems.slice(0, matching)
  const body = searchBody(query, yield* left, searchedStems)
  if (body === undefined) return { candidates: [], more: false, readings: [] }
  const answer = yield* request(body)
  const read = yield* correctQuery(text, appealsWith(answer, searchedStems), (stems) =>
    Effect.flatMap(left, (millis) =>
      Effect.map(request(countBody(query, millis, stems)), (counts) => appealsWith(counts, stems))
    )
  )
  const { readings, relevance } = read
  if (readings.length === 0) return { ...foundIn(answer, query, relevance), readings }
  const corrected = searchBody({ ...query, query: read.query }, yield* left, [])
  return corrected === undefined
    ? { candidates: [], more: false, readings }
    : { ...foundIn(yield* request(corrected), query, relevance), readings }
})
