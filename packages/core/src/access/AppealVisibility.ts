// Which appeals a caller may see, as a filter for the search index: the same rules as in SQL, which decides.
import {
  rolesHolding,
  rolesSeeingAll,
  rolesSeeingClosed,
  type Role
} from "@rapport/contract/access/Permission.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { DocumentVisibility } from "../search/DocumentIndex.ts"

/** A token sees everything only while its maker may make tokens (docs/contract.md §12). */
const makers: ReadonlyArray<Role> = rolesHolding["tokens.manage"]
const nobody: ReadonlyArray<number> = []

/** Visibility of appeals, docs/contract.md §2; of several roles the union. A law compares it with the SQL. */
export const appealVisibilityOf = (session: AuthorizedSession): DocumentVisibility => {
  const token = session.tokenId !== null
  const mayMakeTokens = session.roles.some((role) => makers.includes(role))
  const holds = (roles: ReadonlyArray<Role>) => !token && session.roles.some((role) => roles.includes(role))
  const supervises = holds(["supervisor"])
  const answers = holds(["operator", "light_agent"])
  const participants = [
    ...(supervises ? session.colleagueIds : nobody),
    ...(answers ? [session.userId] : nobody)
  ]
  return {
    everything: (token && mayMakeTokens) || holds(rolesSeeingAll),
    closed: holds(rolesSeeingClosed),
    subjectIds: supervises ? session.subjectIds : nobody,
    unassignedSubjectIds: answers ? session.subjectIds : nobody,
    participantIds: [...new Set(participants)],
    authorIds: token ? nobody : [session.userId]
  }
}
