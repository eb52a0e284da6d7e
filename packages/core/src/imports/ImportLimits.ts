// Times of import batches; limits of requests are in contract/src/Limits.ts.

/** How long a batch stays leased to a process that was killed. */
export const IMPORT_LEASE_MILLIS = 5_000
