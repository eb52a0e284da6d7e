// POST /kw/mcp: the tools for agents, whose calls enter this same HTTP application again without a socket (docs/contract.md §6).
import { Api } from "@rapport/contract/Api.ts"
import { Client } from "@rapport/contract/Client.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { TOOL_EXCHANGE_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import { makeEndpoint } from "@rapport/mcp/Endpoint.ts"
import { type RunTool, ToolServer } from "@rapport/mcp/ToolServer.ts"
import { Effect, Layer } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { isLoopback } from "../start/Listening.ts"
import { HttpSettings } from "./HttpSettings.ts"
import { Caller, enteringLayer } from "./InnerClient.ts"

/** A page of another origin may not use the session of its reader: DNS rebinding makes the Host header worthless. */
const isOwn = (origin: string, publicOrigin: string | undefined): boolean => {
  if (origin === publicOrigin) return true
  const url = URL.parse(origin)
  return url !== null && url.origin === origin && isLoopback(url.hostname.replace(/^\[(.*)\]$/u, "$1"))
}

// An exchange that nobody will answer, such as a batch that cancels one of its own requests.
const unanswered = HttpServerResponse.jsonUnsafe(
  { jsonrpc: "2.0", error: { code: -32_603, message: "The request was not answered in time" }, id: null },
  { status: 504 }
)

export const toolsLayer = HttpApiBuilder.group(
  Api,
  "tools",
  Effect.fnUntraced(function* (handlers) {
    const { publicOrigin } = yield* HttpSettings
    const client = yield* Client
    const endpoint = yield* Effect.acquireRelease(Effect.sync(makeEndpoint), ({ close }) =>
      Effect.promise(close)
    )

    const exchange = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const context = yield* Effect.context<never>()
      const run: RunTool = (call, signal) =>
        Effect.runPromiseWith(context)(
          call.pipe(Effect.provideService(Client, client), Effect.provideService(Caller, request)),
          { signal }
        )
      const answered = HttpEffect.fromWebHandler((web) => endpoint.fetch(web, () => new ToolServer(run)))
      return yield* Effect.timeoutOrElse(answered, {
        duration: TOOL_EXCHANGE_MILLIS_MAX,
        orElse: () => Effect.succeed(unanswered)
      }).pipe(Effect.orDie)
    })

    return handlers.handleRaw(
      "mcp",
      Effect.fnUntraced(function* ({ request }) {
        const origin = request.headers["origin"]
        if (origin !== undefined && !isOwn(origin, publicOrigin))
          return yield* new AccessDenied({ detail: "the tools are not for pages of this origin" })
        const response = yield* exchange(request)
        return HttpServerResponse.setHeader(response, "cache-control", "no-store")
      })
    )
  })
).pipe(Layer.provide(Client.layer("http://rapport.invalid")), Layer.provide(enteringLayer))
