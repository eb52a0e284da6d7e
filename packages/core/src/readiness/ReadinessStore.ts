// Port of the readiness of an instance in the primary database.
import { Context } from "effect"
import type { StoreEffect } from "../lists/StoreMethods.ts"

interface StoredReadiness {
  readonly capabilityEnabled: boolean
  readonly contextStoreReady: boolean
  /** Appeals in quarantine. */
  readonly quarantined: number
  /** Age of the oldest kept outbox entry, milliseconds; 0 without entries. */
  readonly oldestOutboxEntryMillis: number
}

export class ReadinessStore extends Context.Service<
  ReadinessStore,
  { readonly find: (instanceId: number) => StoreEffect<StoredReadiness> }
>()("core/readiness/ReadinessStore") {}
