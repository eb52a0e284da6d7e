// Resolves the client of a request with its appeal and subject references.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { shortReadInTime } from "../connection/Lanes.ts"
import { rowsOf } from "../sql/Query.ts"
import { appealVisible, callerOf, clientReadable, holds, survivorId } from "../sql/Visibility.ts"

const resolvedRows = rowsOf(
  Schema.Struct({
    isAllowed: Schema.Boolean,
    id: Schema.NullOr(Schema.Int),
    appeal: Schema.Boolean,
    subject: Schema.Boolean
  })
)

type Access = Parameters<ClientContextStore["Service"]["resolve"]>[1]

/** `clientId` is that of the survivor. `references` is undefined if the caller may not use the client. */
export const resolveClient = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  session: AuthorizedSession,
  access: Access,
  requested: { readonly clientId: number; readonly appealId?: number; readonly subjectId?: number }
) {
  const { appealId = null, clientId, subjectId = null } = requested
  const { appeal, id, isAllowed, subject } = yield* shortReadInTime(
    resolvedRows.get(sql`with ${callerOf(sql, session)},
      client as (select c.id from clients c, caller u where c.instance_id = u.instance_id
        and c.id = ${survivorId(sql, session.instanceId, clientId)} and ${holds(sql, access)}
        and (u.everything or ${clientReadable(sql)}))
    select exists (select 1 from caller u where ${holds(sql, access)}) as "isAllowed", (select id from client)::float8 as id,
      (${appealId}::int8 is null or exists (select 1 from appeals a, caller u where a.instance_id = u.instance_id
        and a.id = ${appealId}::int8 and a.client_id = (select id from client) and ${appealVisible(sql)})) as appeal,
      (${subjectId}::int8 is null or exists (select 1 from subjects subject
        where subject.instance_id = ${session.instanceId}
        and subject.id = ${subjectId}::int8)) as subject`)
  )
  return { isAllowed, references: id === null ? undefined : { clientId: id, appeal, subject } }
})
