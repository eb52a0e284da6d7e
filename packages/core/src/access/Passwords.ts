// Port of password hashing: slow on purpose, and as slow for a login that does not exist (contract §2).
import type { RateLimited } from "@rapport/contract/Errors.ts"
import { Context, type Effect, type Redacted } from "effect"

/** For whom the work is done: an open route, or an authenticated user. The two take turns. */
export type Asker = "open" | "known"

/** RateLimited: too much work waits, or a turn did not come in time. */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** The text to store. */
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string, RateLimited>
    /** False, after the same work, where there is no hash to compare with. `asker` is "known" where it is left out. */
    readonly verify: (
      password: Redacted.Redacted,
      hash: string | null,
      asker?: Asker
    ) => Effect.Effect<boolean, RateLimited>
    /** Whether a hash was made with other parameters than `hash` uses now. */
    readonly isOutdated: (hash: string) => boolean
  }
>()("core/access/Passwords") {}
