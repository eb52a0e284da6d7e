// Notifies the processes that a broadcast has work, so that they poll at once; idle ones do not poll.
import { Context, type Effect, type PubSub, type Scope } from "effect"

export class BroadcastSignal extends Context.Service<
  BroadcastSignal,
  {
    /** To be run after a commit; never waits, never fails. What was not notified is found a poll later. */
    readonly notify: Effect.Effect<void>
    /** A message for every commit of any process, or for several of them. */
    readonly notifications: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>
  }
>()("@rapport/core/broadcasts/BroadcastSignal") {}
