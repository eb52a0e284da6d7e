// Tuning numbers of requests to receivers.
import { ATTEMPTS_MAX } from "@rapport/core/delivery/DeliveryLimits.ts"

/** Connections to one host, port and scheme: no attempt waits for one, since those that hang may be of another tenant. */
export const CONNECTIONS_OF_HOST_MAX = ATTEMPTS_MAX
/** How long a name server may take before it, or another, is asked again; the wait doubles with each round. */
export const LOOKUP_ATTEMPT_MILLIS = 1_000
