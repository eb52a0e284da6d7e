// Purges the words of removed documents from segments and translog: those of an erased client must not stay there (contract §9).
import { repeatEvery } from "@rapport/core/failures/LogOnce.ts"
import { Clock, Effect, Schema } from "effect"
import { OPENSEARCH_BULK_MILLIS_MAX } from "./EvidenceBulk.ts"
import type { OpenSearch } from "./OpenSearch.ts"
import type { OpenSearchFault } from "./OpenSearchFault.ts"

/** Times of the purges after a removal; the later ones are for documents that a replica still needed. */
const OPENSEARCH_PURGE_AFTER_MILLIS: ReadonlyArray<number> = [35_000, 120_000, 600_000]
/** If deleted documents remain after that, the intervals double up to this. */
const OPENSEARCH_PURGE_WAIT_MILLIS_MAX = 24 * 3_600_000
/** How often a process checks whether a purge is due. */
const OPENSEARCH_PURGE_POLL_MILLIS = 1_000

const Meta = Schema.Struct({ purge: Schema.optionalKey(Schema.Boolean) })
const Mappings = Schema.Record(
  Schema.String,
  Schema.Struct({ mappings: Schema.Struct({ _meta: Schema.optionalKey(Meta) }) })
)
const Stats = Schema.Struct({
  _all: Schema.Struct({ total: Schema.Struct({ docs: Schema.Struct({ deleted: Schema.Int }) }) })
})

/** Milliseconds from a removal to its purge number `done` + 1; purges never end while deleted documents remain. */
const purgeAfterMillis = (done: number): number => {
  const fixed = OPENSEARCH_PURGE_AFTER_MILLIS[done]
  if (fixed !== undefined) return fixed
  const before = purgeAfterMillis(done - 1)
  return before + Math.min(before, OPENSEARCH_PURGE_WAIT_MILLIS_MAX)
}

/** The index was deleted, with everything in it. */
const isGone = (fault: OpenSearchFault): boolean => fault.kind === "missing"

export const makePurge = ({ call }: Pick<OpenSearch["Service"], "call">) => {
  /** By index: time of the last removal and number of purges; null: nothing to purge. */
  const due = new Map<string, { readonly since: number; readonly done: number } | null>()
  const notePurge = (index: string, purge: boolean) =>
    call(Schema.Unknown, { method: "PUT", path: `/${index}/_mapping`, body: { _meta: { purge } } })
  const isPurgeNoted = (index: string) =>
    Effect.map(call(Mappings, { method: "GET", path: `/${index}/_mapping` }), (found) =>
      Object.values(found).some(({ mappings }) => mappings._meta?.purge === true)
    )

  const purge = Effect.fnUntraced(function* (index: string) {
    const body = { index: { merge: { policy: { expunge_deletes_allowed: 0 } } } }
    yield* call(Schema.Unknown, { method: "PUT", path: `/${index}/_settings`, body })
    yield* call(Schema.Unknown, { method: "POST", path: `/${index}/_flush`, query: { force: "true" } })
    yield* call(Schema.Unknown, {
      method: "POST",
      path: `/${index}/_forcemerge`,
      query: { only_expunge_deletes: "true" },
      timeoutMillis: OPENSEARCH_BULK_MILLIS_MAX
    })
    yield* call(Schema.Unknown, { method: "POST", path: `/${index}/_refresh` })
    const stats = yield* call(Stats, { method: "GET", path: `/${index}/_stats/docs` })
    return stats._all.total.docs.deleted === 0
  })

  const round = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [index, at] of due) {
      if (at === null || now - at.since < purgeAfterMillis(at.done)) continue
      // A replica may still need deleted documents to catch up, so a purge may have to be repeated.
      const isClean = yield* purge(index).pipe(
        Effect.catchIf(isGone, () => Effect.sync(() => void due.delete(index)))
      )
      if (due.get(index) !== at) continue
      if (!isClean) {
        due.set(index, { ...at, done: at.done + 1 })
        continue
      }
      yield* notePurge(index, false)
      // A removal during the purge relied on the note that was just deleted.
      if (due.get(index) === at) due.set(index, null)
      else yield* notePurge(index, true)
    }
  })

  return {
    /** To be called before a write. Records a removal in the index, so that any later writer purges it. */
    note: Effect.fnUntraced(function* (index: string, isRemoval: boolean) {
      const known = due.get(index)
      if (!isRemoval && known !== undefined) return
      const since = yield* Clock.currentTimeMillis
      const before = known === undefined ? yield* isPurgeNoted(index) : known !== null
      if (isRemoval && !before) yield* notePurge(index, true)
      // Another index is written from now on; the old one is deleted as a whole.
      for (const other of due.keys()) if (other !== index && due.get(other) === null) due.delete(other)
      due.set(index, isRemoval || before ? { since, done: 0 } : null)
    }),
    /** Purges what was noted until the scope closes. Only the process that writes to the index has work. */
    start: repeatEvery(
      OPENSEARCH_PURGE_POLL_MILLIS,
      "removed documents are not purged from OpenSearch yet"
    )(round)
  }
}
