// How the time of a read is shared: what may be reported as missing gives up early enough for the rest of the answer.
import { Context } from "effect"

/** Moments in epoch milliseconds after which each part is given up; Infinity: not before the answer is. */
export interface Deadlines {
  /** Of everything. */
  readonly answer: number
  /** Of the one statement that reads the sections. */
  readonly open: number
  /** Of the sections one by one, after that statement was given up. */
  readonly sections: number
  readonly search: number
  readonly recheck: number
}

/**
 * With allowPartial, an answer that shows less must still be assembled and confirmed in time. Without it nothing is
 * given up before the answer is: every delay that remains within the whole is waited for.
 */
const shares: DeadlinesOf = (startedAt, timeoutMillis, allowPartial) => {
  const at = (share: number) => (allowPartial ? startedAt + Math.floor(timeoutMillis * share) : Infinity)
  return {
    answer: startedAt + timeoutMillis,
    open: at(0.5),
    sections: at(0.7),
    search: at(0.7),
    recheck: at(0.85)
  }
}

/** `startedAt` in epoch milliseconds. */
type DeadlinesOf = (startedAt: number, timeoutMillis: number, allowPartial: boolean) => Deadlines

/** The service that divides the time of a read. Where no layer provides another it is that of the contract (§3.4). */
export const ReadDeadlines = Context.Reference<DeadlinesOf>("core/context/ReadDeadlines", {
  defaultValue: () => shares
})

/** Milliseconds spent on a read before it began (authentication, queueing): they count against timeoutMs. */
export const WaitedMillis = Context.Reference<number>("core/context/WaitedMillis", { defaultValue: () => 0 })
