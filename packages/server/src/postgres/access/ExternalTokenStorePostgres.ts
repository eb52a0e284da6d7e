// External tokens in PostgreSQL: only the hash of a secret is stored, and a deleted token keeps its row for the audit log.
import { ExternalToken, externalTokens as collection } from "@rapport/contract/access/AccessApi.ts"
import { TOKEN_ANCESTORS_MAX } from "@rapport/contract/Limits.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { ExternalTokenStore } from "@rapport/core/access/ExternalTokenStore.ts"
import { Effect, Schema } from "effect"
import type { Sql } from "../sql/Fragment.ts"
import { hasRow, query, selectedCount, storeLayer, valuesOf } from "../sql/Query.ts"
import { listRows } from "../sql/ListQuery.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { auditedFrom, entryOf } from "../sql/Records.ts"
import { callerOf, keptToken, livingToken } from "../sql/Visibility.ts"

const columns = columnsOf("t", ExternalToken.fields)
const createdJson = recordJson(columnsOf("created", ExternalToken.fields), collection.members)
const tokenRows = valuesOf(Schema.toCodecJson(ExternalToken))

/** Condition on `caller u` and `external_tokens t`: it exists and the caller may see it (contract §2, tokens.manage). */
const visibleToken = `t.instance_id = u.instance_id and ${keptToken}
  and ('administrator' = any(u.roles) or t.user_id = u.user_id)`

type Store = ExternalTokenStore["Service"]

export const layer = storeLayer(ExternalTokenStore)((sql) => ({
  ...creation(sql),
  list: query("ExternalTokenStore.list", (session, request) =>
    listRows(
      sql,
      {
        collection,
        common: callerOf(session),
        from: sql.literal("external_tokens t, caller u"),
        where: sql.literal(visibleToken),
        columns
      },
      request
    )
  ),
  remove: query("ExternalTokenStore.remove", function* (session, id) {
    const change = yield* entryOf(session, { action: "external_token.delete" })
    const entry = auditedFrom("deleted", change, { entityId: "deleted.id::text" })
    return yield* hasRow(sql`with ${callerOf(session)},
          found as (select t.instance_id, t.id from external_tokens t, caller u
            where t.id = ${id} and ${sql.literal(visibleToken)}),
          deleted as (update external_tokens t set deleted_at = now() from found
            where t.instance_id = found.instance_id and t.deleted_at is null
              and (t.id = found.id or t.ancestor_ids @> array[found.id]) returning t.id),
          entry as (${entry})
          select id from deleted`)
  })
}))

const creation = (sql: Sql) =>
  ({
    // Two statements, because the count must include what was committed during the wait for the lock.
    lockCount: query("ExternalTokenStore.lockCount", ({ instanceId, userId }) =>
      Effect.andThen(
        sql`select 1 from users where instance_id = ${instanceId} and id = ${userId} for no key update`,
        selectedCount(sql`select count(*)::float8 as count from external_tokens t
        where t.instance_id = ${instanceId} and t.user_id = ${userId} and ${sql.literal(livingToken)}`)
      )
    ),

    create: query("ExternalTokenStore.create", function* (session, token) {
      const { actsAs, expiresAt, name, permissions, prefix } = token
      const change = yield* entryOf(session, {
        action: "external_token.create",
        details: { prefix, permissions, actsAs }
      })
      const entry = auditedFrom("created", change, { entityId: "created.id::text" })
      // The lock on the parent makes the insert fail if the parent is deleted at the same time.
      const parent =
        session.tokenId === null
          ? sql`select '{}'::int8[] as ids, null::timestamptz as expires_at`
          : sql`select t.ancestor_ids || t.id as ids, t.expires_at from external_tokens t
            where t.instance_id = ${session.instanceId} and t.id = ${session.tokenId}
              and cardinality(t.ancestor_ids) < ${TOKEN_ANCESTORS_MAX} and ${sql.literal(livingToken)} for share`
      return yield* tokenRows.find(sql`with parent as (${parent}), created as (
        insert into external_tokens (instance_id, user_id, acts_as, name, prefix, hash, permissions, expires_at, ancestor_ids)
        select ${session.instanceId}, ${session.userId}, ${actsAs}, ${name}, ${prefix}, ${token.hash}::bytea,
          ${permissions}::text[],
          least(${expiresAt === null ? null : isoOf(expiresAt)}::timestamptz, parent.expires_at), parent.ids
        from parent returning *),
      entry as (${entry})
      select ${sql.literal(createdJson)} as record from created`)
    })
  }) satisfies Partial<Store>
