// Admission control (contract §1.1, §10): the only place that decides a 429, the error RateLimited.
import { principalKey } from "@rapport/contract/Authorization.ts"
import { RateLimited } from "@rapport/contract/Errors.ts"
import type { TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import { TrafficDefaults, type TrafficLimit, type TrafficLimits } from "@rapport/contract/Limits.ts"
import { Context, Effect, Exit, Layer, Metric } from "effect"
import { addressKey } from "../access/AddressKey.ts"
import type { Caller } from "../access/Caller.ts"
import { CurrentAddress } from "../audit/AuditLog.ts"
import { memoize } from "../values/Memoize.ts"
import { AdmissionStore, type Places, type Quota } from "./AdmissionStore.ts"
import type { LoginAttempt } from "./FailedLogins.ts"
import { makeTenantQueue, type TenantKey, type TenantQueueOptions } from "./TenantQueue.ts"

/** The quota of a request, and the refusal if it is above a limit. */
export interface Decision {
  readonly policy: TrafficPolicy
  readonly quota: Quota
  readonly refusal: RateLimited | undefined
}

/** A login attempt. */
interface Attempt<E, R> extends Omit<LoginAttempt, "isKnown"> {
  /** Whether the login was used from the address recently. Evaluated only if the limit of the name is used up. */
  readonly isKnown: Effect.Effect<boolean, E, R>
}

export class Admission extends Context.Service<Admission>()("core/traffic/Admission", {
  make: Effect.map(AdmissionStore, (store) => {
    const within = makeWithin(store)
    return {
      ...makeEntrance(store),
      within,
      attemptLogin: makeAttemptLogin(store, within),

      /** Counts requests without a valid token from the current address. Amount 0 only checks the limit. */
      countAnonymous: Effect.fnUntraced(function* (amount: number) {
        const address = yield* CurrentAddress
        // A request in memory has no address.
        if (address === null) return
        const { retryAfterMillis } = yield* store.takeRate(
          "ANONYMOUS_PER_MINUTE",
          addressKey(address),
          amount
        )
        if (retryAfterMillis === null) return
        yield* countRefusal("ANONYMOUS_PER_MINUTE")
        return yield* overRate(TOO_MANY_ANONYMOUS, retryAfterMillis)
      }),

      /** A fair queue that refuses if too many wait or the wait takes too long. */
      queue: <Key extends string = TenantKey>(options: TenantQueueOptions, detail = NO_PLACE) =>
        makeTenantQueue<RateLimited, Key>(options, Effect.fail(overConcurrency(detail)))
    }
  })
}) {
  static readonly layer = Layer.effect(Admission, Admission.make)
  /** Counts in the memory of this process. */
  static readonly memoryLayer = (limits: TrafficLimits = TrafficDefaults) =>
    Layer.provide(Admission.layer, AdmissionStore.layer(limits))
}

type Store = AdmissionStore["Service"]

/** The checks of a request with a principal. */
const makeEntrance = (store: Store) => {
  /** Counts requests against the rate. `full`: a limit without a free place, which refuses a request within the rate. */
  const count = (policy: TrafficPolicy, caller: Caller, amount: number, full?: TrafficLimit) =>
    Effect.flatMap(store.takeRate(policy.perMinute, principalKey(caller), amount), (quota) =>
      decide(policy, quota, full)
    )
  /**
   * Takes the places of a request until the scope closes, or returns a refusal, which is counted. Runs before the session is read, so a
   * burst costs no statements. `isRateKnown`: the request counts against no other policy.
   */
  const enter = Effect.fnUntraced(function* (policy: TrafficPolicy, caller: Caller, isRateKnown: boolean) {
    const quota = isRateKnown ? yield* store.localRate(policy.perMinute, principalKey(caller)) : undefined
    if (quota !== undefined && quota.retryAfterMillis !== null) return yield* decide(policy, quota)
    const taken = yield* Effect.acquireRelease(store.takePlaces(placesOf(policy, caller)), (taken) =>
      "full" in taken ? Effect.void : taken.release
    )
    return "full" in taken ? yield* count(policy, caller, 1, taken.full) : undefined
  })
  return { count, enter }
}

/** Refuses by the rate if it is used up, otherwise by the full limit. */
const decide = (policy: TrafficPolicy, quota: Quota, full?: TrafficLimit): Effect.Effect<Decision> => {
  const { retryAfterMillis } = quota
  if (retryAfterMillis !== null)
    return Effect.as(countRefusal(policy.perMinute), {
      policy,
      quota,
      refusal: overRate(MINUTE_USED, retryAfterMillis)
    })
  if (full === undefined) return Effect.succeed({ policy, quota, refusal: undefined })
  return Effect.as(countRefusal(full), { policy, quota, refusal: noPlace })
}

const placesOf = (policy: TrafficPolicy, caller: Caller): Places => [
  [policy.concurrency, principalKey(caller)],
  [policy.concurrencyOfInstance, String(caller.instanceId)]
]

/** Runs an effect if all places are free, otherwise refuses. */
const makeWithin =
  (store: Store) =>
  (places: Places) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      store.takePlaces(places),
      (taken): Effect.Effect<A, E | RateLimited, R> =>
        "full" in taken ? Effect.andThen(countRefusal(taken.full), Effect.fail(noPlace)) : effect,
      (taken) => ("full" in taken ? Effect.void : taken.release)
    )

const makeAttemptLogin = ({ failedLogins }: Store, within: ReturnType<typeof makeWithin>) => {
  const reserve = Effect.fnUntraced(function* <E, R>({ address, isKnown, loginKey }: Attempt<E, R>) {
    let known = false
    let isChecked = false
    while (true) {
      const decided = yield* failedLogins.decided
      const result = yield* failedLogins.reserve({ loginKey, address, isKnown: known })
      if (typeof result === "object") return result
      if (result === "wait") yield* Effect.interruptible(decided)
      else if (isChecked || address === null) {
        yield* countRefusal("FAILED_LOGINS_PER_5_MINUTES")
        return yield* overRate(TOO_MANY_LOGINS, result)
      } else {
        isChecked = true
        known = yield* Effect.interruptible(isKnown)
      }
    }
  })
  /**
   * Runs `verify` unless the name or the address has used up its failures of the last 5 minutes. `verify` returns undefined
   * for a wrong password, which counts as a failure; so does an interrupted attempt. Concurrent attempts are counted exactly:
   * an attempt that could exceed the limit waits for those before it. If the limit of a name is used up, each known address
   * still has the same number of failures (contract §10).
   */
  return <A, E, R, E2, R2>(attempt: Attempt<E2, R2>, verify: Effect.Effect<A | undefined, E, R>) =>
    Effect.acquireUseRelease(
      reserve(attempt),
      () => verify,
      ({ settle }, exit) => settle(Exit.isSuccess(exit) ? exit.value === undefined : Exit.hasInterrupts(exit))
    ).pipe(
      within([
        ["LOGINS_CONCURRENT", "all"],
        ["LOGINS_CONCURRENT_ADDRESS", addressKey(attempt.address ?? "")]
      ])
    )
}

const MINUTE_USED = "too many requests in this minute"
const NO_PLACE = "too many requests of this kind run at the same time"
const TOO_MANY_ANONYMOUS = "too many requests without a valid token from this address"
const TOO_MANY_LOGINS = "too many failed logins: try again later"

/** A rate is used up; `retryAfterMillis` is the time until the request can succeed. */
const overRate = (detail: string, retryAfterMillis: number) =>
  new RateLimited({
    detail,
    limit: { kind: "rate", retryAfterMs: Math.max(1, Math.ceil(retryAfterMillis)) }
  })

/** Nobody knows when a place is free. */
const PLACE_RETRY_MILLIS = 1_000

/** Too much runs or waits at the same time. */
const overConcurrency = (detail: string) =>
  new RateLimited({ detail, limit: { kind: "concurrency", retryAfterMs: PLACE_RETRY_MILLIS } })

/** One error for all requests: making one captures the stack, which costs a flood a tenth of its refusals. */
const noPlace = overConcurrency(NO_PLACE)

const refusals = Metric.counter("rapport.limiter.refusals", {
  description: "requests above a limit, by the name of the limit",
  incremental: true
})

/** Making a series costs more than counting. */
const refusalsOf = memoize((limit: TrafficLimit) => Metric.withAttributes(refusals, { limit }))
const countRefusal = (limit: TrafficLimit): Effect.Effect<void> => Metric.update(refusalsOf(limit), 1)
