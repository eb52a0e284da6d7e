// The parts that every answer has: a request id, no-store, and a problem document if no endpoint answers.
import {
  CurrentRequestId,
  CurrentResult,
  InternalError,
  MethodNotAllowed,
  NotFound
} from "@rapport/contract/Errors.ts"
import { REQUEST_ID_CHARACTERS_MAX } from "@rapport/contract/Limits.ts"
import { callRoot } from "@rapport/contract/scenarios/CallsApi.ts"
import { CurrentAddress } from "@rapport/core/audit/AuditLog.ts"
import { sentBackText } from "@rapport/core/json/SentBackJson.ts"
import { CurrentTenant } from "@rapport/core/traffic/TenantQueue.ts"
import { Cause, Context, Effect, Option, References } from "effect"
import {
  HttpBody,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse
} from "effect/http"
import { randomUUIDv7 } from "node:crypto"
import { IncomingMessage } from "node:http"
import { clientAddress, makeForwardingWarning, noteRequestId } from "./RequestOrigin.ts"
import { originHeaders, preflight } from "./Cors.ts"
import { endpointsOf } from "../../config/RouterConfig.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { percentDecoded } from "./QueryString.ts"
import { unreadable } from "./SchemaErrors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

const isVisible = new RegExp(`^[!-~]{1,${REQUEST_ID_CHARACTERS_MAX}}$`, "u")
/** Whether a caller's request id is adopted. */
const isRequestId = (given: unknown): given is string => typeof given === "string" && isVisible.test(given)
const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

const isDecodable = (path: string): boolean => percentDecoded(path) !== undefined

/**
 * After a 401, MCP clients try to register with an OAuth server. They show its error to their user and read no problem
 * document (contract §6, "HTTP").
 */
const OAUTH_REGISTRATION = "/register"
const withoutOAuth = HttpServerResponse.jsonUnsafe(
  {
    error: "invalid_request",
    error_description:
      "the token is missing or not valid. Rapport has no OAuth: send an external token in the header x-auth-token"
  },
  { status: 404 }
)

/** The answer without a route: 400 for a broken percent code, 405 or OPTIONS 204 for a known path, otherwise 404. */
const noRoute =
  (origins: ReadonlyArray<string>) =>
  (request: Request): Answer => {
    const path = pathOf(request.url)
    if (!isDecodable(path)) {
      return HttpServerRespondable.toResponse(unreadable("the path holds a broken percent code"))
    }
    const known = isElsewhere(path) ? undefined : endpointsOf(path)
    if (path === OAUTH_REGISTRATION) return Effect.succeed(withoutOAuth)
    if (known === undefined)
      return HttpServerRespondable.toResponse(new NotFound({ detail: "there is nothing at this path" }))
    const allow = [...known.keys(), ...(known.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")
    if (request.method === "OPTIONS") return Effect.succeed(preflight(request, origins, allow))
    return Effect.map(
      HttpServerRespondable.toResponse(new MethodNotAllowed({ detail: `this path knows ${allow}` })),
      HttpServerResponse.setHeader("allow", allow)
    )
  }

/** Finds ambiguity: a missing or repeated Host, or an unknown transfer coding. */
const ambiguity = ({ headers, remoteAddress, source }: Request): string | undefined => {
  // A request in memory has no connection, and needs no Host.
  if (Option.isNone(remoteAddress)) return undefined
  const host = headers["host"]
  if (typeof host !== "string" || host.includes(",")) return "exactly one Host header is needed"
  // The listener already rewrote an absolute target that names the same host. A tool call has no target.
  if (source instanceof IncomingMessage && !/^(?:\/|\*$)/u.test(source.url ?? ""))
    return "the target must be a path, or name the host of the Host header"
  const coding = headers["transfer-encoding"]
  return coding === undefined || String(coding).toLowerCase() === "chunked"
    ? undefined
    : "the only transfer coding is chunked"
}

/** A proxy could read an ambiguous request differently, so its connection closes. */
const ambiguous = (request: Request): Answer | undefined => {
  const message = ambiguity(request)
  return message === undefined
    ? undefined
    : Effect.map(
        HttpServerRespondable.toResponse(unreadable(message)),
        HttpServerResponse.setHeader("connection", "close")
      )
}

/**
 * Whether the router would find an endpoint although there is none. It cuts a path at a raw `;` or `#`, lets a parameter match an empty
 * segment (contract §1, "Methods"), and takes a last segment without this method for the parameter of another route.
 */
const isMisrouted = ({ method, url }: Request): boolean => {
  const path = pathOf(url)
  if (isElsewhere(path)) return true
  const known = isDecodable(path) ? endpointsOf(path) : undefined
  return known !== undefined && !known.has(method === "HEAD" ? "GET" : method)
}
const isElsewhere = (path: string): boolean =>
  /[;#]|\/\//u.test(path) || (path.endsWith("/") && path !== "/" && path !== `${callRoot}/`)

/** Two paths work with and without a trailing slash (contract §1, "Methods"): from the path as sent to the routed path. */
const routedPaths: Readonly<Record<string, string>> = { [callRoot]: `${callRoot}/`, "/kw/mcp/": "/kw/mcp" }
const routedUrl = (url: string): string => {
  const path = pathOf(url)
  return `${routedPaths[path] ?? path}${url.slice(path.length)}`
}

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      reason._tag === "Fail" &&
      HttpServerError.isHttpServerError(reason.error) &&
      reason.error.reason._tag === "RouteNotFound"
  )

const withCommonHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  request: Request,
  id: string,
  corsOrigins: ReadonlyArray<string>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(withSentBackNumbers(response), {
    "x-request-id": id,
    "x-content-type-options": "nosniff",
    ...(corsOrigins.length > 0 ? originHeaders(request, corsOrigins) : {}),
    ...(response.headers["cache-control"] === undefined ? { "cache-control": "no-store" } : {}),
    ...(response.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    // The rest of the body still arrives. A keep-alive client would get a reset on its next request.
    ...(response.status === 413 ? { connection: "close" } : {})
  })

/** Rewrites numbers of custom values to their sent spelling, once for all routes. */
const withSentBackNumbers = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array" || !body.contentType.endsWith("json")) return response
  const text = body.text ?? Buffer.from(body.body).toString("utf8")
  const sentBack = sentBackText(text)
  return sentBack === text
    ? response
    : HttpServerResponse.setBody(response, HttpBody.text(sentBack, body.contentType))
}

/** Adds the request with its address and id. References at their default are omitted. */
const requestContext = <R>(context: Context.Context<R>, request: Request, id: string) => {
  const named = context.pipe(
    Context.add(CurrentRequestId, id),
    Context.add(CurrentTenant, "anonymous"),
    Context.add(CurrentAddress, Option.getOrNull(request.remoteAddress)),
    Context.add(References.CurrentLogAnnotations, {
      ...Context.get(context, References.CurrentLogAnnotations),
      requestId: id
    }),
    Context.add(HttpServerRequest.HttpServerRequest, request)
  )
  const forRoute = request.url.startsWith(`${callRoot}/`) ? Context.add(named, CurrentResult, "error") : named
  return Context.get(context, References.TracerEnabled)
    ? Context.add(forRoute, References.TracerSpanAnnotations, {
        ...Context.get(context, References.TracerSpanAnnotations),
        requestId: id
      })
    : forRoute
}

/** The answer to an unexpected failure. An interrupted request gets no answer. */
const answerToDefect = <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse, E> =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.failCause(cause)
    : Effect.andThen(
        Effect.logError("a defect", cause),
        HttpServerRespondable.toResponse(new InternalError())
      )

/** Wraps every request. */
export const envelopeLayer = HttpRouter.middleware(
  Effect.gen(function* () {
    const { corsOrigins, trustedProxies } = yield* HttpSettings
    const warnOfForwarding = makeForwardingWarning(trustedProxies)
    const elsewhere = noRoute(corsOrigins)

    const route = <E>(
      request: Request,
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E>
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
      const refused = ambiguous(request)
      if (refused !== undefined) return refused
      return isMisrouted(request) ? elsewhere(request) : httpEffect
    }
    const answerRequest = <E>(
      request: Request,
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E>
    ) =>
      Effect.catchCause(route(request, httpEffect), (cause) =>
        isRouteNotFound(cause) ? elsewhere(request) : answerToDefect(cause)
      )

    return (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (received) => {
        const sentId = received.headers["x-request-id"]
        const warned = warnOfForwarding(received)
        const request = received.modify({
          remoteAddress: clientAddress(received, trustedProxies),
          url: routedUrl(received.url)
        })
        const id = isRequestId(sentId) ? sentId : randomUUIDv7()
        noteRequestId(received, id)
        return Effect.andThen(warned, answerRequest(request, httpEffect)).pipe(
          Effect.map((response) => withCommonHeaders(response, request, id, corsOrigins)),
          Effect.updateContext((context: Context.Context<never>) => requestContext(context, request, id))
        )
      })
  }),
  { global: true }
)
