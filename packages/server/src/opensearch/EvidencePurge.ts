// Takes out of an index in OpenSearch what is left of removed documents: their words stay in segments until those are merged, and
// in the translog until it is flushed; an erased client's must not (contract §9).
import { OPENSEARCH_BULK_MILLIS_MAX } from "./OpenSearchLimits.ts"
import { saidOnce } from "@rapport/core/failures/SaidOnce.ts"
import { Clock, Effect, Schema } from "effect"
import type { OpenSearch } from "./OpenSearch.ts"
import type { OpenSearchFault } from "./OpenSearchFault.ts"

/** How long after a removal its words are purged from the segments; again later for what a copy still had to keep. */
const OPENSEARCH_PURGE_AFTER_MILLIS: ReadonlyArray<number> = [35_000, 120_000, 600_000]
/** As long as something is left after that, the waits double up to this. */
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

interface EvidencePurge {
  /** Before a removal is written: the index remembers that there is something to purge, for every process that writes to it. */
  readonly note: (index: string, isRemoval: boolean) => Effect.Effect<void, OpenSearchFault>
  /** Purges what was noted, for as long as the scope lives; only the process that writes to the index has something. */
  readonly run: Effect.Effect<never>
}

/** How long after a removal the round comes that follows `done` others: never is something left to itself. */
export const purgeAfterMillis = (done: number): number => {
  const fixed = OPENSEARCH_PURGE_AFTER_MILLIS[done]
  if (fixed !== undefined) return fixed
  const before = purgeAfterMillis(done - 1)
  return before + Math.min(before, OPENSEARCH_PURGE_WAIT_MILLIS_MAX)
}

/** The index was replaced and deleted, and what was left in it went with it. */
const isGone = (fault: OpenSearchFault): boolean => fault.kind === "missing"

export const makePurge = ({ call }: Pick<OpenSearch["Service"], "call">): EvidencePurge => {
  /** By index: since when; null: there is nothing to purge. */
  const due = new Map<string, { readonly since: number; readonly done: number } | null>()
  const remember = (index: string, purge: boolean) =>
    call(Schema.Unknown, { method: "PUT", path: `/${index}/_mapping`, body: { _meta: { purge } } })
  const isRemembered = (index: string) =>
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

  const turn = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [index, at] of due) {
      if (at === null || now - at.since < purgeAfterMillis(at.done)) continue
      // A copy may still need the deleted documents to catch up: the last rounds are for what the first had to leave.
      const isClean = yield* purge(index).pipe(
        Effect.catchIf(isGone, () => Effect.sync(() => void due.delete(index)))
      )
      if (due.get(index) !== at) continue
      if (!isClean) {
        due.set(index, { ...at, done: at.done + 1 })
        continue
      }
      yield* remember(index, false)
      // A removal that came meanwhile saw the mark that has just gone.
      if (due.get(index) === at) due.set(index, null)
      else yield* remember(index, true)
    }
  })

  return {
    note: Effect.fnUntraced(function* (index, isRemoval) {
      const known = due.get(index)
      if (!isRemoval && known !== undefined) return
      const since = yield* Clock.currentTimeMillis
      const before = known === undefined ? yield* isRemembered(index) : known !== null
      if (isRemoval && !before) yield* remember(index, true)
      // Another index is written to from now on; what is left of the old goes with it.
      for (const other of due.keys()) if (other !== index && due.get(other) === null) due.delete(other)
      due.set(index, isRemoval || before ? { since, done: 0 } : null)
    }),
    run: turn.pipe(
      saidOnce("what was removed is not purged from OpenSearch yet"),
      Effect.andThen(Effect.sleep(OPENSEARCH_PURGE_POLL_MILLIS)),
      Effect.forever
    )
  }
}
