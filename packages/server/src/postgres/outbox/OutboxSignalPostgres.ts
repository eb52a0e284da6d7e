// Notifications between processes over LISTEN and NOTIFY. They are sent outside the writes, where NOTIFY would take a lock at commit.
// All topics share one listening connection.
import { PgClient } from "@effect/sql-pg"
import { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Context, Effect, Layer, PubSub, Queue, Random } from "effect"

/** The longest pause before a failed projection, or the listener of notifications, is retried. */
export const PROJECTION_RETRY_MILLIS_MAX = 5_000
/** Other processes are notified at most this often. */
const OUTBOX_NOTIFY_MILLIS = 50

const CHANNEL = "rapport_outbox"

/** Without a listening connection it receives only notifications of this process, and polling finds the changes of others. */
export const layer: Layer.Layer<OutboxSignal | DeliverySignal | BroadcastSignal, never, PgClient.PgClient> =
  Layer.effectContext(
    Effect.gen(function* () {
      const pg = yield* PgClient.PgClient
      // A process ignores its own notifications, because it has published them already.
      const self = String(yield* Random.nextInt)

      const topic = Effect.fnUntraced(function* (name: string) {
        const payload = `${name} ${self}`
        const local = yield* PubSub.sliding<void>(1)
        const outgoing = yield* Queue.sliding<void>(1)
        const notifyOthers = Queue.take(outgoing).pipe(
          Effect.andThen(Effect.ignore(pg.notify(CHANNEL, payload))),
          Effect.andThen(Effect.sleep(OUTBOX_NOTIFY_MILLIS)),
          Effect.forever
        )
        yield* Effect.forkScoped(notifyOthers)
        return {
          receive: (received: string) =>
            received !== payload && received.startsWith(`${name} `)
              ? PubSub.publish(local, undefined)
              : Effect.void,
          signal: {
            notify: Effect.andThen(PubSub.publish(local, undefined), Queue.offer(outgoing, undefined)).pipe(
              Effect.asVoid
            ),
            notifications: PubSub.subscribe(local)
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
              Effect.forEach([changes, deliveries, broadcasts], ({ receive }) => receive(payload), {
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
