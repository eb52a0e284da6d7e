// The embedded evidence index: SQLite FTS5 in a thread of its own; its files may be deleted at any time.
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { repeatEvery } from "@rapport/core/failures/LogOnce.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { DocumentIndex, DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import type { IndexCheckpoint, IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { makeIndexReports } from "@rapport/core/search/IndexReports.ts"
import { Clock, Effect, Layer } from "effect"
import { RpcClient, type RpcClientError } from "effect/rpc"
import { Worker } from "node:worker_threads"
import { appealIndexLayer, memoryIndexLayer } from "../search/IndexServices.ts"
import { IndexFault, IndexRpc } from "./IndexRpc.ts"
import { makeTenantQueue, tenantOf } from "@rapport/core/traffic/TenantQueue.ts"

/** Wide searches of all instances and of one instance that run in parallel. */
const WIDE_SEARCHES_MAX = 2
const WIDE_SEARCHES_OF_INSTANCE_MAX = 1
/** Queued wide searches of one instance at most, and how long they may wait. */
const WIDE_SEARCHES_WAITING_MAX = 256
const WIDE_SEARCH_WAIT_MILLIS_MAX = 5_000
/** The share of its time that a wide search waits at most: the rest is for the search and the check of its results. */
const WIDE_SEARCH_WAIT_SHARE = 0.8

/** How often removed words are purged from the file. */
const PURGE_MILLIS = 1_000

/** Called with every started thread, also replacements. Tests use it to end threads. */
export type OnThread = (worker: Worker) => void

const unavailable = (fault: IndexFault | RpcClientError.RpcClientError): SourceUnavailable =>
  new SourceUnavailable({
    source: "search",
    reason: fault._tag === "IndexFault" ? fault.reason : "search_index_unavailable",
    cause: fault
  })

const writeFailed = (fault: IndexFault | IndexCheckpointMoved | RpcClientError.RpcClientError) =>
  fault._tag === "IndexCheckpointMoved" ? fault : unavailable(fault)

const makeIndex = Effect.gen(function* () {
  const worker = yield* RpcClient.make(IndexRpc, { disableTracing: true })
  const queueIfWide = makeWideSearches()
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
      reports.searchInTime(query, Effect.mapError(queueIfWide(query, worker.Search(query)), unavailable)),
    status: (instanceId) => reports.status(instanceId, checkpoints.get(instanceId))
  }
  const projection: DocumentProjection = {
    engine: "sqlite",
    checkpoints: readCheckpoints,
    outdated: Effect.sync(() => outdated),
    apply: (step, changes) =>
      worker.Apply({ step, changes }).pipe(
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

// Concurrent calls to the thread; further calls wait.
const CALLS_CONCURRENT = 64

const protocolOf = (folder: string, onStart?: OnThread) => {
  const spawn = () => {
    const workerData = { folder }
    const worker = new Worker(new URL("./IndexThread.js", import.meta.url), { workerData, name: "index" })
    onStart?.(worker)
    return worker
  }
  return Layer.provide(
    RpcClient.layerProtocolWorker({ size: 1, concurrency: CALLS_CONCURRENT }),
    NodeWorker.layer(spawn)
  )
}

/** Index and projection over the files in `folder`, which is created if missing. No other process may use the folder. */
export const EvidenceIndexSqlite = {
  layer: (folder: string, onStart?: OnThread) =>
    Layer.provide(appealIndexLayer(makeIndex), protocolOf(folder, onStart))
}

/** The same for client memory. */
export const MemoryIndexSqlite = {
  layer: (folder: string) => Layer.provide(memoryIndexLayer(makeIndex), protocolOf(folder))
}

/** Whether a search may read many texts: a client has few, and the latest appeals need no words. */
const isWide = ({ query, scope }: DocumentQuery): boolean => query !== null && scope._tag !== "Client"

const late = new IndexFault({ reason: "timeout", detail: "other searches used the time" })

/**
 * Queues wide searches: run in parallel, all of them would exceed their deadlines. Instances alternate. A search that waits too
 * long fails before its deadline, so that the thread has time for the next one.
 */
export const makeWideSearches = () => {
  const queue = makeTenantQueue(
    {
      permits: WIDE_SEARCHES_MAX,
      share: WIDE_SEARCHES_OF_INSTANCE_MAX,
      waitingMax: WIDE_SEARCHES_WAITING_MAX,
      waitMillis: WIDE_SEARCH_WAIT_MILLIS_MAX
    },
    Effect.fail(late)
  )
  const runQueued = Effect.fnUntraced(function* <A, E>(query: DocumentQuery, search: Effect.Effect<A, E>) {
    const left = query.deadline - (yield* Clock.currentTimeMillis)
    yield* Effect.timeoutOrElse(queue.scoped(tenantOf(query)), {
      duration: WIDE_SEARCH_WAIT_SHARE * left,
      orElse: () => Effect.fail(late)
    })
    return yield* search
  }, Effect.scoped)
  return <A, E>(query: DocumentQuery, search: Effect.Effect<A, E>): Effect.Effect<A, E | IndexFault> =>
    isWide(query) ? runQueued(query, search) : search
}
