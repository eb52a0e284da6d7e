// Receipts whose answers name a client: what an erasure and an export find by reading them, since no index leads there. Whatever
// they name is looked up by its key, so that a receipt costs the same however much the client has.
import type { StoredClient } from "@rapport/core/clients/ClientDataStore.ts"
import type { SqlClient, Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"

type Sql = SqlClient.SqlClient

const UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
/** Ids that fit: members of the answers come from callers, too. */
const isId = `@.type() == "number" && @ >= 1 && @ <= ${Number.MAX_SAFE_INTEGER}`
const named = (member: string) => `jsonb_path_query(parsed.answer, '$.**.${member} ? (${isId})')`
const records = `jsonb_path_query(parsed.answer, '$.** ? (exists (@.values) && exists (@.model))')`

/** A receipt whose answer names the client, one of its appeals or sessions, or a record that names it, or did. */
export const receiptRows = (sql: Sql, client: StoredClient): Statement.Fragment => {
  const { id, instanceId } = client
  const ids = sql`(select to_jsonb(unnest(${idArray(sql, client.ids)})))`
  // A subselect and no join: by its key, never by all that the client has.
  const isAppealOfClient = (appealId: string) => sql`(select a.client_id from appeals a
    where a.instance_id = ${instanceId} and a.id = ${sql.literal(appealId)}) = ${id}`
  // Read once: `offset 0` keeps its parsing out of each of the conditions.
  return sql`stored.instance_id = ${instanceId} and stored.answer is not null and exists (
    select 1 from (select stored.answer::jsonb as answer offset 0) parsed where
      exists (select 1 from ${sql.literal(named("clientId"))} found where found in ${ids})
      or (stored.operation like 'client.%' and parsed.answer->'id' in ${ids})
      or exists (select 1 from ${sql.literal(named("appealId"))} found where ${isAppealOfClient("found::int8")})
      or exists (select 1 from jsonb_path_query(parsed.answer,
          ${sql.literal(`'$.**.sessionId ? (@.type() == "string" && @ like_regex "${UUID}")'`)}) found
        where (select session.client_id from context_sessions session
          where session.instance_id = ${instanceId} and session.id = (found#>>'{}')::uuid) = ${id})
      or (stored.operation like 'record.%' and exists (select 1 from ${sql.literal(records)} record
        join custom_models model on model.instance_id = ${instanceId} and model.name = record->>'model'
        cross join json_array_elements(model.fields) field
        left join custom_records present on present.instance_id = model.instance_id and present.model_id = model.id
          and present.id = case when jsonb_typeof(record->'id') = 'number' then (record->'id')::int8 end
        cross join lateral (values (record->'values'->(field->>'name')), (present.values->(field->>'id'))) held (value)
        where field->>'type' = 'ASSOCIATION' and jsonb_typeof(held.value) = 'number' and (
          (field->>'target' = 'client' and held.value in ${ids})
          or (field->>'target' = 'appeal' and ${isAppealOfClient("held.value::int8")})))))`
}

/**
 * Receipts of which nobody can say whose they are: answers to writes of properties hold the values alone, and the fields that
 * named somebody may be gone with their model. They are kept for a week, and only for repeats.
 */
export const unknownReceipts = `stored.operation = 'properties.write' or (stored.operation like 'record.%' and exists (
    select 1 from (select stored.answer::jsonb as answer offset 0) parsed, ${records} record,
      jsonb_object_keys(record->'values') name
    where not exists (select 1 from custom_models model, json_array_elements(model.fields) field
      where model.instance_id = stored.instance_id and model.name = record->>'model' and field->>'name' = name)))`
