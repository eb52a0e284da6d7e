// Times of import batches. What a caller can meet is in contract/src/Limits.ts.

/** How long an importer that died holds its batch. */
export const IMPORT_LEASE_MILLIS = 5_000
