// Bounds of calls to OpenSearch.

/** How long a bulk write may take. */
export const OPENSEARCH_BULK_MILLIS_MAX = 60_000
/** Failures in a row after which calls fail at once. */
export const OPENSEARCH_BREAKER_FAILURES = 5
/** How often a probe is sent then. */
export const OPENSEARCH_PROBE_MILLIS = 250
/** Bytes of one bulk write, unless a single document has more. */
export const OPENSEARCH_BULK_BYTES_MAX = 8 * 1024 * 1024
/** An appeal with more bytes of text is indexed without the spellings and families of its words, and with shorter passages. */
export const OPENSEARCH_SPELLED_BYTES_MAX = 5 * 1024 * 1024
/** How long a replaced index is kept: until every process has noticed. */
export const SHARED_INDEX_KEPT_MILLIS = 3_000
