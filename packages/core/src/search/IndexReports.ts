// What a projection reports about its index, and the part of a search that both engines share.
import { Clock, Effect } from "effect"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { DocumentQuery, DocumentsFound, IndexStatus } from "./DocumentIndex.ts"
import type { DocumentProjection } from "./DocumentProjection.ts"
import type { IndexCheckpoint } from "./IndexCheckpoint.ts"

export const makeIndexReports = (engine: string) => {
  let isServing = true
  /** By instance: since when a change waits. */
  const waiting = new Map<number, number>()
  const observe: DocumentProjection["observe"] = (instanceId, since) =>
    Effect.sync(() => {
      if (since === null) waiting.delete(instanceId)
      else waiting.set(instanceId, since)
    })
  const serve: DocumentProjection["serve"] = (next) =>
    Effect.sync(() => {
      isServing = next
    })
  return {
    observe,
    serve,
    /** `checkpoint` is that of the instance in the active copy. */
    status: (instanceId: number, checkpoint: IndexCheckpoint | undefined): Effect.Effect<IndexStatus> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const since = waiting.get(instanceId)
        return {
          ready: isServing && checkpoint?.complete === true,
          lagMillis: since === undefined ? 0 : Math.max(1, now - since),
          indexedAt: checkpoint?.indexedAt ?? 0
        }
      }),
    /** Ends the search at its deadline. It fails while the database does not confirm the index. */
    searchInTime: (query: DocumentQuery, search: Effect.Effect<DocumentsFound, SourceUnavailable>) =>
      Effect.gen(function* () {
        const left = query.deadline - (yield* Clock.currentTimeMillis)
        const late = new SourceUnavailable({ source: "search", reason: "timeout" })
        if (left <= 0) return yield* late
        if (!isServing)
          return yield* new SourceUnavailable({ source: "search", reason: "search_index_not_ready" })
        return yield* Effect.timeoutOrElse(search, { duration: left, orElse: () => Effect.fail(late) })
      }).pipe(Effect.withSpan("EvidenceIndex.search", { attributes: { scope: query.scope._tag, engine } }))
  }
}
