// Tuning numbers of requests to receivers.
import { ATTEMPTS_AT_ONCE } from "@rapport/core/delivery/DeliveryLimits.ts"

/** Bytes of an answer that are read; the rest is not waited for (docs/contract.md §8). */
export const ANSWER_BYTES_MAX = 64 * 1024
/** Bytes of the headers of an answer. */
export const ANSWER_HEADER_BYTES_MAX = 16 * 1024
/** Connections to one host, port and scheme: no attempt waits for one, since those that hang may be of another tenant. */
export const CONNECTIONS_OF_HOST_MAX = ATTEMPTS_AT_ONCE
/** Idle connections of one host that are kept. */
export const IDLE_CONNECTIONS_OF_HOST_MAX = 32
/** How long an idle connection is kept. */
export const IDLE_CONNECTION_MILLIS_MAX = 10_000
/** How long a name server may take before it, or another, is asked again; the wait doubles with each round. */
export const LOOKUP_ATTEMPT_MILLIS = 1_000
/** How often each name server is asked. */
export const LOOKUP_ATTEMPTS = 2

/** Code points that are kept of a provider's description of a failure. */
export const DESCRIPTION_POINTS_MAX = 300
