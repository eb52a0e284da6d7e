// Who makes a context write: what its entry in the audit log says (contract §9, "Audit log").
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"

export interface Writer {
  readonly session: AuthorizedSession
  /** For example `client.action.register`; the action of the entry. */
  readonly operation: string
  /** Null for a write without a key, which leaves no receipt. */
  readonly receiptId: string | null
  /** The import that it is an item of. */
  readonly batchId?: string
}
