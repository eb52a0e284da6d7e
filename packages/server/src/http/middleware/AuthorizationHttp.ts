// Authentication in HTTP: which scheme the caller uses, and which session it names (docs/contract.md §2).
import { Authorization, type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import { RateLimited, Unauthenticated } from "@rapport/contract/Errors.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { CurrentSessionProof, type SessionProof } from "@rapport/core/access/SessionProof.ts"
import { type Denial, type DenialReason, Denials } from "@rapport/core/audit/Denials.ts"
import { WaitedMillis } from "@rapport/core/context/read/Deadlines.ts"
import { Clock, Effect, type Exit, Layer, Predicate } from "effect"
import { type Headers, HttpServerRequest, HttpServerRespondable, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { noteInstance } from "../../metrics/RequestNames.ts"
import { OnBehalfOf } from "../mcp/InProcessClient.ts"
import { millisSinceArrival } from "../Arrivals.ts"
import { RecentCallers } from "../admission/RecentCallers.ts"
import { makeTokenGuard } from "./AnonymousLimit.ts"
import { withinDeadline } from "./AuthenticationDeadline.ts"
import { begin, hideQuota, holdsFor, makeRememberedSessions, statusOfExit } from "./RememberedSessions.ts"
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

const bearerOf = (headers: Headers.Headers): string | undefined =>
  headers["x-auth-token"] === undefined ? bearer.exec(headers["authorization"] ?? "")?.[1] : undefined

/** Who asks: by either scheme, and remembered for the routes that prove it themselves. */
const makeAuthentication = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const guard = yield* makeTokenGuard
  const remembered = yield* makeRememberedSessions
  const authenticated = Effect.gen(function* () {
    const caller = yield* OnBehalfOf
    if (caller !== undefined) return caller.session
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const [authorization, external] = [headers["authorization"], headers["x-auth-token"]]
    if (authorization !== undefined && external !== undefined) return yield* new Unauthenticated()
    if (external !== undefined && external !== "")
      return yield* guard.opaque(external, authenticator.external(external))
    const token = bearerOf(headers)
    if (token === undefined) return yield* new Unauthenticated()
    const session = yield* Effect.tapErrorTag(
      guard.signed(authenticator.bearer(token)),
      "Unauthenticated",
      () => Effect.sync(() => remembered.note(token, undefined))
    )
    remembered.note(token, session)
    return session
  })
  return { authenticated, remembered }
})

/**
 * Both schemes at once are refused. The framework tries its schemes one after the other and would answer with the failure of
 * the last, so the first one judges both and answers its own refusals; the second is never reached.
 */
export const authorizationLayer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const { authenticated, remembered } = yield* makeAuthentication
    const denials = yield* Denials
    const callers = yield* RecentCallers
    const noted = (status: number, denial: Omit<Denial, "reason">) => {
      const reason = reasons.get(status)
      return reason === undefined ? Effect.void : denials.note({ ...denial, reason })
    }
    const judge = Effect.fnUntraced(function* <E>(
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, CurrentSession>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
    ) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { headers } = request
      const queuedMillis = millisSinceArrival(request.source)
      const startedAt = (yield* Clock.currentTimeMillis) - queuedMillis
      const operation = endpoint.identifier
      const serve = (session: AuthorizedSession, proof: SessionProof | null) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          httpEffect.pipe(
            Effect.provideService(CurrentSession, session),
            Effect.provideService(CurrentSessionProof, proof),
            Effect.provideService(WaitedMillis, now - startedAt)
          )
        )
      const isKnown = (session: AuthorizedSession) => {
        callers.note(headers, session)
        noteInstance(request, session.instanceId)
      }
      const settled = (
        session: AuthorizedSession,
        exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>
      ) =>
        Effect.andThen(
          noted(statusOfExit(exit, statusOf), {
            operation,
            session,
            isAudited: auditedByThemselves.has(operation)
          }),
          exit
        )

      const session =
        (yield* OnBehalfOf) === undefined ? yield* remembered.find(operation, bearerOf(headers)) : undefined
      const begun =
        session && (yield* begin(session, (proof) => serve(session, proof), statusOf, authenticated))
      if (begun?._tag === "Proven") {
        isKnown(begun.session)
        return yield* settled(begun.session, begun.exit)
      }
      const judged = yield* Effect.result(
        withRetryAfter(begun?.authenticated ?? withinDeadline(endpoint, queuedMillis)(authenticated))
      )
      if (judged._tag === "Failure") {
        if (begun !== undefined) yield* hideQuota
        const response = yield* HttpServerRespondable.toResponse(judged.failure)
        if (response.status === 401) callers.forget(headers)
        yield* noted(response.status, { operation, session: null })
        return response
      }
      isKnown(judged.success)
      const holds = begun?.exit != null && holdsFor(begun, judged.success)
      return yield* settled(
        judged.success,
        holds ? begun.exit : yield* Effect.exit(serve(judged.success, null))
      )
    })
    return { bearer: judge, externalToken: judge }
  })
)
