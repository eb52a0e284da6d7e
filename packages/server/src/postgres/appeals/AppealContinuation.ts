// Adds what is new of an imported chat or ticket, and ends it if it has ended (contract §7, "Creating").
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Visibility } from "@rapport/contract/appeals/AppealsApi.ts"
import { answeringAfter, addParticipants, initialAnswering } from "@rapport/core/appeals/Answering.ts"
import { type AppealDraft, slicesOf } from "@rapport/core/appeals/AppealDraft.ts"
import type { UnknownFiles } from "@rapport/core/appeals/AppealStore.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { idArray, type Sql } from "../sql/Fragment.ts"
import { rowsOf, selectedCount } from "../sql/Query.ts"
import { audit } from "../sql/Records.ts"
import { timeOf } from "../sql/SqlTime.ts"
import { attachHistoryFiles } from "../files/FileStorePostgres.ts"
import { addSlice } from "./AppealWrites.ts"

const lockedRows = rowsOf(
  Schema.Struct({
    clientId: Schema.Int,
    count: Schema.Int,
    isOpen: Schema.Boolean,
    waits: Schema.Boolean,
    createdAt: Schema.Finite,
    operatorIds: Schema.Array(Schema.Int)
  })
)
const writtenRows = rowsOf(
  Schema.Struct({
    authorType: Schema.Literals(["client", "operator", "bot", "system"]),
    visibility: Visibility,
    occurredAt: Schema.Finite
  })
)

/** In a transaction that has locked the client. */
export const continueHistory = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  id: number,
  draft: AppealDraft
): Effect.fn.Return<void, SqlError.SqlError | UnknownFiles> {
  const { instanceId } = session
  const locked =
    yield* lockedRows.get(sql`select a.client_id::float8 as "clientId", a.message_count as count, a.closed_at is null as "isOpen",
      a.kind = 'chat' and a.status = 'waiting' and not a.is_outgoing as waits,
      extract(epoch from a.created_at)::float8 * 1000 as "createdAt", to_json(a.operator_ids) as "operatorIds"
    from appeals a where a.instance_id = ${instanceId} and a.id = ${id} for no key update`)
  const { clientId, operatorIds } = locked
  let count = locked.count
  const sent = draft.messages.filter(({ externalMessageId }) => externalMessageId !== null)
  for (const slice of slicesOf(sent)) {
    const added = addSlice(session, { id, clientId, count }, slice, draft.recordedAt)
    count += yield* selectedCount(sql`with message as (${added}
        where not exists (select 1 from appeal_messages known where known.instance_id = owner.instance_id
          and known.appeal_id = owner.id and known.external_message_id = added.external_message_id) returning 1)
      select count(*)::float8 as count from message`)
  }
  // A message without externalMessageId was not added.
  const messages = draft.messages.map((message) =>
    message.externalMessageId === null ? { ...message, attachmentIds: [] } : message
  )
  yield* attachHistoryFiles(sql, session, { appealId: id, after: locked.count, messages })
  const ends = locked.isOpen && draft.closedAt !== null
  if (count === locked.count && !ends) return
  const written = yield* writtenRows.all(sql`select message.author_type as "authorType", message.visibility,
      extract(epoch from message.occurred_at)::float8 * 1000 as "occurredAt" from appeal_messages message
    where message.instance_id = ${instanceId} and message.appeal_id = ${id}
    order by message.occurred_at, message.sequence`)
  const { firstResponseAt, waitingSince } = written.reduce(answeringAfter, initialAnswering(locked))
  const waits = draft.kind === "chat" && locked.isOpen && !ends
  const operators = draft.messages.map(({ authorId, authorType }) =>
    authorType === "operator" ? authorId : null
  )
  yield* sql`update appeals a set message_count = ${count}, updated_at = ${timeOf(draft.recordedAt)},
      last_message_at = (select max(message.occurred_at) from appeal_messages message
        where message.instance_id = a.instance_id and message.appeal_id = a.id and message.visibility = 'public'),
      operator_ids = ${idArray(addParticipants(operatorIds, operators))},
      waiting_since = ${timeOf(waits ? waitingSince : null)},
      first_response_at = ${timeOf(draft.kind === "chat" ? firstResponseAt : null)},
      status = case when ${ends} then ${draft.status} else a.status end,
      status_group = case when ${ends} then 'done' else a.status_group end,
      closed_at = case when ${ends} then ${timeOf(draft.closedAt)} else a.closed_at end,
      version = a.version + case when ${ends} then 1 else 0 end
    where a.instance_id = ${instanceId} and a.id = ${id}`
  yield* audit(sql, session, {
    action: `${draft.kind}.update`,
    id,
    details: { changed: ends ? ["status", "closedAt"] : [], messages: count - locked.count }
  })
})
