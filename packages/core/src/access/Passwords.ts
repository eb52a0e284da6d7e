// Port of password hashing: slow on purpose, and as slow for a login that does not exist (docs/contract.md §2).
import { Context, type Effect, type Redacted } from "effect"

export class Passwords extends Context.Service<
  Passwords,
  {
    /** The text to store. */
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string>
    /** False, after the same work, where there is no hash to compare with. */
    readonly verify: (password: Redacted.Redacted, hash: string | null) => Effect.Effect<boolean>
  }
>()("core/access/Passwords") {}
