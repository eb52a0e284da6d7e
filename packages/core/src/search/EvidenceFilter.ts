// Which documents a query may name: what a caller may see, as a filter (the same rules as in SQL, which decides), and the test of
// scope, visibility and time on the header that an index keeps of each.
import { BOTH_OF_GROUP_WEIGHT } from "./ranking/RankingWeights.ts"
import type { DocumentQuery, DocumentScope, DocumentVisibility } from "./DocumentIndex.ts"
import type { Facets, IndexedDocument } from "./DocumentProjection.ts"
import {
  type AuthorizedSession,
  type Role,
  rolesHolding,
  rolesSeeingAll,
  rolesSeeingClosed
} from "@rapport/contract/Authorization.ts"

/** A token sees everything only while its maker may make tokens (contract §2). */
const makers: ReadonlyArray<Role> = rolesHolding["tokens.manage"]
const nobody: ReadonlyArray<number> = []

/** Visibility of appeals, contract §2; of several roles the union. A law compares it with the SQL. */
export const appealVisibilityOf = (session: AuthorizedSession): DocumentVisibility => {
  const token = !session.seesAsUser
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
    authorIds: token ? nobody : [session.userId],
    hiddenIds: nobody
  }
}

export type EvidenceHeader = Facets & Pick<IndexedDocument, "createdAt" | "documentId">

type GroupScope = Extract<DocumentScope, { readonly _tag: "Group" }>

const hasSubject = ({ subjectIds }: GroupScope, { subjectId }: EvidenceHeader): boolean =>
  subjectId !== null && subjectIds.includes(subjectId)

const hasMember = ({ userIds }: GroupScope, { operatorIds }: EvidenceHeader): boolean =>
  operatorIds.some((id) => userIds.includes(id))

/** The factor of the score of an appeal in the scope. */
export const weightIn = (scope: DocumentScope, header: EvidenceHeader): number =>
  scope._tag === "Group" && hasSubject(scope, header) && hasMember(scope, header) ? BOTH_OF_GROUP_WEIGHT : 1

/** The caller's visibility as a test of headers (contract §2): what any one member admits passes, but for what is hidden. */
export const admits = (visibility: DocumentVisibility): ((header: EvidenceHeader) => boolean) => {
  const hidden = new Set(visibility.hiddenIds)
  const subjects = new Set(visibility.subjectIds)
  const unassigned = new Set(visibility.unassignedSubjectIds)
  const participants = new Set(visibility.participantIds)
  const authors = new Set(visibility.authorIds)
  return (header) =>
    !hidden.has(header.documentId) &&
    (visibility.everything ||
      (visibility.closed && header.closed) ||
      (header.subjectId !== null && subjects.has(header.subjectId)) ||
      (header.subjectId !== null && header.operatorId === null && unassigned.has(header.subjectId)) ||
      header.operatorIds.some((id) => participants.has(id)) ||
      (header.authorId !== null && authors.has(header.authorId)))
}

/** Visible and within the half-open range of the query. */
export const passes = (
  query: Pick<DocumentQuery, "visibility" | "from" | "to">
): ((header: EvidenceHeader) => boolean) => {
  const visible = admits(query.visibility)
  const { from, to } = query
  return (header) =>
    (from === null || header.createdAt >= from) && (to === null || header.createdAt < to) && visible(header)
}
