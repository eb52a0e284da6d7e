// Port: when an external token was used last, to the minute (contract §2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context, type Effect } from "effect"

export class TokenUses extends Context.Service<
  TokenUses,
  {
    /** Remembers the use of the session's token and returns at once; what is remembered is written soon after, many at once. */
    readonly note: (session: AuthorizedSession) => Effect.Effect<void>
  }
>()("core/access/TokenUses") {}
