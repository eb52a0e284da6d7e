// The embedded search index over appeals: SQLite FTS5 in threads of its own, in files that may be deleted at any time.
import { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { saidOnce } from "@rapport/core/failures/SaidOnce.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { type IndexCheckpoint, IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { Clock, Context, Deferred, Effect, Exit, Layer, Redacted, type Scope } from "effect"
import { RpcClient, type RpcClientError } from "effect/rpc"
import type { WorkerError } from "effect/workers"
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import type { TelemetrySettings } from "../config/TelemetrySettings.ts"
import {
  type Found,
  IndexFault,
  type IndexMoved,
  IndexRpc,
  packChange,
  type Query,
  ReaderRpc,
  unpackFound
} from "./IndexRpc.ts"
import { READER_IDLE_MILLIS, READER_PAUSE_MILLIS } from "./SqliteLimits.ts"
import { makeTenantQueue } from "@rapport/core/traffic/TenantQueue.ts"

/** Threads that search beside the one that writes: with it one for each core, and no more than so many. */
const READER_THREADS_MAX = 7
const READER_START_MILLIS_MAX = 10_000
/** Searches by words in wide scopes that wait, of one instance, at most, and how long: no answer may take longer. */
const WIDE_SEARCHES_WAITING_MAX = 256
const WIDE_SEARCH_WAIT_MILLIS_MAX = 5_000

/** How soon after a removal its words are taken out of the file. */
const PURGE_MILLIS = 1_000

/** How the threads of an index are started. */
export interface IndexThreads {
  /** Where the threads export their spans; without it no call to them is traced. */
  readonly telemetry?: TelemetrySettings | undefined
  /** Threads that search beside the one that writes; else one for each core but one. */
  readonly readersMax?: number
  /** Called with every thread that is started: a lost one is followed by another. Tests end them to see that. */
  readonly onStart?: (worker: Worker, role: "writer" | "reader") => void
}

const readersFor = ({ readersMax }: IndexThreads): number =>
  readersMax ?? Math.min(READER_THREADS_MAX, os.availableParallelism() - 1)

const unavailable = (fault: IndexFault | RpcClientError.RpcClientError): SourceUnavailable =>
  new SourceUnavailable({
    source: "search",
    reason: fault._tag === "IndexFault" ? fault.reason : "search_index_unavailable",
    cause: fault
  })

const writeFailed = (fault: IndexFault | IndexMoved | RpcClientError.RpcClientError) =>
  fault._tag === "IndexMoved"
    ? new IndexCheckpointMoved({ instanceId: fault.instanceId })
    : unavailable(fault)

/** Purges for as long as the index is open; a failure is logged here, because the thread has no log. */
const again = <E>(purge: Effect.Effect<void, E>) => {
  const turn = saidOnce("what was removed is not purged from the embedded index yet")(purge)
  return Effect.sleep(PURGE_MILLIS).pipe(Effect.andThen(turn), Effect.forever, Effect.forkScoped)
}

/** What `status` returns without a call to the thread: the active copy as last read, and what the writer observed. */
const makeSeen = () => {
  const marks = new Map<number, IndexCheckpoint>()
  const waiting = new Map<number, number>()
  let outdated = false
  return {
    marks,
    waiting,
    status: (instanceId: number) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const mark = marks.get(instanceId)
        const since = waiting.get(instanceId)
        return {
          ready: mark?.complete === true,
          lagMillis: since === undefined ? 0 : Math.max(1, now - since),
          indexedAt: mark?.indexedAt ?? 0
        }
      }),
    isOutdated: Effect.sync(() => outdated),
    set: (found: { readonly marks: ReadonlyArray<IndexCheckpoint>; readonly outdated: boolean }) => {
      marks.clear()
      for (const mark of found.marks) marks.set(mark.instanceId, mark)
      outdated = found.outdated
    }
  }
}

const halves = Effect.fnUntraced(function* (folder: string, threads: IndexThreads) {
  const worker = yield* RpcClient.make(IndexRpc, { disableTracing: threads.telemetry === undefined })
  const max = readersFor(threads)
  const inTurn = makeWideSearches(max + 1)
  const readers = yield* makeReaderThreads((query) => worker.Search(query), max, readerOf(folder, threads))
  const seen = makeSeen()
  const { marks, waiting } = seen
  let serving = true
  const readMarks = (copy: "active" | "building") =>
    Effect.mapBoth(worker.Marks({ copy }), {
      onFailure: unavailable,
      onSuccess: (found) => {
        if (copy === "active") seen.set(found)
        return found.marks
      }
    })
  const search = (query: DocumentQuery) =>
    Effect.mapBoth(inTurn(query, readers.search(query)), { onFailure: unavailable, onSuccess: unpackFound })

  const projection = AppealProjection.of({
    engine: "sqlite",
    checkpoints: readMarks,
    outdated: seen.isOutdated,
    apply: (step, changes) =>
      readers.writing(worker.Apply({ step, changes: changes.map(packChange) })).pipe(
        Effect.mapError(writeFailed),
        Effect.tap(() =>
          Effect.sync(() => (step.copy === "active" ? marks.set(step.to.instanceId, step.to) : undefined))
        ),
        Effect.withSpan("EvidenceProjection.apply", {
          attributes: { changes: changes.length, copy: step.copy }
        })
      ),
    reset: (copy) =>
      Effect.mapError(worker.Reset({ copy }), unavailable).pipe(
        Effect.tap(() =>
          Effect.sync(() => (copy === "active" ? seen.set({ marks: [], outdated: false }) : undefined))
        )
      ),
    publish: Effect.mapError(worker.Publish(undefined), unavailable).pipe(
      Effect.andThen(readMarks("active")),
      Effect.asVoid
    ),
    observe: (instanceId, since) =>
      Effect.sync(() => {
        if (since === null) waiting.delete(instanceId)
        else waiting.set(instanceId, since)
      }),
    serve: (isServing) =>
      Effect.sync(() => {
        serving = isServing
      })
  })

  const index = AppealIndex.of({
    search: (query) =>
      Effect.gen(function* () {
        const left = query.deadline - (yield* Clock.currentTimeMillis)
        const late = new SourceUnavailable({ source: "search", reason: "timeout" })
        if (left <= 0) return yield* late
        if (!serving)
          return yield* new SourceUnavailable({ source: "search", reason: "search_index_not_ready" })
        return yield* Effect.timeoutOrElse(search(query), { duration: left, orElse: () => Effect.fail(late) })
      }).pipe(
        Effect.withSpan("EvidenceIndex.search", { attributes: { scope: query.scope._tag, engine: "sqlite" } })
      ),
    status: (instanceId) =>
      Effect.map(seen.status(instanceId), (found) => ({ ...found, ready: serving && found.ready }))
  })
  yield* again(worker.Purge(undefined))
  return Context.make(AppealIndex, index).pipe(Context.add(AppealProjection, projection))
})

// Searches and batches under way at once; more wait their turn.
const CALLS_AT_ONCE = 64

const protocolOf = (folder: string, threads: IndexThreads, role: "writer" | "reader") => {
  const { telemetry } = threads
  const workerData = {
    folder,
    reads: role === "reader",
    ...(telemetry && { telemetry: { ...telemetry, variables: Redacted.value(telemetry.variables) } })
  }
  const spawn = () => {
    const worker = new Worker(new URL("./IndexThread.js", import.meta.url), {
      workerData,
      name: `index-${role}`
    })
    threads.onStart?.(worker, role)
    return worker
  }
  return Layer.provide(
    RpcClient.layerProtocolWorker({ size: 1, concurrency: CALLS_AT_ONCE }),
    NodeWorker.layer(spawn)
  )
}

/** A thread that only searches. */
const readerOf = Effect.fnUntraced(function* (folder: string, threads: IndexThreads) {
  const protocol = yield* Layer.build(Layer.fresh(protocolOf(folder, threads, "reader")))
  const made = RpcClient.make(ReaderRpc, { disableTracing: threads.telemetry === undefined })
  const reader = yield* Effect.provide(made, protocol)
  yield* reader.Ready(undefined)
  const search: Search = (query) => reader.Search(query)
  return search
})

/** Both halves over the files in `folder`, which is made when missing. No other process may have the folder open. */
export const EvidenceIndexSqlite = {
  layer: (
    folder: string,
    threads: IndexThreads = {}
  ): Layer.Layer<AppealIndex | AppealProjection, WorkerError.WorkerError> =>
    Layer.provide(Layer.effectContext(halves(folder, threads)), protocolOf(folder, threads, "writer"))
}

type Failure = IndexFault | RpcClientError.RpcClientError
type Search = (query: typeof Query.Type) => Effect.Effect<typeof Found.Type, Failure>

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

interface ReaderThreads {
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
 * Threads that search beside the one that writes: one core would be all that searches have. They are started when searches meet in one
 * thread, and end when nobody has asked for a while; the one that writes answers whatever they cannot. At most `max` of them, until the
 * scope closes. `writer` searches in the thread that writes; `reader` is another thread, ready,
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

/**
 * Searches by words in all texts of a group, a subject or an operator take long: side by side all of them would be late together, so
 * they go one after the other, and those that cannot be in time any more give way. Of an instance as many at a time as there are
 * threads; between two instances neither waits for all of the other's.
 */
export const makeWideSearches = (threads: number) => {
  const places = makeTenantQueue(
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
