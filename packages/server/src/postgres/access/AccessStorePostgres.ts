// AccessStore in PostgreSQL: every read and every conditional change is one statement.
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sessions } from "./AuthenticatedSessions.ts"
import { invitations, logins } from "./Logins.ts"
import { revocation, refreshTokens } from "./RefreshTokens.ts"

export const layer: Layer.Layer<AccessStore, never, SqlClient.SqlClient> = Layer.effect(
  AccessStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    AccessStore.of({
      ...sessions(sql),
      ...logins(sql),
      ...invitations(sql),
      ...refreshTokens(sql),
      ...revocation(sql)
    })
  )
)
