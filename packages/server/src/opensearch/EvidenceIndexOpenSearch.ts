// The evidence index in OpenSearch, shared by all processes of the service.
import { repeatEvery } from "@rapport/core/failures/LogOnce.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { DocumentIndex, DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import type { DocumentProjection } from "@rapport/core/search/DocumentProjection.ts"
import { type IndexCopy, IndexCheckpointMoved } from "@rapport/core/search/IndexCheckpoint.ts"
import { makeIndexReports } from "@rapport/core/search/IndexReports.ts"
import { Clock, Effect, Layer, Schema, type Scope } from "effect"
import type { OpenSearchSettings } from "../Config.ts"
import { appealIndexLayer, memoryIndexLayer } from "../search/IndexServices.ts"
import { makeActiveCopy } from "./EvidenceActive.ts"
import { writeBulk } from "./EvidenceBulk.ts"
import { makeCopies } from "./EvidenceCopies.ts"
import { makePurge } from "./EvidencePurge.ts"
import { type IndexedChange, indexedChange } from "./EvidenceFields.ts"
import { searchReading } from "./EvidenceReadings.ts"
import { incomplete, SearchAnswer } from "./EvidenceSearch.ts"
import { OpenSearch } from "./OpenSearch.ts"
import { OpenSearchFault, unexpectedResponse, unavailable } from "./OpenSearchFault.ts"
import { retryWrite, retrySearch } from "./Retries.ts"

/** The engine's timeout ends this long before the deadline, so that its answer still arrives. */
const OPENSEARCH_ANSWER_MILLIS = 10
/** How long a replaced index is kept: until every process has polled. */
const SHARED_INDEX_KEPT_MILLIS = 3_000
/** How long an index of an older format is kept, for processes of the previous version, after its successor answers. */
const OLDER_INDEX_KEPT_MILLIS = 600_000

/** Indexes are named `<prefix>-<name>-…`. */
interface EvidenceIndexNames {
  readonly name: "evidence" | "client-memory"
  readonly prefix: string
}

const isFault = (error: unknown): error is OpenSearchFault => error instanceof OpenSearchFault
const asUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E | OpenSearchFault, R>
): Effect.Effect<A, Exclude<E, OpenSearchFault> | SourceUnavailable, R> =>
  Effect.mapError(effect, (error) =>
    isFault(error) ? unavailable(error) : (error as Exclude<E, OpenSearchFault>)
  )

const makeEvidenceIndex = Effect.fnUntraced(function* (
  names: EvidenceIndexNames,
  olderKeptMillis = OLDER_INDEX_KEPT_MILLIS
) {
  const openSearch = yield* OpenSearch
  const copies = makeCopies(openSearch, names)
  const active = makeActiveCopy(copies)
  const purge = makePurge(openSearch)
  yield* Effect.forkScoped(active.watch)
  yield* purge.start
  const parts: Parts = {
    openSearch,
    copies,
    active,
    purge,
    reports: makeIndexReports("opensearch"),
    isWriting: false,
    scope: yield* Effect.scope
  }
  yield* dropOlder(parts, olderKeptMillis)
  return { index: indexOf(parts), projection: projectionOf(parts) }
})

/**
 * Deletes indexes of older formats after this one has answered for a while: processes of the previous version may still search
 * them. Only a process that writes deletes them, so that no process deletes an index that another version writes.
 */
const dropOlder = (parts: Parts, keptMillis: number) => {
  const { active, copies } = parts
  let wasCurrent = false
  const round = Effect.gen(function* () {
    const isCurrent = active.copy()?.outdated === false && parts.isWriting
    if (isCurrent && wasCurrent) yield* retryWrite(copies.dropOlder)
    wasCurrent = isCurrent
    parts.isWriting = false
  })
  return repeatEvery(keptMillis, "an index of an older format could not be deleted")(round)
}

interface Parts {
  readonly openSearch: OpenSearch["Service"]
  readonly copies: ReturnType<typeof makeCopies>
  readonly active: ReturnType<typeof makeActiveCopy>
  readonly purge: ReturnType<typeof makePurge>
  readonly reports: ReturnType<typeof makeIndexReports>
  /** Whether this process has written to the index since the last check of older formats. */
  isWriting: boolean
  readonly scope: Scope.Scope
}

/** Searches use the physical index of the active copy, so that an incomplete index never answers. */
const makeSearch = ({ openSearch, active }: Parts) => {
  const searchActive = Effect.fnUntraced(function* (query: DocumentQuery) {
    const copy = active.copy() ?? (yield* active.read)
    if (copy?.marks.get(query.instanceId)?.complete !== true) {
      return yield* new SourceUnavailable({ source: "search", reason: "search_index_not_ready" })
    }
    const instance = String(query.instanceId)
    const request = Effect.fnUntraced(function* (body: object) {
      const answer = yield* openSearch.call(SearchAnswer, {
        method: "POST",
        path: `/${copy.index}/_search`,
        // Always the same shard copy for an instance: two copies may score differently.
        query: { routing: instance, preference: `i${instance}`, allow_partial_search_results: "false" },
        body
      })
      const fault = incomplete(answer, query)
      return fault === undefined ? answer : yield* unexpectedResponse(fault)
    })
    const left = Effect.map(Clock.currentTimeMillis, (now) =>
      Math.max(1, query.deadline - now - OPENSEARCH_ANSWER_MILLIS)
    )
    return yield* searchReading(query, request, left)
  })
  // If another copy became active meanwhile, the search is repeated on it.
  const searchWithRefresh = Effect.fnUntraced(function* (query: DocumentQuery) {
    const searched = active.copy()?.index
    return yield* Effect.catch(searchActive(query), (error) => {
      // With the breaker open the active copy is unknown.
      if (!isFault(error) || error.kind === "open") return Effect.fail(error)
      return Effect.flatMap(active.read, () =>
        error.kind === "missing" || active.copy()?.index !== searched
          ? searchActive(query)
          : Effect.fail(error)
      )
    })
  })
  return searchWithRefresh
}

const indexOf = (parts: Parts): DocumentIndex => {
  const { active, reports } = parts
  const searchActive = makeSearch(parts)
  return {
    search: (query) => reports.searchInTime(query, asUnavailable(retrySearch(searchActive(query)))),
    status: Effect.fnUntraced(function* (instanceId) {
      const fault = active.fault()
      if (fault !== undefined) return yield* unavailable(fault)
      return yield* reports.status(instanceId, active.copy()?.marks.get(instanceId))
    })
  }
}

const makeRead =
  ({ copies, active }: Parts) =>
  (copy: IndexCopy) =>
    copy === "active" ? active.read : copies.read(copy)

/** One step of the projection: writes the documents, then the checkpoint. */
const makeApply = (parts: Parts): DocumentProjection["apply"] => {
  const { copies, openSearch, purge, active } = parts
  const read = makeRead(parts)
  const refresh = (index: string) =>
    openSearch.call(Schema.Unknown, { method: "POST", path: `/${index}/_refresh` })
  return Effect.fn("EvidenceProjection.apply")(function* (step, changes) {
    const { instanceId } = step.to
    parts.isWriting = true
    const moved = new IndexCheckpointMoved({ instanceId })
    const found = yield* asUnavailable(retryWrite(read(step.copy)))
    const copy =
      found ??
      (step.copy === "active" && step.from === null
        ? yield* asUnavailable(copies.create("active"))
        : undefined)
    const before = copy?.marks.get(instanceId)
    if (copy === undefined || (before?.checkpoint ?? null) !== step.from) return yield* moved
    const isRemoval = changes.some(({ _tag }) => _tag === "Removal")
    yield* asUnavailable(retryWrite(purge.note(copy.index, isRemoval)))
    const documents: Array<IndexedChange> = []
    for (const change of changes) {
      documents.push(indexedChange(instanceId, change))
      // Lets other work run between two documents.
      yield* Effect.yieldNow
    }
    yield* asUnavailable(retryWrite(copies.widen(copy)))
    yield* asUnavailable(writeBulk(openSearch, copy.alias, instanceId, documents))
    // Refresh first: everything before a checkpoint must be searchable.
    const isShown = step.to.complete && (documents.length > 0 || before?.complete !== true)
    if (isShown) yield* asUnavailable(retryWrite(refresh(copy.index)))
    const after = yield* copies.mark(copy, step.to).pipe(
      retryWrite,
      Effect.mapError((fault) =>
        fault.kind === "conflict" || fault.kind === "missing" ? moved : unavailable(fault)
      )
    )
    if (step.copy === "active") active.set(after)
  })
}

const projectionOf = (parts: Parts): DocumentProjection => {
  const { copies, reports, scope, active } = parts
  return {
    engine: "opensearch",
    checkpoints: (copy) =>
      asUnavailable(Effect.map(makeRead(parts)(copy), (found) => [...(found?.marks.values() ?? [])])),
    outdated: Effect.sync(() => active.copy()?.outdated === true),
    apply: makeApply(parts),
    reset: (copy) =>
      asUnavailable(
        Effect.map(copies.create(copy), (made) => {
          if (copy === "active") active.set(made)
        })
      ),
    publish: asUnavailable(
      Effect.gen(function* () {
        const old = yield* copies.publish
        yield* active.read
        // Other processes search the former copy until their next poll. After a crash the next rebuild deletes it.
        yield* Effect.sleep(SHARED_INDEX_KEPT_MILLIS).pipe(
          Effect.andThen(retryWrite(copies.drop(old))),
          Effect.catch((fault) => Effect.logWarning(`${old.join(", ")} could not be deleted`, fault)),
          Effect.forkIn(scope)
        )
      })
    ),
    observe: reports.observe,
    serve: reports.serve
  }
}

export const EvidenceIndexOpenSearch = {
  layer: (prefix: string, olderKeptMillis?: number) =>
    appealIndexLayer(makeEvidenceIndex({ name: "evidence", prefix }, olderKeptMillis))
}

/** The index of client memory. */
export const MemoryIndexOpenSearch = {
  layer: (prefix: string) => memoryIndexLayer(makeEvidenceIndex({ name: "client-memory", prefix }))
}

/** Both indexes. */
export const sharedIndexesLayer = (settings: OpenSearchSettings) =>
  Layer.merge(
    EvidenceIndexOpenSearch.layer(settings.indexPrefix),
    MemoryIndexOpenSearch.layer(settings.indexPrefix)
  ).pipe(Layer.provide(OpenSearch.layer(settings)))
