// The route template of a request, such as /kw/api/v1/clients/:id, for metrics and the access log: paths contain ids and names.
import { Api } from "@rapport/contract/Api.ts"
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { routerConfig } from "../config/RouterConfig.ts"

/** The template of requests for unknown routes. */
export const NO_ROUTE = "none"

export type RouteOf = (method: string | undefined, url: string | undefined) => string

/** Returns only known templates, so that their number is bounded. */
export const makeRouteOf = (): RouteOf => {
  const router = FindMyWay.make<string>(routerConfig)
  const known = new Set<string>()
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path } }) => {
      const key = `${method} ${path}`
      if (!known.has(key)) router.on(method, path as FindMyWay.PathInput, path)
      known.add(key)
    }
  })
  return (method, url) => {
    const path = (url ?? "").split("?", 1)[0] ?? ""
    if (/[;#]|\/\/|%(?![0-9a-f]{2})/iu.test(path)) return NO_ROUTE
    const routed = method === "HEAD" ? "GET" : method
    try {
      return isMethod(routed) ? (router.find(routed, path)?.handler ?? NO_ROUTE) : NO_ROUTE
    } catch {
      return NO_ROUTE
    }
  }
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
const isMethod = (method: string | undefined): method is (typeof methods)[number] =>
  methods.some((one) => one === method)
