// The session of the command line: every permission in one instance, without a user.
import { type AuthorizedSession, permissions } from "@rapport/contract/Authorization.ts"

/** No user has this id: ids begin at 1. */
export const SYSTEM_USER_ID = 0

export const systemSession = (instanceId: number): AuthorizedSession => ({
  instanceId,
  userId: SYSTEM_USER_ID,
  sessionId: null,
  tokenId: null,
  seesAsUser: true,
  roles: [],
  permissions: new Set(permissions),
  skillGroupIds: [],
  subjectIds: [],
  colleagueIds: []
})
