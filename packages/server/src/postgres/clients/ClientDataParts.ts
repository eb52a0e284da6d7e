// The stored data of a client, table by table, with the rows, their export and their erasure (contract §9, "Clients"). The test of the
// erasure fails for a missing table.
import type { StoredClient } from "@rapport/core/clients/ClientDataStore.ts"
import { type Fragment, idArray, sql } from "../sql/Fragment.ts"
import { isSameLine } from "../delivery/LineKeys.ts"
import { targets } from "../records/Models.ts"
import { receiptRows, unknownReceipts } from "./ReceiptReferences.ts"

/** Replaces a required text. */
export const ERASED_TEXT = "[erased]"

export type Erase =
  /**
   * Deletes the rows. `memoryKind` is the kind of their entries in client memory, which are deleted too. `besides` is a condition on
   * `stored` for further rows, whose client is unknown.
   */
  | {
      readonly _tag: "Delete"
      /** Condition on `stored`: rows that reference it are deleted. The next pass deletes later ones. */
      readonly once?: string
      readonly memoryKind?: "action" | "message" | "working_context"
      /** For deliveries: deletes their lines too, because only deliveries lead to the line of a late writer. */
      readonly withLines?: true
      /** For files: deletes the bytes before the rows. */
      readonly withBytes?: true
      readonly besides?: string
    }
  /** Keeps the rows without these values. `dirty` is a condition on `stored`: the row has such a value. */
  | { readonly _tag: "Empty"; readonly set: string; readonly dirty: string }
  /** Keeps the row, which `markErased` has emptied. */
  | { readonly _tag: "Marked" }

export interface ClientDataPart {
  readonly kind: string
  readonly table: string
  /** Condition on `stored`: the rows of the client. By default those with its id. */
  readonly rows?: (client: StoredClient) => Fragment
  /**
   * Without an index for the client: scans the rows of the instance in the order of the key, in pages of SCAN_BYTES_MAX in this
   * column.
   */
  readonly scanned?: string
  /** The key of the page order, as `name type` of its columns, all in one direction. */
  readonly key: ReadonlyArray<string>
  readonly descending?: true
  /** Rows of one page of an export, so that its texts have at most a few MiB. */
  readonly pageRows: number
  /** JSON of `stored` in an export. Undefined: its columns. */
  readonly record?: string
  /** By default the rows are deleted. */
  readonly erase?: Erase
}

/** Condition on `stored`: the rows of a part. */
export const rowsOfPart = ({ rows }: ClientDataPart, client: StoredClient): Fragment =>
  rows === undefined
    ? sql`stored.instance_id = ${client.instanceId} and stored.client_id = ${client.id}`
    : rows(client)

const ofAppeals = ({ id, instanceId }: StoredClient) =>
  sql`stored.instance_id = ${instanceId} and stored.appeal_id in (
    select a.id from appeals a where a.instance_id = ${instanceId} and a.client_id = ${id})`
const anyIdOf = ({ ids }: StoredClient) => idArray(ids)

const ofMessages = ({ id, instanceId }: StoredClient) =>
  sql`stored.instance_id = ${instanceId} and stored.message_id in (
    select message.id from appeals a join appeal_messages message on message.instance_id = a.instance_id
      and message.appeal_id = a.id
    where a.instance_id = ${instanceId} and a.client_id = ${id})`

const ofAssessments = ({ id, instanceId }: StoredClient) =>
  sql`stored.instance_id = ${instanceId} and stored.assessment_id in (
    select assessment.id from quality_assessments assessment
      join appeals a on a.instance_id = assessment.instance_id and a.id = assessment.appeal_id
    where assessment.instance_id = ${instanceId} and a.client_id = ${id})`

// Fields of models that reference clients or appeals.
const fieldsNaming = (
  target: string
) => `(select (field->>'id')::int8 from custom_models model, json_array_elements(model.fields) field
  where model.instance_id = value.instance_id and field->>'type' = 'ASSOCIATION' and field->>'target' = '${target}')`
/** Model and id of the records that reference the client or one of its appeals. */
const recordsNaming = (client: StoredClient) => sql`(
  select value.model_id, value.record_id from record_values value where value.instance_id = ${client.instanceId}
    and value.field_id in ${sql.literal(fieldsNaming("client"))} and value.number = any(${anyIdOf(client)}::float8[])
  union select value.model_id, value.record_id from appeals a join record_values value on value.instance_id = a.instance_id
      and value.number = a.id and value.field_id in ${sql.literal(fieldsNaming("appeal"))}
    where a.instance_id = ${client.instanceId} and a.client_id = ${client.id})`
const recordRows = (client: StoredClient) =>
  sql`stored.instance_id = ${client.instanceId} and (stored.model_id, stored.id) in ${recordsNaming(client)}`

/** Audit entries about the client and its appeals. Actor and action are kept, address and details are not. */
const auditRows = (client: StoredClient) => {
  const { id, instanceId } = client
  return sql`stored.instance_id = ${instanceId} and (
    (stored.entity = 'client' and stored.entity_id = any(${client.ids.map(String)}::text[]))
    or (stored.entity in ('chat', 'ticket', 'appeal') and (select a.client_id from appeals a
      where a.instance_id = ${instanceId}
        and a.id = case when stored.entity_id ~ '^[0-9]{1,18}$' then stored.entity_id::int8 end) = ${id}))`
}

const emptyColumn = (column: string): Erase => ({
  _tag: "Empty",
  set: `${column} = null`,
  dirty: `stored.${column} is not null`
})

/** Condition on a line: it has no queued delivery for another client with the chat id. */
export const lineOfNobodyElse = (line: string): string =>
  `not exists (select 1 from deliveries waiting join clients c on c.instance_id = waiting.instance_id and c.id = waiting.client_id
    where ${isSameLine("waiting", line)} and waiting.status = 'queued' and c.erased_at is null)`

/**
 * In the order of an export. An erasure has the reverse order: referencing rows before referenced ones, and rows that are found through
 * others before those.
 */
export const clientDataParts: ReadonlyArray<ClientDataPart> = [
  {
    kind: "client",
    table: "clients",
    rows: (client) => sql`stored.instance_id = ${client.instanceId} and stored.id = any(${anyIdOf(client)})`,
    key: ["id int8"],
    pageRows: 100,
    erase: { _tag: "Marked" }
  },
  { kind: "identity", table: "client_identities", key: ["channel text", "chat_id text"], pageRows: 200 },
  {
    kind: "property",
    table: "property_values",
    rows: (client) =>
      sql`stored.instance_id = ${client.instanceId} and stored.entity = 'client' and stored.entity_id = ${client.id}`,
    key: ["definition_id int8"],
    pageRows: 200,
    record: `(select json_build_object('name', d.name, 'value', stored.value, 'updatedAt', stored.updated_at)
      from property_definitions d where d.instance_id = stored.instance_id and d.id = stored.definition_id)`
  },
  { kind: "state", table: "client_state", key: ["namespace text"], pageRows: 20 },
  {
    kind: "stateVersion",
    table: "client_state_history",
    key: ["namespace text", "version int8"],
    pageRows: 20
  },
  {
    kind: "importedState",
    table: "imported_states",
    key: ["source text", "external_id text", "merged_from_id int8"],
    pageRows: 200
  },
  {
    kind: "importItem",
    table: "import_items",
    rows: (client) =>
      sql`stored.instance_id = ${client.instanceId} and stored.client_id = any(${anyIdOf(client)})
        and stored.message is not null`,
    key: ["batch_id uuid", "index int4"],
    pageRows: 200,
    erase: emptyColumn("message")
  },
  {
    kind: "action",
    table: "client_actions",
    key: ["occurred_at timestamptz", "id uuid"],
    descending: true,
    pageRows: 20,
    erase: { _tag: "Delete", memoryKind: "action" }
  },
  {
    kind: "session",
    table: "context_sessions",
    key: ["created_at timestamptz", "id uuid"],
    descending: true,
    pageRows: 50,
    erase: {
      _tag: "Delete",
      memoryKind: "working_context",
      once: `not exists (select 1 from session_messages message where message.instance_id = stored.instance_id
        and message.session_id = stored.id)`
    }
  },
  {
    kind: "sessionMessage",
    table: "session_messages",
    key: ["occurred_at timestamptz", "id uuid"],
    descending: true,
    pageRows: 5,
    erase: {
      _tag: "Delete",
      memoryKind: "message",
      once: `not exists (select 1 from files file where file.instance_id = stored.instance_id
        and file.session_id = stored.session_id)`
    }
  },
  {
    kind: "appeal",
    table: "appeals",
    key: ["created_at timestamptz", "id int8"],
    descending: true,
    pageRows: 50,
    // The appeal without texts is kept for statistics and quality. An open appeal is closed.
    erase: {
      _tag: "Empty",
      set: `title = case when stored.title is not null then '${ERASED_TEXT}' end, description = null, comment = null,
        chat_id = null, external_id = null, source = null,
        tags = '{}', custom_fields = '{}', updated_at = now(), version = version + 1,
        closed_at = coalesce(stored.closed_at, now()), waiting_since = null, status_group = 'done',
        status = case when stored.status_group = 'done' then stored.status when stored.kind = 'chat' then 'closed' else (
          select ticket_status.name from ticket_statuses ticket_status where ticket_status.instance_id = stored.instance_id
            and ticket_status.status_group = 'done'
          order by ticket_status.position limit 1) end`,
      dirty: `(stored.status_group <> 'done' or stored.title <> '${ERASED_TEXT}' or stored.description is not null
        or stored.comment is not null
        or stored.chat_id is not null or stored.external_id is not null or stored.tags <> '{}' or stored.custom_fields::text <> '{}')`
    }
  },
  {
    kind: "message",
    table: "appeal_messages",
    rows: ofAppeals,
    key: ["appeal_id int8", "sequence int4"],
    pageRows: 50,
    erase: {
      _tag: "Delete",
      once: `not exists (select 1 from deliveries delivery where delivery.instance_id = stored.instance_id
        and delivery.message_id = stored.id)
        and not exists (select 1 from files file where file.instance_id = stored.instance_id
          and file.message_id = stored.id)
        and not exists (select 1 from inbound_messages inbound where inbound.instance_id = stored.instance_id
          and inbound.message_id = stored.id)`
    }
  },
  {
    kind: "file",
    table: "files",
    rows: ({ id, instanceId }) => sql`stored.instance_id = ${instanceId} and stored.id in (
      select file.id from appeals a join files file on file.instance_id = a.instance_id and file.appeal_id = a.id
        where a.instance_id = ${instanceId} and a.client_id = ${id}
      union all select file.id from context_sessions session join files file on file.instance_id = session.instance_id
        and file.session_id = session.id where session.instance_id = ${instanceId} and session.client_id = ${id})`,
    key: ["id uuid"],
    pageRows: 200,
    record: `json_build_object('id', stored.id, 'name', stored.name, 'mediaType', stored.media_type, 'bytes', stored.bytes,
      'sha256', stored.sha256, 'messageId', stored.message_id, 'sessionId', stored.session_id, 'path', '/kw/api/v1/files/' || stored.id)`,
    erase: { _tag: "Delete", withBytes: true }
  },
  {
    kind: "inboundMessage",
    table: "inbound_messages",
    rows: ofMessages,
    key: ["message_id int8"],
    pageRows: 200
  },
  {
    kind: "delivery",
    table: "deliveries",
    rows: ofMessages,
    key: ["sequence int8"],
    pageRows: 50,
    erase: { _tag: "Delete", withLines: true }
  },
  {
    kind: "recipient",
    table: "broadcast_recipients",
    key: ["broadcast_id int8", "id int8"],
    pageRows: 200,
    // Recipients are kept for the results of their broadcast. Queued ones get no message.
    erase: {
      _tag: "Empty",
      // The reason of a failed recipient may contain personal data, that of a skipped one does not.
      set: `chat_id = null, status = case when stored.status = 'queued' then 'skipped' else stored.status end,
        reason = case stored.status when 'queued' then 'no_identity' when 'skipped' then stored.reason end,
        description = null`,
      dirty:
        "(stored.chat_id is not null or stored.status = 'queued' or (stored.status <> 'skipped' and stored.reason is not null) or stored.description is not null)"
    }
  },
  {
    kind: "record",
    table: "custom_records",
    rows: recordRows,
    key: ["model_id int8", "id int8"],
    pageRows: 10,
    record: `(select json_build_object('model', model.name, 'id', stored.id, 'createdAt', stored.created_at, 'updatedAt',
      stored.updated_at,
        'values', (select coalesce(json_object_agg(field->>'name', stored.values->(field->>'id')), '{}')
          from json_array_elements(model.fields) field where stored.values ? (field->>'id')))
      from custom_models model where model.instance_id = stored.instance_id and model.id = stored.model_id)`
  },
  {
    kind: "assessmentCriterion",
    table: "quality_assessment_criteria",
    rows: ofAssessments,
    key: ["assessment_id int8", "criterion_id int8"],
    pageRows: 50,
    erase: emptyColumn("comment")
  },
  {
    kind: "assessmentStep",
    table: "quality_assessment_steps",
    rows: ofAssessments,
    key: ["assessment_id int8", "version int8"],
    pageRows: 50,
    erase: emptyColumn("comment")
  },
  {
    kind: "auditEntry",
    table: "audit_log",
    rows: auditRows,
    scanned: "details",
    key: ["id int8"],
    pageRows: 1_000,
    erase: {
      _tag: "Empty",
      set: "address = null, details = '{}'",
      dirty: "(stored.address is not null or stored.details::text <> '{}')"
    }
  },
  {
    kind: "receipt",
    table: "receipts",
    rows: receiptRows,
    scanned: "answer",
    key: ["principal text", "operation text", "key text"],
    pageRows: 50,
    erase: { _tag: "Delete", besides: unknownReceipts }
  },
  {
    kind: "quarantined",
    table: "quarantine",
    rows: ({ id, instanceId }) => sql`stored.instance_id = ${instanceId} and (
      (stored.kind = 'evidence' and exists (select 1 from appeals a where a.instance_id = stored.instance_id
        and a.id = stored.key
        and a.client_id = ${id}))
      or (stored.kind = 'client_memory' and exists (select 1 from memory_entries memory
        where memory.instance_id = stored.instance_id
        and memory.id = stored.key and memory.client_id = ${id})))`,
    key: ["kind text", "key int8"],
    pageRows: 200
  },
  {
    kind: "deliveryLine",
    table: "delivery_lines",
    rows: ({
      id,
      instanceId
    }) => sql`stored.instance_id = ${instanceId} and (stored.bot_id, stored.channel, stored.chat_id) in (
      select bot.id, chat.channel, chat.chat_id from bots bot, (
        select identity.channel, identity.chat_id from client_identities identity where identity.instance_id = ${instanceId}
          and identity.client_id = ${id}
        union select a.channel, a.chat_id from appeals a where a.instance_id = ${instanceId} and a.client_id = ${id}) chat
      where bot.instance_id = ${instanceId})`,
    key: ["bot_id int8", "channel text", "chat_id text"],
    pageRows: 50,
    erase: { _tag: "Delete", once: lineOfNobodyElse("stored") }
  }
]

/** Values of other records that reference the records of the client. They are emptied before those are deleted. */
export const namingRecords = (client: StoredClient): Fragment => sql`
  select value.instance_id, value.model_id, value.record_id, value.field_id from custom_records stored
    join custom_models named on named.instance_id = stored.instance_id and named.id = stored.model_id
    join custom_models model on model.instance_id = stored.instance_id
    cross join json_array_elements(model.fields) field
    join record_values value on value.instance_id = stored.instance_id and value.field_id = (field->>'id')::int8
      and value.number = stored.id
  where ${recordRows(client)} and field->>'type' = 'ASSOCIATION'
    and ${targets(sql`named.name`)}`
