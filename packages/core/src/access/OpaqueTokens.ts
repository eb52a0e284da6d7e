// Port of the tokens that mean nothing to their bearer: refresh tokens and external tokens, kept as hashes alone.
import { Context, type Effect } from "effect"

/** A token as it is handed out once; `prefix` is its beginning: enough to identify it, no help in guessing it. */
export interface MadeToken {
  readonly token: string
  readonly hash: Uint8Array
  readonly prefix: string
}

/** `open…` return undefined where the text, by its form and check digits, is no token of that kind. */
export class OpaqueTokens extends Context.Service<
  OpaqueTokens,
  {
    /** An id for a new session: UUIDv7. */
    readonly makeSessionId: Effect.Effect<string>
    readonly makeRefresh: (sessionId: string) => Effect.Effect<MadeToken>
    readonly openRefresh: (
      token: string
    ) => { readonly sessionId: string; readonly hash: Uint8Array } | undefined
    readonly makeExternal: Effect.Effect<MadeToken>
    readonly openExternal: (token: string) => Uint8Array | undefined
    readonly makeInvitation: Effect.Effect<MadeToken>
    readonly openInvitation: (token: string) => Uint8Array | undefined
  }
>()("core/access/OpaqueTokens") {}
