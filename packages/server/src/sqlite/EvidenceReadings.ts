// Which words occur in the texts that a query may see: others are read otherwise, and hidden texts never count.
import { termsOf } from "@rapport/core/search/text/Terms.ts"
import {
  asRead,
  possibleReadings,
  chosenReadings,
  type Reading,
  stemsOf
} from "@rapport/core/search/text/Readings.ts"
import { Effect } from "effect"

/** Other readings that are searched for: texts that hold one, at most. The newest ones decide. */
const TEXTS_WITH_READINGS_MAX = 8

/** The texts that a query may see. */
export interface VisibleTexts<E> {
  /** Those of the stems that occur in one; `textsMax`: texts that are read, the newest first. */
  readonly present: (stems: Iterable<string>, textsMax: number) => Effect.Effect<ReadonlySet<string>, E>
  /** Appeals that hold a stem, up to APPEALS_COUNTED_MAX. */
  readonly appealsWith: (stem: string) => Effect.Effect<number, E>
}

/** The query with its lost words read otherwise, where that finds something; `known`: which stems the instance has at all. */
export const readOtherwise = Effect.fnUntraced(function* <E>(
  texts: VisibleTexts<E>,
  known: (stems: Iterable<string>) => ReadonlyArray<string>,
  query: string
): Effect.fn.Return<{ readonly query: string; readonly readings: ReadonlyArray<Reading> }, E> {
  const { matching, stems } = termsOf(query)
  const sought = stems.slice(0, matching)
  const present = yield* texts.present(sought, Infinity)
  if (present.size === sought.length) return { query, readings: [] }
  const candidates = possibleReadings(query, (stem) => present.has(stem))
  if (candidates.length === 0) return { query, readings: [] }
  const found = yield* texts.present(known(stemsOf(candidates)), TEXTS_WITH_READINGS_MAX)
  const appeals = new Map<string, number>()
  for (const stem of found) appeals.set(stem, yield* texts.appealsWith(stem))
  const readings = chosenReadings(candidates, (stem) => appeals.get(stem) ?? 0)
  return { query: asRead(query, readings), readings }
})
