// The loop that runs broadcasts: writes due batches, then waits for the next due time or a notification (contract §9.1).
// Several processes share the work; its state is in the database.
import { Clock, Context, Effect, Layer, PubSub } from "effect"
import { broadcastTurn, WriteCapacity } from "../capacity/WriteCapacity.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { BroadcastSignal } from "./BroadcastSignal.ts"
import { GATHERED_MILLIS } from "./Pacing.ts"

/** The poll without a notification, for broadcasts of a process that died before it could notify. */
const POLL_MILLIS = 10_000
/** The wait after a failed batch, and while writes are refused. */
const RETRY_MILLIS = 1_000
/** Only disk space is checked: a broadcast that was started within its quota continues. */
const ALL_INSTANCES = 0

export class BroadcastQueue extends Context.Service<
  BroadcastQueue,
  {
    /** Writes one batch of the broadcast that is due first, in one transaction; false if none is due or all are locked. */
    readonly advance: (now: number) => Effect.Effect<boolean, SourceUnavailable>
    /** When the next batch is due, epoch milliseconds; undefined if no broadcast runs. */
    readonly nextDueAt: Effect.Effect<number | undefined, SourceUnavailable>
  }
>()("@rapport/core/broadcasts/BroadcastQueue") {}

/** Runs until the scope closes. */
export const broadcastRunLayer: Layer.Layer<never, never, BroadcastQueue | BroadcastSignal> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const queue = yield* BroadcastQueue
      const capacity = yield* WriteCapacity
      const notifications = yield* (yield* BroadcastSignal).notifications
      // A stop waits for the running batch.
      const turn = Effect.uninterruptible(Effect.flatMap(Clock.currentTimeMillis, queue.advance))
      // On a full disk the run waits until there is space.
      const isOpen = Effect.match(capacity.pass(ALL_INSTANCES, broadcastTurn), {
        onSuccess: () => true,
        onFailure: () => false
      })
      const round = Effect.gen(function* () {
        if (!(yield* isOpen)) return RETRY_MILLIS
        while ((yield* turn) && (yield* isOpen)) yield* Effect.yieldNow
        const dueAt = yield* queue.nextDueAt
        if (dueAt === undefined) return POLL_MILLIS
        const wait = dueAt - (yield* Clock.currentTimeMillis)
        return Math.min(POLL_MILLIS, Math.max(GATHERED_MILLIS, wait))
      }).pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("broadcasts cannot continue", cause), RETRY_MILLIS)
        )
      )
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.flatMap(round, (millis) =>
            Effect.raceFirst(PubSub.take(notifications), Effect.sleep(millis))
          )
        )
      )
    })
  )
