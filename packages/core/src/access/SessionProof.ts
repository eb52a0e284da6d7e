// A request may begin with the session that its token led to before, where the statement that reads what it answers with
// reads the session as well: one round trip less, and nothing leaves that is not of the present session.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import { Context, Effect } from "effect"
import { abandonAfter } from "../failures/WithDeadline.ts"
import { AUTHENTICATION_MILLIS_MAX } from "./AccessLimits.ts"

/** What became of a remembered session: not read yet, still what it was, or no more so. */
export interface SessionProof {
  state: "open" | "proven" | "stale"
  /** To be called where half of the time has passed and it is still open: why it takes so long has to be known in the end. */
  readonly isSlow: () => void
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

/**
 * Around the statement that reads the session: where it takes too long, the request is made again with an authentication of its own,
 * which fails soon where no database answers.
 */
export const provingInTime = <A, E, R>(statement: Effect.Effect<A, E, R>) =>
  Effect.flatMap(CurrentSessionProof, (proof): Effect.Effect<A, E | AccessDenied, R> =>
    proof?.state === "open"
      ? abandonAfter(AUTHENTICATION_MILLIS_MAX, () => judgeProof(false).pipe(Effect.andThen(Effect.never)))(
          statement
        )
      : statement
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
