// Goes on with the erasures of clients, whichever process began them: slice by slice, until nothing is left (contract §9).
import { ClientDataStore, type ErasedClient } from "@rapport/core/clients/ClientDataStore.ts"
import { Cause, Clock, Effect, Exit, Layer, Metric } from "effect"

/** How often a process polls for an erasure of a client that is not finished. */
const ERASURE_POLL_MILLIS = 1_000
/** How long an erasure is left alone whose slice failed; each later failure doubles it. */
const ERASURE_RETRY_MILLIS = 1_000
const ERASURE_RETRY_MILLIS_MAX = 600_000
/** Erasures that a process leaves alone at once; above it the one that failed longest ago is tried again. */
const ERASURES_RESTING_MAX = 1_000

const oldestGauge = Metric.gauge("rapport.erasure.oldest_seconds", {
  description: "How long ago the oldest erasure of a client that is not finished was asked for; 0: none"
})

/** An erasure whose last slice failed: it is left alone for a while, so that those after it go on. */
interface Resting {
  readonly client: ErasedClient
  readonly waitMillis: number
  readonly until: number
}

/** Every process polls for work each ERASURE_POLL_MILLIS; the row of an erasure lets one of them do it at a time. */
export const layer: Layer.Layer<never, never, ClientDataStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* ClientDataStore
    const failed = new Map<string, Resting>()
    // True where there may be more to do at once.
    const slice = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const resting = [...failed.values()].filter(({ until }) => until > now)
      const { next, oldestMillis } = yield* store.unfinished(resting.map(({ client }) => client))
      yield* Metric.update(oldestGauge, oldestMillis / 1_000)
      if (next === undefined) return false
      const done = yield* Effect.exit(store.erase(next))
      if (Exit.isFailure(done)) {
        if (Cause.hasInterruptsOnly(done.cause)) return yield* Effect.interrupt
        rest(failed, next, yield* Clock.currentTimeMillis)
        yield* Effect.logWarning(`the erasure of client ${next.id} did not go on`, done.cause)
        return true
      }
      failed.delete(keyOf(next))
      return done.value?.isWaiting !== true
    })
    yield* Effect.repeat(slice, { while: (isMore) => isMore }).pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning("erasures of clients did not go on", cause)
      ),
      Effect.andThen(Effect.sleep(ERASURE_POLL_MILLIS)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)

const keyOf = ({ id, instanceId }: ErasedClient): string => `${instanceId}/${id}`

/** Twice as long as the time before. */
const rest = (failed: Map<string, Resting>, client: ErasedClient, now: number): void => {
  const key = keyOf(client)
  const before = failed.get(key)?.waitMillis
  const waitMillis = Math.min(
    before === undefined ? ERASURE_RETRY_MILLIS : before * 2,
    ERASURE_RETRY_MILLIS_MAX
  )
  failed.delete(key)
  const [longestAgo] = failed.size < ERASURES_RESTING_MAX ? [] : failed.keys()
  if (longestAgo !== undefined) failed.delete(longestAgo)
  failed.set(key, { client, waitMillis, until: now + waitMillis })
}
