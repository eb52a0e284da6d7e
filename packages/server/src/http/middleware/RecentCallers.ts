// Which callers authenticated a moment ago, and who of them has used up a minute: enough to refuse a crowd before it costs a
// statement. Only refusals and turns are decided by it; every request that is let in is authenticated.
import { type AuthorizedSession, principalKey } from "@rapport/contract/Authorization.ts"
import type { TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import type { Quota } from "@rapport/core/traffic/RateLimits.ts"
import { Context, Layer } from "effect"
import { hash } from "node:crypto"

/** After this one request is authenticated in full again, so that a token that ended is soon answered with 401. */
const TRUSTED_MILLIS = 2_000
/** After this the caller is forgotten. */
const KEPT_MILLIS = 60_000
/** Callers and used up minutes that are remembered; the oldest make room. */
const KEPT_MAX = 10_000

/** Headers as Node and as the framework have them. */
type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Stands for the token of a request without holding it; undefined where there is none, or two. */
export const credentialOf = (headers: Headers): string | undefined => {
  const { authorization, "x-auth-token": external } = headers
  const token = authorization ?? external
  if (typeof token !== "string" || (authorization !== undefined && external !== undefined)) return undefined
  return hash("sha256", `${authorization === undefined ? "external" : "bearer"} ${token}`, "base64")
}

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
