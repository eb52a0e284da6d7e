// Authentication: which scheme the caller uses, which session it names, and how the request goes on with it (docs/contract.md §2).
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import { RateLimited, SearchUnavailable, Unauthenticated } from "@rapport/contract/Errors.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { CurrentSessionProof, isSameSession, type SessionProof } from "@rapport/core/access/SessionProof.ts"
import { type Denial, type DenialReason, Denials } from "@rapport/core/audit/Denials.ts"
import { WaitedMillis } from "@rapport/core/context/read/ContextPlan.ts"
import type { Quota } from "@rapport/core/traffic/RateLimits.ts"
import { CurrentTenant, tenantOf } from "@rapport/core/traffic/FairPermits.ts"
import { Clock, Context, Effect, Exit, type Fiber, Layer, Predicate } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { millisSinceArrival, noteInstance, type SeenRequest } from "./RequestOrigin.ts"
import { CountedBefore, RecentCallers } from "./RateLimitsHttp.ts"
import { makeTokenGuard } from "./AnonymousLimit.ts"
import { type BodyBytes, withinDeadline } from "./AuthenticationDeadline.ts"
import { VERIFIED_TOKENS_MAX } from "@rapport/core/access/AccessLimits.ts"
import { HttpSettings } from "../HttpSettings.ts"

/** A request before it is known whose it is. */
interface ReceivedRequest {
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
  bearer.exec(headerOf(headers, "authorization") ?? "")?.[1]

/** Who asks: by either scheme, and remembered for the routes that prove it themselves. */
const makeAuthentication = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const guard = yield* makeTokenGuard
  const remembered = yield* makeRememberedSessions
  const authenticated = Effect.fnUntraced(function* (headers: SeenRequest["headers"]) {
    const caller = yield* OnBehalfOf
    if (caller !== undefined) return caller.session
    const external = headerOf(headers, "x-auth-token")
    const token = bearerOf(headers)
    // Generated clients send their one token under both schemes.
    if (headers["authorization"] !== undefined && external !== undefined && external !== token)
      return yield* new Unauthenticated()
    const isAccessToken =
      token !== undefined &&
      (external === undefined || (yield* Effect.isSuccess(authenticator.verify(token))))
    if (!isAccessToken && external !== undefined && external !== "")
      return yield* guard.opaque(external, authenticator.external(external))
    if (!isAccessToken) return yield* new Unauthenticated()
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
          (yield* OnBehalfOf) === undefined && headers["x-auth-token"] === undefined
            ? yield* remembered.find(operation, bearerOf(headers))
            : undefined
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

/** Permissions and ids of the sessions that are remembered together: some tens of megabytes. */
export const REMEMBERED_ITEMS_MAX = 1_000_000

/**
 * Routes whose use case proves the session (SessionProof): their first statement reads the session with what they answer, so they need
 * no statement of authentication where the session is remembered. They begin with it, and what they answered counts only if that
 * statement has found it unchanged.
 */
const provenByThemselves: ReadonlySet<string> = new Set([
  "retrieve",
  "listChats",
  "listTickets",
  "createChat",
  "registerClientAction",
  "putClientState",
  "getClientState",
  "listClientActions",
  "listClientState",
  "listClientStateHistory"
])

/** How a request went that was begun with a remembered session. */
type Begun<A, E> =
  /** As the session that it was begun with. */
  | { readonly _tag: "Proven"; readonly exit: Exit.Exit<A, E>; readonly session: AuthorizedSession }
  /** The caller is to be authenticated; `exit` holds if they are who they were, null: begin again. */
  | {
      readonly _tag: "Unproven"
      readonly exit: Exit.Exit<A, E> | null
      readonly session: AuthorizedSession
      /** Of the authentication beside, where it found nobody, or no time is left for another. */
      readonly authenticated: Effect.Effect<AuthorizedSession, Refusal> | undefined
    }

/** Why nobody is authenticated. */
type Refusal = Unauthenticated | RateLimited | SearchUnavailable

export const makeRememberedSessions = Effect.gen(function* () {
  const { remembersSessions } = yield* HttpSettings
  const authenticator = yield* Authenticator
  const sessions = new Map<string, AuthorizedSession>()
  let items = 0
  const forget = (token: string) => {
    const session = sessions.get(token)
    if (session === undefined) return
    sessions.delete(token)
    items -= itemsOf(session)
  }

  const find = Effect.fnUntraced(function* (token: string) {
    const session = sessions.get(token)
    if (session === undefined) return undefined
    const claims = yield* Effect.result(authenticator.verify(token))
    return claims._tag === "Success" && claims.success.sessionId === session.sessionId ? session : undefined
  })

  return {
    /** Remembers the session of a token, and forgets that of a token which leads to none any more. */
    note: (token: string, session: AuthorizedSession | undefined): void => {
      forget(token)
      if (!remembersSessions || session === undefined) return
      const more = itemsOf(session)
      if (more > REMEMBERED_ITEMS_MAX) return
      for (const oldest of sessions.keys()) {
        if (sessions.size < VERIFIED_TOKENS_MAX && items + more <= REMEMBERED_ITEMS_MAX) break
        forget(oldest)
      }
      sessions.set(token, session)
      items += more
    },
    /** The session to begin a request of this route with. */
    find: (operation: string, token: string | undefined) =>
      token === undefined || !provenByThemselves.has(operation) ? Effect.undefined : find(token)
  }
})

const itemsOf = ({ colleagueIds, permissions, skillGroupIds, subjectIds }: AuthorizedSession): number =>
  permissions.size + skillGroupIds.length + subjectIds.length + colleagueIds.length

/** Runs a request with a remembered session. `statusOf` of what failed; `authenticate` runs beside a slow statement. */
export const begin = Effect.fnUntraced(function* <A extends { readonly status: number }, E, R, R2>(
  session: AuthorizedSession,
  serve: (proof: SessionProof) => Effect.Effect<A, E, R>,
  statusOf: (error: E) => number,
  authenticate: Effect.Effect<AuthorizedSession, Refusal, R2>
): Effect.fn.Return<Begun<A, E>, never, R | R2> {
  const context = yield* Effect.context<R2>()
  let beside: Fiber.Fiber<AuthorizedSession, Refusal> | undefined
  const proof: SessionProof = {
    state: "open",
    isSlow: () => (beside ??= Effect.runForkWith(context)(authenticate))
  }
  let known: Exit.Exit<AuthorizedSession, Refusal> | undefined
  // Also where the caller is gone.
  const settle = Effect.sync(() => {
    known = beside?.pollUnsafe()
    beside?.interruptUnsafe()
  })
  const exit = yield* Effect.exit(serve(proof)).pipe(Effect.ensuring(settle))
  if (proof.state === "proven") return { _tag: "Proven", exit, session }
  const isAway = proof.state === "open" && statusOfExit(exit, statusOf) === 503
  const refused = known !== undefined && Exit.isFailure(known) ? known : undefined
  return {
    _tag: "Unproven",
    exit: proof.state === "stale" ? null : exit,
    session,
    authenticated: isAway ? (known ?? Effect.fail(databaseAway())) : refused
  }
})

const databaseAway = () => new SearchUnavailable({ reason: "database_unavailable" })

const statusOfExit = <A extends { readonly status: number }, E>(
  exit: Exit.Exit<A, E>,
  statusOf: (error: E) => number
): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  const failed = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failed === undefined ? 0 : statusOf(failed.error)
}

/** Whether what a request came to holds for the session that its caller was found in. */
const holdsFor = (begun: { readonly session: AuthorizedSession }, session: AuthorizedSession): boolean =>
  isSameSession(begun.session, session)

/** A caller who is not authenticated learns nothing of quotas. */
export const hideQuota = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(
    ["ratelimit", "ratelimit-policy"].reduce(
      (shown: HttpServerResponse.HttpServerResponse, name) => HttpServerResponse.removeHeader(shown, name),
      response
    )
  )
)
