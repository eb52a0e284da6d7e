// Tuning constants of OpenSearch that several files read.

/** How long a bulk write may take. */
export const OPENSEARCH_BULK_MILLIS_MAX = 60_000
/** Failures in a row that open the breaker. */
export const OPENSEARCH_BREAKER_FAILURES = 5
/** How often an open breaker sends a probe. */
export const OPENSEARCH_PROBE_MILLIS = 250
/** Bytes of one bulk request, unless a single document has more. */
export const OPENSEARCH_BULK_BYTES_MAX = 8 * 1024 * 1024
/** Above this size an appeal is indexed without spellings and word families, with shorter passages. */
export const OPENSEARCH_SPELLED_BYTES_MAX = 5 * 1024 * 1024
/** How long a replaced index is kept: until every process has polled. */
export const SHARED_INDEX_KEPT_MILLIS = 3_000
