// How a chat or a ticket is written over as its next version, with its audit entry (contract §7).
import { Chat } from "@rapport/contract/appeals/ChatsApi.ts"
import { Ticket } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { chatGroup } from "@rapport/core/appeals/AppealDraft.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { Clock, Effect, Schema } from "effect"
import { type Fragment, idArray, type Sql, sql } from "../sql/Fragment.ts"
import { type Rows, valuesOf } from "../sql/Query.ts"
import { audit } from "../sql/Records.ts"
import { timeOf } from "../sql/SqlTime.ts"
import { chatJson, ticketJson } from "./AppealColumns.ts"

const chatRows = valuesOf(Schema.toCodecJson(Chat))
const ticketRows = valuesOf(Schema.toCodecJson(Ticket))

/** Returns the chat afterwards. */
export const updateChat = (sql: Sql, session: AuthorizedSession, [found, next]: readonly [Chat, Chat]) =>
  chatRows.get(
    update(
      sql,
      session,
      { kind: "chat", json: chatJson, found, next },
      sql`status = ${next.status}, status_group = ${chatGroup[next.status]}, subject_id = ${next.subjectId},
      operator_id = ${next.operatorId}, operator_ids = ${idArray(next.operatorIds)},
      priority = ${next.priority}, comment = ${next.comment}, tags = ${next.tags}::text[],
      custom_fields = ${JSON.stringify(next.customFields)}::text::json,
      waiting_since = ${timeOf(next.waitingSince)}, closed_at = ${timeOf(next.closedAt)},
      closed_by = ${next.closedBy}, postponed_until = ${timeOf(next.postponedUntil)}`
    )
  )

/** Returns the ticket afterwards, with the chats that the user sees. */
export const updateTicket = (
  sql: Sql,
  session: AuthorizedSession,
  [found, next]: readonly [Ticket, Ticket]
) => {
  const rows = update(
    sql,
    session,
    { kind: "ticket", json: ticketJson, found, next },
    sql`status = ${next.status}, status_group = ${next.statusGroup}, subject_id = ${next.subjectId},
      operator_id = ${next.operatorId},
      operator_ids = case when ${next.operatorId}::int8 is null or ${next.operatorId}::int8 = any(a.operator_ids)
        then a.operator_ids else a.operator_ids || ${next.operatorId}::int8 end,
      priority = ${next.priority}, title = ${next.title}, description = ${next.description},
      chat_ids = ${withUnseen(next.chatIds, found.chatIds)}, custom_fields = ${JSON.stringify(next.customFields)}::text::json,
      tags = ${next.tags}::text[], due_at = ${timeOf(next.dueAt)}, closed_at = ${timeOf(next.closedAt)}`
  )
  return Effect.map(ticketRows.get(rows), (ticket) => ({ ...ticket, chatIds: next.chatIds }))
}

interface Change<A> {
  readonly kind: "chat" | "ticket"
  /** SQL of the record of `appeals a`. */
  readonly json: string
  readonly found: A
  readonly next: A
}

const update = <A extends { readonly id: number }>(
  sql: Sql,
  session: AuthorizedSession,
  { found, json, kind, next }: Change<A>,
  columns: Fragment
): Rows =>
  Effect.gen(function* () {
    const now = isoOf(yield* Clock.currentTimeMillis)
    const rows = yield* sql`update appeals a set ${columns}, version = a.version + 1,
        updated_at = ${now}::timestamptz where a.instance_id = ${session.instanceId} and a.id = ${next.id}
      returning ${sql.literal(json)} as record`
    const details = { changed: changedMembers(found, next) }
    yield* audit(sql, session, { action: `${kind}.update`, id: next.id, details })
    return rows
  })

/** The chats of a ticket after a change by a user who saw `seen` of them: those they did not see stay. */
const withUnseen = (next: ReadonlyArray<number>, seen: ReadonlyArray<number>): Fragment =>
  sql`array(select distinct id from unnest(${idArray(next)} || array(
    select kept from unnest(a.chat_ids) kept where not (kept = any(${idArray(seen)})))) id order by id)`
