// A fair queue of password hashing by kind of caller and by address (contract §10).
import type { RateLimited } from "@rapport/contract/Errors.ts"
import type { HashPriority } from "@rapport/core/access/Passwords.ts"
import type { Admission } from "@rapport/core/traffic/Admission.ts"
import type { Effect } from "effect"

interface HashBounds {
  /** Hashes that run at the same time. */
  readonly running: number
  /** Waiting hashes of all addresses, and of one address. */
  readonly waitingMax: number
  readonly waitingOfAddressMax: number
  readonly waitMillisMax: number
}

type HashQueue = (
  kind: HashPriority,
  address: string
) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>

export const makeHashQueue = ({ queue }: Admission["Service"], bounds: HashBounds): HashQueue => {
  const { running, waitMillisMax, waitingMax, waitingOfAddressMax } = bounds
  const shared = { permits: running, share: running, waitMillis: waitMillisMax }
  const queueOfAddresses = () =>
    queue<string>({ ...shared, waitingMax: waitingOfAddressMax, waitingTotalMax: waitingMax }, TOO_MANY)
  const queues = { known: queueOfAddresses(), open: queueOfAddresses() }
  const kinds = queue<HashPriority>({ ...shared, waitingMax: running }, TOO_MANY)
  return (kind, address) => (work) => queues[kind].within(address, kinds.within(kind, work))
}

const TOO_MANY = "too many passwords are being checked: retry later"
