// Port of opaque tokens, of which only hashes are stored.
import { Context, type Effect } from "effect"

/** A new token, shown once; `prefix` identifies it without helping to guess it. */
export interface MadeToken {
  readonly token: string
  readonly hash: Uint8Array
  readonly prefix: string
}

/** `open…` return undefined for a text that is no token of that kind by form and check digits. */
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
