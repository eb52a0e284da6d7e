// Authentication: which scheme the caller uses, which session it names, and how the request goes on with it (docs/contract.md §2).
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import { RateLimited, type SearchUnavailable, Unauthenticated } from "@rapport/contract/Errors.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { CurrentSessionProof, type SessionProof } from "@rapport/core/access/SessionProof.ts"
import { type Denial, type DenialReason, Denials } from "@rapport/core/audit/Denials.ts"
import { WaitedMillis } from "@rapport/core/context/read/ContextPlan.ts"
import type { Quota } from "@rapport/core/traffic/RateLimits.ts"
import { CurrentTenant, tenantOf } from "@rapport/core/traffic/FairPermits.ts"
import { Clock, Context, Effect, type Exit, Layer, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { noteInstance, millisSinceArrival } from "../../metrics/RequestNotes.ts"
import { RecentCallers } from "./RecentCallers.ts"
import { makeTokenGuard } from "./AnonymousLimit.ts"
import { type BodyBytes, withinDeadline } from "./AuthenticationDeadline.ts"
import type { SeenRequest } from "./ClientAddress.ts"
import { CountedBefore } from "./RateLimitsHttp.ts"
import { begin, holdsFor, makeRememberedSessions, statusOfExit } from "./RememberedSessions.ts"

/** A request before it is known whose it is. */
export interface ReceivedRequest {
  readonly endpoint: HttpApiEndpoint.Top
  readonly headers: SeenRequest["headers"]
  /** As Node gave it. */
  readonly source: object
  readonly body: Effect.Effect<BodyBytes, unknown>
}

/**
 * On whose behalf a call is made: the address and the host of the request go with the call, and it is judged as the session
 * that the request was let in with a moment ago.
 */
export const OnBehalfOf = Context.Reference<
  { readonly request: HttpServerRequest.HttpServerRequest; readonly session: AuthorizedSession } | undefined
>("server/http/OnBehalfOf", { defaultValue: () => undefined })

/** How a request goes on. */
interface Ways<A, E, R> {
  /** Its answer, with the session of its caller in the context. */
  readonly serve: Effect.Effect<A, E, R | CurrentSession>
  /** The answer to a caller who is not let in; they learn nothing of quotas. */
  readonly refuse: (error: Unauthenticated | RateLimited | SearchUnavailable) => Effect.Effect<A>
}

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

const headerOf = (headers: SeenRequest["headers"], name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

const bearerOf = (headers: SeenRequest["headers"]): string | undefined =>
  headers["x-auth-token"] === undefined
    ? bearer.exec(headerOf(headers, "authorization") ?? "")?.[1]
    : undefined

/** Who asks: by either scheme, and remembered for the routes that prove it themselves. */
const makeAuthentication = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const guard = yield* makeTokenGuard
  const remembered = yield* makeRememberedSessions
  const authenticated = Effect.fnUntraced(function* (headers: SeenRequest["headers"]) {
    const caller = yield* OnBehalfOf
    if (caller !== undefined) return caller.session
    const external = headerOf(headers, "x-auth-token")
    if (headers["authorization"] !== undefined && external !== undefined) return yield* new Unauthenticated()
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

export class RequestAuthentication extends Context.Service<
  RequestAuthentication,
  {
    readonly judge: <A extends { readonly status: number }, E, R>(
      received: ReceivedRequest,
      ways: Ways<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("server/http/RequestAuthentication") {
  static readonly layer = Layer.effect(
    RequestAuthentication,
    Effect.gen(function* () {
      const { authenticated, remembered } = yield* makeAuthentication
      const denials = yield* Denials
      const callers = yield* RecentCallers
      const noted = (status: number, denial: Omit<Denial, "reason">) => {
        const reason = reasons.get(status)
        return reason === undefined ? Effect.void : denials.note({ ...denial, reason })
      }
      const judge = Effect.fnUntraced(function* <A extends { readonly status: number }, E, R>(
        { body, endpoint, headers, source }: ReceivedRequest,
        { refuse, serve }: Ways<A, E, R>
      ): Effect.fn.Return<A, E, R> {
        const queuedMillis = millisSinceArrival(source)
        const startedAt = (yield* Clock.currentTimeMillis) - queuedMillis
        const operation = endpoint.identifier
        // One that begins with a remembered session may be made again.
        const counted = new Map<string, Quota>()
        const serveAs = (session: AuthorizedSession, proof: SessionProof | null) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.updateContext(
              serve,
              sessionContext<R>({ session, proof, counted, waitedMillis: now - startedAt })
            )
          )
        const isKnown = (session: AuthorizedSession) => {
          callers.note(headers, session)
          noteInstance({ source }, session.instanceId)
        }
        const settled = (session: AuthorizedSession, exit: Exit.Exit<A, E>): Effect.Effect<A, E> => {
          const status = statusOfExit(exit, statusOf)
          return reasons.has(status)
            ? Effect.andThen(
                noted(status, { operation, session, isAudited: auditedByThemselves.has(operation) }),
                exit
              )
            : exit
        }

        const session =
          (yield* OnBehalfOf) === undefined ? yield* remembered.find(operation, bearerOf(headers)) : undefined
        const begun =
          session &&
          (yield* begin(session, (proof) => serveAs(session, proof), statusOf, authenticated(headers)))
        if (begun?._tag === "Proven") {
          isKnown(begun.session)
          return yield* settled(begun.session, begun.exit)
        }
        const judged = yield* Effect.result(
          begun?.authenticated ?? withinDeadline(endpoint, body, queuedMillis)(authenticated(headers))
        )
        if (judged._tag === "Failure") {
          const answer = yield* refuse(judged.failure)
          if (answer.status === 401) callers.forget(headers)
          yield* noted(answer.status, { operation, session: null })
          return answer
        }
        isKnown(judged.success)
        const holds = begun?.exit != null && holdsFor(begun, judged.success)
        return yield* settled(
          judged.success,
          holds ? begun.exit : yield* Effect.exit(serveAs(judged.success, null))
        )
      })
      return RequestAuthentication.of({ judge })
    })
  )
}

interface Serving {
  readonly session: AuthorizedSession
  readonly proof: SessionProof | null
  readonly counted: Map<string, Quota>
  readonly waitedMillis: number
}

/** What all work for a session knows of it, in one change of context. */
const sessionContext =
  <R>({ counted, proof, session, waitedMillis }: Serving) =>
  (context: Context.Context<R>): Context.Context<R | CurrentSession> =>
    context.pipe(
      Context.add(CurrentSession, session),
      Context.add(CurrentSessionProof, proof),
      Context.add(CountedBefore, counted),
      Context.add(WaitedMillis, waitedMillis),
      Context.add(CurrentTenant, tenantOf(session))
    )
