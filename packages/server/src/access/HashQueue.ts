// The queue of password hashing: open routes and authenticated users alternate, addresses take turns within each, so that a
// flood of logins holds up neither other addresses nor authenticated users (contract §10).
import type { RateLimited } from "@rapport/contract/Errors.ts"
import type { Asker } from "@rapport/core/access/Passwords.ts"
import { overConcurrency, refuse } from "@rapport/core/traffic/Refusal.ts"
import { makeTenantQueue } from "@rapport/core/traffic/TenantQueue.ts"
import { Effect } from "effect"

interface HashBounds {
  /** Hashes that run at the same time. */
  readonly running: number
  /** Hashes that wait, of an asker and of one address of it. */
  readonly waitingMax: number
  readonly waitingOfAddressMax: number
  readonly waitMillisMax: number
}

type HashQueue = (
  asker: Asker,
  address: string
) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>

export const makeHashQueue = (bounds: HashBounds): HashQueue => {
  const { running, waitMillisMax, waitingMax, waitingOfAddressMax } = bounds
  const shared = { permits: running, share: running, waitMillis: waitMillisMax }
  const queueOfAddresses = () =>
    makeTenantQueue<RateLimited, string>(
      { ...shared, waitingMax: waitingOfAddressMax, waitingTotalMax: waitingMax },
      refused
    )
  const queues = { known: queueOfAddresses(), open: queueOfAddresses() }
  const askers = makeTenantQueue<RateLimited, Asker>({ ...shared, waitingMax: running }, refused)
  return (asker, address) => (work) => queues[asker].within(address, askers.within(asker, work))
}

const refused = refuse(overConcurrency("too many passwords are being checked: try again later"))
