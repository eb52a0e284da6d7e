// Notifies the delivery workers that something was enqueued, so that they poll at once; an idle worker does not poll.
import { Context, type Effect, type PubSub, type Scope } from "effect"

export class DeliverySignal extends Context.Service<
  DeliverySignal,
  {
    /** To be run after a commit; never waits, never fails. What was not notified is found a poll later. */
    readonly notify: Effect.Effect<void>
    /** A message for every commit of any process, or for several of them. */
    readonly notifications: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>
  }
>()("@rapport/core/delivery/DeliverySignal") {}
