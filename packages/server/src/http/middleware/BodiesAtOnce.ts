// How many bytes of bodies are read at once. A long body takes several times its bytes while it is judged and written: those of a
// crowd wait unread in their connections, in turn between tenants (docs/operations.md, "Overload").
import type { RateLimited } from "@rapport/contract/Errors.ts"
import { placesTaken } from "@rapport/core/traffic/RateLimits.ts"
import { makeFairPermits, CurrentTenant } from "@rapport/core/traffic/FairPermits.ts"
import { Effect } from "effect"

/** Bytes of long bodies that are read and worked on at once. */
const BODY_BYTES_AT_ONCE_MAX = 32 * 1024 * 1024
/** Of them, what one tenant may have: more than the longest body. */
const SHARE = 0.75
/** A place stands for so many bytes. A body that is no longer takes none: requests at once bound these. */
const PLACE_BYTES = 64 * 1024
/** Long bodies of one tenant that wait, and how long each: half of the time in which a body has to have come. */
const WAITING_MAX = 256
const WAIT_MILLIS_MAX = 15_000

const PLACES = BODY_BYTES_AT_ONCE_MAX / PLACE_BYTES

/** Runs what reads a body of so many bytes, and works on it, when there is room for it; of a tenant that waits in vain RateLimited. */
export type WithBody = <A, E, R>(
  bytes: number,
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | RateLimited, R>

export const makeWithBody = (): WithBody => {
  const places = makeFairPermits(
    { permits: PLACES, share: PLACES * SHARE, waitingMax: WAITING_MAX, waitMillis: WAIT_MILLIS_MAX },
    Effect.suspend(() => Effect.fail(placesTaken()))
  )
  return (bytes, effect) =>
    bytes <= PLACE_BYTES
      ? effect
      : Effect.flatMap(CurrentTenant, (tenant) =>
          places.within(tenant, effect, Math.ceil(bytes / PLACE_BYTES))
        )
}
