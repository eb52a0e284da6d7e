// Transcripts in PostgreSQL: one statement finds the appeal as the caller may see it, and a range of its messages.
import { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import type { Sql } from "../sql/Fragment.ts"
import { query } from "../sql/Query.ts"
import { sequencePages } from "../sql/SequencePage.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"
import { messageJson } from "./AppealColumns.ts"

const pageOf = sequencePages(AppealMessage, {
  table: "appeal_messages",
  owner: "appeal_id",
  idType: "int8",
  json: messageJson,
  size: "octet_length(item.text) + coalesce(octet_length(item.attachments::text), 0)"
})

export const transcriptMethods = (sql: Sql): Pick<AppealStore["Service"], "listMessages"> => ({
  listMessages: query("AppealStore.listMessages", (caller, { appealId, kind, ...stretch }) => {
    const tables = sql`${callerOf(caller)}, owner as (
      select a.instance_id, a.id, (select max(message.sequence) from appeal_messages message
        where message.instance_id = a.instance_id and message.appeal_id = a.id) as last
      from appeals a, caller u
      where a.instance_id = u.instance_id and a.id = ${appealId} and a.kind = ${kind} and ${appealVisible})`
    return pageOf(sql, { instanceId: caller.instanceId, tables }, stretch)
  })
})
