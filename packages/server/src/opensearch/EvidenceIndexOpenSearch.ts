// The evidence index in OpenSearch: both halves over one index whose copies every process of the service shares.
import { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import { SHARED_INDEX_KEPT_MILLIS } from "./OpenSearchLimits.ts"
import { saidOnce } from "@rapport/core/failures/SaidOnce.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { type DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import { type IndexCopy, IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { Clock, Context, Effect, Layer, Schema, type Scope } from "effect"
import { makeActive } from "./EvidenceActive.ts"
import { writeBulk } from "./EvidenceBulk.ts"
import { makeCopies } from "./EvidenceCopies.ts"
import { makePurge } from "./EvidencePurge.ts"
import { type IndexedChange, indexedChange } from "./EvidenceFields.ts"
import { searchReading } from "./EvidenceReadings.ts"
import { incomplete, SearchAnswer } from "./EvidenceSearch.ts"
import { OpenSearch } from "./OpenSearch.ts"
import { OpenSearchFault, strange, unavailable } from "./OpenSearchFault.ts"
import { againLater, againSoon } from "./Retries.ts"

/** The engine gives up this long before the deadline, so that its answer still arrives. */
const OPENSEARCH_ANSWER_MILLIS = 10
/** How long an index of an older format is kept at least, for processes of the version before, when its successor answers. */
const OLDER_INDEX_KEPT_MILLIS = 600_000

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

export const makeEvidenceIndex = Effect.fnUntraced(function* (
  names: EvidenceIndexNames,
  olderKeptMillis = OLDER_INDEX_KEPT_MILLIS
) {
  const openSearch = yield* OpenSearch
  const copies = makeCopies(openSearch, names)
  const active = makeActive(copies)
  const purge = makePurge(openSearch)
  const said: Said = { isServing: true, isWriting: false, waiting: new Map() }
  yield* Effect.forkScoped(active.watch)
  yield* Effect.forkScoped(purge.run)
  const parts: Parts = { openSearch, copies, active, purge, said, scope: yield* Effect.scope }
  yield* Effect.forkScoped(sweepOlder(parts, olderKeptMillis))
  return { index: indexOf(parts, names.name), projection: projectionOf(parts) }
})

/**
 * Deletes the indexes of older formats when this one has answered for a while: processes of the version before may still ask
 * theirs. Only a process that writes does it, so that none deletes what another version follows.
 */
const sweepOlder = ({ active, copies, said }: Parts, keptMillis: number) => {
  let isKnown = false
  const turn = Effect.gen(function* () {
    const isCurrent = active.copy()?.outdated === false && said.isWriting
    if (isCurrent && isKnown) yield* againLater(copies.dropOlder)
    isKnown = isCurrent
    said.isWriting = false
  })
  return Effect.sleep(keptMillis).pipe(
    Effect.andThen(saidOnce("an index of an older format is not deleted yet")(turn)),
    Effect.forever
  )
}

/** What the projection reports, in this process. */
interface Said {
  isServing: boolean
  /** It was written to since the last look at older formats. */
  isWriting: boolean
  /** By instance: since when it waits. */
  readonly waiting: Map<number, number>
}

interface Parts {
  readonly openSearch: OpenSearch["Service"]
  readonly copies: ReturnType<typeof makeCopies>
  readonly active: ReturnType<typeof makeActive>
  readonly purge: ReturnType<typeof makePurge>
  readonly said: Said
  readonly scope: Scope.Scope
}

/**
 * Searches ask the physical index of the active copy, so that an answer is never that of an index that may be incomplete.
 */
const searching = ({ openSearch, said, active }: Parts) => {
  const ask = Effect.fnUntraced(function* (query: DocumentQuery) {
    const copy = active.copy() ?? (yield* active.read)
    if (!said.isServing || copy?.marks.get(query.instanceId)?.complete !== true) {
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
    const asked = active.copy()?.index
    return yield* Effect.catch(ask(query), (error) => {
      // With the breaker open the active copy is unknown.
      if (!isFault(error) || error.kind === "open") return Effect.fail(error)
      return Effect.flatMap(active.read, () =>
        error.kind === "missing" || active.copy()?.index !== asked ? ask(query) : Effect.fail(error)
      )
    })
  })
  return askAgain
}

const indexOf = (parts: Parts, name: string) => {
  const { said, active } = parts
  const ask = searching(parts)
  return AppealIndex.of({
    search: (query) =>
      Effect.gen(function* () {
        const left = query.deadline - (yield* Clock.currentTimeMillis)
        const late = new SourceUnavailable({ source: "search", reason: "timeout" })
        if (left <= 0) return yield* late
        return yield* failed(againSoon(ask(query))).pipe(
          Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(late) })
        )
      }).pipe(
        Effect.withSpan("EvidenceIndex.search", {
          attributes: { scope: query.scope._tag, engine: "opensearch", index: name }
        })
      ),
    status: Effect.fnUntraced(function* (instanceId) {
      const fault = active.fault()
      if (fault !== undefined) return yield* unavailable(fault)
      const now = yield* Clock.currentTimeMillis
      const mark = active.copy()?.marks.get(instanceId)
      const since = said.waiting.get(instanceId)
      return {
        ready: said.isServing && mark?.complete === true,
        lagMillis: since === undefined ? 0 : Math.max(1, now - since),
        indexedAt: mark?.indexedAt ?? 0
      }
    })
  })
}

const reading =
  ({ copies, active }: Parts) =>
  (copy: IndexCopy) =>
    copy === "active" ? active.read : copies.read(copy)

/** One step of the projection: the documents, then the mark that says they are there. */
const applying = (parts: Parts): DocumentProjection["apply"] => {
  const { copies, openSearch, purge, active } = parts
  const read = reading(parts)
  const refresh = (index: string) =>
    openSearch.call(Schema.Unknown, { method: "POST", path: `/${index}/_refresh` })
  return Effect.fn("EvidenceProjection.apply")(function* (step, changes) {
    const { instanceId } = step.to
    parts.said.isWriting = true
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
    yield* failed(againLater(copies.widen(copy)))
    yield* failed(writeBulk(openSearch, copy.alias, instanceId, documents))
    // A mark says that everything before it is searchable.
    const isShown = step.to.complete && (documents.length > 0 || before?.complete !== true)
    if (isShown) yield* failed(againLater(refresh(copy.index)))
    const after = yield* copies.mark(copy, step.to).pipe(
      againLater,
      Effect.mapError((fault) =>
        fault.kind === "conflict" || fault.kind === "missing" ? moved : unavailable(fault)
      )
    )
    if (step.copy === "active") active.set(after)
  })
}

const projectionOf = (parts: Parts) => {
  const { copies, said, scope, active } = parts
  return AppealProjection.of({
    engine: "opensearch",
    checkpoints: (copy) =>
      failed(Effect.map(reading(parts)(copy), (found) => [...(found?.marks.values() ?? [])])),
    outdated: Effect.sync(() => active.copy()?.outdated === true),
    apply: applying(parts),
    reset: (copy) =>
      failed(
        Effect.map(copies.create(copy), (made) => {
          if (copy === "active") active.set(made)
        })
      ),
    publish: failed(
      Effect.gen(function* () {
        const old = yield* copies.publish
        yield* active.read
        // Others ask the copy before until their next poll. What is left by a crash goes with the next rebuild.
        yield* Effect.sleep(SHARED_INDEX_KEPT_MILLIS).pipe(
          Effect.andThen(againLater(copies.drop(old))),
          Effect.catch((fault) => Effect.logWarning(`${old.join(", ")} could not be deleted`, fault)),
          Effect.forkIn(scope)
        )
      })
    ),
    observe: (instanceId, since) =>
      Effect.sync(() => {
        if (since === null) said.waiting.delete(instanceId)
        else said.waiting.set(instanceId, since)
      }),
    serve: (isServing) =>
      Effect.sync(() => {
        said.isServing = isServing
      })
  })
}

export const EvidenceIndexOpenSearch = {
  layer: (
    prefix: string,
    olderKeptMillis?: number
  ): Layer.Layer<AppealIndex | AppealProjection, never, OpenSearch> =>
    Layer.effectContext(
      Effect.map(makeEvidenceIndex({ name: "evidence", prefix }, olderKeptMillis), ({ index, projection }) =>
        Context.make(AppealIndex, index).pipe(Context.add(AppealProjection, projection))
      )
    )
}
