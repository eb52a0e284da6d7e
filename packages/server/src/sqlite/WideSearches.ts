// Searches by words in all texts of a group, a subject or an operator take long: side by side all of them would be late
// together, so they go one after the other, and those that cannot be in time any more give way.
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { Clock, Effect, Exit } from "effect"
import { makeFairPermits } from "@rapport/core/traffic/FairPermits.ts"
import { IndexFault } from "./IndexRpc.ts"
import { WIDE_SEARCHES_WAITING_MAX, WIDE_SEARCH_WAIT_MILLIS_MAX } from "./SqliteLimits.ts"

/** A client has few texts, and the latest are read from an index. */
const isWide = ({ query, scope }: DocumentQuery): boolean => query !== null && scope._tag !== "Client"

/** How much the last of the searches weighs in what one takes usually. */
const LAST_WEIGHS = 0.25
/** A search is half of the evidence of a group, and what it finds is checked afterwards: it begins with time for as much again. */
const TIME_NEEDED = 2

const late = new IndexFault({ reason: "timeout", detail: "other searches took the time" })

/** Of an instance as many at a time as there are threads; between two instances neither waits for all of the other's. */
export const makeWideSearches = (threads: number) => {
  const places = makeFairPermits(
    {
      permits: threads + 1,
      share: threads,
      waitingMax: WIDE_SEARCHES_WAITING_MAX,
      waitMillis: WIDE_SEARCH_WAIT_MILLIS_MAX
    },
    Effect.fail(late)
  )
  /** What a search takes usually, in milliseconds. */
  let usual = 0
  const measured = Effect.fnUntraced(function* <A, E>(
    query: DocumentQuery,
    askedAt: number,
    search: Effect.Effect<A, E>
  ) {
    const startedAt = yield* Clock.currentTimeMillis
    const waited = startedAt > askedAt
    if (waited && startedAt + TIME_NEEDED * usual > query.deadline) return yield* late
    return yield* Effect.onExit(search, (exit) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const took = now - startedAt
        // Of one that was given up only so much is known.
        if (Exit.isSuccess(exit) || took > usual) usual += (took - usual) * LAST_WEIGHS
      })
    )
  })
  return <A, E>(query: DocumentQuery, search: Effect.Effect<A, E>): Effect.Effect<A, E | IndexFault> =>
    isWide(query)
      ? Effect.flatMap(Clock.currentTimeMillis, (askedAt) =>
          places.within(`instance/${query.instanceId}`, measured(query, askedAt, search))
        )
      : search
}
