// Failed-login limits, by name and by address: past one, a login is refused before its password is verified.
import { RateLimited } from "@rapport/contract/Errors.ts"
import {
  FAILED_LOGIN_WINDOW_MILLIS,
  LOGINS_AT_ONCE_ADDRESS_MAX,
  LOGINS_AT_ONCE_MAX,
  type TrafficLimits
} from "@rapport/contract/Limits.ts"
import { LOGIN_GUARD_KEYS_MAX } from "./AccessLimits.ts"
import { Clock, Context, Deferred, Effect, Exit, Layer } from "effect"
import { addressKey } from "./AddressKey.ts"

type FailedLoginLimits = Pick<
  TrafficLimits,
  "FAILED_LOGINS_PER_5_MINUTES" | "FAILED_LOGINS_PER_5_MINUTES_ADDRESS"
>

/** Whose password is tried, from where. */
interface Attempt<E, R> {
  /** Made by `loginKeyOf`. */
  readonly loginKey: string
  /** Null: not known, not counted. */
  readonly address: string | null
  /** Whether the address logged in with the name lately: asked only when failures have used up the name. */
  readonly isKnown: Effect.Effect<boolean, E, R>
}

/** Port style: what counts where is behind `attempt`, so that a counter shared by processes can take its place. */
export class LoginGuard extends Context.Service<
  LoginGuard,
  {
    /**
     * Runs `verify` when neither the name nor the address has used up its failures of the last 5 minutes. `verify`
     * succeeds with undefined for a wrong password: that alone counts, and an attempt that was given up midway.
     * Attempts at once are counted exactly: one that could be the failure too many waits until those before it are
     * decided (docs/contract.md §10). A name that others used up still takes as many failures of each known address
     * (docs/contract.md §12).
     */
    readonly attempt: <A, E, R, E2, R2>(
      attempt: Attempt<E2, R2>,
      verify: Effect.Effect<A | undefined, E, R>
    ) => Effect.Effect<A | undefined, E | E2 | RateLimited, R | R2>
  }
>()("core/access/LoginGuard") {
  static readonly layer = (
    limits: FailedLoginLimits,
    keysMax: number = LOGIN_GUARD_KEYS_MAX
  ): Layer.Layer<LoginGuard> =>
    Layer.sync(LoginGuard, () => LoginGuard.of({ attempt: attemptWith(limits, keysMax) }))
}

const attemptWith = (limits: FailedLoginLimits, keysMax: number): LoginGuard["Service"]["attempt"] => {
  const { countersOf, reserve, settle } = makeCounters(limits, keysMax)
  const crowd = makeCrowd()
  let decided = Deferred.makeUnsafe<void>()

  const admitted = Effect.fnUntraced(function* <E, R>({ address, isKnown, loginKey }: Attempt<E, R>) {
    let known = false
    let isAsked = false
    while (true) {
      // Looked up each time: an idle counter may have been dropped in between.
      const counters = countersOf(loginKey, address)
      const reserved = reserve(counters, known, yield* nowMillis)
      if (reserved === "taken") return presentOf(counters)
      if (reserved === "wait") yield* Effect.interruptible(Deferred.await(decided))
      else if (isAsked || address === null) return yield* refused("rate", reserved)
      else {
        isAsked = true
        known = yield* Effect.interruptible(isKnown)
      }
    }
  })

  return (attempt, verify) =>
    crowd(
      attempt.address,
      Effect.acquireUseRelease(
        admitted(attempt),
        () => verify,
        (counters, exit) =>
          Effect.map(nowMillis, (now) => {
            settle(counters, Exit.isSuccess(exit) ? exit.value === undefined : Exit.hasInterrupts(exit), now)
            const waiting = decided
            decided = Deferred.makeUnsafe<void>()
            Deferred.doneUnsafe(waiting, Exit.void)
          })
      )
    )
}

/** `failures` are times, oldest first, at most `max`; `pending` attempts are not decided yet. */
interface Counter {
  readonly key: string
  readonly max: number
  failures: ReadonlyArray<number>
  pending: number
}

/** What an attempt is counted by: its name, its address, and both together. */
interface Counters {
  readonly name: Counter
  readonly address?: Counter
  readonly both?: Counter
}

const presentOf = ({ address, both, name }: Counters): ReadonlyArray<Counter> =>
  [name, address, both].filter((counter) => counter !== undefined)

const makeCounters = (limits: FailedLoginLimits, keysMax: number) => {
  // Ordered by the last failure, oldest first: what has lapsed is always in front.
  const counted = new Map<string, Counter>()
  const counterOf = (key: string, max: number): Counter =>
    counted.get(key) ?? { key, max, failures: [], pending: 0 }

  const sweep = (now: number) => {
    for (const counter of counted.values()) {
      const lapsed = (counter.failures.at(-1) ?? -Infinity) <= now - FAILED_LOGIN_WINDOW_MILLIS
      if (counter.pending > 0) continue
      if (!lapsed && counted.size <= keysMax) return
      counted.delete(counter.key)
    }
  }

  return {
    countersOf: (loginKey: string, address: string | null): Counters => {
      const perName = limits.FAILED_LOGINS_PER_5_MINUTES
      const name = counterOf(`name ${loginKey}`, perName)
      if (address === null) return { name }
      const network = addressKey(address)
      return {
        name,
        address: counterOf(`address ${network}`, limits.FAILED_LOGINS_PER_5_MINUTES_ADDRESS),
        both: counterOf(`both ${network} ${loginKey}`, perName)
      }
    },

    /** "taken", "wait", or milliseconds until it is worth trying again. */
    reserve: (counters: Counters, isKnown: boolean, now: number): "taken" | "wait" | number => {
      const { address, both, name } = counters
      const all = presentOf(counters)
      for (const counter of all)
        counter.failures = counter.failures.filter((at) => at > now - FAILED_LOGIN_WINDOW_MILLIS)
      const judging = [address, isKnown ? both : name].filter(
        (counter): counter is Counter => counter !== undefined
      )
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
      return "taken"
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

/** Attempts that are being judged or wait for it: a bounded number, and a smaller one of each address. */
const makeCrowd = () => {
  const byAddress = new Map<string, number>()
  let atOnce = 0
  return <A, E, R>(
    address: string | null,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | RateLimited, R> =>
    Effect.suspend((): Effect.Effect<A, E | RateLimited, R> => {
      const key = address === null ? "" : addressKey(address)
      const mine = byAddress.get(key) ?? 0
      if (atOnce >= LOGINS_AT_ONCE_MAX || mine >= LOGINS_AT_ONCE_ADDRESS_MAX)
        return refused("concurrency", 1_000)
      atOnce++
      byAddress.set(key, mine + 1)
      return Effect.ensuring(
        effect,
        Effect.sync(() => {
          atOnce--
          const left = (byAddress.get(key) ?? 1) - 1
          if (left === 0) byAddress.delete(key)
          else byAddress.set(key, left)
        })
      )
    })
}

/** Of a clock that is never set: a lock is as long as it says. */
const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

const refused = (kind: "rate" | "concurrency", retryAfterMs: number) =>
  Effect.fail(
    new RateLimited({
      detail: "too many failed logins: try again later",
      limit: { kind, retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)) }
    })
  )
