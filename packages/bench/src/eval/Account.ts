// The typed client of the evaluation. Its token is renewed during the run.
import { Api } from "@rapport/contract/Api.ts"
import { Authorization } from "@rapport/contract/Authorization.ts"
import { accepting, Client, credentialOf } from "@rapport/contract/Client.ts"
import { IdempotencyInProgress, RateLimited } from "@rapport/contract/Errors.ts"
import { ACCESS_TOKEN_SECONDS } from "@rapport/contract/Limits.ts"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"

/** A login with the role administrator, or an external token with the permissions for loading and searching. */
export type Account =
  | { readonly _tag: "Login"; readonly login: string; readonly password: Redacted.Redacted }
  | { readonly _tag: "Token"; readonly token: Redacted.Redacted }

/** The service at `origin`, as `account`. A login is repeated long before its access token ends. */
export const clientLayer = (origin: string, account: Account): Layer.Layer<Client> =>
  (account._tag === "Token"
    ? Client.layer(origin, credentialOf(account.token))
    : Layer.effect(Client, HttpApiClient.make(Api, { baseUrl: origin })).pipe(
        Layer.provide(renewedLogin(origin, account))
      )
  ).pipe(Layer.provide(FetchHttpClient.layer))

const renewedLogin = (
  origin: string,
  { login, password }: { readonly login: string; readonly password: Redacted.Redacted }
) =>
  HttpApiMiddleware.layerClient(
    Authorization,
    Effect.gen(function* () {
      const context = yield* Effect.context<HttpClient.HttpClient>()
      const enter = Effect.gen(function* () {
        const { login: entrance } = yield* Client
        return (yield* entrance.login({ payload: { login, password: Redacted.value(password) } })).accessToken
      }).pipe(Effect.provide(Client.layer(origin)), Effect.provideContext(context), Effect.orDie)
      const token = yield* Effect.cachedWithTTL(enter, `${ACCESS_TOKEN_SECONDS / 2} seconds`)
      return ({ next, request }) =>
        Effect.flatMap(Effect.all([accepting(request), token]), ([accepted, token]) =>
          next(HttpClientRequest.bearerToken(accepted, token))
        )
    })
  )

const TRIES_MAX = 100
const IN_PROGRESS_MILLIS = 1_000

/** Retries a 429 after the time that the service returned. */
export const retryLimited = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    times: TRIES_MAX,
    while: (error) =>
      error instanceof RateLimited
        ? Effect.as(Effect.sleep(error.limit.retryAfterMs), true)
        : error instanceof IdempotencyInProgress
          ? Effect.as(Effect.sleep(IN_PROGRESS_MILLIS), true)
          : Effect.succeed(false)
  })
