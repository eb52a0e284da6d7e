// When a delivery is tried again: pure, so that the rule can be tested by itself (contract §8).

export interface RetrySettings {
  /** Tries of a delivery, the first one included. */
  readonly attempts: number
  /** Wait before the second try; it doubles with every further one. */
  readonly backoffMillis: number
}

/** The longest wait by the backoff alone. */
export const BACKOFF_MILLIS_MAX = 60_000
/** How far a wait is from its backoff, in both directions: receivers that come back are not met by all at once. */
const BACKOFF_SPREAD = 0.2
/** A receiver that asks for more is asked again after this. */
export const RETRY_AFTER_MILLIS_MAX = 3_600_000

/**
 * Milliseconds to wait after so many attempts, all of them failed; undefined where that was the last one. `random` is in
 * [0, 1). `retryAfterMillis` is what the receiver asked for.
 */
export const retryDelay = (
  { attempts, backoffMillis }: RetrySettings,
  made: number,
  random: number,
  retryAfterMillis: number | undefined
): number | undefined => {
  if (made >= attempts) return undefined
  const spread = 1 - BACKOFF_SPREAD + 2 * BACKOFF_SPREAD * random
  const backoff = Math.min(BACKOFF_MILLIS_MAX, backoffMillis * 2 ** (made - 1) * spread)
  return Math.max(backoff, Math.min(retryAfterMillis ?? 0, RETRY_AFTER_MILLIS_MAX))
}

/** Milliseconds that a Retry-After header asks for: seconds, or a date; undefined where it is neither. */
export const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d{1,15}$/u.test(text)) return Number(text) * 1_000
  // An HTTP date alone: what else Date.parse takes is no Retry-After.
  if (!/^[A-Za-z]{3,9},? [\w :-]+ GMT$/u.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
