// Moves everything that references a client when it is merged into another, in one transaction (contract §9, "Clients").
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"

/**
 * Moves appeals, actions, sessions with their messages, and identities to the survivor, and namespaces and property values that it lacks.
 * Records of custom data, and clients that were merged into `from` before, reference the survivor.
 */
export const moveClient = (
  sql: Sql,
  instanceId: number,
  from: number,
  into: number
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.forEach(
    [
      sql`with moved as materialized (select a.id from appeals a where a.instance_id = ${instanceId} and a.client_id = ${from}
          order by a.id for no key update)
        update appeals a set client_id = ${into} from moved where a.instance_id = ${instanceId} and a.id = moved.id`,
      sql`update clients survivor set has_appeals = true from clients merged where survivor.instance_id = ${instanceId}
        and survivor.id = ${into} and merged.instance_id = ${instanceId} and merged.id = ${from} and merged.has_appeals`,
      // If the survivor has the same event of the same source, both are kept and distinguished by their former client.
      sql`update client_actions action set client_id = ${into}, merged_from_id = case when action.merged_from_id is null
        and exists (
          select 1 from client_actions earlier where earlier.instance_id = ${instanceId} and earlier.client_id = ${into}
            and coalesce(earlier.source, '') = coalesce(action.source, '')
              and earlier.external_event_id = action.external_event_id)
          then ${from} else action.merged_from_id end
        where action.instance_id = ${instanceId} and action.client_id = ${from}`,
      sql`update imported_states imported set client_id = ${into}, merged_from_id = case when imported.merged_from_id = 0
        and exists (
          select 1 from imported_states earlier where earlier.instance_id = ${instanceId} and earlier.client_id = ${into}
            and earlier.source = imported.source and earlier.external_id = imported.external_id)
          then ${from} else imported.merged_from_id end
        where imported.instance_id = ${instanceId} and imported.client_id = ${from}`,
      sql`update context_sessions set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
      sql`update session_messages set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
      sql`update broadcast_recipients set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
      sql`update client_identities set client_id = ${into} where instance_id = ${instanceId} and client_id = ${from}`,
      // The survivor gets the phones and e-mail addresses of both.
      sql`delete from client_contacts where instance_id = ${instanceId} and client_id = ${from}`,
      sql`update client_state_history history set client_id = ${into}
        where history.instance_id = ${instanceId} and history.client_id = ${from} and not exists (
          select 1 from client_state kept where kept.instance_id = ${instanceId} and kept.client_id = ${into}
            and kept.namespace = history.namespace)`,
      sql`update client_state moved set client_id = ${into}
        where moved.instance_id = ${instanceId} and moved.client_id = ${from} and not exists (
          select 1 from client_state kept where kept.instance_id = ${instanceId} and kept.client_id = ${into}
            and kept.namespace = moved.namespace)`,
      sql`update property_values moved set entity_id = ${into}
        where moved.instance_id = ${instanceId} and moved.entity = 'client' and moved.entity_id = ${from} and not exists (
          select 1 from property_values kept where kept.instance_id = ${instanceId} and kept.entity = 'client'
            and kept.entity_id = ${into} and kept.definition_id = moved.definition_id)`,
      // The survivor's own values win. Deletes the others.
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
 * Values of records that reference the client now reference the survivor. In a unique field the value is kept if another record already
 * references the survivor.
 */
const recordsNaming = (sql: Sql, instanceId: number, from: number, into: number) => {
  const moved = sql`select value.record_id, value.model_id, value.field_id from record_values value
    where value.instance_id = ${instanceId} and value.number = ${from}::int8::float8
      and value.field_id = any(array(select (field->>'id')::int8 from custom_models model,
        json_array_elements(model.fields) field
        where model.instance_id = ${instanceId} and field->>'target' = 'client'))
      and (value.unique_key is null or not exists (select 1 from record_values other
        where other.instance_id = value.instance_id and other.field_id = value.field_id
          and other.number = ${into}::int8::float8))`
  return [
    sql`select 1 from custom_records record where record.instance_id = ${instanceId}
      and (record.model_id, record.id) in (select moved.model_id, moved.record_id from (${moved}) moved)
      order by record.id for no key update`,
    sql`update custom_records record set values = record.values || named.values
      from (select moved.model_id, moved.record_id, jsonb_object_agg(moved.field_id::text, ${into}::int8) as values
        from (${moved}) moved group by moved.model_id, moved.record_id) named
      where record.instance_id = ${instanceId} and record.model_id = named.model_id and record.id = named.record_id`
  ]
}
