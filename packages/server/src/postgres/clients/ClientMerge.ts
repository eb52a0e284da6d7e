// What moves when a client is merged into another (docs/contract.md §9, clients): everything that names it, in one transaction.
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * Appeals, actions, sessions with their messages, and identities become the survivor's; of state namespaces and
 * property values those it has none of; records of custom data name the survivor. Whoever was merged into `from` before now leads to `into`.
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
      sql`update broadcast_recipients set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
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
      ...recordsNaming(sql, instanceId, from, into),
      sql`update clients set merged_into_id = ${into}, external_id = null
        where instance_id = ${instanceId} and (id = ${from} or merged_into_id = ${from})`
    ],
    (statement) => statement,
    { discard: true }
  )

/**
 * Values of records that name the client name the survivor. In a unique field where another record names the survivor
 * already, the value stays: the two were two records of one client before anybody knew.
 */
const recordsNaming = (sql: SqlClient.SqlClient, instanceId: number, from: number, into: number) => {
  const moved = sql`select v.record_id, v.model_id, v.field_id from custom_values v
    where v.instance_id = ${instanceId} and v.num = ${from}::int8::float8 and v.num is not null
      and v.field_id = any(array(select (f->>'id')::int8 from custom_models m, json_array_elements(m.fields) f
        where m.instance_id = ${instanceId} and f->>'target' = 'client'))
      and (v.uniq is null or not exists (select 1 from custom_values o where o.instance_id = v.instance_id
        and o.field_id = v.field_id and o.uniq = sha256(convert_to(${into}::int8::text, 'UTF8'))))`
  return [
    sql`update custom_records r set values = r.values || n.values
      from (select m.model_id, m.record_id, jsonb_object_agg(m.field_id::text, ${into}::int8) as values
        from (${moved}) m group by m.model_id, m.record_id) n
      where r.instance_id = ${instanceId} and r.model_id = n.model_id and r.id = n.record_id`,
    sql`update custom_values w set num = ${into}::int8::float8,
        uniq = case when w.uniq is null then null else sha256(convert_to(${into}::int8::text, 'UTF8')) end
      from (${moved}) m where w.instance_id = ${instanceId} and w.model_id = m.model_id
        and w.record_id = m.record_id and w.field_id = m.field_id`
  ]
}
