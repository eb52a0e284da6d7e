// Pokes between processes over LISTEN and NOTIFY, sent apart from the writes: inside one it would take a lock at commit.
import { PgClient } from "@effect/sql-pg"
import { OUTBOX_NOTIFY_MILLIS, PROJECTION_RETRY_MILLIS_MAX } from "./OutboxLimits.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer, PubSub, Queue, Random } from "effect"

const CHANNEL = "rapport_outbox"

/** Without a connection to listen on, notifications of this process alone are heard; the others are found by polling. */
export const layer: Layer.Layer<OutboxSignal, never, PgClient.PgClient> = Layer.effect(
  OutboxSignal,
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const heard = yield* PubSub.sliding<void>(1)
    const toTell = yield* Queue.sliding<void>(1)
    // The process that notifies has heard it already.
    const self = String(yield* Random.nextInt)
    const tellOthers = Queue.take(toTell).pipe(
      Effect.andThen(Effect.ignore(pg.notify(CHANNEL, self))),
      Effect.andThen(Effect.sleep(OUTBOX_NOTIFY_MILLIS)),
      Effect.forever
    )
    const listen = Effect.scoped(
      Effect.gen(function* () {
        const notifications = yield* pg.listen(CHANNEL)
        return yield* Effect.forever(
          Effect.flatMap(Queue.take(notifications), ({ payload }) =>
            payload === self ? Effect.void : PubSub.publish(heard, undefined)
          )
        )
      })
    )
    yield* Effect.forkScoped(tellOthers)
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.ignoreCause(listen), Effect.sleep(PROJECTION_RETRY_MILLIS_MAX)))
    )
    return OutboxSignal.of({
      notify: Effect.andThen(PubSub.publish(heard, undefined), Queue.offer(toTell, undefined)).pipe(
        Effect.asVoid
      ),
      notifications: PubSub.subscribe(heard)
    })
  })
)
