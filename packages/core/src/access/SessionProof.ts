// A request may begin with the session that its token led to before, where the statement that reads what it answers with
// reads the session as well: one round trip less, and nothing leaves that is not of the present session.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context } from "effect"

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
