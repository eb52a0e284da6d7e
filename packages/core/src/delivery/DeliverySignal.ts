// Port that notifies idle delivery workers of new deliveries.
import { Context, type Effect, type PubSub, type Scope } from "effect"

export interface Signal {
  /** To be run after a commit; never waits or fails. A lost notification delays work until the next poll. */
  readonly notify: Effect.Effect<void>
  /** One message for one or several commits of any process. */
  readonly notifications: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>
}

export class DeliverySignal extends Context.Service<DeliverySignal, Signal>()(
  "@rapport/core/delivery/DeliverySignal"
) {}
