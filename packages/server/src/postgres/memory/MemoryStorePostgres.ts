// Entries of client memory that the caller may see. It checks every id that an index returned (contract §3.3).
import { MemoryStore } from "@rapport/core/memory/MemoryStore.ts"
import { SHOWN_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { SessionRole } from "@rapport/contract/sessions/SessionsApi.ts"
import { Schema } from "effect"
import type { Fragment } from "../sql/Fragment.ts"
import { query, rowsOf, selectedIds, storeLayer } from "../sql/Query.ts"
import { notOf } from "../context/ContextConversation.ts"
import { memoryRows } from "./MemoryRows.ts"
import { wireTime } from "../sql/SqlTime.ts"
import { textWindow } from "../sql/TextWindow.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"

const entryRows = rowsOf(
  Schema.Struct({
    entryId: Schema.Finite,
    kind: Schema.Literals(["action", "state", "message"]),
    id: Schema.String,
    text: Schema.String,
    cutBefore: Schema.Boolean,
    cutAfter: Schema.Boolean,
    role: Schema.NullOr(SessionRole),
    occurredAt: Schema.String,
    sessionId: Schema.NullOr(Schema.String),
    namespace: Schema.NullOr(Schema.String),
    appealId: Schema.NullOr(Schema.Finite)
  })
)

/** Code points shown before a match that is far inside a text. */
const LEAD_POINTS = 500

export const layer = storeLayer(MemoryStore)((sql) => ({
  hiddenIds: query("MemoryStore.hiddenIds", (caller, clientId, leftOut, limit) => {
    const hiddenRows = (table: "client_actions" | "context_sessions", isLeftOut: Fragment) =>
      sql`(select source.id from ${sql.literal(table)} source where source.instance_id = ${caller.instanceId}
        and source.client_id = ${clientId} and (${isLeftOut} or source.appeal_id is not null
        and not exists (select 1 from appeals a, caller u where a.instance_id = ${caller.instanceId}
          and a.id = source.appeal_id and ${appealVisible})))`
    const entriesOf = (kind: "action" | "message" | "working_context", sourceId: Fragment) =>
      sql`select memory.id::float8 as id from ${sourceId} hidden join memory_entries memory
        on memory.instance_id = ${caller.instanceId} and memory.kind = '${sql.literal(kind)}' and memory.source_id = hidden.id`
    return selectedIds(sql`with ${callerOf(caller)},
        hidden_actions as materialized ${hiddenRows("client_actions", sql.literal("false"))},
        hidden_sessions as materialized ${hiddenRows("context_sessions", sql`not (true${notOf("source", leftOut)})`)}
      ${entriesOf("action", sql`hidden_actions`)}
      union all ${entriesOf("working_context", sql`hidden_sessions`)}
      union all ${entriesOf(
        "message",
        sql`(select message.id from hidden_sessions session join session_messages message
          on message.instance_id = ${caller.instanceId} and message.session_id = session.id)`
      )}
      limit ${limit}`)
  }),
  entries: query("MemoryStore.entries", (caller, clientId, { entryIds, leftOut, limit, wordStarts }) => {
    const window = { points: SHOWN_TEXT_POINTS_MAX, lead: LEAD_POINTS, starts: wordStarts }
    // First selects the entries, then reads the shown part of their texts. A working context is the state of its session.
    return entryRows.all(sql`with ${callerOf(caller)},
        seen as materialized (
          select memory.instance_id, memory.client_id, memory.id as entry, memory.kind, memory.source_id, named.place
          from unnest(${entryIds}::int8[]) with ordinality named(id, place), caller u, memory_entries memory,
            ${memoryRows} source
          where memory.instance_id = u.instance_id and memory.id = named.id and memory.client_id = ${clientId}
            and (source.appeal_id is null or exists (select 1 from appeals a where a.instance_id = memory.instance_id
              and a.id = source.appeal_id and ${appealVisible}))
            and (source.session_id is null or (true${notOf("source", leftOut, "session_id")}))
          order by named.place limit ${limit})
        select memory.entry::float8 as "entryId", case memory.kind when 'working_context' then 'state' else memory.kind end as kind,
          source.id::text as id, part.text, part.cut_before as "cutBefore", part.cut_after as "cutAfter", source.role,
          source.session_id::text as "sessionId", source.namespace,
          ${sql.literal(wireTime("source.occurred_at"))} as "occurredAt", source.appeal_id::float8 as "appealId"
        from seen memory, ${memoryRows} source, lateral (${textWindow("source.text", window)}) part
        order by memory.place`)
  })
}))
