// A session as authentication would make it, for tests that need one.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"

/** Of the first user of the first instance, without roles or permissions, but for what is given. */
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
