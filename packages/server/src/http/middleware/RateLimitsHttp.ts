// Rates, concurrency and fair queues of requests (contract §1.1, §10): applies the decisions of Admission to HTTP.
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
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
import { Denials } from "@rapport/core/audit/Denials.ts"
import { WaitedMillis } from "@rapport/core/context/read/ContextPlan.ts"
import { Admission, type Decision } from "@rapport/core/traffic/Admission.ts"
import { RATE_WINDOW_MILLIS } from "@rapport/core/traffic/AdmissionStore.ts"
import { CurrentTenant } from "@rapport/core/traffic/TenantQueue.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { OnBehalfOf } from "./OnBehalfOf.ts"
import { bodyBytesMaxOf, carriesHistory, mayCarryHistory } from "./RequestBodyHttp.ts"
import { withRetryAfter } from "./RetryAfter.ts"

/** Limits of executing requests: of all tenants, and of one tenant. */
const EXECUTING_MAX = 256
const EXECUTING_OF_TENANT = 16
/** How long a tenant counts as active after its last request. */
const CONTENDED_MILLIS = 1_000
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

/** Shows the quota in the headers of the answer, and fails with the refusal. */
const applyDecision = ({ refusal, ...quota }: Decision): Effect.Effect<void, RateLimited, Request> =>
  Effect.andThen(
    // A later decision overwrites these headers.
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, quotaHeaders(quota)))
    ),
    refusal === undefined ? Effect.void : Effect.fail(refusal)
  )

const quotaHeaders = ({ policy, quota }: Omit<Decision, "refusal">) => ({
  "ratelimit-policy": `"${policy.name}";q=${quota.limit};w=${RATE_WINDOW_MILLIS / 1000}`,
  ratelimit: `"${policy.name}";r=${quota.remaining};t=${Math.ceil(quota.wholeAfterMillis / 1000)}`
})

/** Takes the places of a request until the scope closes, or fails with its refusal. */
export const enterRequest =
  ({ enter }: Admission["Service"]) =>
  (endpoint: HttpApiEndpoint.Top, caller: Caller) => {
    const policy = Context.get(endpoint.annotations, RatePolicy)
    // The policy of a possible import is only known after its body was read.
    const isRateKnown = Context.get(endpoint.annotations, HistoryBody).members.length === 0
    return Effect.flatMap(enter(policy, caller, isRateKnown), (decision) =>
      decision === undefined ? Effect.void : applyDecision(decision)
    )
  }

/** Counts requests of a session. */
export const countRequests =
  ({ count }: Admission["Service"]) =>
  (policy: TrafficPolicy, session: AuthorizedSession, amount: number) =>
    amount === 0 ? Effect.void : Effect.flatMap(count(policy, session, amount), applyDecision)

/** Runs an admitted request within the rate and the queue of its tenant. */
const makeAdmit = (admission: Admission["Service"]) => {
  const count = countRequests(admission)
  const queued = makeQueue(admission)
  const withBody = makeBodies(admission)
  return Effect.fnUntraced(function* <A, E, R>(
    endpoint: HttpApiEndpoint.Top,
    answer: Effect.Effect<A, E, R>
  ): Effect.fn.Return<A, E | RateLimited, R | CurrentSession | Request> {
    const session = yield* CurrentSession
    const policy = Context.get(endpoint.annotations, RatePolicy)
    const bytes = bodyBytesOf(yield* HttpServerRequest.HttpServerRequest, endpoint, session)
    // A file is streamed, so it takes no memory.
    const memory = Context.get(endpoint.annotations, FileBody) ? 0 : bytes
    const weight = Math.max(1, Math.ceil(bytes / COUNTED_BODY_BYTES))
    const asRequest = count(policy, session, weight)
    // A possible import counts as one before its body is read, and again as a request if the body contains no history.
    const asImport = Effect.flatMap(carriesHistory(endpoint), (isImport) =>
      isImport ? Effect.void : asRequest
    )
    return yield* mayCarryHistory(endpoint, session)
      ? Effect.andThen(
          count(policies.appealImport, session, weight),
          withBody(bytes, Effect.andThen(asImport, queued(answer)))
        )
      : Effect.andThen(asRequest, withBody(memory, queued(answer)))
  })
}

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

/**
 * Runs a request when its tenant has a turn. Everything that executes shares the event loop and the database, so a flooding
 * tenant executes few requests while other tenants are active; the rest wait within their places.
 */
const makeQueue = (admission: Admission["Service"]) => {
  const queue = admission.queue({
    permits: EXECUTING_MAX,
    share: EXECUTING_OF_TENANT,
    contended: { share: EXECUTING_CONTENDED, millis: CONTENDED_MILLIS },
    countedMillis: EXECUTING_COUNTED_MILLIS,
    waitingMax: QUEUE_OF_TENANT_MAX,
    waitMillis: QUEUE_MILLIS_MAX
  })
  return Effect.fnUntraced(function* <A, E, R>(
    answer: Effect.Effect<A, E, R>
  ): Effect.fn.Return<A, E | RateLimited, R> {
    // A call of a tool runs within the turn of its exchange.
    if ((yield* OnBehalfOf) !== undefined) return yield* answer
    const tenant = yield* CurrentTenant
    const waited = yield* WaitedMillis
    const queuedAt = yield* Clock.currentTimeMillis
    const timed = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now === queuedAt ? answer : Effect.provideService(answer, WaitedMillis, waited + now - queuedAt)
    )
    return yield* queue.within(tenant, timed)
  })
}

/** Runs what reads a long body and works on it when there is memory for it. */
const makeBodies = (admission: Admission["Service"]) => {
  const places = BODY_BYTES_RUNNING / BODY_PLACE_BYTES
  const bodies = admission.queue({
    permits: places,
    share: places * BODY_SHARE,
    waitingMax: BODY_WAITING_MAX,
    waitMillis: BODY_WAIT_MILLIS_MAX
  })
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
  Effect.map(Admission, (admission) => {
    const admit = makeAdmit(admission)
    return (httpEffect, { endpoint }) => withRetryAfter(admit(endpoint, httpEffect))
  })
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
