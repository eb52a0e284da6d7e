// Notifies the projections that something was committed, so that they poll immediately instead of after their interval.
import { Context, type Effect, type PubSub, type Scope } from "effect"

export class OutboxSignal extends Context.Service<
  OutboxSignal,
  {
    /** To be run after a commit; never waits, never fails. What was not notified is found a poll later. */
    readonly notify: Effect.Effect<void>
    /** A message for every commit of any process, or for several of them. */
    readonly notifications: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>
  }
>()("@rapport/core/search/OutboxSignal") {}
