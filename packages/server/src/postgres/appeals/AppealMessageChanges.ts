// Edited and deleted messages: the text before is kept in the audit log only (contract §7, "Editing and deleting").
import { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { AppealStore, MessagePlace } from "@rapport/core/appeals/AppealStore.ts"
import { Clock, Effect, Schema } from "effect"
import type { Sql } from "../sql/Fragment.ts"
import { enqueuedFrom } from "../delivery/Enqueued.ts"
import { isMessage, isSameLine } from "../delivery/LineKeys.ts"
import { statement } from "../sql/CommonTables.ts"
import { type Rows, updateLocked, valuesOf } from "../sql/Query.ts"
import { auditedFrom, entryOf } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { timeOf } from "../sql/SqlTime.ts"
import { appealVisible, callerRow } from "../sql/Visibility.ts"
import { messageJson } from "./AppealColumns.ts"

const messageRows = valuesOf(Schema.toCodecJson(AppealMessage))

const LockedMessage = Schema.Struct({ message: AppealMessage, isBeingSent: Schema.Boolean })
const lockedRows = valuesOf(Schema.toCodecJson(LockedMessage))

/** `notify` runs after the commit. */
export const appealMessageChanges = (
  sql: Sql,
  notify: Effect.Effect<void>
): Pick<AppealStore["Service"], "updateMessage"> => ({
  updateMessage: (session, place, decide) =>
    Effect.map(
      updateLocked("AppealStore.updateMessage", unavailableOrDie, {
        find: lockedRows.find(lockedMessage(sql, session, place)),
        decide: ({ isBeingSent, message }) =>
          Effect.map(decide(message, isBeingSent), (next) => next && { isBeingSent, message: next }),
        write: (next, found) =>
          Effect.gen(function* () {
            if (next.message.deletedAt !== null && found.message.delivery === "queued")
              yield* withdraw(sql, session, next.message)
            const rows = write(sql, session, place.kind, [found.message, next.message])
            yield* sql.afterCommit(notify)
            return { ...next, message: yield* messageRows.get(rows) }
          })
      }),
      (found) => found?.message
    )
})

/**
 * In the order of locks: the appeal, the line, the delivery, the message. Without a lease no worker has the head of the line, and none
 * gets it while the line is locked. A queued delivery has a reason after each attempt, also after one that does not count.
 */
const lockedMessage = (sql: Sql, session: AuthorizedSession, { appealId, kind, messageId }: MessagePlace) =>
  statement(
    sql,
    {
      caller: callerRow(session),
      appeal: sql`select a.instance_id, a.id from appeals a, caller u where a.instance_id = u.instance_id and a.id = ${appealId}
          and a.kind = ${kind} and ${appealVisible} for no key update of a`,
      line: sql`select line.lease from appeal join deliveries delivery on delivery.instance_id = appeal.instance_id
            and delivery.message_id = ${messageId} and delivery.${sql.literal(isMessage)}
          join delivery_lines line on ${sql.literal(isSameLine("line", "delivery"))} for update of line`,
      delivery: sql`select delivery.status = 'queued' and (delivery.reason is not null or delivery.sent_units > 0
              or line.lease is not null)
            as is_being_sent
          from appeal left join line on true join deliveries delivery on delivery.instance_id = appeal.instance_id
          where delivery.message_id = ${messageId} and delivery.${sql.literal(isMessage)} for no key update of delivery`
    },
    sql`select json_build_object('message', ${sql.literal(messageJson)}, 'isBeingSent', coalesce(delivery.is_being_sent, false)) as record
      from appeal join appeal_messages message
        on message.instance_id = appeal.instance_id and message.appeal_id = appeal.id left join delivery on true
      where message.id = ${messageId} for no key update of message`
  )

/** A message that was deleted before it was sent leaves the queue. */
const withdraw = (sql: Sql, { instanceId }: AuthorizedSession, { id }: AppealMessage) =>
  sql`update deliveries set status = 'failed', reason = 'deleted', description = null, updated_at = now()
    where instance_id = ${instanceId} and message_id = ${id} and status = 'queued' and ${sql.literal(isMessage)}`

/** The trigger on the appeal makes the index read the messages again. */
const write = (
  sql: Sql,
  session: AuthorizedSession,
  kind: MessagePlace["kind"],
  [found, next]: readonly [AppealMessage, AppealMessage]
): Rows =>
  Effect.gen(function* () {
    const { appealId, deletedAt, editedAt, id, text, version } = next
    const now = yield* Clock.currentTimeMillis
    const waitingChange = sql.literal(`delivery.status = 'queued' and not delivery.${isMessage}`)
    const entry = yield* entryOf(session, {
      action: `${kind}.message.${deletedAt === null ? "update" : "delete"}`,
      id: appealId,
      entity: kind,
      details: { messageId: id, textBefore: found.text }
    })
    return yield* statement(
      sql,
      {
        changed: sql`update appeal_messages message set text = ${text}, version = ${version},
              edited_at = ${timeOf(editedAt)},
              attachments = case when ${deletedAt !== null}::bool then null else message.attachments end, deleted_at = ${timeOf(deletedAt)}
            where message.instance_id = ${session.instanceId} and message.id = ${id} returning message.*`,
        appeal: sql`update appeals a set updated_at = ${timeOf(now)}
            where a.instance_id = ${session.instanceId} and a.id = ${appealId}`,
        shown: sql`update deliveries delivery set text = changed.text from changed
            where delivery.instance_id = changed.instance_id and delivery.message_id = changed.id and not (${waitingChange})`,
        replaced: sql`delete from deliveries delivery where delivery.instance_id = ${session.instanceId}
            and delivery.message_id = ${id} and ${waitingChange}`,
        following: sql`select original.instance_id, new_delivery_id() as delivery_id, original.bot_id, original.channel,
              original.chat_id, original.client_id, original.appeal_id, original.message_id, changed.text
            from changed join deliveries original on original.instance_id = changed.instance_id
              and original.message_id = changed.id
            where original.${sql.literal(isMessage)} and original.status in ('sent', 'delivered', 'read')`,
        ...enqueuedFrom(deletedAt === null ? "edit" : "delete", "following"),
        file:
          deletedAt !== null &&
          sql`update files file set appeal_id = null, message_id = null, expires_at = ${timeOf(now)}
              where file.instance_id = ${session.instanceId} and file.message_id = ${id}`,
        entry: auditedFrom(null, entry)
      },
      sql`select ${sql.literal(messageJson)} as record from changed message`
    )
  })
