// Port that notifies idle processes of work for broadcasts.
import { Context, type Effect, type PubSub, type Scope } from "effect"

export class BroadcastSignal extends Context.Service<
  BroadcastSignal,
  {
    /** To be run after a commit; never waits or fails. A lost notification delays work until the next poll. */
    readonly notify: Effect.Effect<void>
    /** One message for one or several commits of any process. */
    readonly notifications: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>
  }
>()("@rapport/core/broadcasts/BroadcastSignal") {}
