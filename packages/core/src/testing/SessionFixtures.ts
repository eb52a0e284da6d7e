// A session as authentication would return it.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"

/** A session of user 1 of instance 1 without roles and permissions, changed by `given`. */
export const anySession = (given: Partial<AuthorizedSession> = {}): AuthorizedSession => ({
  instanceId: 1,
  userId: 1,
  sessionId: "01990000-0000-7000-8000-000000000000",
  tokenId: null,
  seesAsUser: true,
  roles: [],
  permissions: new Set(),
  skillGroupIds: [],
  subjectIds: [],
  colleagueIds: [],
  ...given
})
