// Port of external tokens in the primary database.
import type { ExternalToken } from "@rapport/contract/access/AccessApi.ts"
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import { Context } from "effect"
import type { ListMethod, StoreEffect } from "../lists/StoreMethods.ts"

/** `expiresAt` is epoch milliseconds, null for a token without end. */
interface NewExternalToken {
  readonly name: string
  readonly prefix: string
  readonly hash: Uint8Array
  readonly permissions: ReadonlyArray<Permission>
  /** An active user of the instance, null for a token that sees all records. */
  readonly actsAs: number | null
  readonly expiresAt: number | null
}

/** A caller sees and deletes the tokens of their instance; without the role administrator only those of their user. */
export class ExternalTokenStore extends Context.Service<
  ExternalTokenStore,
  {
    /**
     * Locks and counts the valid tokens of the caller's user; concurrent calls for the same user wait until the transaction
     * ends.
     */
    readonly lockCount: (session: AuthorizedSession) => StoreEffect<number>
    /**
     * A token that is created with an external token expires and is deleted with it. Undefined if the caller's own token is gone
     * or too deep in such a chain.
     */
    readonly create: (
      session: AuthorizedSession,
      token: NewExternalToken
    ) => StoreEffect<ExternalToken | undefined>
    readonly list: ListMethod
    /** Also deletes tokens that were created with it. False if there is no such token that the caller may see. */
    readonly remove: (session: AuthorizedSession, id: number) => StoreEffect<boolean>
  }
>()("core/access/ExternalTokenStore") {}
