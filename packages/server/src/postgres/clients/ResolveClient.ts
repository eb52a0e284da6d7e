// Resolves the client of a request and its appeal.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ClientPermission } from "@rapport/core/clients/ClientContextStore.ts"
import { Schema } from "effect"
import type { Sql } from "../sql/Fragment.ts"
import { shortReadInTime } from "../connection/Lanes.ts"
import { rowsOf } from "../sql/Query.ts"
import { appealVisible, callerOf, clientReadable, holds, survivorId } from "../sql/Visibility.ts"

const resolvedRows = rowsOf(
  Schema.Struct({ isAllowed: Schema.Boolean, clientId: Schema.NullOr(Schema.Int), appeal: Schema.Boolean })
)

/** `clientId` is that of the survivor, null if the caller may not use the client. */
export const resolveClient = (
  sql: Sql,
  session: AuthorizedSession,
  access: ClientPermission,
  { appealId, clientId }: { readonly clientId: number; readonly appealId?: number }
) => {
  const appeal = sql`${appealId ?? null}::int8`
  return shortReadInTime(
    resolvedRows.get(sql`with ${callerOf(session)},
      client as (select c.id from clients c, caller u where c.instance_id = u.instance_id
        and c.id = ${survivorId(session.instanceId, clientId)} and ${holds(access)}
        and (u.everything or ${clientReadable}))
    select exists (select 1 from caller u where ${holds(access)}) as "isAllowed",
      (select id from client)::float8 as "clientId",
      (${appeal} is null or exists (select 1 from appeals a, caller u where a.instance_id = u.instance_id
        and a.id = ${appeal} and a.client_id = (select id from client) and ${appealVisible})) as appeal`)
  )
}
