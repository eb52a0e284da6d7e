// Routes whose first statement reads the session with what they answer need no statement of authentication where the session
// is remembered: they begin with it, and what they answered counts only if that statement has found it unchanged.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { type RateLimited, SearchUnavailable, type Unauthenticated } from "@rapport/contract/Errors.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { isSameSession, type SessionProof } from "@rapport/core/access/SessionProof.ts"
import { VERIFIED_TOKENS_MAX } from "@rapport/core/access/AccessLimits.ts"
import { Effect, Exit, type Fiber } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpSettings } from "../HttpSettings.ts"

/** Permissions and ids of the sessions that are remembered together: some tens of megabytes. */
export const REMEMBERED_ITEMS_MAX = 1_000_000

/** Routes whose use case proves the session (SessionProof). */
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

export const statusOfExit = <A extends { readonly status: number }, E>(
  exit: Exit.Exit<A, E>,
  statusOf: (error: E) => number
): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  const failed = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failed === undefined ? 0 : statusOf(failed.error)
}

/** Whether what a request came to holds for the session that its caller was found in. */
export const holdsFor = (
  begun: { readonly session: AuthorizedSession },
  session: AuthorizedSession
): boolean => isSameSession(begun.session, session)

/** A caller who is not authenticated learns nothing of quotas. */
export const hideQuota = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(
    ["ratelimit", "ratelimit-policy"].reduce(
      (shown: HttpServerResponse.HttpServerResponse, name) => HttpServerResponse.removeHeader(shown, name),
      response
    )
  )
)
