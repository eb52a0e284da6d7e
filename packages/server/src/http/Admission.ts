// Admission control (contract §1.1, §10): the only place that refuses a request with 429 or queues it fairly by tenant.
import { type AuthorizedSession, CurrentSession, principalKey } from "@rapport/contract/Authorization.ts"
import type { RateLimited } from "@rapport/contract/Errors.ts"
import { FileBody, HistoryBody } from "@rapport/contract/http/RequestBody.ts"
import {
  AnonymousRateLimits,
  RatePolicy,
  policies,
  RateLimits,
  type TrafficPolicy
} from "@rapport/contract/http/RateLimits.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { CurrentAddress } from "@rapport/core/audit/AuditLog.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { WaitedMillis } from "@rapport/core/context/read/ContextPlan.ts"
import { CurrentTenant, makeTenantQueue } from "@rapport/core/traffic/TenantQueue.ts"
import {
  AdmissionStore,
  type Places,
  type Quota,
  RATE_WINDOW_MILLIS
} from "@rapport/core/traffic/RateLimits.ts"
import {
  countRefusal,
  overConcurrency,
  overRate,
  type Refusal,
  refuse
} from "@rapport/core/traffic/Refusal.ts"
import type { TrafficLimit } from "@rapport/contract/Limits.ts"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { CONTENDED_MILLIS } from "./HttpLimits.ts"
import { OnBehalfOf } from "./middleware/OnBehalfOf.ts"
import { bodyBytesMaxOf, carriesHistory, mayCarryHistory } from "./middleware/RequestBodyHttp.ts"
import { withRetryAfter } from "./middleware/RetryAfter.ts"

/** Limits of executing requests: of all tenants, and of one tenant. */
const EXECUTING_MAX = 256
const EXECUTING_OF_TENANT = 16
/** Requests of one tenant that execute while another tenant sent a request within CONTENDED_MILLIS. */
const EXECUTING_CONTENDED = 2
/** A request that takes longer waits for another resource, so it stops counting as executing. */
const EXECUTING_COUNTED_MILLIS = 100
/** The longest queue of one tenant, and the longest wait in it. */
const QUEUE_OF_TENANT_MAX = 1_000
const QUEUE_MILLIS_MAX = 10_000
/** Bytes of long bodies in memory at the same time. */
const BODY_BYTES_RUNNING = 32 * 1024 * 1024
/** Bytes per place. A shorter body takes no place, because the concurrency limits bound it. */
const BODY_PLACE_BYTES = 64 * 1024
/** The share of one tenant must be larger than the longest body. */
const BODY_SHARE = 0.75
/** The longest queue of one tenant, and the longest wait in it: half of the time in which a body has to arrive. */
const BODY_WAITING_MAX = 256
const BODY_WAIT_MILLIS_MAX = 15_000

type Request = HttpServerRequest.HttpServerRequest

export class Admission extends Context.Service<
  Admission,
  {
    /**
     * Returns a refusal that this process can decide without a round trip, otherwise undefined. Takes no places, but counts a refused
     * request.
     */
    readonly findRefusal: (
      endpoint: HttpApiEndpoint.Top,
      caller: Caller
    ) => Effect.Effect<EntranceRefusal | undefined>
    /**
     * Takes the request's places until the scope closes. It runs before the session is read, so a burst costs no statements.
     * Refuses every request that `findRefusal` refuses.
     */
    readonly enter: (
      endpoint: HttpApiEndpoint.Top,
      caller: Caller
    ) => Effect.Effect<void, RateLimited, Request | Scope.Scope>
    /** Runs an admitted request within the rate and the queue of its tenant. */
    readonly admit: <A, E, R>(
      endpoint: HttpApiEndpoint.Top,
      answer: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R | CurrentSession | Request>
    /** Counts further requests of a session and updates the quota headers. */
    readonly count: (
      policy: TrafficPolicy,
      session: AuthorizedSession,
      amount: number
    ) => Effect.Effect<void, RateLimited, Request>
    /** Counts requests without a valid token from the current address. Amount 0 only checks the limit. */
    readonly countAnonymous: (amount: number) => Effect.Effect<void, RateLimited>
    /** Runs an effect if all places are free, otherwise refuses. */
    readonly within: (
      places: Places
    ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
  }
>()("server/http/Admission") {
  static readonly layer: Layer.Layer<Admission, never, AdmissionStore> = Layer.effect(
    Admission,
    Effect.map(AdmissionStore, (store) => {
      const counting = makeCounting(store)
      const entrance = makeEntrance(store)
      return Admission.of({
        admit: makeAdmit(counting),
        ...entrance,
        within: counting.within,
        count: (policy, session, amount) => counting.take(policy, principalKey(session), amount),
        countAnonymous: counting.countAnonymous
      })
    })
  )
}
/** A refusal before the session is read, with the quota headers of its answer. */
export interface EntranceRefusal {
  readonly refusal: Refusal
  readonly quotaHeaders: Readonly<Record<string, string>>
}

type Store = AdmissionStore["Service"]
type Counting = ReturnType<typeof makeCounting>

/** Takes rates and places, and refuses if none is left. */
const makeCounting = (store: Store) => ({
  take: Effect.fnUntraced(function* (policy: TrafficPolicy, principal: string, amount: number) {
    const quota = yield* store.takeRate(policy.perMinute, principal, amount)
    yield* showQuota(quotaHeaders(policy.name, quota))
    if (quota.retryAfterMillis === null) return
    yield* countRefusal(policy.perMinute)
    yield* refuse(overRate(MINUTE_USED, quota.retryAfterMillis))
  }),
  within:
    (places: Places) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        store.takePlaces(places),
        (taken): Effect.Effect<A, E | RateLimited, R> =>
          "full" in taken ? Effect.andThen(countRefusal(taken.full), refuse(NO_PLACE)) : effect,
        (taken) => ("full" in taken ? Effect.void : taken.release)
      ),
  countAnonymous: Effect.fnUntraced(function* (amount: number) {
    const address = yield* CurrentAddress
    // A request in memory has no address.
    if (address === null) return
    const limit = "ANONYMOUS_PER_MINUTE"
    const { retryAfterMillis } = yield* store.takeRate(limit, addressKey(address), amount)
    if (retryAfterMillis === null) return
    yield* countRefusal(limit)
    yield* refuse(overRate("too many requests without a valid token from this address", retryAfterMillis))
  })
})

const makeAdmit = ({ take }: Counting): Admission["Service"]["admit"] => {
  const queued = makeQueue()
  const withBody = makeBodies()
  return Effect.fnUntraced(function* <A, E, R>(
    endpoint: HttpApiEndpoint.Top,
    answer: Effect.Effect<A, E, R>
  ): Effect.fn.Return<A, E | RateLimited, R | CurrentSession | Request> {
    const session = yield* CurrentSession
    const principal = principalKey(session)
    const policy = Context.get(endpoint.annotations, RatePolicy)
    const bytes = bodyBytesOf(yield* HttpServerRequest.HttpServerRequest, endpoint, session)
    // A file is streamed, so it takes no memory.
    const memory = Context.get(endpoint.annotations, FileBody) ? 0 : bytes
    const weight = Math.max(1, Math.ceil(bytes / COUNTED_BODY_BYTES))
    const asRequest = take(policy, principal, weight)
    // A possible import counts as one before its body is read, and again as a request if the body contains no history.
    const asImport = Effect.flatMap(carriesHistory(endpoint), (isImport) =>
      isImport ? Effect.void : asRequest
    )
    return yield* mayCarryHistory(endpoint, session)
      ? Effect.andThen(
          take(policies.appealImport, principal, weight),
          withBody(bytes, Effect.andThen(asImport, queued(answer)))
        )
      : Effect.andThen(asRequest, withBody(memory, queued(answer)))
  })
}

/** The checks before the session is read. */
const makeEntrance = (store: Store): Pick<Admission["Service"], "enter" | "findRefusal"> => {
  /** A request without a free place also counts against the rate. */
  const countedWithoutPlace = Effect.fnUntraced(function* (
    policy: TrafficPolicy,
    principal: string,
    full: TrafficLimit
  ) {
    const quota = yield* store.takeRate(policy.perMinute, principal)
    return yield* refusalOf(policy, quota, full)
  })
  const findRefusal = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, caller: Caller) {
    const policy = Context.get(endpoint.annotations, RatePolicy)
    const principal = principalKey(caller)
    // The policy of a possible import is only known after its body was read.
    const hasOnePolicy = Context.get(endpoint.annotations, HistoryBody).members.length === 0
    const quota = hasOnePolicy ? yield* store.localRate(policy.perMinute, principal) : undefined
    if (quota !== undefined && quota.retryAfterMillis !== null) return yield* refusalOf(policy, quota)
    const full = yield* store.localFull(placesOf(policy, caller))
    return full === undefined ? undefined : yield* countedWithoutPlace(policy, principal, full)
  })
  const enter = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, caller: Caller) {
    const policy = Context.get(endpoint.annotations, RatePolicy)
    const found = yield* findRefusal(endpoint, caller)
    if (found !== undefined) return yield* refused(found)
    const taken = yield* Effect.acquireRelease(store.takePlaces(placesOf(policy, caller)), (taken) =>
      "full" in taken ? Effect.void : taken.release
    )
    if ("full" in taken) yield* refused(yield* countedWithoutPlace(policy, principalKey(caller), taken.full))
  })
  return { findRefusal, enter }
}

/** Refuses by the rate if it is used up, otherwise by the full limit. */
const refusalOf = (
  policy: TrafficPolicy,
  quota: Quota,
  full?: TrafficLimit
): Effect.Effect<EntranceRefusal> => {
  const { retryAfterMillis } = quota
  const isRate = full === undefined || retryAfterMillis !== null
  return Effect.as(countRefusal(isRate ? policy.perMinute : full), {
    refusal: isRate ? overRate(MINUTE_USED, retryAfterMillis ?? 0) : NO_PLACE,
    quotaHeaders: quotaHeaders(policy.name, quota)
  })
}

const refused = ({ quotaHeaders, refusal }: EntranceRefusal) =>
  Effect.andThen(showQuota(quotaHeaders), refuse(refusal))

/** A body counts once per started MiB. A body of unknown length counts as the longest that the route accepts. */
const COUNTED_BODY_BYTES = 1024 * 1024

const bodyBytesOf = (
  { headers }: Request,
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession
): number => {
  const largest = bodyBytesMaxOf(endpoint, session)
  const announced = Number(headers["content-length"] ?? (headers["transfer-encoding"] ? largest : 0))
  return Math.min(announced || 0, largest)
}

const placesOf = (policy: TrafficPolicy, caller: Caller): Places => [
  [policy.concurrency, principalKey(caller)],
  [policy.concurrencyOfInstance, String(caller.instanceId)]
]

const MINUTE_USED = "too many requests in this minute"
const NO_PLACE = overConcurrency("too many requests of this kind run at the same time")

const quotaHeaders = (name: string, { limit, remaining, wholeAfterMillis }: Quota) => ({
  "ratelimit-policy": `"${name}";q=${limit};w=${RATE_WINDOW_MILLIS / 1000}`,
  ratelimit: `"${name}";r=${remaining};t=${Math.ceil(wholeAfterMillis / 1000)}`
})

/** A later count overwrites these headers. */
const showQuota = (headers: EntranceRefusal["quotaHeaders"]) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )

/**
 * Runs a request when its tenant has a turn. Everything that executes shares the event loop and the database, so a flooding
 * tenant executes few requests while other tenants are active; the rest wait within their places.
 */
const makeQueue = () => {
  const queue = makeTenantQueue(
    {
      permits: EXECUTING_MAX,
      share: EXECUTING_OF_TENANT,
      contended: { share: EXECUTING_CONTENDED, millis: CONTENDED_MILLIS },
      countedMillis: EXECUTING_COUNTED_MILLIS,
      waitingMax: QUEUE_OF_TENANT_MAX,
      waitMillis: QUEUE_MILLIS_MAX
    },
    refuse(NO_PLACE)
  )
  return Effect.fnUntraced(function* <A, E, R>(
    answer: Effect.Effect<A, E, R>
  ): Effect.fn.Return<A, E | RateLimited, R> {
    // A call of a tool runs within the turn of its exchange.
    if ((yield* OnBehalfOf) !== undefined) return yield* answer
    const tenant = yield* CurrentTenant
    const waited = yield* WaitedMillis
    const queuedAt = yield* Clock.currentTimeMillis
    const begun = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now === queuedAt ? answer : Effect.provideService(answer, WaitedMillis, waited + now - queuedAt)
    )
    return yield* queue.within(tenant, begun)
  })
}

/** Runs what reads a long body and works on it when there is memory for it. */
const makeBodies = () => {
  const places = BODY_BYTES_RUNNING / BODY_PLACE_BYTES
  const bodies = makeTenantQueue(
    {
      permits: places,
      share: places * BODY_SHARE,
      waitingMax: BODY_WAITING_MAX,
      waitMillis: BODY_WAIT_MILLIS_MAX
    },
    refuse(NO_PLACE)
  )
  return <A, E, R>(bytes: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited, R> =>
    bytes <= BODY_PLACE_BYTES
      ? effect
      : Effect.flatMap(CurrentTenant, (tenant) =>
          bodies.within(tenant, effect, Math.ceil(bytes / BODY_PLACE_BYTES))
        )
}

/** Admits requests of routes with a session. */
export const rateLimitsLayer = Layer.effect(
  RateLimits,
  Effect.map(
    Admission,
    ({ admit }) =>
      (httpEffect, { endpoint }) =>
        withRetryAfter(admit(endpoint, httpEffect))
  )
)

/** Login, refresh, invitations: every request counts. */
export const anonymousLimitsLayer = Layer.effect(
  AnonymousRateLimits,
  Effect.gen(function* () {
    const { countAnonymous } = yield* Admission
    const denials = yield* Denials
    return (httpEffect, { endpoint }) => {
      const denial = { reason: "rate_limited", operation: endpoint.identifier, session: null } as const
      const counted = Effect.tapError(countAnonymous(1), () => denials.note(denial))
      return withRetryAfter(Effect.andThen(counted, httpEffect))
    }
  })
)
