// POST /kw/mcp: the tools for agents, whose calls enter this same HTTP application again without a socket (contract §6).
import { Api } from "@rapport/contract/Api.ts"
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import { Client } from "@rapport/contract/Client.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { policies } from "@rapport/contract/http/RateLimits.ts"
import { BODY_BYTES_MAX, TOOL_EXCHANGE_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import {
  type BodyText,
  makeEndpoint,
  mediaTypes,
  type JsonMessage,
  messageOf
} from "@rapport/mcp/Endpoint.ts"
import { type RunTool, ToolServer } from "@rapport/mcp/ToolServer.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { isLoopback } from "../../config/Loopback.ts"
import { bytesOf } from "../BodyLimit.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { countRequests } from "../middleware/RateLimitsHttp.ts"
import { withRetryAfter } from "../middleware/RetryAfter.ts"
import { strictJson } from "../middleware/StrictJson.ts"
import { boundedRun } from "./McpBatch.ts"
import { accepts, isJsonType } from "../middleware/RequestBodyHttp.ts"
import { OnBehalfOf } from "../middleware/OnBehalfOf.ts"
import { enteringLayer } from "./InProcessClient.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The tools for agents. */
export const toolsLayer = HttpApiBuilder.group(
  Api,
  "tools",
  Effect.fnUntraced(function* (handlers) {
    const { publicOrigin } = yield* HttpSettings
    const client = yield* Client
    const count = countRequests(yield* Admission)
    /** Each message of a batch after the first counts as a request. */
    const countFurther = ({ json }: JsonMessage, session: AuthorizedSession) =>
      count(policies.rest, session, Array.isArray(json) ? Math.max(0, json.length - 1) : 0)
    const endpoint = yield* Effect.acquireRelease(
      Effect.sync(() => makeEndpoint()),
      ({ close }) => Effect.promise(close)
    )

    const exchange = Effect.fnUntraced(function* (request: Request) {
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
      const caller = { request, session: yield* CurrentSession }
      const run: RunTool = (call, signal) =>
        runPromise(
          call.pipe(Effect.provideService(Client, client), Effect.provideService(OnBehalfOf, caller)),
          {
            signal
          }
        )
      const { headers } = request
      if (!accepts(headers["accept"], mediaTypes)) return unacceptable
      if (headers["content-encoding"] !== undefined || !isJsonType(headers["content-type"]))
        return unsupported
      const message = messageOf(headers, yield* bodyOf(request))
      if (message instanceof Response) return yield* Effect.promise(() => httpResponseOf(message))
      yield* countFurther(message, caller.session)
      const answer = Effect.promise((signal) =>
        endpoint
          .answer({ headers, message, signal, serverOf: () => new ToolServer(boundedRun(run)) })
          .then(httpResponseOf)
      )
      return yield* Effect.timeoutOrElse(answer, {
        duration: TOOL_EXCHANGE_MILLIS_MAX,
        orElse: () => Effect.succeed(unanswered)
      })
    })

    return handlers.handleRaw(
      "callTools",
      Effect.fnUntraced(function* ({ request }) {
        const origin = request.headers["origin"]
        if (origin !== undefined && !isOwn(origin, publicOrigin))
          return yield* new AccessDenied({ detail: "the tools are not for pages of this origin" })
        const [parameter] = Object.keys(yield* HttpServerRequest.ParsedSearchParams)
        const answer =
          parameter === undefined ? yield* withRetryAfter(exchange(request)) : withParameter(parameter)
        return HttpServerResponse.setHeader(answer, "cache-control", "no-store")
      })
    )
  })
).pipe(Layer.provide(Client.layer("http://rapport.invalid")), Layer.provide(enteringLayer))

/** A JSON-RPC error about an exchange as a whole. */
const errorResponse = (status: number, code: number, message: string) =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })

const unacceptable = errorResponse(
  406,
  -32_000,
  `Not Acceptable: Accept must include ${mediaTypes.join(" or ")}`
)
const unsupported = errorResponse(
  415,
  -32_000,
  "Unsupported Media Type: the body must be application/json in UTF-8, without Content-Encoding"
)
/** An exchange that nobody will answer, such as a batch that cancels one of its own requests. */
const unanswered = errorResponse(504, -32_603, "The request was not answered in time")

/** A page of another origin may not use the session of its reader: DNS rebinding makes the Host header worthless. */
const isOwn = (origin: string, publicOrigin: string | undefined): boolean => {
  if (origin === publicOrigin) return true
  const url = URL.parse(origin)
  return url !== null && url.origin === origin && isLoopback(url.hostname.replace(/^\[(.*)\]$/u, "$1"))
}

/** It is read whole, because a stream between the two kinds of request costs a millisecond. */
const bodyOf = (request: Request): Effect.Effect<BodyText> =>
  bytesOf(request, BODY_BYTES_MAX).pipe(
    Effect.flatMap((buffer) => strictJson(new Uint8Array(buffer), "messages")),
    Effect.catch((fault) => (fault === "too_large" ? Effect.succeed(undefined) : Effect.die(fault)))
  )

/** Only an event stream is sent on as it comes. */
const httpResponseOf = async (response: Response): Promise<HttpServerResponse.HttpServerResponse> => {
  const { headers, status } = response
  if (headers.get("content-type") === "text/event-stream") return HttpServerResponse.fromWeb(response)
  if (status >= 400)
    return HttpServerResponse.text(withOwnId(await response.text()), {
      status,
      contentType: "application/json"
    })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes.length === 0
    ? HttpServerResponse.empty({ status })
    : HttpServerResponse.uint8Array(bytes, { status, contentType: "application/json" })
}

/** A refusal repeats an id that is none, such as a number that a double cannot hold: then it was not read, and is null. */
const withOwnId = (text: string): string => {
  const refusal: unknown = text === "" ? undefined : JSON.parse(text)
  if (typeof refusal !== "object" || refusal === null || !("id" in refusal)) return text
  const { id } = refusal
  return typeof id === "string" || Number.isSafeInteger(id) ? text : JSON.stringify({ ...refusal, id: null })
}

/** No parameter is known here, as on every route without parameters (contract §1, "Query strings, paths"). */
const withParameter = (name: string) =>
  errorResponse(
    400,
    -32_600,
    `Bad Request: ${name === "" ? "a parameter has no name" : `${name} is unknown`}, this route takes no parameters`
  )
