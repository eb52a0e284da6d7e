// The typed client of the evaluation, with an external token: it stays valid during the run.
import { permissions } from "@rapport/contract/Authorization.ts"
import { Client, credentialOf } from "@rapport/contract/Client.ts"
import { IdempotencyInProgress, RateLimited } from "@rapport/contract/Errors.ts"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { login } from "../Requests.ts"

/** A service, and a token that may load data and search. */
export interface Access {
  readonly origin: string
  readonly token: Redacted.Redacted
}

export const clientLayer = ({ origin, token }: Access): Layer.Layer<Client> =>
  Client.layer(origin, credentialOf(token)).pipe(Layer.provide(FetchHttpClient.layer))

/** Creates an external token of an administrator with all permissions. */
export const accessOf = Effect.fn("Access.accessOf")(function* (
  origin: string,
  user: string,
  password: string
) {
  const token = Redacted.make(yield* login(origin, user, password))
  const created = Effect.gen(function* () {
    const { access } = yield* Client
    return yield* access.createExternalToken({
      headers: { "idempotency-key": "evaluation" },
      payload: { name: "evaluation", permissions }
    })
  })
  const external = yield* Effect.provide(created, clientLayer({ origin, token }))
  return { origin, token: Redacted.make(external.token ?? "") } satisfies Access
})

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
