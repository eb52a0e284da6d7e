// Whether a request of a known caller is refused early: the routes whose requests are counted, by which policy, and whether the places
// of the caller are taken or their minute is used up.
import { type AuthorizedSession, principalKey } from "@rapport/contract/Authorization.ts"
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import type { Quota } from "@rapport/core/traffic/RateLimits.ts"
import { mayCarryHistory } from "../middleware/RequestBodyHttp.ts"
import type { Callers } from "../middleware/RecentCallers.ts"
import { Api } from "@rapport/contract/Api.ts"
import { Counted, RateLimits, type TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import { Context } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { isDecodable, isElsewhere, pathOf, routerConfig } from "../middleware/ResponseEnvelope.ts"

export interface CountedRoute {
  readonly endpoint: HttpApiEndpoint.Top
  readonly policy: TrafficPolicy
}

/** Finds the route of a request; undefined where it is not counted, or where something else answers it first. */
export const countedRoutes = (): ((method: string, url: string) => CountedRoute | undefined) => {
  const router = FindMyWay.make<CountedRoute>(routerConfig)
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, middleware }) => {
      if (![...middleware].some(({ key }) => key === RateLimits.key)) return
      const policy = Context.get(endpoint.annotations, Counted)
      router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, { endpoint, policy })
    }
  })
  return (method, url) => {
    const path = pathOf(url)
    if (isElsewhere(path) || !isDecodable(path)) return undefined
    return router.find(method === "HEAD" ? "GET" : (method as "GET"), path)?.handler
  }
}

/** A request that is refused, and for what. */
export interface Refused extends CountedRoute {
  readonly session: AuthorizedSession
  /** The quota where the minute is used up; undefined where the places are taken. */
  readonly usedUp: (Quota & { readonly retryAfterMillis: number }) | undefined
}

export interface Judge {
  /** Why the request is refused; undefined where it is let in. */
  readonly refusal: (route: CountedRoute, session: AuthorizedSession) => Refused | undefined
  /** Takes the places of one that is let in; the result gives them back, once. */
  readonly take: (route: CountedRoute, session: AuthorizedSession) => () => void
  /** Whether anything may be refused now. */
  readonly mayRefuse: boolean
}

const keysOf = ({ policy }: CountedRoute, session: AuthorizedSession): Keys => [
  [policy.atOnceInstance, String(session.instanceId)],
  [policy.atOnce, principalKey(session)]
]

export const makeJudge = (limits: TrafficLimits, callers: Callers): Judge => {
  const places = new PlacesTaken(limits)
  return {
    refusal: (route, session) => {
      const { endpoint, policy } = route
      const usedUp = mayCarryHistory(endpoint, session) ? undefined : callers.findUsedUp(policy, session)
      if (usedUp === undefined && places.areFree(keysOf(route, session))) return undefined
      return { ...route, session, usedUp }
    },
    take: (route, session) => places.take(keysOf(route, session)),
    get mayRefuse() {
      return places.isAnyFull || callers.isAnyUsedUp
    }
  }
}

type Keys = ReadonlyArray<readonly [TrafficLimit, string]>

/** Requests of each principal and instance that were let in and are not answered yet. */
class PlacesTaken {
  readonly #limits: TrafficLimits
  readonly #taken = new Map<string, number>()
  /** Keys that have no place left. */
  #full = 0

  constructor(limits: TrafficLimits) {
    this.#limits = limits
  }

  get isAnyFull(): boolean {
    return this.#full > 0
  }

  areFree(keys: Keys): boolean {
    return keys.every(([limit, key]) => this.#count(limit, key) < this.#limits[limit])
  }

  take(keys: Keys): () => void {
    for (const [limit, key] of keys) this.#add(limit, key, 1)
    let isHeld = true
    return () => {
      if (isHeld) for (const [limit, key] of keys) this.#add(limit, key, -1)
      isHeld = false
    }
  }

  #add(limit: TrafficLimit, key: string, amount: 1 | -1): void {
    const before = this.#count(limit, key)
    const count = before + amount
    if (Math.max(before, count) === this.#limits[limit]) this.#full += amount
    if (count === 0) this.#taken.delete(`${limit} ${key}`)
    else this.#taken.set(`${limit} ${key}`, count)
  }

  #count(limit: TrafficLimit, key: string): number {
    return this.#taken.get(`${limit} ${key}`) ?? 0
  }
}
