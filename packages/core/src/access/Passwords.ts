// Port of password hashing, deliberately slow (contract §2).
import type { RateLimited } from "@rapport/contract/Errors.ts"
import { Context, type Effect, type Redacted } from "effect"

/** The two alternating queues: routes without a session, and authenticated users. */
export type HashPriority = "open" | "known"

/** RateLimited: the queue is full, or the wait took too long. */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** The hash to store. */
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string, RateLimited>
    /** Without a hash it returns false after the same work. Default of `priority`: "known". */
    readonly verify: (
      password: Redacted.Redacted,
      hash: string | null,
      priority?: HashPriority
    ) => Effect.Effect<boolean, RateLimited>
    /** Whether a hash has other parameters than `hash` uses now. */
    readonly isOutdated: (hash: string) => boolean
  }
>()("core/access/Passwords") {}
