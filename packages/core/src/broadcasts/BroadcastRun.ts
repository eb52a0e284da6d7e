// The run of all broadcasts in this process: whatever is due is written, a batch at a time, until nothing is; then it waits for
// the next time or for a notification (contract §9.1). Several processes share the work; nothing of it is in memory.
import { Clock, Context, Effect, Layer, PubSub } from "effect"
import { broadcastTurn, WriteCapacity } from "../capacity/WriteCapacity.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { BroadcastSignal } from "./BroadcastSignal.ts"
import { GATHERED_MILLIS } from "./Pacing.ts"

/** A poll without a notification, for what was started by a process that died before it could notify. */
const POLL_MILLIS = 10_000
/** The wait after a turn that failed, and while no write is taken. */
const RETRY_MILLIS = 1_000
/** The gate is asked for a full disk alone: what was started within its quota goes on. */
const ALL_INSTANCES = 0

export class BroadcastQueue extends Context.Service<
  BroadcastQueue,
  {
    /** Takes one turn of the broadcast that is due first, in one transaction; false where none is due or others hold them. */
    readonly advance: (now: number) => Effect.Effect<boolean, SourceUnavailable>
    /** When the next one is due, epoch milliseconds; undefined where no broadcast runs. */
    readonly nextDueAt: Effect.Effect<number | undefined, SourceUnavailable>
  }
>()("@rapport/core/broadcasts/BroadcastQueue") {}

/** Runs with the scope. */
export const broadcastRunLayer: Layer.Layer<never, never, BroadcastQueue | BroadcastSignal> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const queue = yield* BroadcastQueue
      const capacity = yield* WriteCapacity
      const notifications = yield* (yield* BroadcastSignal).notifications
      // One batch ends before a stop: the scope waits for it.
      const turn = Effect.uninterruptible(Effect.flatMap(Clock.currentTimeMillis, queue.advance))
      // It writes a message for each recipient: on a full disk it waits, and goes on when there is space again.
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
        Effect.catchCause((cause) => Effect.as(Effect.logWarning("broadcasts wait", cause), RETRY_MILLIS))
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
