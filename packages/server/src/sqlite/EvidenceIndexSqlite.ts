// The embedded search index over appeals: SQLite FTS5 in threads of its own, in files that may be deleted at any time.
import { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { saidOnce } from "@rapport/core/failures/SaidOnce.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { type IndexCheckpoint, IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { RpcClient, type RpcClientError } from "effect/rpc"
import type { WorkerError } from "effect/workers"
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import type { TelemetrySettings } from "../config/TelemetrySettings.ts"
import { type IndexFault, type IndexMoved, IndexRpc, packChange, ReaderRpc, unpackFound } from "./IndexRpc.ts"
import { makeReaderThreads, makeWideSearches, type Search } from "./ReaderThreads.ts"
import { READER_THREADS_MAX } from "./SqliteLimits.ts"

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
