// The entry point of the thread of an embedded index: SQLite is synchronous and must not block the event loop of the service.
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import type { DocumentChange } from "@rapport/core/search/DocumentProjection.ts"
import { IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { Cause, Clock, Effect, Exit, Layer, Logger, Schema, Semaphore } from "effect"
import { RpcServer } from "effect/rpc"
import { workerData } from "node:worker_threads"
import { type EvidenceFile, EvidenceFolder, isDamage } from "./EvidenceFiles.ts"
import { searchEvidence } from "./EvidenceReads.ts"
import { endPurge, isPurgeDue, notePurge, purgeStep } from "./EvidencePurge.ts"
import { checkpointOf, isLarge, readCheckpoints, writeChange, writeCheckpoint } from "./EvidenceWrites.ts"
import { makeVocabulary } from "./EvidenceVocabulary.ts"
import { IndexFault, IndexRpc } from "./IndexRpc.ts"

const { folder: path } = Schema.decodeUnknownSync(Schema.Struct({ folder: Schema.String }))(workerData)

// Errors of SQLite end a call, never the thread. Damaged files are deleted and rebuilt.
const withFaults = (folder: EvidenceFolder) => {
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

/** One search in the active file. */
const search = (active: Effect.Effect<EvidenceFile, IndexFault>, query: DocumentQuery) => {
  const pause = Effect.gen(function* () {
    yield* Effect.yieldNow
    if ((yield* Clock.currentTimeMillis) >= query.deadline) {
      return yield* new IndexFault({ reason: "timeout", detail: "deadline passed" })
    }
  })
  return Effect.acquireUseRelease(
    Effect.map(active, (file) => ({ file, end: file.search() })),
    Effect.fnUntraced(function* ({ file }) {
      yield* pause
      if (checkpointOf(file.read, query.instanceId)?.complete !== true) return yield* notBuilt
      return yield* searchEvidence(file, query, pause)
    }),
    ({ end }) => Effect.sync(end)
  )
}

const documentIdOf = (change: DocumentChange): number =>
  (change._tag === "Upsert" ? change.document : change).documentId

/** FTS5 begins a new segment for every row that is not ascending. */
const inRowOrder = (changes: ReadonlyArray<DocumentChange>): ReadonlyArray<DocumentChange> =>
  changes.toSorted((a, b) => documentIdOf(a) - documentIdOf(b))

/** Pause between two merges, in which a search makes several steps. */
const BETWEEN_MERGES = "5 millis"

// In small steps, so that a large file delays neither searches nor writes.
const purge = (folder: EvidenceFolder, writing: Semaphore.Semaphore) => {
  const withLock = <A>(work: () => A) => writing.withPermits(1)(Effect.sync(work))
  return Effect.forEach(
    ["active", "building"] as const,
    Effect.fnUntraced(function* (copy) {
      const file = yield* withLock(() => folder.copy(copy))
      if (file === undefined || !(yield* withLock(() => isPurgeDue(file)))) return
      let begun = false
      while (yield* withLock(() => purgeStep(file, begun))) {
        begun = true
        yield* Effect.sleep(BETWEEN_MERGES)
      }
      yield* withLock(() => endPurge(file))
    }),
    { discard: true }
  )
}

const handlers = IndexRpc.toLayer(
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => new EvidenceFolder(path)),
      (folder) => Effect.sync(() => folder.close())
    )
    const { run, caught } = withFaults(folder)
    // One writer at a time: a batch pauses for searches, not for another batch.
    const writing = yield* Semaphore.make(1)
    return {
      Search: (query) =>
        caught(
          search(
            run(() => folder.activeUnchecked()),
            query
          )
        ),
      Checkpoints: ({ copy }) =>
        run(() => {
          const file = folder.copy(copy)
          return file === undefined
            ? { checkpoints: [], outdated: false }
            : { checkpoints: readCheckpoints(file), outdated: file.outdated }
        }),
      Apply: ({ step, changes }) => {
        const instanceId = step.to.instanceId
        const write = Effect.gen(function* () {
          const file = yield* run(() => folder.copy(step.copy))
          if (file === undefined) return yield* new IndexCheckpointMoved({ instanceId })
          yield* run(() => file.exec("begin immediate"))
          const work = Effect.gen(function* () {
            const stored = checkpointOf(file.write, instanceId)
            if ((stored?.checkpoint ?? null) !== step.from)
              return yield* new IndexCheckpointMoved({ instanceId })
            const vocabulary = makeVocabulary(file, instanceId)
            for (const change of inRowOrder(changes)) {
              yield* writeChange(file, instanceId, change, vocabulary, Effect.yieldNow)
            }
            vocabulary.write()
            const isBuilt = step.to.complete && stored?.complete !== true
            writeCheckpoint(file, step.to)
            // A long build leaves a dozen segments, and a search reads each of them for every word.
            const isScattered = isBuilt && isLarge(file, instanceId)
            if (isScattered || changes.some(({ _tag }) => _tag === "Removal")) notePurge(file)
            file.exec("commit")
          })
          yield* Effect.onError(work, () => Effect.ignoreCause(Effect.sync(() => file.exec("rollback"))))
        })
        // A batch finishes even if its caller was interrupted: it is short and atomic.
        return caught(writing.withPermits(1)(Effect.uninterruptible(write)))
      },
      Reset: ({ copy }) => writing.withPermits(1)(run(() => folder.reset(copy))),
      Publish: () => writing.withPermits(1)(run(() => folder.publish())),
      Purge: () => caught(purge(folder, writing))
    }
  })
)

// This thread neither logs nor traces: the calling thread does.
const server = RpcServer.layer(IndexRpc, { concurrency: "unbounded", disableTracing: true }).pipe(
  Layer.provide(handlers),
  Layer.provide(RpcServer.layerProtocolWorkerRunner),
  Layer.provide(NodeWorkerRunner.layer),
  Layer.provide(Logger.layer([]))
)

// A thread whose server failed ends, so that it is replaced.
Effect.runFork(Layer.launch(server)).addObserver((exit) =>
  process.exit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
)
