// Notifications between processes over LISTEN and NOTIFY, sent apart from the writes: inside one it would take a lock at commit.
// All topics share one listening connection of the pool.
import { PgClient } from "@effect/sql-pg"
import { PROJECTION_RETRY_MILLIS_MAX } from "./OutboxLimits.ts"
import { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Context, Effect, Layer, PubSub, Queue, Random } from "effect"

/** Other processes are notified at most once in this time. */
const OUTBOX_NOTIFY_MILLIS = 50

const CHANNEL = "rapport_outbox"

/** Without a connection to listen on, notifications of this process alone are heard; the others are found by polling. */
export const layer: Layer.Layer<OutboxSignal | DeliverySignal | BroadcastSignal, never, PgClient.PgClient> =
  Layer.effectContext(
    Effect.gen(function* () {
      const pg = yield* PgClient.PgClient
      // The process that notifies has heard it already.
      const self = String(yield* Random.nextInt)

      const topic = Effect.fnUntraced(function* (name: string) {
        const payload = `${name} ${self}`
        const heard = yield* PubSub.sliding<void>(1)
        const toTell = yield* Queue.sliding<void>(1)
        const tellOthers = Queue.take(toTell).pipe(
          Effect.andThen(Effect.ignore(pg.notify(CHANNEL, payload))),
          Effect.andThen(Effect.sleep(OUTBOX_NOTIFY_MILLIS)),
          Effect.forever
        )
        yield* Effect.forkScoped(tellOthers)
        return {
          hear: (told: string) =>
            told !== payload && told.startsWith(`${name} `) ? PubSub.publish(heard, undefined) : Effect.void,
          signal: {
            notify: Effect.andThen(PubSub.publish(heard, undefined), Queue.offer(toTell, undefined)).pipe(
              Effect.asVoid
            ),
            notifications: PubSub.subscribe(heard)
          }
        }
      })
      const changes = yield* topic("changes")
      const deliveries = yield* topic("deliveries")
      const broadcasts = yield* topic("broadcasts")

      const listen = Effect.scoped(
        Effect.gen(function* () {
          const notifications = yield* pg.listen(CHANNEL)
          return yield* Effect.forever(
            Effect.flatMap(Queue.take(notifications), ({ payload }) =>
              Effect.forEach([changes, deliveries, broadcasts], ({ hear }) => hear(payload), {
                discard: true
              })
            )
          )
        })
      )
      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(Effect.ignoreCause(listen), Effect.sleep(PROJECTION_RETRY_MILLIS_MAX)))
      )
      return Context.make(OutboxSignal, changes.signal).pipe(
        Context.add(DeliverySignal, deliveries.signal),
        Context.add(BroadcastSignal, broadcasts.signal)
      )
    })
  )
