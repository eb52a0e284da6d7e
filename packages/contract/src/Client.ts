// The typed client: every route of the Api as a function, with the errors of Errors.ts.
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "./Api.ts"
import { Authorization } from "./Authorization.ts"
import { IdempotencyInProgress, RateLimited, SearchUnavailable } from "./Errors.ts"

/** How a caller authenticates: the access token of a login, or an external token. */
export type Credential =
  | { readonly kind: "bearer"; readonly token: Redacted.Redacted }
  | { readonly kind: "external"; readonly token: Redacted.Redacted }

/** The kind of a token: an access token is a JWT and has dots, an external token has none. */
export const credentialOf = (token: Redacted.Redacted): Credential => ({
  kind: Redacted.value(token).includes(".") ? "bearer" : "external",
  token
})

/**
 * The requested media type other than JSON: `text/markdown` for a context read. Read such an answer with
 * `responseMode: "response-only"`.
 */
export const AcceptedType = Context.Reference<string | undefined>("rapport/AcceptedType", {
  defaultValue: () => undefined
})

/** Adds the requested media type and the credential to every call that needs one. */
export const credentialLayer = (credential: Credential | undefined) =>
  HttpApiMiddleware.layerClient(Authorization, ({ next, request }) =>
    Effect.flatMap(withAcceptedType(request), (accepted) => next(withCredential(accepted, credential)))
  )

const withAcceptedType = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientRequest.HttpClientRequest> =>
  Effect.map(AcceptedType, (mediaType) =>
    mediaType === undefined ? request : HttpClientRequest.setHeader(request, "accept", mediaType)
  )

const withCredential = (
  request: HttpClientRequest.HttpClientRequest,
  credential: Credential | undefined
): HttpClientRequest.HttpClientRequest =>
  credential === undefined
    ? request
    : credential.kind === "bearer"
      ? HttpClientRequest.bearerToken(request, credential.token)
      : HttpClientRequest.setHeader(request, "x-auth-token", Redacted.value(credential.token))

/** The service never redirects. `fetch` would send the header of an external token to another origin. */
const withoutRedirects = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (response) =>
    Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (given) =>
      Effect.provideService(response, FetchHttpClient.RequestInit, {
        ...Option.getOrUndefined(given),
        redirect: "error"
      })
    )
  )

export class Client extends Context.Service<Client, HttpApiClient.ForApi<typeof Api>>()("rapport/Client") {
  /** `baseUrl` is the origin of the instance, such as http://127.0.0.1:8080. A redirect is an error. */
  static readonly layer = (
    baseUrl: string,
    credential?: Credential
  ): Layer.Layer<Client, never, HttpClient.HttpClient> =>
    Layer.effect(Client, HttpApiClient.make(Api, { baseUrl, transformClient: withoutRedirects })).pipe(
      Layer.provide(credentialLayer(credential))
    )
}

const RETRIES_MAX = 100
const UNAVAILABLE_MILLIS = 1_000

/** Repeats a call that is limited after the time that the service requires, and one that is unavailable after a second. */
export const retryLimited = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(call, {
    times: RETRIES_MAX,
    while: (error) =>
      error instanceof RateLimited
        ? Effect.as(Effect.sleep(error.limit.retryAfterMs), true)
        : error instanceof SearchUnavailable || error instanceof IdempotencyInProgress
          ? Effect.as(Effect.sleep(UNAVAILABLE_MILLIS), true)
          : Effect.succeed(false)
  })
