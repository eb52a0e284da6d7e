// The context read and its readiness over HTTP. The pack is sent as the text that its budget was measured on.
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import type { PackFormat } from "@rapport/core/context/pack/PackForm.ts"
import { ContextReader } from "@rapport/core/context/read/ContextReader.ts"
import { ContextReadiness } from "@rapport/core/readiness/ContextReadiness.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { preferredMediaType } from "../middleware/RequestBodyHttp.ts"

const formatOf = (accept: string | undefined): PackFormat =>
  preferredMediaType(accept, ["application/json", "text/markdown"]) === "text/markdown" ? "markdown" : "json"

export const contextLayer = HttpApiBuilder.group(
  Api,
  "context",
  Effect.fnUntraced(function* (handlers) {
    const reader = yield* ContextReader
    const readiness = yield* ContextReadiness
    return handlers.handleAll({
      retrieveContext: Effect.fnUntraced(function* ({ payload, request }) {
        const format = formatOf(request.headers["accept"])
        const { contentType, packHash, text } = yield* reader.retrieve(yield* CurrentSession, payload, format)
        const headers = format === "markdown" ? { "x-pack-hash": packHash } : {}
        return HttpServerResponse.text(text, { contentType, headers })
      }),
      getContextReadiness: () => Effect.flatMap(CurrentSession, readiness.read)
    })
  })
)
