// AccessStore in PostgreSQL: every read and every conditional change is one statement.
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { storeLayer } from "../sql/Query.ts"
import { sessions } from "./AuthenticatedSessions.ts"
import { invitations, logins } from "./Logins.ts"
import { revocation, refreshTokens } from "./RefreshTokens.ts"

export const layer = storeLayer(AccessStore)((sql) => ({
  ...sessions(sql),
  ...logins(sql),
  ...invitations(sql),
  ...refreshTokens(sql),
  ...revocation(sql)
}))
