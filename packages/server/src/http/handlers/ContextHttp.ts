// The context read and its readiness over HTTP: the pack leaves as the bytes that its budget was measured by.
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { ContextReader } from "@rapport/core/context/read/ContextReader.ts"
import { ContextReadiness } from "@rapport/core/readiness/ContextReadiness.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

export const contextLayer = HttpApiBuilder.group(
  Api,
  "context",
  Effect.fnUntraced(function* (handlers) {
    const reader = yield* ContextReader
    const readiness = yield* ContextReadiness
    return handlers
      .handle("retrieve", ({ payload }) =>
        Effect.flatMap(CurrentSession, (session) => reader.retrieve(session, payload)).pipe(
          Effect.map((bytes) => HttpServerResponse.uint8Array(bytes, { contentType: "application/json" }))
        )
      )
      .handle("readiness", () => Effect.flatMap(CurrentSession, readiness.read))
  })
)
