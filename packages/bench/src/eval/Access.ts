// The typed client of the evaluation, with an external token: it stays valid during the run.
import { permissions } from "@rapport/contract/Authorization.ts"
import { Client, credentialOf } from "@rapport/contract/Client.ts"
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
