// CORS: foreign origins are refused unless RAPPORT_CORS_ORIGINS names them (contract §1, "Methods").
import { HttpServerResponse } from "effect/http"
import type { SeenRequest } from "./RequestOrigin.ts"

type Request = Pick<SeenRequest, "headers">

const isAllowed = (origin: Request["headers"][string], origins: ReadonlyArray<string>): origin is string =>
  typeof origin === "string" && origins.includes(origin)

const exposed =
  "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag, Location, Idempotency-Replayed, WWW-Authenticate"

/** The CORS headers of an allowed origin; nothing for other origins. Varies by origin only if the setting names origins. */
export const originHeaders = (
  request: Request,
  origins: ReadonlyArray<string>
): Readonly<Record<string, string>> => {
  const { origin } = request.headers
  return isAllowed(origin, origins)
    ? {
        vary: "Origin",
        "access-control-allow-origin": origin,
        "access-control-expose-headers": exposed
      }
    : { vary: "Origin" }
}

/** The answer to OPTIONS: 204 with Allow. An allowed origin also gets the methods and headers that it may send. */
export const preflight = (
  request: Request,
  origins: ReadonlyArray<string>,
  allow: string
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: isAllowed(request.headers["origin"], origins)
      ? {
          allow,
          "access-control-allow-methods": allow,
          "access-control-allow-headers":
            "Authorization, Content-Type, Idempotency-Key, If-Match, X-Auth-Token, X-Request-Id",
          "access-control-max-age": "600"
        }
      : { allow }
  })
