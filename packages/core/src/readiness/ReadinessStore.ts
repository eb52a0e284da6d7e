// Port of what the primary database knows about the readiness of an instance.
import { Context } from "effect"
import type { Stored } from "../lists/Stored.ts"

interface StoredReadiness {
  readonly capabilityEnabled: boolean
  readonly contextStoreReady: boolean
  /** Appeals in quarantine. */
  readonly quarantined: number
  /** Age of the oldest outbox entry of the search index that is still kept, milliseconds; 0 without any. */
  readonly oldestOutboxEntryMillis: number
}

export class ReadinessStore extends Context.Service<
  ReadinessStore,
  { readonly find: (instanceId: number) => Stored<StoredReadiness> }
>()("core/readiness/ReadinessStore") {}
