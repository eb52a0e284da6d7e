// Authentication in front of every route with a session: one statement per request (contract §2).
import { Authorization, CurrentSession } from "@rapport/contract/Authorization.ts"
import { RateLimited, Unauthenticated } from "@rapport/contract/Errors.ts"
import { BodyBytesMax } from "@rapport/contract/http/RequestBody.ts"
import { Authenticator, type Credential } from "@rapport/core/access/Authenticator.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import { type DenialReason, Denials } from "@rapport/core/audit/Denials.ts"
import { WaitedMillis } from "@rapport/core/context/read/ContextPlan.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { CurrentTenant, tenantOf } from "@rapport/core/traffic/TenantQueue.ts"
import { Clock, Context, Effect, Exit, Layer, Predicate, Scope } from "effect"
import { HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { bytesOf } from "../BodyLimit.ts"
import { withinDeadline } from "./AuthenticationDeadline.ts"
import { OnBehalfOf } from "./OnBehalfOf.ts"
import { enterRequest } from "./RateLimitsHttp.ts"
import { millisSinceArrival, noteInstance } from "./RequestOrigin.ts"
import { retryAfterHeaders } from "./RetryAfter.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const bearer = /^bearer +([^\s,"]+)$/iu

/** The credential of a request; undefined if there is none or if two of them differ. */
const credentialOf = (
  headers: Request["headers"],
  { isExternal }: Pick<Authenticator["Service"], "isExternal">
): Credential | undefined => {
  const external = headers["x-auth-token"]
  const token = bearer.exec(headers["authorization"] ?? "")?.[1]
  // Generated clients send their one token under both schemes.
  if (headers["authorization"] !== undefined && external !== undefined && external !== token) return undefined
  if (token !== undefined && (external === undefined || !isExternal(token)))
    return { scheme: "bearer", token }
  return external === undefined || external === "" ? undefined : { scheme: "external", token: external }
}

/** Runs as soon as the caller is known. An unknown external token names its caller only with the session. */
type OnCaller = (caller: Caller) => Effect.Effect<void, RateLimited, Request>

/** Authenticates a request by either scheme. Failed attempts count per address. */
const makeAuthentication = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const { countAnonymous } = yield* Admission

  const countFailure = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.tapError(effect, (error) => (isUnauthenticated(error) ? countAnonymous(1) : Effect.void))

  const byAccessToken = Effect.fnUntraced(function* (token: string, onCaller: OnCaller) {
    const claims = yield* countFailure(authenticator.verify(token))
    yield* onCaller({ ...claims, tokenId: null })
    return yield* countFailure(authenticator.bearer(token))
  })

  const byExternalToken = Effect.fnUntraced(function* (token: string, onCaller: OnCaller) {
    const cached = authenticator.cachedCaller(token)
    // Past the limit of an address, a token that is not cached as valid is refused without a statement.
    yield* cached === undefined ? countAnonymous(0) : onCaller(cached)
    return yield* countFailure(authenticator.external(token))
  })

  return Effect.fnUntraced(function* (headers: Request["headers"], onCaller: OnCaller) {
    const caller = yield* OnBehalfOf
    if (caller !== undefined) return caller.session
    const credential = credentialOf(headers, authenticator)
    if (credential === undefined) return yield* new Unauthenticated()
    return yield* (credential.scheme === "bearer" ? byAccessToken : byExternalToken)(
      credential.token,
      onCaller
    )
  })
})

/**
 * The framework would try one scheme after the other and answer with the failure of the last. So the first one handles both
 * schemes and answers its own refusals; the second never runs.
 */
export const authorizationLayer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const authenticate = yield* makeAuthentication
    const denials = yield* Denials
    const enter = enterRequest(yield* Admission)
    const noteDenial = (status: number, operation: string, session: Caller | null) => {
      const reason = denialReasons.get(status)
      return reason === undefined
        ? Effect.void
        : denials.note({ reason, operation, session, isAudited: session !== null && audited.has(operation) })
    }

    /** Closing `places` frees the places of the request. */
    const authorizeRequest = Effect.fnUntraced(function* <E>(
      httpEffect: Effect.Effect<Response, E, CurrentSession>,
      endpoint: HttpApiEndpoint.Top,
      places: Scope.Scope
    ): Effect.fn.Return<Response, E, Request> {
      const request = yield* HttpServerRequest.HttpServerRequest
      const queuedMillis = yield* millisSinceArrival(request.source)
      const startedAt = (yield* Clock.currentTimeMillis) - queuedMillis
      const { identifier: operation } = endpoint
      let caller: Caller | null = null
      const onCaller = (found: Caller) => {
        caller = found
        return Effect.provideService(enter(endpoint, found), Scope.Scope, places)
      }
      const authenticated = yield* authenticate(request.headers, onCaller).pipe(
        Effect.tap((session) => (caller === null ? onCaller(session) : Effect.void)),
        withinDeadline(
          endpoint,
          Effect.suspend(() => bytesOf(request, Context.get(endpoint.annotations, BodyBytesMax))),
          queuedMillis
        ),
        Effect.result
      )
      if (authenticated._tag === "Failure") {
        const error = authenticated.failure
        const answer = yield* HttpServerRespondable.toResponse(error)
        yield* noteDenial(answer.status, operation, answer.status === 429 ? caller : null)
        return HttpServerResponse.setHeaders(answer, retryAfterHeaders(error))
      }
      const session = authenticated.success
      noteInstance(request, session.instanceId)
      const waitedMillis = (yield* Clock.currentTimeMillis) - startedAt
      const exit = yield* Effect.exit(
        Effect.updateContext(httpEffect, (context: Context.Context<never>) =>
          context.pipe(
            Context.add(CurrentSession, session),
            Context.add(WaitedMillis, waitedMillis),
            Context.add(CurrentTenant, tenantOf(session))
          )
        )
      )
      yield* noteDenial(statusOfExit(exit), operation, session)
      return yield* exit
    })
    const withSession = <E>(
      httpEffect: Effect.Effect<Response, E, CurrentSession>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
    ) =>
      // The scope ends with the handler, because a streamed answer outlives the scope of the request.
      Effect.suspend(() => {
        const places = Scope.makeUnsafe()
        return Effect.onExit(authorizeRequest(httpEffect, endpoint, places), (exit) =>
          Scope.close(places, exit)
        )
      })
    return { bearer: withSession, externalToken: withSession }
  })
)

const isUnauthenticated = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "UNAUTHENTICATED"

const denialReasons: ReadonlyMap<number, DenialReason> = new Map([
  [401, "unauthenticated"],
  [403, "access_denied"],
  [429, "rate_limited"]
])

/** Operations whose use case writes the audit entry of its refusals. */
const audited: ReadonlySet<string> = new Set(["retrieveContext"])

const statusOfExit = <E>(exit: Exit.Exit<Response, E>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  const failed = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failed === undefined ? 0 : statusOf(failed.error)
}

/** Refusals of handlers are failures that the framework encoded and wrapped. */
const statusOf = (error: unknown): number => {
  if (error instanceof RateLimited) return 429
  if (Predicate.hasProperty(error, "error")) return statusOf(error.error)
  return Predicate.hasProperty(error, "status") && typeof error.status === "number" ? error.status : 0
}
