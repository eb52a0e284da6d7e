// Reads the session of a request, in one statement with a timeout.
import { type AuthorizedSession, permissionsOf, Role } from "@rapport/contract/Authorization.ts"
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { AccessStore, AUTHENTICATION_MILLIS_MAX } from "@rapport/core/access/AccessStore.ts"
import { SourceUnavailable, withTimeout } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { shortRead } from "../connection/Lanes.ts"
import { query, valuesOf } from "../sql/Query.ts"
import { callerOf, livingToken, tokenMaker, tokenMakerRoles, tokenUser } from "../sql/Visibility.ts"

type Store = AccessStore["Service"]

const Ids = Schema.Array(PositiveInt)
const Texts = Schema.NullOr(Schema.Array(Schema.String))

/** `token` is the list of permissions of a token, null for a session; `makerRoles` as in `callerOf`. */
const FoundSession = Schema.Struct({
  instanceId: PositiveInt,
  userId: PositiveInt,
  sessionId: Schema.NullOr(Schema.String),
  tokenId: Schema.NullOr(PositiveInt),
  roles: Schema.Array(Role),
  seesAsUser: Schema.Boolean,
  token: Texts,
  makerRoles: Texts,
  skillGroupIds: Ids,
  subjectIds: Ids,
  colleagueIds: Ids
})

const sessionRows = valuesOf(FoundSession)

export const authenticationRead = <A>(
  read: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError | SourceUnavailable> =>
  shortRead(read).pipe(
    withTimeout(AUTHENTICATION_MILLIS_MAX, "database"),
    Effect.catchTag("SourceUnavailable", ({ source }) =>
      Effect.fail(new SourceUnavailable({ source, reason: "database_unavailable" }))
    )
  )

const sessionOf = (found: typeof FoundSession.Type | undefined): AuthorizedSession | undefined => {
  if (found === undefined) return undefined
  const { makerRoles, token, ...session } = found
  const ofMaker = makerRoles === null ? null : permissionsOf(makerRoles)
  const permissions = permissionsOf(session.roles).filter(
    (permission) =>
      (token === null || token.includes(permission)) && (ofMaker === null || ofMaker.includes(permission))
  )
  return { ...session, permissions: new Set(permissions) }
}

export const sessions = (sql: Sql) =>
  ({
    findSession: query("AccessStore.findSession", ({ instanceId, sessionId, userId }) =>
      Effect.map(
        authenticationRead(
          sessionRows.find(sql`with ${callerOf({ instanceId, userId, sessionId, tokenId: null })}
      select json_build_object('instanceId', u.instance_id, 'userId', u.user_id, 'sessionId', ${sessionId}::text,
        'tokenId', null, 'roles', u.roles, 'seesAsUser', u.sees_as_user, 'token', u.token, 'makerRoles', u.maker_roles,
        'skillGroupIds', u.skill_group_ids, 'subjectIds', u.subject_ids, 'colleagueIds', u.colleague_ids) as session
      from caller u`)
        ),
        sessionOf
      )
    ),

    findTokenSession: query("AccessStore.findTokenSession", (hash) =>
      Effect.map(
        authenticationRead(
          sessionRows.find(sql`select json_build_object('instanceId', t.instance_id, 'userId', m.user_id, 'sessionId', null, 'tokenId', t.id,
        'roles', m.roles, 'seesAsUser', t.acts_as is not null, 'token', t.permissions,
        'makerRoles', ${sql.literal(tokenMakerRoles)}, 'skillGroupIds', m.skill_group_ids, 'subjectIds', m.subject_ids,
        'colleagueIds', m.colleague_ids) as session
      from external_tokens t
      join ${sql.literal(tokenMaker)}
      join user_access m on m.instance_id = t.instance_id and m.user_id = ${sql.literal(tokenUser)} and m.status = 'active'
      where t.hash = ${hash}::bytea and ${sql.literal(livingToken)}`)
        ),
        sessionOf
      )
    )
  }) satisfies Partial<Store>
