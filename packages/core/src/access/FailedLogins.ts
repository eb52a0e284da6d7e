// Port of the counters of failed logins: of a name, of an address and of both together (contract §10).
import { FAILED_LOGIN_WINDOW_MILLIS, type TrafficLimits } from "@rapport/contract/Limits.ts"
import { Clock, Context, Deferred, Effect, Exit, Layer } from "effect"
import { addressKey } from "./AddressKey.ts"

/** Login names and addresses whose failed logins are counted at once. */
const LOGIN_GUARD_KEYS_MAX = 100_000

export type FailedLoginLimits = Pick<
  TrafficLimits,
  "FAILED_LOGINS_PER_5_MINUTES" | "FAILED_LOGINS_PER_5_MINUTES_ADDRESS"
>

/** Whose password is tried, from where. `isKnown`: the name's own failures do not count, those of both together do. */
export interface LoginAttempt {
  /** Made by `loginKeyOf`. */
  readonly loginKey: string
  /** Null: not known, not counted. */
  readonly address: string | null
  readonly isKnown: boolean
}

/** A place among the attempts that are not decided yet; `settle` decides it, once. */
export interface ReservedLogin {
  readonly settle: (failed: boolean) => Effect.Effect<void>
}

export class FailedLogins extends Context.Service<
  FailedLogins,
  {
    /**
     * A place; "wait" while attempts that are not decided could use up what is left; or the milliseconds until it is worth
     * trying again.
     */
    readonly reserve: (attempt: LoginAttempt) => Effect.Effect<ReservedLogin | "wait" | number>
    /** Taken before `reserve`: returns when an attempt was decided since, or may have been. */
    readonly decided: Effect.Effect<Effect.Effect<void>>
  }
>()("core/access/FailedLogins") {
  /** Counters of this process, in bounded memory. */
  static readonly layer = (
    limits: FailedLoginLimits,
    keysMax: number = LOGIN_GUARD_KEYS_MAX
  ): Layer.Layer<FailedLogins> =>
    Layer.sync(FailedLogins, () => FailedLogins.of(makeFailedLogins(limits, keysMax)))
}

/** Keys of the counters of an attempt with their maximums; `judges`: those that may refuse it. */
export const countersOf = (
  limits: FailedLoginLimits,
  { address, isKnown, loginKey }: LoginAttempt
): ReadonlyArray<{ readonly key: string; readonly max: number; readonly judges: boolean }> => {
  const perName = limits.FAILED_LOGINS_PER_5_MINUTES
  if (address === null) return [{ key: `name ${loginKey}`, max: perName, judges: true }]
  const network = addressKey(address)
  return [
    { key: `name ${loginKey}`, max: perName, judges: !isKnown },
    { key: `address ${network}`, max: limits.FAILED_LOGINS_PER_5_MINUTES_ADDRESS, judges: true },
    { key: `both ${network} ${loginKey}`, max: perName, judges: isKnown }
  ]
}

/** `failures` are times, oldest first, at most `max`; `pending` attempts are not decided yet. */
interface Counter {
  readonly key: string
  readonly max: number
  failures: ReadonlyArray<number>
  pending: number
}

const makeFailedLogins = (limits: FailedLoginLimits, keysMax: number): FailedLogins["Service"] => {
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
  // Ordered by the last failure, oldest first: what has lapsed is always in front.
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
      const judging = all.filter((_, i) => wanted[i]?.judges)
      const waits = judging.flatMap(({ failures, max }) =>
        failures.length < max
          ? []
          : [(failures[failures.length - max] ?? now) + FAILED_LOGIN_WINDOW_MILLIS - now]
      )
      if (waits.length > 0) return Math.max(...waits)
      if (judging.some(({ failures, max, pending }) => failures.length + pending >= max)) return "wait"
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
          // More than `max` come to a name through known addresses; the latest are enough to judge by.
          counter.failures = [...counter.failures, now].slice(-counter.max)
          counted.delete(counter.key)
          counted.set(counter.key, counter)
        } else if (counter.pending === 0 && counter.failures.length === 0) counted.delete(counter.key)
      }
    }
  }
}

/** Of a clock that is never set: a lock is as long as it says. */
const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
