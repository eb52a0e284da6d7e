// The embedded evidence index: SQLite FTS5 in separate threads; its files may be deleted at any time.
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { repeatEvery } from "@rapport/core/failures/LogOnce.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { DocumentIndex, DocumentQuery, DocumentsFound } from "@rapport/core/search/DocumentIndex.ts"
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import type { IndexCheckpoint, IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { makeIndexReports } from "@rapport/core/search/IndexReports.ts"
import { Clock, Effect, Exit, Layer, RcMap, Redacted, type Scope } from "effect"
import { RpcClient, type RpcClientError } from "effect/rpc"
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import type { TelemetrySettings } from "../config/TelemetrySettings.ts"
import { appealIndexLayer, memoryIndexLayer } from "../search/IndexServices.ts"
import { IndexFault, IndexRpc, ReaderRpc } from "./IndexRpc.ts"
import { READER_IDLE_MILLIS, READER_PAUSE_MILLIS } from "./SqliteLimits.ts"
import { makeTenantQueue } from "@rapport/core/traffic/TenantQueue.ts"

/** Reader threads at most; together with the writer there is one thread for each core. */
const READER_THREADS_MAX = 7
const READER_START_MILLIS_MAX = 10_000
/** Queued wide searches of one instance at most, and how long they may wait. */
const WIDE_SEARCHES_WAITING_MAX = 256
const WIDE_SEARCH_WAIT_MILLIS_MAX = 5_000

/** How often removed words are purged from the file. */
const PURGE_MILLIS = 1_000

/** Options of the threads. */
export interface IndexThreads {
  /** Telemetry of the threads; undefined: calls to them are not traced. */
  readonly telemetry?: TelemetrySettings | undefined
  /** Reader threads; by default one less than there are cores. */
  readonly readersMax?: number
  /** Called with every started thread, also replacements. Tests use it to end threads. */
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

const writeFailed = (fault: IndexFault | IndexCheckpointMoved | RpcClientError.RpcClientError) =>
  fault._tag === "IndexCheckpointMoved" ? fault : unavailable(fault)

const makeIndex = Effect.fnUntraced(function* (folder: string, threads: IndexThreads) {
  const worker = yield* RpcClient.make(IndexRpc, { disableTracing: threads.telemetry === undefined })
  const max = readersFor(threads)
  const queueIfWide = makeWideSearches(max + 1)
  const readers = yield* makeReaderThreads((query) => worker.Search(query), max, readerOf(folder, threads))
  const reports = makeIndexReports("sqlite")
  /** Of the active copy, so that `status` does not call the thread. */
  const checkpoints = new Map<number, IndexCheckpoint>()
  let outdated = false
  const cache = (found: {
    readonly checkpoints: ReadonlyArray<IndexCheckpoint>
    readonly outdated: boolean
  }) => {
    checkpoints.clear()
    for (const checkpoint of found.checkpoints) checkpoints.set(checkpoint.instanceId, checkpoint)
    outdated = found.outdated
  }
  const readCheckpoints = (copy: "active" | "building") =>
    Effect.mapBoth(worker.Checkpoints({ copy }), {
      onFailure: unavailable,
      onSuccess: (found) => {
        if (copy === "active") cache(found)
        return found.checkpoints
      }
    })
  const index: DocumentIndex = {
    search: (query) =>
      reports.searchInTime(query, Effect.mapError(queueIfWide(query, readers.search(query)), unavailable)),
    status: (instanceId) => reports.status(instanceId, checkpoints.get(instanceId))
  }
  const projection: DocumentProjection = {
    engine: "sqlite",
    checkpoints: readCheckpoints,
    outdated: Effect.sync(() => outdated),
    apply: (step, changes) =>
      readers.runInWriter(worker.Apply({ step, changes })).pipe(
        Effect.mapError(writeFailed),
        Effect.tap(() => {
          if (step.copy === "active") checkpoints.set(step.to.instanceId, step.to)
          return Effect.void
        }),
        Effect.withSpan("EvidenceProjection.apply", {
          attributes: { changes: changes.length, copy: step.copy }
        })
      ),
    reset: (copy) =>
      Effect.mapError(worker.Reset({ copy }), unavailable).pipe(
        Effect.tap(() => {
          if (copy === "active") cache({ checkpoints: [], outdated: false })
          return Effect.void
        })
      ),
    publish: Effect.mapError(worker.Publish(undefined), unavailable).pipe(
      Effect.andThen(readCheckpoints("active")),
      Effect.asVoid
    ),
    observe: reports.observe,
    serve: reports.serve
  }
  // Failures are logged here, because the thread has no log.
  yield* worker
    .Purge(undefined)
    .pipe(repeatEvery(PURGE_MILLIS, "removed documents are not purged from the embedded index yet"))
  return { index, projection }
})

// Concurrent calls to a thread; further calls wait.
const CALLS_CONCURRENT = 64

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
    RpcClient.layerProtocolWorker({ size: 1, concurrency: CALLS_CONCURRENT }),
    NodeWorker.layer(spawn)
  )
}

/** Starts a thread that only searches. */
const readerOf = Effect.fnUntraced(function* (folder: string, threads: IndexThreads) {
  const protocol = yield* Layer.build(Layer.fresh(protocolOf(folder, threads, "reader")))
  const made = RpcClient.make(ReaderRpc, { disableTracing: threads.telemetry === undefined })
  const reader = yield* Effect.provide(made, protocol)
  yield* reader.Ready(undefined)
  const search: Search = (query) => reader.Search(query)
  return search
})

/** Index and projection over the files in `folder`, which is created if missing. No other process may use the folder. */
export const EvidenceIndexSqlite = {
  layer: (folder: string, threads: IndexThreads = {}) =>
    Layer.provide(appealIndexLayer(makeIndex(folder, threads)), protocolOf(folder, threads, "writer"))
}

/** The same for client memory, without reader threads, because its searches are small. */
export const MemoryIndexSqlite = {
  layer: (folder: string, threads: IndexThreads = {}) =>
    Layer.provide(
      memoryIndexLayer(makeIndex(folder, { ...threads, readersMax: 0 })),
      protocolOf(folder, threads, "writer")
    )
}

type Failure = IndexFault | RpcClientError.RpcClientError
type Search = (query: DocumentQuery) => Effect.Effect<DocumentsFound, Failure>

/** The thread that writes. Reader threads have higher numbers. */
const WRITER = 0

/** Counts the running searches and batches of every thread that is ready. */
const countRunning = () => {
  const running = new Map([[WRITER, 0]])
  const runCounted = <A, E>(thread: number, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      running.set(thread, (running.get(thread) ?? 0) + 1)
      const ended = Effect.sync(() => {
        const all = running.get(thread)
        if (all !== undefined) running.set(thread, all - 1)
      })
      return Effect.ensuring(work, ended)
    })
  return { runCounted, running }
}

/**
 * Reader threads, so that searches use more than one core: at most `max`, each started when two searches meet in one thread, and
 * ended when it is idle. Without a reader that is ready the writer thread searches. `reader` starts a thread, which ends with its
 * scope.
 */
const makeReaderThreads = Effect.fnUntraced(function* <E>(
  writer: Search,
  max: number,
  reader: Effect.Effect<Search, E, Scope.Scope>
) {
  const scope = yield* Effect.scope
  const { runCounted, running } = countRunning()
  const readers = yield* RcMap.make({
    lookup: (thread: number) =>
      Effect.timeout(reader, READER_START_MILLIS_MAX).pipe(
        Effect.tap(
          Effect.acquireRelease(
            Effect.sync(() => running.set(thread, 0)),
            () => Effect.sync(() => running.delete(thread))
          )
        )
      ),
    idleTimeToLive: READER_IDLE_MILLIS
  })
  let last = WRITER
  /** A reader starts, or the pause after a lost one is not over. */
  let starting = false
  const exclusively = (work: Effect.Effect<unknown>) => {
    starting = true
    const done = Effect.sync(() => {
      starting = false
    })
    return Effect.forkIn(Effect.ensuring(work, done), scope)
  }
  const start = Effect.suspend(() => Effect.scoped(RcMap.get(readers, ++last))).pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logWarning("a reader thread of the index did not start", cause),
        Effect.sleep(READER_PAUSE_MILLIS)
      )
    )
  )
  const inWriter = (query: DocumentQuery) => runCounted(WRITER, writer(query))
  /** Other faults than a timeout are repeated in the writer thread, which also deletes damaged files. */
  const inReader = (thread: number, query: DocumentQuery) =>
    runCounted(
      thread,
      Effect.scoped(Effect.flatMap(RcMap.get(readers, thread), (search) => search(query)))
    ).pipe(
      Effect.catch((fault) => {
        if (fault instanceof IndexFault)
          return fault.reason === "timeout" ? Effect.fail(fault) : inWriter(query)
        running.delete(thread)
        return RcMap.invalidate(readers, thread).pipe(
          Effect.andThen(Effect.suspend(() => exclusively(Effect.sleep(READER_PAUSE_MILLIS)))),
          Effect.andThen(inWriter(query))
        )
      })
    )
  return {
    /** Runs work of the writer thread; meanwhile searches prefer reader threads. */
    runInWriter: <A, F>(work: Effect.Effect<A, F>): Effect.Effect<A, F> => runCounted(WRITER, work),
    search: (query: DocumentQuery): Effect.Effect<DocumentsFound, Failure> =>
      Effect.suspend(() => {
        const [thread, searches] = [...running].reduce((least, one) => (one[1] < least[1] ? one : least))
        const found = thread === WRITER ? inWriter(query) : inReader(thread, query)
        if (searches === 0 || starting || running.size > max) return found
        return Effect.andThen(exclusively(start), found)
      })
  }
})

/** Whether a search may read many texts: a client has few, and the latest appeals need no words. */
const isWide = ({ query, scope }: DocumentQuery): boolean => query !== null && scope._tag !== "Client"

/** Share of the last search in the moving average of durations. */
const LAST_SHARE = 0.25
/** A search starts only if this many times its usual duration is left, because its results are checked afterwards. */
const TIME_FACTOR = 2

const late = new IndexFault({ reason: "timeout", detail: "other searches used the time" })

/**
 * Queues wide searches: run in parallel, all of them would exceed their deadlines. A search that cannot meet its deadline fails
 * immediately. An instance runs as many at a time as there are threads, and instances alternate.
 */
export const makeWideSearches = (threads: number) => {
  const queue = makeTenantQueue(
    {
      permits: threads + 1,
      share: threads,
      waitingMax: WIDE_SEARCHES_WAITING_MAX,
      waitMillis: WIDE_SEARCH_WAIT_MILLIS_MAX
    },
    Effect.fail(late)
  )
  /** The moving average of durations, milliseconds. */
  let usual = 0
  const runMeasured = Effect.fnUntraced(function* <A, E>(
    query: DocumentQuery,
    queuedAt: number,
    search: Effect.Effect<A, E>
  ) {
    const startedAt = yield* Clock.currentTimeMillis
    const waited = startedAt > queuedAt
    if (waited && startedAt + TIME_FACTOR * usual > query.deadline) return yield* late
    return yield* Effect.onExit(search, (exit) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const took = now - startedAt
        // An interrupted search took at least this long.
        if (Exit.isSuccess(exit) || took > usual) usual += (took - usual) * LAST_SHARE
      })
    )
  })
  return <A, E>(query: DocumentQuery, search: Effect.Effect<A, E>): Effect.Effect<A, E | IndexFault> =>
    isWide(query)
      ? Effect.flatMap(Clock.currentTimeMillis, (queuedAt) =>
          queue.within(`instance/${query.instanceId}`, runMeasured(query, queuedAt, search))
        )
      : search
}
