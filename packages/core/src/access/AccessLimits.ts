// Tuning constants of authentication.

/** How long authentication waits for the database. */
export const AUTHENTICATION_MILLIS_MAX = 2_000
/** Ended sessions and spent refresh tokens deleted by one statement. */
export const SESSION_SWEEP_ROWS_MAX = 1_000
