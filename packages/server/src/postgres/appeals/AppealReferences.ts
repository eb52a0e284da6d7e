// Reads the records that a write of an appeal references, and locks its client.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { AppealReferences } from "@rapport/core/appeals/AppealDraft.ts"
import type { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import { Schema } from "effect"
import { type Fragment, idArray, type Sql, sql } from "../sql/Fragment.ts"
import { lockSelectedClient } from "../clients/LockClient.ts"
import { statement, type Tables } from "../sql/CommonTables.ts"
import { query, valuesOf } from "../sql/Query.ts"
import { appealVisible, callerOf, callerRow, clientReadable, survivorId } from "../sql/Visibility.ts"

const Ids = Schema.Array(Schema.Int)

export const KnownRow = Schema.Struct({
  isLocked: Schema.Boolean,
  clientId: Schema.NullOr(Schema.Int),
  subject: Schema.Boolean,
  operator: Schema.NullOr(Schema.Struct({ active: Schema.Boolean, roles: Schema.Array(Schema.String) })),
  unknownAuthorIds: Ids,
  otherClientIds: Ids,
  unknownChatIds: Ids,
  unknownBotIds: Ids
})
const knownRows = valuesOf(KnownRow)

/** The ids that do not belong to the client with the surviving id `clientId`. */
const strangers = (ids: ReadonlyArray<number>, clientId: Fragment, instanceId: number) =>
  sql`select sent_id from unnest(${idArray([...new Set(ids)])}) sent_id where not exists (select 1 from clients named
    where named.instance_id = ${instanceId} and named.id = sent_id and coalesce(named.merged_into_id,
      named.id) = ${clientId})`

/**
 * Tables after `caller`, up to `known` with its one JSON `record`. A create may reference any client that the caller may read, and a
 * caller who sees the whole instance any of its clients (contract §2). Locks client and operator against a merge and a block.
 */
export const referenceTables = (session: AuthorizedSession, named: AppealReferences): Tables => ({
  client: sql`select c.id as locked_id, coalesce(c.merged_into_id, c.id) as id from clients c, caller u
      where c.instance_id = u.instance_id and c.id = ${survivorId(session.instanceId, named.clientId)}
        and c.erased_at is null and (u.everything or ${clientReadable}) for key share of c`,
  locked_operator: sql`select operator.status, operator.roles from users operator, caller u
      where operator.instance_id = u.instance_id and operator.id = ${named.operatorId}::int8
      for share of operator`,
  known: sql`select json_build_object(
    'isLocked', coalesce((select locked_id = id from client), true), 'clientId', (select id from client),
    'subject', exists (select 1 from subjects subject, caller u
      where subject.instance_id = u.instance_id and subject.id = ${named.subjectId}::int8),
    'operator', (select json_build_object('active', operator.status = 'active', 'roles', operator.roles)
      from locked_operator operator),
    'unknownAuthorIds', array(select sent_id from unnest(${idArray([...new Set(named.authorIds)])}) sent_id
      where not exists (
      select 1 from users author, caller u where author.instance_id = u.instance_id and author.id = sent_id)),
    'otherClientIds', array(${strangers(named.clientAuthorIds, sql`(select id from client)`, session.instanceId)}),
    'unknownChatIds', array(select sent_id from unnest(${idArray(named.chatIds)}) sent_id where not exists (
      select 1 from appeals a, caller u where a.instance_id = u.instance_id and a.id = sent_id and a.kind = 'chat'
        and a.client_id = (select id from client) and ${appealVisible})),
    'unknownBotIds', array(select sent_id from unnest(${idArray([...new Set(named.botIds)])}) sent_id
      where not exists (
      select 1 from bots bot, caller u where bot.instance_id = u.instance_id and bot.id = sent_id))) as record`
})

/** To be run in the transaction of a write. */
export const referenceMethods = (sql: Sql) =>
  ({
    checkReferences: query("AppealStore.checkReferences", function* (session, named) {
      const tables = { caller: callerRow(session), ...referenceTables(session, named) }
      for (;;) {
        const known = yield* knownRows.get(statement(sql, tables, sql`select record from known`))
        // The client was merged during the wait for its lock. Its survivor is not locked yet.
        if (known.isLocked) return known
      }
    }),

    lockClient: query("AppealStore.lockClient", (session, kind, id) =>
      lockSelectedClient(
        sql,
        session.instanceId,
        sql`with ${callerOf(session)} select a.client_id from appeals a, caller u
          where a.instance_id = u.instance_id and a.id = ${id} and a.kind = ${kind} and ${appealVisible}`
      )
    )
  }) satisfies Partial<AppealStore["Service"]>

/** Locks the client of an appeal that a provider writes into. */
export const lockClientOfAppeal = (sql: Sql, instanceId: number, id: number) =>
  lockSelectedClient(
    sql,
    instanceId,
    sql`select a.client_id from appeals a where a.instance_id = ${instanceId} and a.id = ${id}`
  )
