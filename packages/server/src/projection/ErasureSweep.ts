// Continues the erasures of clients slice by slice, whichever process began them (contract §9).
import { ClientDataStore, type ErasedClient } from "@rapport/core/clients/ClientDataStore.ts"
import { Cause, Clock, Effect, Exit, Layer, Metric } from "effect"
import { startSweeps, sweepOf } from "./Sweep.ts"

/** How often a process polls for an erasure of a client that is not finished. */
const ERASURE_POLL_MILLIS = 1_000
/** How long an erasure pauses after a slice failed; each further failure doubles it. */
const ERASURE_PAUSE_MILLIS = 1_000
const ERASURE_PAUSE_MILLIS_MAX = 600_000
/** Paused erasures of a process; above it the one that failed longest ago is retried. */
const ERASURES_PAUSED_MAX = 1_000

const oldestGauge = Metric.gauge("rapport.erasure.oldest_seconds", {
  description: "Age of the oldest erasure of a client that is not finished; 0: none"
})

/** An erasure whose last slice failed. It pauses, so that later ones continue. */
interface PausedErasure {
  readonly client: ErasedClient
  readonly waitMillis: number
  readonly until: number
}

/** Every process polls; the lock on the row of an erasure lets one process work on it at a time. */
export const layer: Layer.Layer<never, never, ClientDataStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* ClientDataStore
    const failed = new Map<string, PausedErasure>()
    // 1 if there may be more work now.
    const slice = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const paused = [...failed.values()].filter(({ until }) => until > now)
      const { next, oldestMillis } = yield* store.unfinished(paused.map(({ client }) => client))
      yield* Metric.update(oldestGauge, oldestMillis / 1_000)
      if (next === null) return 0
      const done = yield* Effect.exit(store.erase(next))
      if (Exit.isFailure(done)) {
        if (Cause.hasInterruptsOnly(done.cause)) return yield* Effect.interrupt
        pauseErasure(failed, next, yield* Clock.currentTimeMillis)
        yield* Effect.logWarning(`the erasure of client ${next.id} failed: it is retried`, done.cause)
        return 1
      }
      failed.delete(keyOf(next))
      return done.value?.isWaiting === true ? 0 : 1
    })
    yield* startSweeps([sweepOf("erased clients", ERASURE_POLL_MILLIS, 1, () => slice)])
  })
)

const keyOf = ({ id, instanceId }: ErasedClient): string => `${instanceId}/${id}`

/** Doubles the pause with each failure. */
const pauseErasure = (failed: Map<string, PausedErasure>, client: ErasedClient, now: number): void => {
  const key = keyOf(client)
  const before = failed.get(key)?.waitMillis
  const waitMillis = Math.min(
    before === undefined ? ERASURE_PAUSE_MILLIS : before * 2,
    ERASURE_PAUSE_MILLIS_MAX
  )
  failed.delete(key)
  const [longestAgo] = failed.size < ERASURES_PAUSED_MAX ? [] : failed.keys()
  if (longestAgo !== undefined) failed.delete(longestAgo)
  failed.set(key, { client, waitMillis, until: now + waitMillis })
}
