// Reads the session of a request, in one statement with a timeout.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { AUTHENTICATION_MILLIS_MAX } from "@rapport/core/access/AccessLimits.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { SourceUnavailable, withTimeout } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { shortRead } from "../connection/Lanes.ts"
import { query, rowsOf } from "../sql/Query.ts"
import {
  callerOf,
  livingToken,
  rightsFields,
  sessionWith,
  tokenMaker,
  tokenMakerRoles,
  tokenUser
} from "../sql/Visibility.ts"

type Sql = SqlClient.SqlClient
type Store = AccessStore["Service"]

/** Instance, user, session, token, then the rights. */
const SessionRow = Schema.Struct({
  session: Schema.Tuple([
    PositiveInt,
    PositiveInt,
    Schema.NullOr(Schema.String),
    Schema.NullOr(PositiveInt),
    ...rightsFields
  ])
})

const sessionRows = rowsOf(SessionRow)

export const authenticationRead = <A>(
  read: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError | SourceUnavailable> =>
  shortRead(read).pipe(
    withTimeout(AUTHENTICATION_MILLIS_MAX, "database"),
    Effect.catchTag("SourceUnavailable", ({ source }) =>
      Effect.fail(new SourceUnavailable({ source, reason: "database_unavailable" }))
    )
  )

const sessionOf = (row: typeof SessionRow.Type | undefined): AuthorizedSession | undefined => {
  if (row === undefined) return undefined
  const [instanceId, userId, sessionId, tokenId, ...rights] = row.session
  return sessionWith({ instanceId, userId, sessionId, tokenId }, rights)
}

export const sessions = (sql: Sql) =>
  ({
    findSession: query("AccessStore.findSession", ({ instanceId, sessionId, userId }) =>
      Effect.map(
        authenticationRead(
          sessionRows.find(sql`with ${callerOf(sql, { instanceId, userId, sessionId, tokenId: null })}
      select json_build_array(u.instance_id, u.user_id, ${sessionId}::text, null, u.roles, u.sees_as_user, u.token, u.maker_roles,
        u.skill_group_ids, u.subject_ids, u.colleague_ids) as session from caller u`)
        ),
        sessionOf
      )
    ),

    findTokenSession: query("AccessStore.findTokenSession", (hash) =>
      Effect.map(
        authenticationRead(
          sessionRows.find(sql`select json_build_array(t.instance_id, m.user_id, null, t.id, m.roles,
        t.acts_as is not null, t.permissions, ${sql.literal(tokenMakerRoles)}, m.skill_group_ids, m.subject_ids, m.colleague_ids) as session
      from external_tokens t
      join ${sql.literal(tokenMaker)}
      join user_access m on m.instance_id = t.instance_id and m.user_id = ${sql.literal(tokenUser)} and m.status = 'active'
      where t.hash = ${hash}::bytea and ${sql.literal(livingToken)}`)
        ),
        sessionOf
      )
    )
  }) satisfies Partial<Store>
