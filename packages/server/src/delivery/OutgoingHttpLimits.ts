// Limits of requests to receivers.
import { ATTEMPTS_MAX } from "@rapport/core/delivery/DeliveryLimits.ts"

/** Connections to one host, port and scheme. No attempt waits, because hanging ones may belong to another tenant. */
export const CONNECTIONS_OF_HOST_MAX = ATTEMPTS_MAX
/** Timeout of a query to a name server, which doubles with each round. */
export const LOOKUP_ATTEMPT_MILLIS = 1_000
