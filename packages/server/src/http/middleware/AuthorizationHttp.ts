// Authentication in HTTP: which scheme the caller uses, and which session it names (docs/contract.md §2).
import { Authorization, CurrentSession } from "@rapport/contract/Authorization.ts"
import { RateLimited, Unauthenticated } from "@rapport/contract/Errors.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { type Denial, type DenialReason, Denials } from "@rapport/core/audit/Denials.ts"
import { WaitedMillis } from "@rapport/core/context/read/Deadlines.ts"
import { Clock, Effect, Layer, Predicate } from "effect"
import { HttpServerRequest, HttpServerRespondable, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { noteInstance } from "../../metrics/RequestNames.ts"
import { OnBehalfOf } from "../mcp/InProcessClient.ts"
import { millisSinceArrival } from "../Arrivals.ts"
import { RecentCallers } from "../admission/RecentCallers.ts"
import { makeTokenGuard } from "./AnonymousLimit.ts"
import { withinDeadline } from "./AuthenticationDeadline.ts"
import { withRetryAfter } from "./RetryAfter.ts"

const reasons: ReadonlyMap<number, DenialReason> = new Map([
  [401, "unauthenticated"],
  [403, "access_denied"],
  [429, "rate_limited"]
])
/** Refusals come as failures, those of handlers encoded and wrapped by the framework; they become answers further out. */
const statusOf = (error: unknown): number => {
  if (error instanceof RateLimited) return 429
  if (Predicate.hasProperty(error, "error")) return statusOf(error.error)
  return Predicate.hasProperty(error, "status") && typeof error.status === "number" ? error.status : 0
}
/** Routes whose use case writes an audit entry of its refusals. */
const auditedByThemselves: ReadonlySet<string> = new Set(["retrieve"])

const bearer = /^bearer +([^\s,"]+)$/iu

/**
 * Both schemes at once are refused. The framework tries its schemes one after the other and would answer with the failure of
 * the last, so the first one judges both and answers its own refusals; the second is never reached.
 */
export const authorizationLayer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const authenticator = yield* Authenticator
    const denials = yield* Denials
    const guard = yield* makeTokenGuard
    const callers = yield* RecentCallers
    const noted = (status: number, denial: Omit<Denial, "reason">) => {
      const reason = reasons.get(status)
      return reason === undefined ? Effect.void : denials.note({ ...denial, reason })
    }
    const authenticated = Effect.gen(function* () {
      const caller = yield* OnBehalfOf
      if (caller !== undefined) return caller.session
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const [authorization, external] = [headers["authorization"], headers["x-auth-token"]]
      if (authorization !== undefined && external !== undefined) return yield* new Unauthenticated()
      if (external !== undefined && external !== "")
        return yield* guard.opaque(external, authenticator.external(external))
      const token = bearer.exec(authorization ?? "")?.[1]
      if (token === undefined) return yield* new Unauthenticated()
      return yield* guard.signed(authenticator.bearer(token))
    })
    const judge = Effect.fnUntraced(function* <E>(
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, CurrentSession>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
    ) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { headers } = request
      const queuedMillis = millisSinceArrival(request.source)
      const startedAt = (yield* Clock.currentTimeMillis) - queuedMillis
      const operation = endpoint.identifier
      const judged = yield* Effect.result(
        withRetryAfter(withinDeadline(endpoint, queuedMillis)(authenticated))
      )
      if (judged._tag === "Failure") {
        const response = yield* HttpServerRespondable.toResponse(judged.failure)
        if (response.status === 401) callers.forget(headers)
        yield* noted(response.status, { operation, session: null })
        return response
      }
      const session = judged.success
      callers.note(headers, session)
      noteInstance(request, session.instanceId)
      const isAudited = auditedByThemselves.has(operation)
      return yield* httpEffect.pipe(
        Effect.tap(({ status }) => noted(status, { operation, session, isAudited })),
        Effect.tapError((error) => noted(statusOf(error), { operation, session, isAudited })),
        Effect.provideService(CurrentSession, session),
        Effect.provideService(WaitedMillis, (yield* Clock.currentTimeMillis) - startedAt)
      )
    })
    return { bearer: judge, externalToken: judge }
  })
)
