// Entry of the threads of the embedded index, the one that writes and those that only search: SQLite is synchronous and must
// never block the event loop.
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Cause, Clock, Effect, Exit, Layer, Logger, Redacted, Schema, Semaphore } from "effect"
import { RpcServer } from "effect/rpc"
import { workerData } from "node:worker_threads"
import { EvidenceFolder, isDamage, type Lease, ServedFolder } from "./EvidenceFiles.ts"
import { searchEvidence } from "./EvidenceReads.ts"
import { endPurge, isPurgeDue, notePurge, purgeStep } from "./EvidencePurge.ts"
import { checkpointAt, isComplete, isLarge, readMarks, writeChange, writeMark } from "./EvidenceWrites.ts"
import { makeVocabulary } from "./EvidenceVocabulary.ts"
import {
  IndexFault,
  IndexMoved,
  IndexRpc,
  inOrderOfRows,
  packFound,
  type Query,
  ReaderRpc,
  unpackChange
} from "./IndexRpc.ts"

/** What the thread is started with. */
const IndexWorkerData = Schema.Struct({
  folder: Schema.String,
  /** It only searches. */
  reads: Schema.Boolean,
  /** Where this thread exports its own spans; absent: nothing is traced. */
  telemetry: Schema.optional(
    Schema.Struct({
      protocol: Schema.Literals(["http/protobuf", "http/json"]),
      variables: Schema.Record(Schema.String, Schema.String)
    })
  )
})

const decodeData = Effect.orDie(Schema.decodeUnknownEffect(IndexWorkerData)(workerData))

// What SQLite throws ends a call, never the thread; what cannot be read any more is deleted and rebuilt.
const guarded = (folder: { readonly discard: () => void }) => {
  const faultOf = (cause: unknown): IndexFault => {
    const detail = cause instanceof Error ? cause.message : String(cause)
    if (!isDamage(cause)) return new IndexFault({ reason: "search_index_unavailable", detail })
    folder.discard()
    return new IndexFault({ reason: "search_index_not_ready", detail })
  }
  return {
    run: <A>(work: () => A) => Effect.try({ try: work, catch: faultOf }),
    caught: <A, E>(work: Effect.Effect<A, E>) =>
      Effect.catchDefect(work, (cause) => Effect.fail(faultOf(cause)))
  }
}

const notBuilt = new IndexFault({ reason: "search_index_not_ready", detail: "not built yet" })

/** One search in the file that is served. */
const searching = (lease: Effect.Effect<Lease | undefined, IndexFault>) => (query: typeof Query.Type) => {
  const pause = Effect.gen(function* () {
    yield* Effect.yieldNow
    if ((yield* Clock.currentTimeMillis) >= query.deadline) {
      return yield* new IndexFault({ reason: "timeout", detail: "deadline passed" })
    }
  })
  return Effect.acquireUseRelease(
    lease,
    Effect.fnUntraced(function* (leased) {
      yield* pause
      const file = leased?.file
      const complete = file?.read("select complete from mark where instance = ?").get(query.instanceId)
      if (file === undefined || !Array.isArray(complete) || complete[0] !== 1) return yield* notBuilt
      return packFound(yield* searchEvidence(file, query, pause))
    }),
    (leased) => Effect.sync(() => leased?.release())
  )
}

/** A search gives way at each of its steps: it gets several of them between two merges. */
const BETWEEN_MERGES = "5 millis"

// A step at a time, so that a large file keeps neither searches nor writes waiting.
const purge = (folder: EvidenceFolder, writing: Semaphore.Semaphore) => {
  const held = <A>(work: () => A) => writing.withPermits(1)(Effect.sync(work))
  return Effect.forEach(
    ["active", "building"] as const,
    Effect.fnUntraced(function* (copy) {
      const file = yield* held(() => folder.copy(copy))
      if (file === undefined || !(yield* held(() => isPurgeDue(file)))) return
      let begun = false
      while (yield* held(() => purgeStep(file, begun))) {
        begun = true
        yield* Effect.sleep(BETWEEN_MERGES)
      }
      yield* held(() => endPurge(file))
    }),
    { discard: true }
  )
}

const handlers = IndexRpc.toLayer(
  Effect.gen(function* () {
    const data = yield* decodeData
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => new EvidenceFolder(data.folder)),
      (folder) => Effect.sync(() => folder.close())
    )
    const { run, caught } = guarded(folder)
    const search = searching(run(() => folder.lease()))
    // One writer at a time: a batch gives way to searches between its rows, not to another batch.
    const writing = yield* Semaphore.make(1)
    return {
      Search: (query) => caught(search(query)),
      Marks: ({ copy }) =>
        run(() => {
          const file = folder.copy(copy)
          return file === undefined
            ? { marks: [], outdated: false }
            : { marks: readMarks(file), outdated: file.outdated }
        }),
      Apply: ({ step, changes }) => {
        const instanceId = step.to.instanceId
        const write = Effect.gen(function* () {
          const file = yield* run(() => folder.copy(step.copy))
          if (file === undefined) return yield* new IndexMoved({ instanceId })
          yield* run(() => file.exec("begin immediate"))
          const work = Effect.gen(function* () {
            if (checkpointAt(file, instanceId) !== step.from) return yield* new IndexMoved({ instanceId })
            const vocabulary = makeVocabulary(file, instanceId)
            for (const change of inOrderOfRows(changes)) {
              yield* writeChange(file, instanceId, unpackChange(change), vocabulary, Effect.yieldNow)
            }
            vocabulary.write()
            const isBuilt = step.to.complete && !isComplete(file, instanceId)
            writeMark(file, step.to)
            // After a long build the words of a search lie in a dozen segments, of which each is asked for every word.
            const isScattered = isBuilt && isLarge(file, instanceId)
            if (isScattered || changes.some(({ _tag }) => _tag === "Removal")) notePurge(file)
            file.exec("commit")
          })
          yield* Effect.onError(work, () => Effect.ignoreCause(Effect.sync(() => file.exec("rollback"))))
        })
        // A writer whose caller waits no more still finishes its batch: it is short, and half of it is nothing.
        return caught(writing.withPermits(1)(Effect.uninterruptible(write)))
      },
      Reset: ({ copy }) => writing.withPermits(1)(run(() => folder.reset(copy))),
      Publish: () => writing.withPermits(1)(run(() => folder.publish())),
      Purge: () => caught(purge(folder, writing))
    }
  })
)

const readerHandlers = ReaderRpc.toLayer(
  Effect.gen(function* () {
    const data = yield* decodeData
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => new ServedFolder(data.folder)),
      (folder) => Effect.sync(() => folder.discard())
    )
    const { run, caught } = guarded(folder)
    const search = searching(run(() => folder.lease()))
    return { Ready: () => Effect.void, Search: (query) => caught(search(query)) }
  })
)

// Spans of a call continue the trace of the thread that asked.
const telemetryLayer = (telemetry: (typeof IndexWorkerData.Type)["telemetry"]) =>
  telemetry === undefined
    ? Effect.succeed(Layer.empty)
    : Effect.map(
        Effect.promise(() => import("../telemetry/TelemetryExport.ts")),
        ({ exportLayer }) =>
          exportLayer({ ...telemetry, variables: Redacted.make(telemetry.variables) }, "index")
      )

const server = Layer.unwrap(
  Effect.gen(function* () {
    const { reads, telemetry } = yield* decodeData
    const options = { concurrency: "unbounded", disableTracing: telemetry === undefined } as const
    const served = reads
      ? Layer.provide(RpcServer.layer(ReaderRpc, options), readerHandlers)
      : Layer.provide(RpcServer.layer(IndexRpc, options), handlers)
    return served.pipe(
      Layer.provide(RpcServer.layerProtocolWorkerRunner),
      Layer.provide(NodeWorkerRunner.layer),
      Layer.provide(yield* telemetryLayer(telemetry))
    )
  })
  // Standard output is not for logs; the thread that asked logs what it hears of.
).pipe(Layer.provide(Logger.layer([])))

// Ended here: an exporter that tries again and again would keep the thread alive until its service loses patience.
Effect.runFork(Layer.launch(server)).addObserver((exit) =>
  process.exit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
)
