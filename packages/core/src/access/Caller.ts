// The caller of a request, derived from the session. Their rights are not in it: SQL reads them in every statement.

/** `tokenId` is null for a user's session, `sessionId` for an external token; `userId` of a token is the user that it acts as, else its maker. */
export interface Caller {
  readonly instanceId: number
  readonly userId: number
  readonly sessionId: string | null
  readonly tokenId: number | null
}
