// The routes whose requests are counted, and by which policy: what has to be known to refuse one early.
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
