// Hands over the open appeals of a user who leaves (contract §9, "Users"; §7, waiting).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { audit } from "../sql/Records.ts"

/**
 * Assigns them to the successor and records the participation, or removes their operator. A chat without an operator waits since its
 * first unanswered client message, or since its creation if it is incoming and empty.
 */
export const handOver = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  userId: number,
  successorId: number | null
): Effect.fn.Return<void, SqlError.SqlError> {
  const { instanceId } = session
  const now = isoOf(yield* Clock.currentTimeMillis)
  const open = sql`a.instance_id = ${instanceId} and a.operator_id = ${userId} and a.status_group <> 'done'`
  yield* sql`select 1 from appeals a where ${open} order by a.id for no key update`
  const moved =
    successorId === null
      ? yield* sql`update appeals a set operator_id = null, version = version + 1, updated_at = ${now}::timestamptz,
            status = case a.kind when 'chat' then 'waiting' else a.status end,
            status_group = case a.kind when 'chat' then 'new' else a.status_group end,
            waiting_since = case when a.kind = 'chat' and a.message_count = 0 and not a.is_outgoing
              then a.created_at else a.waiting_since end
          where ${open} returning 1`
      : yield* sql`update appeals a set operator_id = ${successorId}, version = version + 1,
            updated_at = ${now}::timestamptz,
            operator_ids = case when ${successorId}::int8 = any(a.operator_ids) then a.operator_ids
              else a.operator_ids || ${successorId}::int8 end
          where ${open} returning 1`
  if (moved.length > 0)
    yield* audit(sql, session, {
      action: "user.hand_over",
      id: userId,
      details: { appeals: moved.length, toId: successorId }
    })
})
