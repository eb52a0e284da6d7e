// What an entry of client memory says and when it was: one lateral select for the index and for those who are shown it.
import type { SqlClient, Statement } from "effect/sql"

/**
 * Of `memory_entries e`, to be joined laterally: `id` is the id that is shown, `occurred_at` its own time, `text` what it
 * says in words; `session_id`, `namespace` and `appeal_id` where it has one. No row: what it was made of is gone.
 */
export const memoryRows = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.literal(`lateral (
    select t.id, t.occurred_at, concat_ws(E'\\n', t.summary, t.type,
        nullif(t.payload::text, '{}')) as text, null::uuid as session_id, null::text as namespace, t.appeal_id
      from client_actions t where e.kind = 'action' and t.instance_id = e.instance_id and t.id = e.source_id
    union all
    select t.id, t.updated_at, t.namespace || E'\\n' || t.state::text, null, t.namespace, null
      from client_state t where e.kind = 'state' and t.instance_id = e.instance_id and t.client_id = e.client_id
        and t.id = e.source_id
    union all
    select t.id, t.occurred_at, t.content, t.session_id, null, s.appeal_id
      from session_messages t join context_sessions s on s.instance_id = t.instance_id and s.id = t.session_id
      where e.kind = 'message' and t.instance_id = e.instance_id and t.id = e.source_id
    union all
    select t.id, coalesce(t.working_context_updated_at, t.created_at), t.working_context::text, t.id, null, t.appeal_id
      from context_sessions t where e.kind = 'working_context' and t.instance_id = e.instance_id and t.id = e.source_id
        and t.working_context is not null)`)
