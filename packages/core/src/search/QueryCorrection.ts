// Corrects words of a query that occur in no visible text, if the correction does. Hidden texts never count.
import { Effect } from "effect"
import { relevanceOf } from "./ranking/Relevance.ts"
import { asRead, chosenReadings, possibleReadings, type Reading, stemsOf } from "./text/Readings.ts"
import { termsOf } from "./text/Terms.ts"

/** `present`: stems of the query in visible texts. `appealsOf` counts the visible appeals with each stem, up to APPEALS_COUNTED_MAX. */
export const correctQuery = Effect.fnUntraced(function* <E>(
  query: string,
  present: { readonly has: (stem: string) => boolean },
  appealsOf: (stems: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, number>, E>
) {
  const terms = termsOf(query)
  const isPresent = (stem: string) => present.has(stem)
  const readings: ReadonlyArray<Reading> = []
  const plain = { query, terms, relevance: relevanceOf(terms, isPresent), readings }
  if (plain.relevance.missing === 0) return plain
  const candidates = possibleReadings(query, isPresent)
  if (candidates.length === 0) return plain
  const found = yield* appealsOf(stemsOf(candidates))
  const chosen = chosenReadings(candidates, (stem) => found.get(stem) ?? 0)
  const corrected = asRead(query, chosen)
  const relevance = relevanceOf(termsOf(corrected), (stem) => isPresent(stem) || found.has(stem))
  return { query: corrected, terms: termsOf(corrected), relevance, readings: chosen }
})
