// What moves when a client is merged into another (docs/contract.md §9, clients): everything that names it, in one transaction.
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * Appeals, actions, sessions with their messages, and identities become the survivor's; of state namespaces and
 * property values those it has none of. Whoever was merged into `from` before now leads to `into`.
 */
export const moveClient = (
  sql: SqlClient.SqlClient,
  instanceId: number,
  from: number,
  into: number
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.forEach(
    [
      sql`update appeals set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
      // The same event of the same source is known to the survivor already: both stay known, told apart by their client.
      sql`update client_actions a set client_id = ${into}, merged_from_id = case when a.merged_from_id is null and exists (
          select 1 from client_actions b where b.instance_id = ${instanceId} and b.client_id = ${into}
            and coalesce(b.source, '') = coalesce(a.source, '') and b.external_event_id = a.external_event_id)
          then ${from} else a.merged_from_id end
        where a.instance_id = ${instanceId} and a.client_id = ${from}`,
      sql`update imported_states a set client_id = ${into}, merged_from_id = case when a.merged_from_id = 0 and exists (
          select 1 from imported_states b where b.instance_id = ${instanceId} and b.client_id = ${into}
            and b.source = a.source and b.external_id = a.external_id)
          then ${from} else a.merged_from_id end
        where a.instance_id = ${instanceId} and a.client_id = ${from}`,
      sql`update context_sessions set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
      sql`update session_messages set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
      sql`update client_identities set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
      sql`update client_state_history h set client_id = ${into}
        where h.instance_id = ${instanceId} and h.client_id = ${from} and not exists (
          select 1 from client_state s where s.instance_id = ${instanceId} and s.client_id = ${into}
            and s.namespace = h.namespace)`,
      sql`update client_state f set client_id = ${into}
        where f.instance_id = ${instanceId} and f.client_id = ${from} and not exists (
          select 1 from client_state s where s.instance_id = ${instanceId} and s.client_id = ${into}
            and s.namespace = f.namespace)`,
      sql`update property_values f set entity_id = ${into}
        where f.instance_id = ${instanceId} and f.entity = 'client' and f.entity_id = ${from} and not exists (
          select 1 from property_values s where s.instance_id = ${instanceId} and s.entity = 'client'
            and s.entity_id = ${into} and s.definition_id = f.definition_id)`,
      // The survivor's own values win: the rest of the other is no client's any more.
      sql`delete from client_state where instance_id = ${instanceId} and client_id = ${from}`,
      sql`delete from client_state_history where instance_id = ${instanceId} and client_id = ${from}`,
      sql`delete from property_values where instance_id = ${instanceId} and entity = 'client' and entity_id = ${from}`,
      sql`update clients set merged_into_id = ${into}, external_id = null
        where instance_id = ${instanceId} and (id = ${from} or merged_into_id = ${from})`
    ],
    (statement) => statement,
    { discard: true }
  )
