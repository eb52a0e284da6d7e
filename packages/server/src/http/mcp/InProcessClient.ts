// An HttpClient whose calls enter the HTTP application of this process, with the checks of a request from outside.
import { CurrentRequestId } from "@rapport/contract/Errors.ts"
import { Effect, Layer } from "effect"
import {
  Headers,
  HttpClient,
  type HttpClientRequest,
  HttpEffect,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { OnBehalfOf } from "../middleware/OnBehalfOf.ts"

const innerRequest = (
  request: HttpClientRequest.HttpClientRequest,
  caller: HttpServerRequest.HttpServerRequest | undefined,
  requestId: string
): HttpServerRequest.HttpServerRequest => {
  const inner = HttpServerRequest.fromClientRequest(request)
  if (caller === undefined) return inner
  return inner.modify({
    headers: Headers.setAll(inner.headers, { host: caller.headers["host"] ?? "", "x-request-id": requestId }),
    remoteAddress: caller.remoteAddress
  })
}

/** For `Client.layer`; the host of its base URL means nothing. */
export const enteringLayer: Layer.Layer<HttpClient.HttpClient, never, HttpRouter.HttpRouter> = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    // The application is complete only when the first request arrives.
    let application: ReturnType<typeof router.asHttpEffect> | undefined
    return HttpClient.make((request) =>
      Effect.gen(function* () {
        application ??= router.asHttpEffect()
        const inner = innerRequest(request, (yield* OnBehalfOf)?.request, yield* CurrentRequestId)
        let answer = HttpServerResponse.empty({ status: 500 })
        // A frame of its own, so that headers for the inner answer do not appear on the outer one.
        yield* HttpEffect.toHandled(application, (_, response) =>
          Effect.sync(() => {
            answer = response
          })
        ).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, inner), Effect.orDie)
        return HttpServerResponse.toClientResponse(answer, { request })
      })
    )
  })
)
