// Counters of failed logins by name and address, a part of the AdmissionStore (contract §10).
import { FAILED_LOGIN_WINDOW_MILLIS, type TrafficLimits } from "@rapport/contract/Limits.ts"
import { Clock, Deferred, Effect, Exit } from "effect"
import { addressKey } from "../access/AddressKey.ts"

/** Login names and addresses with counters at most. */
const LOGIN_GUARD_KEYS_MAX = 100_000

export type FailedLoginLimits = Pick<
  TrafficLimits,
  "FAILED_LOGINS_PER_5_MINUTES" | "FAILED_LOGINS_PER_5_MINUTES_ADDRESS"
>

/** A login attempt. `isKnown`: the counter of name and address decides, not that of the name. */
export interface LoginAttempt {
  /** From `loginKeyOf`. */
  readonly loginKey: string
  /** Null: unknown, so it is not counted. */
  readonly address: string | null
  readonly isKnown: boolean
}

/** A pending attempt; `settle` reports its outcome, once. */
export interface ReservedLogin {
  readonly settle: (failed: boolean) => Effect.Effect<void>
}

export interface FailedLogins {
  /** Reserves an attempt; "wait" while pending attempts could use up the limit; or the milliseconds until a retry is useful. */
  readonly reserve: (attempt: LoginAttempt) => Effect.Effect<ReservedLogin | "wait" | number>
  /** To be called before `reserve`: returns when an attempt may have been settled since. */
  readonly decided: Effect.Effect<Effect.Effect<void>>
}

/** Counters of an attempt with their maximums; `isLimiting`: the counter may refuse it. */
export const countersOf = (
  limits: FailedLoginLimits,
  { address, isKnown, loginKey }: LoginAttempt
): ReadonlyArray<{ readonly key: string; readonly max: number; readonly isLimiting: boolean }> => {
  const perName = limits.FAILED_LOGINS_PER_5_MINUTES
  if (address === null) return [{ key: `name ${loginKey}`, max: perName, isLimiting: true }]
  const network = addressKey(address)
  return [
    { key: `name ${loginKey}`, max: perName, isLimiting: !isKnown },
    { key: `address ${network}`, max: limits.FAILED_LOGINS_PER_5_MINUTES_ADDRESS, isLimiting: true },
    { key: `both ${network} ${loginKey}`, max: perName, isLimiting: isKnown }
  ]
}

/** `failures` are times, oldest first, at most `max`; `pending` attempts are not settled yet. */
interface Counter {
  readonly key: string
  readonly max: number
  failures: ReadonlyArray<number>
  pending: number
}

/** Counters of this process, in bounded memory. */
export const makeFailedLogins = (
  limits: FailedLoginLimits,
  keysMax: number = LOGIN_GUARD_KEYS_MAX
): FailedLogins => {
  const { reserve, settle } = makeCounters(keysMax)
  let decided = Deferred.makeUnsafe<void>()
  return {
    reserve: Effect.fnUntraced(function* (attempt) {
      const reserved = reserve(countersOf(limits, attempt), yield* nowMillis)
      if (typeof reserved !== "object") return reserved
      return {
        settle: (failed) =>
          Effect.map(nowMillis, (now) => {
            settle(reserved, failed, now)
            const waiting = decided
            decided = Deferred.makeUnsafe<void>()
            Deferred.doneUnsafe(waiting, Exit.void)
          })
      }
    }),
    decided: Effect.sync(() => Deferred.await(decided))
  }
}

const makeCounters = (keysMax: number) => {
  // Ordered by the last failure, so that expired counters are in front.
  const counted = new Map<string, Counter>()

  const sweep = (now: number) => {
    for (const counter of counted.values()) {
      const lapsed = (counter.failures.at(-1) ?? -Infinity) <= now - FAILED_LOGIN_WINDOW_MILLIS
      if (counter.pending > 0) continue
      if (!lapsed && counted.size <= keysMax) return
      counted.delete(counter.key)
    }
  }

  return {
    reserve: (
      wanted: ReturnType<typeof countersOf>,
      now: number
    ): ReadonlyArray<Counter> | "wait" | number => {
      const all = wanted.map(
        ({ key, max }): Counter => counted.get(key) ?? { key, max, failures: [], pending: 0 }
      )
      for (const counter of all)
        counter.failures = counter.failures.filter((at) => at > now - FAILED_LOGIN_WINDOW_MILLIS)
      const limiting = all.filter((_, i) => wanted[i]?.isLimiting)
      const waits = limiting.flatMap(({ failures, max }) =>
        failures.length < max
          ? []
          : [(failures[failures.length - max] ?? now) + FAILED_LOGIN_WINDOW_MILLIS - now]
      )
      if (waits.length > 0) return Math.max(...waits)
      if (limiting.some(({ failures, max, pending }) => failures.length + pending >= max)) return "wait"
      for (const counter of all) {
        counter.pending++
        if (!counted.has(counter.key)) counted.set(counter.key, counter)
      }
      sweep(now)
      return all
    },

    settle: (counters: ReadonlyArray<Counter>, failed: boolean, now: number) => {
      for (const counter of counters) {
        counter.pending--
        if (failed) {
          // Known addresses may exceed `max` for a name; the latest failures suffice.
          counter.failures = [...counter.failures, now].slice(-counter.max)
          counted.delete(counter.key)
          counted.set(counter.key, counter)
        } else if (counter.pending === 0 && counter.failures.length === 0) counted.delete(counter.key)
      }
    }
  }
}

/** A monotonic clock, so that a lock has its full length. */
const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
