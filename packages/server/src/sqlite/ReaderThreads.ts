// Threads that search the embedded index beside the one that writes it: one core would be all that searches have. They are
// started when searches meet in one thread, and end when nobody has asked for a while; the one that writes answers whatever
// they cannot. Searches by words in all texts of a group, a subject or an operator take long: side by side all of them would be
// late together, so they go one after the other, and those that cannot be in time any more give way.
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { makeFairPermits } from "@rapport/core/traffic/FairPermits.ts"
import { Clock, Deferred, Effect, Exit, type Scope } from "effect"
import type { RpcClientError } from "effect/rpc"
import { type Found, IndexFault, type Query } from "./IndexRpc.ts"
import {
  READER_IDLE_MILLIS,
  READER_PAUSE_MILLIS,
  READER_START_MILLIS_MAX,
  WIDE_SEARCHES_WAITING_MAX,
  WIDE_SEARCH_WAIT_MILLIS_MAX
} from "./SqliteLimits.ts"

type Failure = IndexFault | RpcClientError.RpcClientError
export type Search = (query: typeof Query.Type) => Effect.Effect<typeof Found.Type, Failure>

interface Thread {
  readonly search: Search
  /** Searches and batches under way. */
  running: number
  usedAt: number
}

interface Reader extends Thread {
  /** Done when the thread was lost. */
  readonly lost: Deferred.Deferred<void>
}

export interface ReaderThreads {
  readonly search: Search
  /** Work of the thread that writes: searches go elsewhere meanwhile, where they can. */
  readonly writing: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** The work, counted as the thread's. */
const within = <A, E>(thread: Thread, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    thread.running++
    return Effect.onExit(work, () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        thread.running--
        thread.usedAt = now
      })
    )
  })

/** Ends when nobody has asked this one for a while; it is none of the readers then. */
const idle = (readers: Set<Reader>, one: Reader) =>
  Effect.repeat(
    Effect.map(Effect.delay(Clock.currentTimeMillis, READER_IDLE_MILLIS), (now) => {
      const isIdle = one.running === 0 && now - one.usedAt >= READER_IDLE_MILLIS
      // No search is given to it from here on.
      if (isIdle) readers.delete(one)
      return isIdle
    }),
    { until: (ended) => ended }
  )

/**
 * At most `max` of them, until the scope closes. `writer` searches in the thread that writes; `reader` is another thread, ready,
 * which ends with its scope.
 */
export const makeReaderThreads = Effect.fnUntraced(function* <E>(
  writer: Search,
  max: number,
  reader: Effect.Effect<Search, E, Scope.Scope>
): Effect.fn.Return<ReaderThreads, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const first: Thread = { search: writer, running: 0, usedAt: 0 }
  const readers = new Set<Reader>()
  let starting = false

  const start = Effect.gen(function* () {
    const search = yield* Effect.timeout(reader, READER_START_MILLIS_MAX)
    const lost = yield* Deferred.make<void>()
    const made: Reader = { search, running: 0, usedAt: yield* Clock.currentTimeMillis, lost }
    readers.add(made)
    starting = false
    yield* Effect.raceFirst(Deferred.await(lost), idle(readers, made))
    return yield* Deferred.isDone(lost)
  })
  // For one that does not come or is lost another one comes, but not at once.
  const live = Effect.scoped(start).pipe(
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("a thread that searches the index did not start", cause), true)
    ),
    Effect.flatMap((isLost) => {
      if (isLost) starting = true
      return isLost ? Effect.sleep(READER_PAUSE_MILLIS) : Effect.void
    }),
    Effect.ensuring(
      Effect.sync(() => {
        starting = false
      })
    )
  )
  /** Whatever else it says: the thread that writes knows better, and deletes what is damaged. */
  const inReader = (one: Reader, query: typeof Query.Type) =>
    Effect.catch(within(one, one.search(query)), (fault) => {
      if (fault._tag === "IndexFault" && fault.reason === "timeout") return Effect.fail(fault)
      const again = within(first, writer(query))
      if (fault._tag === "IndexFault") return again
      readers.delete(one)
      // With its scope the others that it was asked would be interrupted: the last of them ends it.
      return one.running > 0 ? again : Effect.andThen(Deferred.succeed(one.lost, undefined), again)
    })

  return {
    writing: (work) => within(first, work),
    search: (query) =>
      Effect.suspend(() => {
        const [least] = [...readers].toSorted((a, b) => a.running - b.running)
        const chosen = least !== undefined && least.running < first.running ? least : undefined
        const found = chosen === undefined ? within(first, writer(query)) : inReader(chosen, query)
        if ((chosen ?? first).running === 0 || starting || readers.size >= max) return found
        starting = true
        return Effect.andThen(Effect.forkIn(live, scope), found)
      })
  }
})

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
