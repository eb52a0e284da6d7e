// The author of a context write, for its audit entry (contract §9, "Audit log").
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"

export interface Writer {
  readonly session: AuthorizedSession
  /** The action of the entry, for example `client.action.register`. */
  readonly operation: string
  /** Null for a write without a key, which leaves no receipt. */
  readonly receiptId: string | null
  /** The import batch of the write. */
  readonly batchId?: string
}
