// Edited and deleted messages: the text before is kept in the audit log only (contract §7, "Editing and deleting").
import { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { AppealStore, MessagePlace } from "@rapport/core/appeals/AppealStore.ts"
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { shownText } from "../files/ShownText.ts"
import { auditedFrom } from "../sql/AuditEntry.ts"
import { statement } from "../sql/CommonTables.ts"
import { recordsOf, type Rows, updateLocked } from "../sql/Query.ts"
import { entryOf } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { timeOf } from "../sql/SqlTime.ts"
import { appealVisible, callerRow } from "../sql/Visibility.ts"
import { messageJson } from "./AppealColumns.ts"

type Sql = SqlClient.SqlClient

const messageRows = recordsOf(Schema.toCodecJson(AppealMessage))

/** `notify` runs after the commit. */
export const appealMessageChanges = (
  sql: Sql,
  notify: Effect.Effect<void>
): Pick<AppealStore["Service"], "updateMessage"> => ({
  updateMessage: (session, place, decide) =>
    updateLocked("AppealStore.updateMessage", unavailableOrDie, {
      find: messageRows.find(lockedMessage(sql, session, place)),
      decide,
      write: (next, found) =>
        messageRows.get(
          Effect.tap(write(sql, session, place.kind, [found, next]), () => sql.afterCommit(notify))
        )
    })
})

/** In the order of locks: the appeal, the delivery, the message. */
const lockedMessage = (sql: Sql, session: AuthorizedSession, { appealId, kind, messageId }: MessagePlace) =>
  statement(
    sql,
    {
      caller: callerRow(sql, session),
      appeal: sql`select a.instance_id, a.id from appeals a, caller u where a.instance_id = u.instance_id and a.id = ${appealId}
          and a.kind = ${kind} and ${appealVisible(sql)} for no key update of a`,
      delivery: sql`select delivery.id from appeal join deliveries delivery on delivery.instance_id = appeal.instance_id
          where delivery.message_id = ${messageId} for no key update of delivery`
    },
    sql`select ${sql.literal(messageJson)} as record from appeal join appeal_messages message
        on message.instance_id = appeal.instance_id and message.appeal_id = appeal.id left join delivery on true
      where message.id = ${messageId} for no key update of message`
  )

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
              edited_at = ${timeOf(sql, editedAt)},
              attachments = case when ${deletedAt !== null}::bool then null else message.attachments end, deleted_at = ${timeOf(sql, deletedAt)}
            where message.instance_id = ${session.instanceId} and message.id = ${id} returning message.*`,
        appeal: sql`update appeals a set updated_at = ${timeOf(sql, now)}
            where a.instance_id = ${session.instanceId} and a.id = ${appealId}`,
        delivery: sql`update deliveries delivery set text = ${sql.literal(shownText("changed"))} from changed
            where delivery.instance_id = changed.instance_id and delivery.message_id = changed.id`,
        file:
          deletedAt !== null &&
          sql`update files file set appeal_id = null, message_id = null, expires_at = ${timeOf(sql, now)}
              where file.instance_id = ${session.instanceId} and file.message_id = ${id}`,
        entry: auditedFrom(sql, null, entry)
      },
      sql`select ${sql.literal(messageJson)} as record from changed message`
    )
  })
