// When a delivery is retried (contract §8); pure.

export interface RetrySettings {
  /** Attempts of a delivery, including the first. */
  readonly attempts: number
  /** Wait before the second attempt; it doubles with every further one. */
  readonly backoffMillis: number
}

/** Longest wait by backoff. */
export const BACKOFF_MILLIS_MAX = 60_000
/** Jitter in both directions, so that a recovered receiver does not get all retries together. */
const BACKOFF_SPREAD = 0.2
/** Longest Retry-After that is respected. */
export const RETRY_AFTER_MILLIS_MAX = 3_600_000
/** Age of a message from which throttled attempts count, so that a receiver cannot block its chat forever. */
export const THROTTLED_AGE_MILLIS_MAX = 24 * 3_600_000

/**
 * Milliseconds to wait after `made` failed attempts; undefined after the last one. `random` is in [0, 1). `retryAfterMillis` is
 * the receiver's Retry-After.
 */
export const retryDelay = (
  { attempts, backoffMillis }: RetrySettings,
  made: number,
  random: number,
  retryAfterMillis: number | undefined
): number | undefined => {
  if (made >= attempts) return undefined
  return notBefore(retryAfterMillis, spread(backoffMillis * 2 ** (made - 1), random))
}

/**
 * Milliseconds to wait after a throttled attempt, which does not count; undefined if it counts because the message is too old.
 * Without Retry-After the wait is the age of the message, so that it doubles like a backoff.
 */
export const throttledDelay = (
  { backoffMillis }: Pick<RetrySettings, "backoffMillis">,
  ageMillis: number,
  random: number,
  retryAfterMillis: number | undefined
): number | undefined => {
  if (ageMillis >= THROTTLED_AGE_MILLIS_MAX) return undefined
  const backoff = retryAfterMillis === undefined ? Math.max(backoffMillis, ageMillis) : backoffMillis
  return notBefore(retryAfterMillis, spread(backoff, random))
}

const spread = (backoffMillis: number, random: number): number =>
  Math.min(BACKOFF_MILLIS_MAX, backoffMillis * (1 - BACKOFF_SPREAD + 2 * BACKOFF_SPREAD * random))

const notBefore = (retryAfterMillis: number | undefined, delayMillis: number): number =>
  Math.max(delayMillis, Math.min(retryAfterMillis ?? 0, RETRY_AFTER_MILLIS_MAX))

/** Milliseconds of a Retry-After header, which contains seconds or a date; undefined for anything else. */
export const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d{1,15}$/u.test(text)) return Number(text) * 1_000
  // Date.parse accepts more than HTTP dates.
  if (!/^[A-Za-z]{3,9},? [\w :-]+ GMT$/u.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
