// The derived client: every route of the Api as a typed function, its failures as the classes of Errors.ts.
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "./Api.ts"
import { Authorization } from "./Authorization.ts"

/** How a caller authenticates: the access token of a login, or an external token. */
export type Credential =
  | { readonly kind: "bearer"; readonly token: Redacted.Redacted }
  | { readonly kind: "external"; readonly token: Redacted.Redacted }

/** The credential that a token is: an access token is a JWT and has dots, an external token has none. */
export const credentialOf = (token: Redacted.Redacted): Credential => ({
  kind: Redacted.value(token).includes(".") ? "bearer" : "external",
  token
})

/**
 * The media type that calls ask for, where it is another than JSON: `text/markdown` of a context read. Such an answer is
 * read with `responseMode: "response-only"`.
 */
export const Accepting = Context.Reference<string | undefined>("rapport/Accepting", {
  defaultValue: () => undefined
})

/** Adds the credential to every call that needs one; without one the call is sent as it is, and refused. */
export const credentialLayer = (credential: Credential | undefined) =>
  HttpApiMiddleware.layerClient(Authorization, ({ next, request }) =>
    Effect.flatMap(accepting(request), (accepted) => next(withCredential(accepted, credential)))
  )

/** The request with the media type of `Accepting`, for those who add a credential in another way. */
export const accepting = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientRequest.HttpClientRequest> =>
  Effect.map(Accepting, (mediaType) =>
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

/** The service redirects nobody. `fetch` would take the header of an external token with it to any other origin. */
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
  /** `baseUrl` is the origin of the instance, such as http://127.0.0.1:8080. `fetch` fails where it is redirected. */
  static readonly layer = (
    baseUrl: string,
    credential?: Credential
  ): Layer.Layer<Client, never, HttpClient.HttpClient> =>
    Layer.effect(Client, HttpApiClient.make(Api, { baseUrl, transformClient: withoutRedirects })).pipe(
      Layer.provide(credentialLayer(credential))
    )
}
