// Bounds of login and authentication. What a caller can meet is in contract/src/Limits.ts.

/** Login names and addresses whose failed logins are counted at once. */
export const LOGIN_GUARD_KEYS_MAX = 100_000
/** Passwords hashed at once: each takes a thread and 19 MiB. */
export const PASSWORD_HASHES_AT_ONCE_MAX = 2
/** Passwords that wait to be hashed. */
export const PASSWORD_HASHES_WAITING_MAX = 500
/** Passwords from one address that wait to be hashed. */
export const PASSWORD_HASHES_WAITING_ADDRESS_MAX = 125
/** How long a password waits to be hashed. */
export const PASSWORD_HASH_WAIT_MILLIS_MAX = 10_000
/** Addresses of earlier logins that are kept for each user. */
export const LOGIN_ADDRESSES_MAX = 20
/** Days that they are kept. From them a user can log in although others block the name (docs/contract.md §12). */
export const LOGIN_ADDRESS_DAYS = 30
/** Access tokens whose verified signature is remembered. */
export const VERIFIED_TOKENS_MAX = 10_000
/** How long authentication waits for the database. */
export const AUTHENTICATION_MILLIS_MAX = 2_000
/** Ended sessions and spent refresh tokens deleted by one statement. */
export const SESSION_SWEEP_ROWS_MAX = 1_000
