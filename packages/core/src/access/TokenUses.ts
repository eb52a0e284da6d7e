// Port of the last use of external tokens, to the minute (contract §2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context, type Effect } from "effect"

export class TokenUses extends Context.Service<
  TokenUses,
  {
    /** Records the use of the session's token without waiting; uses are written in batches soon after. */
    readonly note: (session: AuthorizedSession) => Effect.Effect<void>
  }
>()("core/access/TokenUses") {}
