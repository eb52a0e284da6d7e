// Who asks, as every decision and every statement needs it: derived from the session, rights looked up anew in SQL.

/** `tokenId` is null for a user's session, `sessionId` for an external token; `userId` of a token is its maker. */
export interface Caller {
  readonly instanceId: number
  readonly userId: number
  readonly sessionId: string | null
  readonly tokenId: number | null
}
