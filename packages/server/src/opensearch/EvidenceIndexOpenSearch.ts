// The evidence index in OpenSearch: both halves over one index whose copies every process of the service shares.
import { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import {
  OPENSEARCH_ANSWER_MILLIS,
  SHARED_INDEX_KEPT_MILLIS,
  SHARED_INDEX_SEEN_MILLIS,
  SHARED_INDEX_SEEN_MILLIS_MAX
} from "./OpenSearchLimits.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { type DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { writeBulk } from "./EvidenceBulk.ts"
import { type EvidenceCopy, makeCopies } from "./EvidenceCopies.ts"
import { makePurge } from "./EvidencePurge.ts"
import { type IndexedChange, indexedChange } from "./EvidenceFields.ts"
import { searchReading } from "./EvidenceReadings.ts"
import { incomplete, SearchAnswer } from "./EvidenceSearch.ts"
import { OpenSearch } from "./OpenSearch.ts"
import { OpenSearchFault, strange, unavailable } from "./OpenSearchFault.ts"
import { againLater, againSoon } from "./Retries.ts"

/** What its indexes are called: `<prefix>-<name>-…`. */
interface EvidenceIndexNames {
  readonly name: "evidence" | "client-memory"
  readonly prefix: string
}

const isFault = (error: unknown): error is OpenSearchFault => error instanceof OpenSearchFault
const failed = <A, E, R>(
  effect: Effect.Effect<A, E | OpenSearchFault, R>
): Effect.Effect<A, Exclude<E, OpenSearchFault> | SourceUnavailable, R> =>
  Effect.mapError(effect, (error) =>
    isFault(error) ? unavailable(error) : (error as Exclude<E, OpenSearchFault>)
  )

export const makeEvidenceIndex = Effect.fnUntraced(function* (names: EvidenceIndexNames) {
  const openSearch = yield* OpenSearch
  const copies = makeCopies(openSearch, names)
  const scope = yield* Effect.scope
  // What is served, as this process has last seen it; searches ask the physical index of it, so that an answer is never
  // that of an index that may be incomplete.
  let served: EvidenceCopy | undefined
  const waiting = new Map<number, number>()
  let serving = true

  // Looks in a row that found no engine.
  let unseen = 0
  let fault: OpenSearchFault | undefined
  const readServed = copies.read("active").pipe(
    Effect.tap((copy) =>
      Effect.sync(() => {
        unseen = 0
        // A poll may overlap a newer step of this process.
        if (copy === undefined || served?.index !== copy.index || copy.revision >= served.revision)
          served = copy
      })
    ),
    Effect.tapError((error) => unanswered(error))
  )
  const unanswered = (error: OpenSearchFault) =>
    Effect.sync(() => {
      unseen++
      fault = error
    })
  const watch = readServed.pipe(
    Effect.timeoutOrElse({
      duration: SHARED_INDEX_SEEN_MILLIS_MAX,
      orElse: () => unanswered(new OpenSearchFault({ kind: "away", status: 0, said: "it does not answer" }))
    }),
    Effect.ignoreCause,
    Effect.andThen(Effect.sleep(SHARED_INDEX_SEEN_MILLIS)),
    Effect.forever
  )
  yield* Effect.forkScoped(watch)
  const purge = makePurge(openSearch)
  yield* Effect.forkScoped(purge.run)
  const read = (copy: "active" | "building") => (copy === "active" ? readServed : copies.read(copy))
  const refresh = (index: string) =>
    openSearch.call(Schema.Unknown, { method: "POST", path: `/${index}/_refresh` })

  const ask = Effect.fnUntraced(function* (query: DocumentQuery) {
    const copy = served ?? (yield* readServed)
    if (!serving || copy?.marks.get(query.instanceId)?.complete !== true) {
      return yield* new SourceUnavailable({ source: "search", reason: "search_index_not_ready" })
    }
    const instance = String(query.instanceId)
    const request = Effect.fnUntraced(function* (body: object) {
      const answer = yield* openSearch.call(SearchAnswer, {
        method: "POST",
        path: `/${copy.index}/_search`,
        // The same copy of the shard for the same instance: two copies may score differently.
        query: { routing: instance, preference: `i${instance}`, allow_partial_search_results: "false" },
        body
      })
      const fault = incomplete(answer, query)
      return fault === undefined ? answer : yield* strange(fault)
    })
    const left = Effect.map(Clock.currentTimeMillis, (now) =>
      Math.max(1, query.deadline - now - OPENSEARCH_ANSWER_MILLIS)
    )
    return yield* searchReading(query, request, left)
  })
  // Published or made again meanwhile: the active copy has to answer, whatever the earlier one said last.
  const askAgain = Effect.fnUntraced(function* (query: DocumentQuery) {
    const asked = served?.index
    return yield* Effect.catch(ask(query), (error) => {
      // With the breaker open the active copy is unknown.
      if (!isFault(error) || error.kind === "open") return Effect.fail(error)
      return Effect.flatMap(readServed, () =>
        error.kind === "missing" || served?.index !== asked ? ask(query) : Effect.fail(error)
      )
    })
  })

  const index = AppealIndex.of({
    search: (query) =>
      Effect.gen(function* () {
        const left = query.deadline - (yield* Clock.currentTimeMillis)
        const late = new SourceUnavailable({ source: "search", reason: "timeout" })
        if (left <= 0) return yield* late
        return yield* failed(againSoon(askAgain(query))).pipe(
          Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(late) })
        )
      }).pipe(
        Effect.withSpan("EvidenceIndex.search", {
          attributes: { scope: query.scope._tag, engine: "opensearch", index: names.name }
        })
      ),
    status: Effect.fnUntraced(function* (instanceId) {
      // Once may happen.
      if (unseen > 1 && fault !== undefined) return yield* unavailable(fault)
      const now = yield* Clock.currentTimeMillis
      const mark = served?.marks.get(instanceId)
      const since = waiting.get(instanceId)
      return {
        ready: serving && mark?.complete === true,
        lagMillis: since === undefined ? 0 : Math.max(1, now - since),
        indexedAt: mark?.indexedAt ?? 0
      }
    })
  })

  const projection = AppealProjection.of({
    engine: "opensearch",
    checkpoints: (copy) => failed(Effect.map(read(copy), (found) => [...(found?.marks.values() ?? [])])),
    apply: Effect.fn("EvidenceProjection.apply")(function* (step, changes) {
      const { instanceId } = step.to
      const moved = new IndexCheckpointMoved({ instanceId })
      const there = yield* failed(againLater(read(step.copy)))
      const copy =
        there ??
        (step.copy === "active" && step.from === null ? yield* failed(copies.create("active")) : undefined)
      const before = copy?.marks.get(instanceId)
      if (copy === undefined || (before?.checkpoint ?? null) !== step.from) return yield* moved
      const isRemoval = changes.some(({ _tag }) => _tag === "Removal")
      yield* failed(againLater(purge.note(copy.index, isRemoval)))
      const documents: Array<IndexedChange> = []
      for (const change of changes) {
        documents.push(indexedChange(instanceId, change))
        // Requests are answered between two of them.
        yield* Effect.yieldNow
      }
      const alias = copies.aliasOf(step.copy)
      yield* failed(writeBulk(openSearch, alias, instanceId, documents))
      // A mark says that everything before it is searchable.
      const isShown = step.to.complete && (documents.length > 0 || before?.complete !== true)
      if (isShown) yield* failed(againLater(refresh(copy.index)))
      const after = yield* copies.mark(step.copy, copy, step.to).pipe(
        againLater,
        Effect.mapError((fault) =>
          fault.kind === "conflict" || fault.kind === "missing" ? moved : unavailable(fault)
        )
      )
      if (step.copy === "active") served = after
    }),
    reset: (copy) =>
      failed(
        Effect.map(copies.create(copy), (made) => {
          if (copy === "active") served = made
        })
      ),
    publish: failed(
      Effect.gen(function* () {
        const old = yield* copies.publish
        yield* readServed
        // Others ask what was served until they have looked again. What is left by a crash goes with the next rebuild.
        yield* Effect.sleep(SHARED_INDEX_KEPT_MILLIS).pipe(
          Effect.andThen(againLater(copies.drop(old))),
          Effect.catch((fault) => Effect.logWarning(`${old.join(", ")} could not be deleted`, fault)),
          Effect.forkIn(scope)
        )
      })
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
  return { index, projection }
})

export const EvidenceIndexOpenSearch = {
  layer: (prefix: string): Layer.Layer<AppealIndex | AppealProjection, never, OpenSearch> =>
    Layer.effectContext(
      Effect.map(makeEvidenceIndex({ name: "evidence", prefix }), ({ index, projection }) =>
        Context.make(AppealIndex, index).pipe(Context.add(AppealProjection, projection))
      )
    )
}
