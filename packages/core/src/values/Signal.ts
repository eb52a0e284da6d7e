// What a port offers that notifies workers of all processes of new work.
import type { Effect, PubSub, Scope } from "effect"

export interface Signal {
  /** To be run after a commit; never waits or fails. A lost notification delays work until the next poll. */
  readonly notify: Effect.Effect<void>
  /** One message for one or several commits of any process. */
  readonly notifications: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>
}
