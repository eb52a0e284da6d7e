// Failed-login limits, by name and by address: past one, a login is refused before its password is looked at.
import { RateLimited } from "@rapport/contract/Errors.ts"
import {
  FAILED_LOGIN_WINDOW_MILLIS,
  LOGIN_GUARD_KEYS_MAX,
  LOGINS_AT_ONCE_MAX,
  type TrafficLimits
} from "@rapport/contract/Limits.ts"
import { Clock, Context, Deferred, Effect, Exit, Layer } from "effect"

type FailedLoginLimits = Pick<
  TrafficLimits,
  "FAILED_LOGINS_PER_5_MINUTES" | "FAILED_LOGINS_PER_5_MINUTES_ADDRESS"
>

/** Port style: what counts where is behind `attempt`, so that a counter shared by processes can take its place. */
export class LoginGuard extends Context.Service<
  LoginGuard,
  {
    /**
     * Runs `verify` when neither the name nor the address (null: not known, not counted) has used up its failures of
     * the last 5 minutes. `verify` succeeds with undefined for a wrong password: that alone counts, and an attempt that
     * was given up midway. Attempts at once are counted exactly: one that could be the failure too many waits until
     * those before it are decided (docs/contract.md §10).
     */
    readonly attempt: <A, E, R>(
      loginKey: string,
      address: string | null,
      verify: Effect.Effect<A | undefined, E, R>
    ) => Effect.Effect<A | undefined, E | RateLimited, R>
  }
>()("core/access/LoginGuard") {
  static readonly layer = (limits: FailedLoginLimits): Layer.Layer<LoginGuard> =>
    Layer.sync(LoginGuard, () => LoginGuard.of({ attempt: attemptWith(limits) }))
}

/** `failures` are times in epoch milliseconds, oldest first, at most `max`; `pending` attempts are not decided yet. */
interface Counter {
  readonly key: string
  readonly max: number
  failures: ReadonlyArray<number>
  pending: number
}

const attemptWith = (limits: FailedLoginLimits): LoginGuard["Service"]["attempt"] => {
  // Ordered by the last failure, oldest first: what has lapsed is always in front.
  const counters = new Map<string, Counter>()
  let atOnce = 0
  let decided = Deferred.makeUnsafe<void>()

  const counterOf = (key: string, max: number): Counter =>
    counters.get(key) ?? { key, max, failures: [], pending: 0 }

  /** "taken", "wait", or milliseconds until it is worth trying again. */
  const reserve = (mine: ReadonlyArray<Counter>, now: number): "taken" | "wait" | number => {
    for (const counter of mine)
      counter.failures = counter.failures.filter((at) => at > now - FAILED_LOGIN_WINDOW_MILLIS)
    const waits = mine.flatMap(({ failures, max }) =>
      failures.length < max
        ? []
        : [(failures[failures.length - max] ?? now) + FAILED_LOGIN_WINDOW_MILLIS - now]
    )
    if (waits.length > 0) return Math.max(...waits)
    if (mine.some(({ failures, max, pending }) => failures.length + pending >= max)) return "wait"
    for (const counter of mine) {
      counter.pending++
      if (!counters.has(counter.key)) counters.set(counter.key, counter)
    }
    sweep(now)
    return "taken"
  }

  const settle = (mine: ReadonlyArray<Counter>, failed: boolean, now: number) => {
    for (const counter of mine) {
      counter.pending--
      if (failed) {
        counter.failures = [...counter.failures, now]
        counters.delete(counter.key)
        counters.set(counter.key, counter)
      } else if (counter.pending === 0 && counter.failures.length === 0) counters.delete(counter.key)
    }
    const waiting = decided
    decided = Deferred.makeUnsafe<void>()
    Deferred.doneUnsafe(waiting, Exit.void)
  }

  const sweep = (now: number) => {
    for (const counter of counters.values()) {
      const lapsed = (counter.failures.at(-1) ?? 0) <= now - FAILED_LOGIN_WINDOW_MILLIS
      if (counter.pending > 0) continue
      if (!lapsed && counters.size <= LOGIN_GUARD_KEYS_MAX) return
      counters.delete(counter.key)
    }
  }

  return Effect.fnUntraced(function* (loginKey, address, verify) {
    if (atOnce >= LOGINS_AT_ONCE_MAX) return yield* refused("concurrency", 1_000)
    atOnce++
    const admitted = Effect.gen(function* () {
      while (true) {
        // Looked up anew each time: a counter that nothing held may have been dropped meanwhile.
        const mine = [counterOf(`name ${loginKey}`, limits.FAILED_LOGINS_PER_5_MINUTES)]
        if (address !== null)
          mine.push(counterOf(`address ${address}`, limits.FAILED_LOGINS_PER_5_MINUTES_ADDRESS))
        const reserved = reserve(mine, yield* Clock.currentTimeMillis)
        if (reserved === "taken") return mine
        if (reserved !== "wait") return yield* refused("rate", reserved)
        yield* Effect.interruptible(Deferred.await(decided))
      }
    })
    return yield* Effect.acquireUseRelease(
      admitted,
      () => verify,
      (mine, exit) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          settle(mine, Exit.isSuccess(exit) ? exit.value === undefined : Exit.hasInterrupts(exit), now)
        )
    ).pipe(Effect.ensuring(Effect.sync(() => atOnce--)))
  })
}

const refused = (kind: "rate" | "concurrency", retryAfterMs: number) =>
  Effect.fail(
    new RateLimited({
      detail: "too many failed logins: try again later",
      limit: { kind, retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)) }
    })
  )
