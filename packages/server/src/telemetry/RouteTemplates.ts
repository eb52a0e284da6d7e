// The route template of a request, such as /kw/api/v1/clients/:id, for metrics and the access log: paths contain ids and names.
import { endpointsOf } from "../config/RouterConfig.ts"

/** The template of requests for unknown routes. */
export const NO_ROUTE = "none"

/** Returns only known templates, so that their number is bounded. */
export const routeOf = (method = "", url = ""): string => {
  const path = url.split("?", 1)[0] ?? ""
  if (/[;#]|\/\/|%(?![0-9a-f]{2})/iu.test(path)) return NO_ROUTE
  try {
    return endpointsOf(path)?.get(method === "HEAD" ? "GET" : method)?.path ?? NO_ROUTE
  } catch {
    return NO_ROUTE
  }
}
