// The door in HTTP: which scheme the caller uses, and the session it stands for (docs/contract.md §2).
import { Authorization, CurrentSession } from "@rapport/contract/Authorization.ts"
import { Unauthenticated } from "@rapport/contract/Errors.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { WaitedMillis } from "@rapport/core/context/read/Deadlines.ts"
import { Clock, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerRespondable, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Caller } from "../mcp/InProcessClient.ts"
import { patient } from "./AuthenticationDeadline.ts"
import { withRetryAfter } from "./RetryAfter.ts"

const bearer = /^bearer +([^\s,"]+)$/iu

/**
 * Both schemes at once are refused. The framework tries its schemes one after the other and would answer with the failure of
 * the last, so the first one judges both and answers its own refusals; the second is never reached.
 */
export const authorizationLayer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const authenticator = yield* Authenticator
    const authenticated = Effect.gen(function* () {
      const caller = yield* Caller
      if (caller !== undefined) return caller.session
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const [authorization, external] = [headers["authorization"], headers["x-auth-token"]]
      if (authorization !== undefined && external !== undefined) return yield* new Unauthenticated()
      if (external !== undefined && external !== "") return yield* authenticator.external(external)
      const token = bearer.exec(authorization ?? "")?.[1]
      if (token === undefined) return yield* new Unauthenticated()
      return yield* authenticator.bearer(token)
    })
    const judge = Effect.fnUntraced(function* <E>(
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, CurrentSession>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
    ) {
      const startedAt = yield* Clock.currentTimeMillis
      const judged = yield* Effect.result(withRetryAfter(patient(endpoint)(authenticated)))
      if (judged._tag === "Failure") return yield* HttpServerRespondable.toResponse(judged.failure)
      return yield* httpEffect.pipe(
        Effect.provideService(CurrentSession, judged.success),
        Effect.provideService(WaitedMillis, (yield* Clock.currentTimeMillis) - startedAt)
      )
    })
    return { bearer: judge, externalToken: judge }
  })
)
