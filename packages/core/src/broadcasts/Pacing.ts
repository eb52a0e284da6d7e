// Spreads the recipients of a broadcast evenly over time (contract §9.1).

/** Recipients of one transaction. */
export const RECIPIENTS_BATCH = 50
/** Recipients that become due within this time are written together. */
export const GATHERED_MILLIS = 100
/** How much delay is caught up: a late poll does not slow the broadcast down, but a stopped process causes no flood. */
export const CATCH_UP_MILLIS_MAX = 1_000

const MINUTE_MILLIS = 60_000

export interface RecipientBatch {
  /** Recipients to write to now. */
  readonly count: number
  /** When the next one is due, epoch milliseconds; fractions are kept, so that the rate is exact. */
  readonly nextAt: number
}

/** `dueAt` is when the next recipient was due. */
export const dueBatch = (ratePerMinute: number, dueAt: number, now: number): RecipientBatch => {
  if (dueAt > now) return { count: 0, nextAt: dueAt }
  const interval = MINUTE_MILLIS / ratePerMinute
  const from = Math.max(dueAt, now - CATCH_UP_MILLIS_MAX)
  const count = Math.min(RECIPIENTS_BATCH, 1 + Math.floor((now - from) / interval))
  return { count, nextAt: from + count * interval }
}
