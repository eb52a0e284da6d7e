// A request may begin with the session that its token led to before, where the statement that reads what it answers with
// reads the session as well: one round trip less, and nothing leaves that is not of the present session.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { Context, Effect, Exit, Fiber } from "effect"
import { whenLate } from "../failures/SourceUnavailable.ts"
import { AUTHENTICATION_MILLIS_MAX } from "./AccessLimits.ts"

/** What became of a remembered session: not read yet, still what it was, or no more so. */
export interface SessionProof {
  state: "open" | "proven" | "stale"
  /** To be called where it takes long and is still open: authenticates the caller beside, since why it takes so long has to be known. */
  readonly isSlow: () => Fiber.Fiber<unknown, unknown>
}

/** Set around work that was begun with a remembered session; null where the session was read before. */
export const CurrentSessionProof = Context.Reference<SessionProof | null>("core/access/CurrentSessionProof", {
  defaultValue: () => null
})

/**
 * What a statement has found that reads the session as well, and judges by the rights that it finds. Where it is not proven, nothing
 * may be answered or written with it any more: the request is made again.
 */
export const judgeProof = (isProven: boolean): Effect.Effect<void, AccessDenied> =>
  Effect.flatMap(CurrentSessionProof, (proof) => {
    if (proof === null || proof.state === "proven") return Effect.void
    proof.state = isProven ? "proven" : "stale"
    return isProven ? Effect.void : Effect.fail(new AccessDenied())
  })

/** For what is to be done with a session that was read: where it was only remembered, the request is made again. */
export const requireProof: Effect.Effect<void, AccessDenied> = Effect.flatMap(CurrentSessionProof, (proof) =>
  proof?.state === "open" ? judgeProof(false) : Effect.void
)

/**
 * Around the statement that reads the session: where it takes too long, its caller is authenticated beside, which fails soon where no
 * database answers. It is never made twice: what one that waits for a lock has written would be a repeat to the next.
 */
export const provingInTime = <A, E, R>(
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, E | AccessDenied, R> =>
  Effect.flatMap(CurrentSessionProof, (proof) =>
    proof?.state === "open"
      ? whenLate<A, E, A, E | AccessDenied, never>(AUTHENTICATION_MILLIS_MAX, (rest) =>
          Effect.raceFirst(rest, untilRefused(proof))
        )(statement)
      : statement
  )

const untilRefused = (proof: SessionProof): Effect.Effect<never, AccessDenied> =>
  Effect.flatMap(
    Effect.suspend(() => Fiber.await(proof.isSlow())),
    (exit) => (Exit.isSuccess(exit) ? Effect.never : Effect.andThen(judgeProof(false), Effect.never))
  )

const areEqual = (some: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>): boolean =>
  some.length === others.length && some.every((one, at) => one === others[at])

/** Whether both have the same caller and rights. */
export const isSameSession = (one: AuthorizedSession, other: AuthorizedSession): boolean =>
  one.instanceId === other.instanceId &&
  one.userId === other.userId &&
  one.sessionId === other.sessionId &&
  one.tokenId === other.tokenId &&
  areEqual(one.roles, other.roles) &&
  areEqual([...one.permissions], [...other.permissions]) &&
  areEqual(one.skillGroupIds, other.skillGroupIds) &&
  areEqual(one.subjectIds, other.subjectIds) &&
  areEqual(one.colleagueIds, other.colleagueIds)
