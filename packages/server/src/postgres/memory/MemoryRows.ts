// Text and time of an entry of client memory, as a lateral select: for the index and for callers.
import { sql } from "../sql/Fragment.ts"
import { shownText } from "../files/ShownText.ts"

/**
 * Joins `memory_entries memory`. `id` is the public id. No row: the source of the entry was deleted.
 */
export const memoryRows = sql.literal(`lateral (
    select source.id, source.occurred_at, concat_ws(E'\\n', source.summary, source.type,
        nullif(source.payload::text, '{}')) as text, null::uuid as session_id, null::text as namespace, source.appeal_id, null::text as role
      from client_actions source where memory.kind = 'action' and source.instance_id = memory.instance_id
        and source.id = memory.source_id
    union all
    select source.id, source.updated_at, source.namespace || E'\\n' || source.state::text, null, source.namespace, null, null
      from client_state source where memory.kind = 'state' and source.instance_id = memory.instance_id
        and source.client_id = memory.client_id
        and source.id = memory.source_id
    union all
    select source.id, source.occurred_at, ${shownText("source", "content")}, source.session_id, null, session.appeal_id, source.role
      from session_messages source join context_sessions session on session.instance_id = source.instance_id
        and session.id = source.session_id
      where memory.kind = 'message' and source.instance_id = memory.instance_id and source.id = memory.source_id
    union all
    select source.id, coalesce(source.working_context_updated_at, source.created_at), source.working_context::text, source.id, null, source.appeal_id, null
      from context_sessions source where memory.kind = 'working_context' and source.instance_id = memory.instance_id
        and source.id = memory.source_id
        and source.working_context is not null)`)
