// Authentication in front of the routes of the framework (docs/contract.md §2).
import { Authorization, type CurrentSession } from "@rapport/contract/Authorization.ts"
import { BodyBytesMax } from "@rapport/contract/http/RequestBody.ts"
import { ByteSize, Context, Effect, Layer } from "effect"
import {
  HttpIncomingMessage,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse
} from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { hideQuota, RequestAuthentication } from "./RequestAuthentication.ts"
import { retryAfterHeaders } from "./RetryAfter.ts"

/**
 * The framework tries its schemes one after the other and would answer with the failure of
 * the last, so the first one judges both and answers its own refusals; the second is never reached.
 */
export const authorizationLayer = Layer.effect(
  Authorization,
  Effect.map(RequestAuthentication, (authentication) => {
    const judge = <E>(
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, CurrentSession>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
    ) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        authentication.judge<HttpServerResponse.HttpServerResponse, E, never>(
          { endpoint, headers: request.headers, source: request.source, body: bytesOf(request, endpoint) },
          {
            serve: httpEffect,
            refuse: (error) =>
              Effect.andThen(
                Effect.provideService(hideQuota, HttpServerRequest.HttpServerRequest, request),
                Effect.map(
                  HttpServerRespondable.toResponse(error),
                  HttpServerResponse.setHeaders(retryAfterHeaders(error))
                )
              )
          }
        )
      )
    return { bearer: judge, externalToken: judge }
  })
)

/** The body is read once, what comes after gets the same bytes. */
const bytesOf = (request: HttpServerRequest.HttpServerRequest, endpoint: HttpApiEndpoint.Top) =>
  Effect.suspend(() =>
    Effect.provideService(
      request.arrayBuffer,
      HttpIncomingMessage.MaxBodySize,
      ByteSize.bytes(Context.get(endpoint.annotations, BodyBytesMax))
    )
  )
