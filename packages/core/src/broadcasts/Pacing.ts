// How a broadcast is spread over time: so many recipients a minute, evenly (contract §9.1).

/** Recipients that are written to by one transaction. */
export const RECIPIENTS_BATCH = 50
/** Recipients that come due in this time are written to together. */
export const GATHERED_MILLIS = 100
/** How much lost time is made up for: a late poll slows nothing down, and a process that was stopped sends no flood. */
export const MADE_UP_MILLIS_MAX = 1_000

const MINUTE_MILLIS = 60_000

export interface Turn {
  /** Recipients to write to now. */
  readonly count: number
  /** When the next one is due, epoch milliseconds; fractions are kept, so that the rate is exact. */
  readonly nextAt: number
}

/** `dueAt` is when the next recipient was due. */
export const turnOf = (ratePerMinute: number, dueAt: number, now: number): Turn => {
  if (dueAt > now) return { count: 0, nextAt: dueAt }
  const interval = MINUTE_MILLIS / ratePerMinute
  const from = Math.max(dueAt, now - MADE_UP_MILLIS_MAX)
  const count = Math.min(RECIPIENTS_BATCH, 1 + Math.floor((now - from) / interval))
  return { count, nextAt: from + count * interval }
}
