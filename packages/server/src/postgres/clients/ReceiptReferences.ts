// Receipts whose answers reference a client. An erasure and an export scan them, because no index finds them. References are looked up
// by key, so that the cost of a receipt does not depend on the client.
import type { StoredClient } from "@rapport/core/clients/ClientDataStore.ts"
import { type Fragment, idArray, sql } from "../sql/Fragment.ts"

const UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
/** Filters invalid numbers, because members of answers also come from callers. */
const isId = `@.type() == "number" && @ >= 1 && @ <= ${Number.MAX_SAFE_INTEGER}`
const idsOf = (member: string) => `jsonb_path_query(parsed.answer, '$.**.${member} ? (${isId})')`
const records = `jsonb_path_query(parsed.answer, '$.** ? (exists (@.values) && exists (@.model))')`

/** A receipt whose answer references the client, one of its appeals or sessions, or a record that references or referenced it. */
export const receiptRows = (client: StoredClient): Fragment => {
  const { id, instanceId } = client
  const ids = sql`(select to_jsonb(unnest(${idArray(client.ids)})))`
  // A subselect, because a join might read all appeals of the client.
  const isAppealOfClient = (appealId: string) => sql`(select a.client_id from appeals a
    where a.instance_id = ${instanceId} and a.id = ${sql.literal(appealId)}) = ${id}`
  // `offset 0` prevents that each condition parses the answer again.
  return sql`stored.instance_id = ${instanceId} and stored.answer is not null and exists (
    select 1 from (select stored.answer::jsonb as answer offset 0) parsed where
      exists (select 1 from ${sql.literal(idsOf("clientId"))} found where found in ${ids})
      or (stored.operation like 'client.%' and parsed.answer->'id' in ${ids})
      or exists (select 1 from ${sql.literal(idsOf("appealId"))} found where ${isAppealOfClient("found::int8")})
      or exists (select 1 from jsonb_path_query(parsed.answer,
          ${sql.literal(`'$.**.sessionId ? (@.type() == "string" && @ like_regex "${UUID}")'`)}) found
        where (select session.client_id from context_sessions session
          where session.instance_id = ${instanceId} and session.id = (found#>>'{}')::uuid) = ${id})
      or (stored.operation like 'record.%' and exists (select 1 from ${sql.literal(records)} record
        join custom_models model on model.instance_id = ${instanceId} and model.name = record->>'model'
        cross join json_array_elements(model.fields) field
        left join custom_records present on present.instance_id = model.instance_id and present.model_id = model.id
          and present.id = case when jsonb_typeof(record->'id') = 'number' then (record->'id')::int8 end
        cross join lateral (values (record->'values'->(field->>'name')), (present.values->(field->>'id'))) item (value)
        where field->>'type' = 'ASSOCIATION' and jsonb_typeof(item.value) = 'number' and (
          (field->>'target' = 'client' and item.value in ${ids})
          or (field->>'target' = 'appeal' and ${isAppealOfClient("item.value::int8")})))))`
}

/**
 * Receipts whose client is unknown: answers to writes of properties contain only values, and the fields that referenced a client may be
 * deleted with their model. They are kept for a week, only for repeats.
 */
export const unknownReceipts = `stored.operation = 'properties.write' or (stored.operation like 'record.%' and exists (
    select 1 from (select stored.answer::jsonb as answer offset 0) parsed, ${records} record,
      jsonb_object_keys(record->'values') name
    where not exists (select 1 from custom_models model, json_array_elements(model.fields) field
      where model.instance_id = stored.instance_id and model.name = record->>'model' and field->>'name' = name)))`
