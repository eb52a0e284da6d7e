// Counts every authenticated request against its policy, says on every answer what is left, and remembers whose minute is used up
// (docs/contract.md §1.1, §10).
import { type AuthorizedSession, CurrentSession, principalKey } from "@rapport/contract/Authorization.ts"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { Counted, policies, RateLimits, type TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import {
  ConcurrencyLimit,
  type Quota,
  RATE_WINDOW_MILLIS,
  RateLimit
} from "@rapport/core/traffic/RateLimits.ts"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { makeWithBody } from "./BodiesAtOnce.ts"
import { bodyBytesMaxOf, carriesHistory, mayCarryHistory } from "./RequestBodyHttp.ts"
import { withRetryAfter } from "./RetryAfter.ts"
import { hash } from "node:crypto"

/** A body counts once for each MiB that it begins; one of unknown length counts as the largest that the route takes. */
const COUNTED_BODY_BYTES = 1024 * 1024

/** What of the body may be read. */
const bytesOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top,
  session: AuthorizedSession
): number => {
  const largest = bodyBytesMaxOf(endpoint, session)
  const announced = Number(headers["content-length"] ?? (headers["transfer-encoding"] ? largest : 0))
  return Math.min(announced || 0, largest)
}

const weightOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / COUNTED_BODY_BYTES))

export const quotaHeaders = (name: string, { limit, remaining, wholeAfterMillis }: Quota) => ({
  "ratelimit-policy": `"${name}";q=${limit};w=${RATE_WINDOW_MILLIS / 1000}`,
  ratelimit: `"${name}";r=${remaining};t=${Math.ceil(wholeAfterMillis / 1000)}`
})

/** What is left shows on the answer; what is counted later shows instead. */
export const showQuota = (name: string, quota: Quota) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, quotaHeaders(name, quota)))
  )

export const tooMany = (retryAfterMs: number) =>
  new RateLimited({ detail: "too many requests in this minute", limit: { kind: "rate", retryAfterMs } })

/** How requests are counted, and how their places are held. */
const makeCounting = Effect.gen(function* () {
  const rates = yield* RateLimit
  const places = yield* ConcurrencyLimit
  const callers = yield* RecentCallers
  return {
    /** Counts so much; what is left is to be shown. */
    take: (policy: TrafficPolicy, principal: string, amount: number): Effect.Effect<Quota> =>
      Effect.map(rates.take(policy.perMinute, principal, amount), (quota) => {
        if (quota.retryAfterMillis !== null && amount === 1) callers.noteUsedUp(policy, principal, quota)
        return quota
      }),
    /** Counts a request and answers it while its places are free. Who finds none is counted all the same. */
    limited: <A, E, R, E2, R2>(
      declared: TrafficPolicy,
      session: AuthorizedSession,
      count: { readonly all: Effect.Effect<void, E2, R2>; readonly one: Effect.Effect<void, E2, R2> },
      answer: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | E2 | RateLimited, R | R2> =>
      Effect.suspend(() => {
        let counted = false
        const judged = Effect.suspend(() => {
          counted = true
          return Effect.andThen(count.all, answer)
        })
        // Its places are held while the body is read, too.
        return judged.pipe(
          places.within([
            [declared.atOnce, principalKey(session)],
            [declared.atOnceInstance, String(session.instanceId)]
          ]),
          Effect.tapError(() => (counted ? Effect.void : count.one))
        )
      })
  }
})

/** Fails where nothing was left. */
const orTooMany = ({ retryAfterMillis }: Quota): Effect.Effect<void, RateLimited> =>
  retryAfterMillis === null ? Effect.void : Effect.fail(tooMany(retryAfterMillis))

export const rateLimitsLayer = Layer.effect(
  RateLimits,
  Effect.gen(function* () {
    const counting = yield* makeCounting
    const withBody = makeWithBody()

    const count = Effect.fnUntraced(function* (policy: TrafficPolicy, principal: string, amount: number) {
      const quota = yield* counting.take(policy, principal, amount)
      yield* showQuota(policy.name, quota)
      yield* orTooMany(quota)
    })

    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const session = yield* CurrentSession
        const principal = principalKey(session)
        const declared: TrafficPolicy = Context.get(endpoint.annotations, Counted)
        const bytes = bytesOf(yield* HttpServerRequest.HttpServerRequest, endpoint, session)
        const counts = {
          all: count(declared, principal, weightOf(bytes)),
          one: count(declared, principal, 1)
        }
        if (!mayCarryHistory(endpoint, session))
          return yield* counting.limited(declared, session, counts, withBody(bytes, httpEffect))
        // What may be an import is counted as one before its body is read; it is counted again if it is none.
        const recounted = Effect.flatMap(carriesHistory(endpoint), (isImport) =>
          isImport ? Effect.void : counts.all
        )
        const imports = { ...counts, all: count(policies.appealImport, principal, weightOf(bytes)) }
        const answer = withBody(bytes, Effect.andThen(recounted, httpEffect))
        return yield* counting.limited(declared, session, imports, answer)
      }).pipe(withRetryAfter)
  })
)

/** After this one request is authenticated in full again, so that a token that ended is soon answered with 401. */
const TRUSTED_MILLIS = 2_000
/** After this the caller is forgotten. */
const KEPT_MILLIS = 60_000
/** Callers and used up minutes that are remembered; the oldest make room. */
const KEPT_MAX = 10_000

/** Headers as Node and as the framework have them. */
type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A hash of the headers that authenticate a request; undefined if there are none. */
export const credentialOf = ({ authorization, "x-auth-token": external }: Headers): string | undefined =>
  authorization === undefined && external === undefined
    ? undefined
    : hash("sha256", JSON.stringify([authorization, external]), "base64")

interface Caller {
  readonly session: AuthorizedSession
  readonly knownAt: number
  trustedUntil: number
}

interface Found {
  readonly session: AuthorizedSession
  /** Whether they may be refused without asking; if not, it says no more than on whose behalf the request probably comes. */
  readonly isTrusted: boolean
}

interface UsedUp {
  readonly limit: number
  readonly until: number
  readonly wholeAt: number
}

/**
 * Which callers authenticated a moment ago, and who of them has used up a minute: enough to refuse a crowd before it costs a
 * statement. Only refusals and turns are decided by it; every request that is let in is authenticated.
 */
export class RecentCallers extends Context.Service<RecentCallers, Callers>()("server/http/RecentCallers") {
  static readonly layer: Layer.Layer<RecentCallers> = Layer.sync(RecentCallers, () => new Callers())
}

export class Callers {
  readonly #callers = new Kept<Caller>()
  readonly #usedUp = new Kept<UsedUp>()
  #usedUpUntil = -Infinity
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The request was authenticated. */
  note(headers: Headers, session: AuthorizedSession): void {
    const credential = credentialOf(headers)
    if (credential === undefined) return
    const knownAt = this.#now()
    this.#callers.set(credential, { session, knownAt, trustedUntil: knownAt + TRUSTED_MILLIS })
  }

  /** The request was refused as unauthenticated. */
  forget(headers: Headers): void {
    const credential = credentialOf(headers)
    if (credential !== undefined) this.#callers.delete(credential)
  }

  /** The caller; once they were trusted for a while, one request of theirs is not. */
  find(headers: Headers): Found | undefined {
    const credential = credentialOf(headers)
    const caller = credential === undefined ? undefined : this.#callers.get(credential)
    if (credential === undefined || caller === undefined) return undefined
    const now = this.#now()
    const { session } = caller
    if (now < caller.trustedUntil) return { session, isTrusted: true }
    caller.trustedUntil = now + TRUSTED_MILLIS
    if (now - caller.knownAt < KEPT_MILLIS) return { session, isTrusted: false }
    this.#callers.delete(credential)
    return undefined
  }

  /** The caller while they are trusted: `find` decides when that is over. */
  peek(headers: Headers): AuthorizedSession | undefined {
    const credential = credentialOf(headers)
    const caller = credential === undefined ? undefined : this.#callers.get(credential)
    return caller !== undefined && this.#now() < caller.trustedUntil ? caller.session : undefined
  }

  /** Whether the minute of any caller may be used up. */
  get isAnyUsedUp(): boolean {
    return this.#now() < this.#usedUpUntil
  }

  /** One more request of this policy was refused until the quota says otherwise. */
  noteUsedUp(policy: TrafficPolicy, principal: string, quota: Quota): void {
    if (quota.retryAfterMillis === null) return
    const now = this.#now()
    this.#usedUpUntil = Math.max(this.#usedUpUntil, now + quota.retryAfterMillis)
    this.#usedUp.set(`${policy.perMinute} ${principal}`, {
      limit: quota.limit,
      until: now + quota.retryAfterMillis,
      wholeAt: now + quota.wholeAfterMillis
    })
  }

  /** The quota of a minute that is used up still. */
  findUsedUp(
    policy: TrafficPolicy,
    session: AuthorizedSession
  ): (Quota & { retryAfterMillis: number }) | undefined {
    const key = `${policy.perMinute} ${principalKey(session)}`
    const found = this.#usedUp.get(key)
    if (found === undefined) return undefined
    const now = this.#now()
    if (now < found.until)
      return {
        limit: found.limit,
        remaining: 0,
        wholeAfterMillis: Math.ceil(found.wholeAt - now),
        retryAfterMillis: Math.ceil(found.until - now)
      }
    this.#usedUp.delete(key)
    return undefined
  }
}

/** What was kept last; two generations, since the first keys of a Map are slow to find once many were deleted. */
class Kept<A> {
  #young = new Map<string, A>()
  #old = new Map<string, A>()

  get(key: string): A | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: string, value: A): void {
    if (this.#young.size >= KEPT_MAX / 2 && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
