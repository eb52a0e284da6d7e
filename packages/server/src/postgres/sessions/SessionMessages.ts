// Messages of sessions in PostgreSQL, in the order of their sequence (contract §5).
import { SessionMessage } from "@rapport/contract/sessions/SessionsApi.ts"
import { SessionStore } from "@rapport/core/sessions/SessionStore.ts"
import type { Sql } from "../sql/Fragment.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { query } from "../sql/Query.ts"
import { sequencePages } from "../sql/SequencePage.ts"

export const messageJson = recordJson(
  columnsOf("message", SessionMessage.fields, {
    attachments: { sql: "coalesce(message.attachments, '[]'::json)" }
  }),
  Object.keys(SessionMessage.fields)
)

const pageOf = sequencePages(SessionMessage, {
  table: "session_messages",
  owner: "session_id",
  idType: "uuid",
  json: messageJson,
  size: `octet_length(item.content) + coalesce(octet_length(item.metadata::text), 0)
    + coalesce(octet_length(item.attachments::text), 0)`
})

export const messagePages = (sql: Sql): Pick<SessionStore["Service"], "messages"> => ({
  messages: query("SessionStore.messages", (instanceId, id, stretch) => {
    const tables = sql`owner as (select session.instance_id, session.id, session.message_count as last
      from context_sessions session where session.instance_id = ${instanceId} and session.id = ${id}::uuid)`
    return pageOf(sql, { instanceId, tables }, stretch)
  })
})
