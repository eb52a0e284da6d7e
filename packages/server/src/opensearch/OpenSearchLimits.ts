// Bounds of calls to OpenSearch.

/** Connections to OpenSearch. */
export const OPENSEARCH_SOCKETS_MAX = 64
/** How long a call may take. */
export const OPENSEARCH_CALL_MILLIS_MAX = 10_000
/** How long a bulk write may take. */
export const OPENSEARCH_BULK_MILLIS_MAX = 60_000
/** How long a probe may take that checks whether OpenSearch is back. */
export const OPENSEARCH_PROBE_MILLIS_MAX = 1_000
/** Failures in a row after which calls fail at once. */
export const OPENSEARCH_BREAKER_FAILURES = 5
/** How often a probe is sent then. */
export const OPENSEARCH_PROBE_MILLIS = 250
/** A slower call counts as slow. */
export const OPENSEARCH_SLOW_MILLIS = 1_000
/** Bytes of one bulk write, unless a single document has more. */
export const OPENSEARCH_BULK_BYTES_MAX = 8 * 1024 * 1024
/** Bytes of one document: OpenSearch takes 100 MB. */
export const OPENSEARCH_DOCUMENT_BYTES_MAX = 90 * 1024 * 1024
/** An appeal with more bytes of text is indexed without the spellings and families of its words, and with shorter passages. */
export const OPENSEARCH_SPELLED_BYTES_MAX = 5 * 1024 * 1024
/** Tries of a write that may succeed a moment later. */
export const OPENSEARCH_WRITE_TRIES_MAX = 4
/** Wait before the second of them. */
export const OPENSEARCH_WRITE_WAIT_MILLIS = 100
/** Tries of a search that may succeed a moment later. */
export const OPENSEARCH_SEARCH_TRIES_MAX = 3
/** Wait before the second of them. */
export const OPENSEARCH_SEARCH_WAIT_MILLIS = 20
/** The engine gives up this long before the deadline, so that its answer still arrives. */
export const OPENSEARCH_ANSWER_MILLIS = 10
/** How often a process checks the progress of an index that another process may write. */
export const SHARED_INDEX_SEEN_MILLIS = 500
/** How long such a check may take. */
export const SHARED_INDEX_SEEN_MILLIS_MAX = 2_000
/** How long a replaced index is kept: until every process has noticed. */
export const SHARED_INDEX_KEPT_MILLIS = 3_000
/** How long an index of an older format is kept at least, for processes of the version before, when its successor answers. */
export const OLDER_INDEX_KEPT_MILLIS = 600_000
/** How long after a removal its words are purged from the segments; again later for what a copy still had to keep. */
export const OPENSEARCH_PURGE_AFTER_MILLIS: ReadonlyArray<number> = [35_000, 120_000, 600_000]
/** As long as something is left after that, the waits double up to this. */
export const OPENSEARCH_PURGE_WAIT_MILLIS_MAX = 24 * 3_600_000
/** How often a process checks whether a purge is due. */
export const OPENSEARCH_PURGE_POLL_MILLIS = 1_000
