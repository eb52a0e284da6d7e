// Port of what the primary database knows about the readiness of an instance.
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

interface StoredReadiness {
  readonly capabilityEnabled: boolean
  readonly contextStoreReady: boolean
  /** Appeals in quarantine. */
  readonly quarantined: number
  /** Age of the oldest obligation of the search index that is still kept, milliseconds; 0 without any. */
  readonly oldestObligationMillis: number
}

export class ReadinessStore extends Context.Service<
  ReadinessStore,
  { readonly find: (instanceId: number) => Effect.Effect<StoredReadiness, SourceUnavailable> }
>()("core/readiness/ReadinessStore") {}
