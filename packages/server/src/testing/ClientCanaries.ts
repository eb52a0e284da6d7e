// A client with a unique word in every text that is stored about it. A table or column that is neither erased nor named here
// fails the test of the erasure (contract §9, "Clients").
import { insertedId } from "../postgres/sql/Query.ts"
import { insertInstance, insertUser } from "./StoreFixtures.ts"
import { writeContacts } from "../postgres/clients/ClientContacts.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tables that an erasure does not touch, and why. */
export const untouchedTables: Readonly<Record<string, string>> = {
  instances: "of the instance",
  users: "of users",
  user_access: "of users",
  refresh_families: "of users",
  refresh_spent: "of users",
  external_tokens: "of users",
  login_addresses: "of users",
  skill_groups: "of the instance",
  skill_group_members: "of the instance",
  skill_group_subjects: "of the instance",
  subjects: "of the instance",
  property_definitions: "of the instance",
  ticket_statuses: "of the instance",
  ticket_status_versions: "of the instance",
  quality_criteria: "of the instance",
  quality_checklists: "of the instance",
  quality_checklist_criteria: "of the instance",
  quality_assessments: "numbers about an operator; the texts are in its criteria and steps",
  calendars: "of the instance",
  sla_targets: "of the instance",
  bots: "of the instance",
  bot_connectors: "of the instance",
  bot_nodes: "of the instance",
  broadcasts: "of the instance",
  broadcast_templates: "of the instance",
  custom_models: "of the instance",
  record_values: "go with custom_records",
  dialogues: "numbers and times of an appeal without its texts",
  import_batches: "keys that the integrator made, and numbers",
  memory_entries: "ids; they go with what they are of",
  outbox: "ids",
  outbox_swept: "ids",
  projection_statuses: "ids",
  projection_rebuilds: "ids",
  projection_leases: "ids",
  database_epochs: "ids",
  database_identity: "ids",
  client_erasures: "ids; its place goes with each part",
  client_contacts: "of clients; the marking of the erasure deletes them",
  seed_marker: "of the service",
  instance_usage: "numbers",
  migrations: "of the service"
}

/** Columns of the other tables with words of the service or of the instance. */
export const untouchedColumns: Readonly<Record<string, ReadonlyArray<string>>> = {
  property_values: ["entity"],
  receipts: ["principal", "operation"],
  audit_log: ["action", "actor_type", "entity", "entity_id", "decision", "request_id"],
  import_items: ["status", "code"],
  client_actions: ["actor_type"],
  context_sessions: ["status"],
  session_messages: ["role"],
  appeals: ["kind", "status", "status_group", "priority", "channel", "author_type"],
  appeal_messages: ["author_type", "delivery", "visibility"],
  client_identities: ["unsubscribed_reason"],
  files: ["sha256", "uploader"],
  deliveries: ["kind", "status"],
  broadcast_recipients: ["channel", "status", "reason"],
  quarantine: ["kind"],
  quality_assessment_criteria: ["name", "automatic", "human"],
  quality_assessment_steps: ["step"]
}

/** Rows of the instance that rows of clients refer to. */
export const makeBaseRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const instanceId = yield* insertInstance
  yield* sql`insert into ticket_statuses (instance_id, name, position, status_group)
    values (${instanceId}, 'new', 1, 'new'), (${instanceId}, 'closed', 2, 'done')`
  const userId = yield* insertUser(instanceId, ["operator"])
  const definition =
    yield* insertedId(sql`insert into property_definitions (instance_id, entity, name, label, type)
    values (${instanceId}, 'client', 'tier', 'Tier', 'string') returning id::float8 as id`)
  const criterion =
    yield* insertedId(sql`insert into quality_criteria (instance_id, name, weight, critical, penalty)
    values (${instanceId}, 'Greeting', 1, false, 0) returning id::float8 as id`)
  const checklist = yield* insertedId(sql`insert into quality_checklists (instance_id, name)
    values (${instanceId}, 'All') returning id::float8 as id`)
  const fields = [
    { id: 9001, name: "buyer", type: "ASSOCIATION", target: "client", required: false, unique: false },
    { id: 9002, name: "note", type: "STRING", required: false, unique: false }
  ]
  const order = yield* insertedId(sql`insert into custom_models (instance_id, name, label, fields)
    values (${instanceId}, 'order', 'Orders', ${JSON.stringify(fields)}::text::json) returning id::float8 as id`)
  const lineFields = [
    { id: 9003, name: "order", type: "ASSOCIATION", target: "order", required: false, unique: false }
  ]
  const line = yield* insertedId(sql`insert into custom_models (instance_id, name, label, fields)
    values (${instanceId}, 'line', 'Lines', ${JSON.stringify(lineFields)}::text::json) returning id::float8 as id`)
  const bot = yield* insertedId(
    sql`insert into bots (instance_id, name) values (${instanceId}, 'Bot') returning id::float8 as id`
  )
  const broadcast = yield* insertedId(sql`insert into broadcasts (instance_id, name, rate_per_minute)
    values (${instanceId}, 'Broadcast', 60) returning id::float8 as id`)
  return { instanceId, bot, broadcast, userId, definition, criterion, checklist, order, line }
})
export type BaseRows = Effect.Success<typeof makeBaseRows>

/** A client with `word` in every text about it. Returns the ids that other rows refer to. */
export const makeCanaries = Effect.fnUntraced(function* (base: BaseRows, word: string) {
  const sql = yield* SqlClient.SqlClient
  const { bot, broadcast, checklist, criterion, definition, instanceId, line, order, userId } = base
  const says = (what: string) => `${word} ${what}`
  const json = (what: string) => JSON.stringify({ [says("name")]: says(what), list: [says(what)] })
  const clientId =
    yield* insertedId(sql`insert into clients (instance_id, name, emails, phones, external_id, language, tags)
    values (${instanceId}, ${says("name")}, array[${says("email")}::text], array[${says("phone")}::text], ${says("external")}, ${says("language")},
      array[${says("tag")}::text]) returning id::float8 as id`)
  // A client that was merged into it.
  const mergedId = yield* insertedId(sql`insert into clients (instance_id, name, emails, merged_into_id)
    values (${instanceId}, ${says("merged")}, array[${says("merged")}::text], ${clientId}) returning id::float8 as id`)
  yield* writeContacts(sql, instanceId, clientId, { emails: [says("email")], phones: [says("phone")] })
  yield* sql`insert into client_identities (instance_id, channel, chat_id, client_id)
    values (${instanceId}, ${says("channel")}, ${says("chat")}, ${clientId})`
  yield* sql`insert into broadcast_recipients (instance_id, broadcast_id, client_id, channel, chat_id, status, description)
    values (${instanceId}, ${broadcast}, ${clientId}, 'web', ${says("chat")}, 'queued', ${says("description")})`
  yield* sql`insert into property_values (instance_id, entity, entity_id, definition_id, id, value)
    values (${instanceId}, 'client', ${clientId}, ${definition}, gen_random_uuid(), ${JSON.stringify(says("tier"))}::text::json)`
  yield* sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
    values (${instanceId}, ${clientId}, ${says("namespace")}, gen_random_uuid(), 1, ${json("state")}::text::json, now())`
  yield* sql`insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
    values (${instanceId}, ${clientId}, ${says("namespace")}, 1, ${json("state")}::text::json, now())`
  yield* sql`insert into imported_states (instance_id, client_id, source, external_id, fingerprint)
    values (${instanceId}, ${clientId}, ${says("source")}, ${says("external")}, ${says("fingerprint")})`
  yield* sql`insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at, external_event_id, source,
      channel, summary, payload, fingerprint, receipt, state_written)
    select ${instanceId}, gen_random_uuid(), ${clientId}, ${says("type")}, 'client', now() - n * interval '1 second',
      ${says("event")}::text || n, ${says("source")}, ${says("channel")}, ${says("summary")}, ${json("payload")}::text::json,
      ${says("fingerprint")}, ${json("receipt")}::text::json, ${json("state")}::text::json
    from generate_series(1, 450) n`
  const appealIds = []
  for (const kind of ["chat", "ticket"] as const) {
    const appealId =
      yield* insertedId(sql`insert into appeals (instance_id, kind, client_id, title, description, status,
        status_group, channel, chat_id, external_id, source, tags, comment, custom_fields, message_count, operator_id, waiting_since)
      values (${instanceId}, ${kind}, ${clientId}, ${kind === "ticket" ? says("title") : null}, ${says("description")},
        ${kind === "ticket" ? "new" : "active"}, 'open', 'web', ${says("chat")}, ${says("external")}, ${says("source")},
        array[${says("tag")}::text],
        ${says("comment")}, ${json("field")}::text::json, 450, ${userId}, now()) returning id::float8 as id`)
    appealIds.push(appealId)
    yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at, external_message_id,
        attachments)
      select ${instanceId}, ${appealId}, n, 'client', ${says("message")}, now(), ${says("external")}::text || n,
        json_build_array(${json("attachment")}::text::json)
      from generate_series(1, 450) n`
    yield* sql`insert into files (instance_id, id, name, media_type, bytes, sha256, uploader, appeal_id, message_id)
      select ${instanceId}, gen_random_uuid(), ${says("file")}, ${says("media")}, 1, 'x', 'user', ${appealId}, m.id
      from appeal_messages m where m.appeal_id = ${appealId} and m.sequence <= 250`
    yield* sql`insert into deliveries (instance_id, id, kind, bot_id, channel, chat_id, client_id, appeal_id, message_id, text, reason,
        description)
      select ${instanceId}, gen_random_uuid(), 'operator', ${bot}, ${says("channel")}, ${says("chat")}, ${clientId}, ${appealId},
        m.id, ${says("text")}, ${says("reason")}, ${says("description")} from appeal_messages m where m.appeal_id = ${appealId} and m.sequence <= 250`
    yield* sql`insert into inbound_messages (instance_id, bot_id, channel, chat_id, external_message_id, appeal_id, message_id)
      select ${instanceId}, ${bot}, ${says("channel")}, ${says("chat")}, ${says("external")}::text || m.id, ${appealId}, m.id
      from appeal_messages m where m.appeal_id = ${appealId} and m.sequence <= 250`
    yield* sql`insert into audit_log (instance_id, action, actor_type, entity, entity_id, decision, address, details)
      values (${instanceId}, ${`${kind}.create`}, 'user', ${kind}, ${String(appealId)}, 'allowed', ${says("address")},
        ${json("details")}::text::json)`
  }
  // An imported closed chat: only its message has a text to erase.
  const closedId =
    yield* insertedId(sql`insert into appeals (instance_id, kind, client_id, status, status_group, channel, message_count, closed_at)
      values (${instanceId}, 'chat', ${clientId}, 'closed', 'done', 'web', 1, now()) returning id::float8 as id`)
  yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at)
    values (${instanceId}, ${closedId}, 1, 'client', ${says("message")}, now())`
  yield* sql`insert into delivery_lines (instance_id, bot_id, channel, chat_id)
    values (${instanceId}, ${bot}, ${says("channel")}, ${says("chat")})`
  yield* sql`insert into context_sessions (instance_id, id, client_id, status, external_session_id, channel, metadata,
      working_context, close_reason)
    values (${instanceId}, gen_random_uuid(), ${clientId}, 'open', ${says("session")}, ${says("channel")},
      ${json("metadata")}::text::json, ${json("goal")}::text::json, ${says("reason")})`
  yield* sql`insert into session_messages (instance_id, session_id, sequence, id, client_id, role, content, metadata,
      occurred_at, external_message_id, attachments)
    select ${instanceId}, s.id, n, gen_random_uuid(), ${clientId}, 'client', ${says("content")}, ${json("metadata")}::text::json,
      now(), ${says("external")}::text || n, json_build_array(${json("attachment")}::text::json)
    from context_sessions s, generate_series(1, 3) n where s.client_id = ${clientId}`
  yield* sql`insert into files (instance_id, id, name, media_type, bytes, sha256, uploader, session_id)
    select ${instanceId}, gen_random_uuid(), ${says("file")}, ${says("media")}, 1, 'x', 'user', s.id
    from context_sessions s where s.client_id = ${clientId}`
  yield* sql`insert into quarantine (instance_id, kind, key, reason, tries) values
    (${instanceId}, 'client_memory', (select min(id) from memory_entries where client_id = ${clientId}), ${says("reason")}, 5)`
  const answers = [
    ["client.create", { id: clientId, name: says("name") }],
    ["chat.message", { message: { appealId: appealIds[0], text: says("message") } }],
    ["client.action.register", { action: { clientId: mergedId, summary: says("summary") } }],
    ["properties.write", { tier: says("tier") }],
    // A deleted record, a record that refers to another client now, and a record of a deleted model.
    ["record.create", { id: 99_001, model: "order", values: { buyer: clientId, note: says("gone") } }],
    [
      "record.upsert",
      { records: [{ id: 99_002, model: "order", values: { buyer: mergedId, note: says("moved") } }] }
    ],
    ["record.update", { id: 99_003, model: "former", values: { buyer: clientId, note: says("former") } }]
  ] as const
  for (const [operation, answer] of answers)
    yield* sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, answer, committed_at)
      values (${instanceId}, 'user/1', ${operation}, ${says(operation)}, gen_random_uuid(), ${says("fingerprint")},
        ${JSON.stringify(answer)}::text::json, now())`
  const batchId = "0199f0f0-0000-7000-8000-000000000000"
  yield* sql`insert into import_batches (instance_id, id, principal, key, fingerprint, status, total, created_at)
    values (${instanceId}, ${batchId}::uuid, 'user/1', 'batch', 'x', 'completed', 2, now()) on conflict do nothing`
  yield* sql`insert into import_items (instance_id, batch_id, index, status, code, message, client_id)
    values (${instanceId}, ${batchId}::uuid, ${clientId}::int4, 'failed', 'INVALID_REQUEST', ${says("fault")}, ${clientId})`
  for (const id of [clientId, mergedId])
    yield* sql`insert into audit_log (instance_id, action, actor_type, entity, entity_id, decision, address, details)
      values (${instanceId}, 'client.update', 'user', 'client', ${String(id)}, 'allowed', ${says("address")},
        ${json("details")}::text::json)`
  const assessment =
    yield* insertedId(sql`insert into quality_assessments (instance_id, appeal_id, operator_id, assessor_id,
      checklist_id, checklist_version) values (${instanceId}, ${appealIds[0] ?? 0}, ${userId}, ${userId}, ${checklist}, 1)
    returning id::float8 as id`)
  yield* sql`insert into quality_assessment_criteria (instance_id, assessment_id, criterion_id, place, criterion_version, name,
      weight, critical, penalty, comment)
    values (${instanceId}, ${assessment}, ${criterion}, 1, 1, 'Greeting', 1, false, 0, ${says("comment")})`
  yield* sql`insert into quality_assessment_steps (instance_id, assessment_id, version, step, user_id, comment)
    values (${instanceId}, ${assessment}, 1, 'dispute', ${userId}, ${says("comment")})`
  const recordId = yield* insertedId(sql`insert into custom_records (instance_id, model_id, values)
    values (${instanceId}, ${order}, ${JSON.stringify({ 9001: clientId, 9002: says("note") })}::text::jsonb)
    returning id::float8 as id`)
  const lineId = yield* insertedId(sql`insert into custom_records (instance_id, model_id, values)
    values (${instanceId}, ${line}, ${JSON.stringify({ 9003: recordId })}::text::jsonb) returning id::float8 as id`)
  return { clientId, mergedId, appealIds, lineId }
})
