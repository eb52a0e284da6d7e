// The context read and its readiness over HTTP: the pack leaves as the text that its budget was measured by.
import { Api } from "@rapport/contract/Api.ts"
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import { ContextApi } from "@rapport/contract/context/ContextApi.ts"
import { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import type { PackFormat } from "@rapport/core/context/pack/PackForm.ts"
import { ContextReader } from "@rapport/core/context/read/ContextReader.ts"
import { ContextReadiness } from "@rapport/core/readiness/ContextReadiness.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { LeanRoutes, plain } from "../lean/LeanPath.ts"
import { preferred } from "../middleware/RequestBodyHttp.ts"

const formatOf = (accept: string | undefined): PackFormat =>
  preferred(accept, ["application/json", "text/markdown"]) === "text/markdown" ? "markdown" : "json"

export const contextLayer = HttpApiBuilder.group(
  Api,
  "context",
  Effect.fnUntraced(function* (handlers) {
    const reader = yield* ContextReader
    const readiness = yield* ContextReadiness
    const routes = yield* LeanRoutes
    const retrieved = (session: AuthorizedSession, request: ContextRequest, accept: string | undefined) => {
      const format = formatOf(accept)
      return Effect.map(reader.retrieve(session, request, format), ({ contentType, packHash, text }) => ({
        text,
        contentType,
        headers: format === "markdown" ? { "x-pack-hash": packHash } : {}
      }))
    }
    routes.add(ContextApi.endpoints.retrieve, {
      ...plain,
      payload: ContextRequest,
      answer: (session, { accept, payload }) =>
        Effect.map(retrieved(session, payload, accept), ({ contentType, headers, text }) => ({
          status: 200,
          headers: { ...headers, "content-type": contentType },
          text
        }))
    })
    return handlers
      .handle(
        "retrieve",
        Effect.fnUntraced(function* ({ payload, request }) {
          const { text, ...options } = yield* retrieved(
            yield* CurrentSession,
            payload,
            request.headers["accept"]
          )
          return HttpServerResponse.text(text, options)
        })
      )
      .handle("readiness", () => Effect.flatMap(CurrentSession, readiness.read))
  })
)
