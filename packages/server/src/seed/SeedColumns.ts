// The columns of each table of the demo data: their types, and where they come from in a generated row.
import { scoreOf } from "@rapport/core/quality/Scoring.ts"
import type { SeedTable, SeedTables } from "@rapport/demo/SeedRows.ts"

/** How a value travels and what it becomes; see `SeedStatements.ts`. */
export type Kind = "number" | "decimal" | "text" | "boolean" | "json" | "time" | "numbers" | "texts" | "uuid"
type Column<Row> = readonly [name: string, kind: Kind, valueOf: (row: Row) => unknown]

const arrayLiteral = (items: ReadonlyArray<string | number>): string =>
  `{${items.map((item) => `"${String(item).replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(",")}}`

const json = (value: unknown): string => JSON.stringify(value)

/** One table and its columns. */
export interface Insert<Row> {
  readonly table: string
  readonly columns: ReadonlyArray<Column<Row>>
}

export const instanceOf = [
  "instance_id",
  "number",
  (row: { readonly instanceId: number }) => row.instanceId
] as const
const idOf = ["id", "number", (row: { readonly id: number }) => row.id] as const
const uuidOf = ["id", "uuid", (row: { readonly id: string }) => row.id] as const

export const inserts: { readonly [T in SeedTable]: Insert<SeedTables[T]> } = {
  instances: {
    table: "instances",
    columns: [idOf, ["name", "text", (r) => r.name], ["context_store_ready", "boolean", () => true]]
  },
  users: {
    table: "users",
    columns: [
      instanceOf,
      idOf,
      ["login", "text", (r) => r.login],
      ["email", "text", (r) => r.email],
      ["first_name", "text", (r) => r.firstName],
      ["last_name", "text", (r) => r.lastName],
      ["roles", "texts", (r) => arrayLiteral(r.roles)],
      ["status", "text", (r) => r.status],
      ["presence", "text", (r) => r.presence],
      ["capacity", "number", (r) => r.capacity],
      ["language", "text", (r) => r.language],
      ["timezone", "text", (r) => r.timezone],
      ["created_at", "time", (r) => r.createdAt],
      ["updated_at", "time", (r) => r.createdAt]
    ]
  },
  skillGroups: {
    table: "skill_groups",
    columns: [instanceOf, idOf, ["name", "text", (r) => r.name], ["active", "boolean", (r) => r.active]]
  },
  clients: {
    table: "clients",
    columns: [
      instanceOf,
      idOf,
      ["name", "text", (r) => r.name],
      ["email", "text", (r) => r.email],
      ["phone", "text", (r) => r.phone],
      ["external_id", "text", (r) => r.externalId],
      ["language", "text", (r) => r.language],
      ["tags", "texts", (r) => arrayLiteral(r.tags)],
      ["created_at", "time", (r) => r.createdAt],
      ["updated_at", "time", (r) => r.createdAt]
    ]
  },
  subjects: {
    table: "subjects",
    columns: [
      instanceOf,
      idOf,
      ["name", "text", (r) => r.name],
      ["alias", "text", (r) => r.alias],
      ["parent_id", "number", (r) => r.parentId],
      ["active", "boolean", (r) => r.active]
    ]
  },
  appeals: {
    table: "appeals",
    columns: [
      instanceOf,
      idOf,
      ["kind", "text", (r) => r.kind],
      ["client_id", "number", (r) => r.clientId],
      ["subject_id", "number", (r) => r.subjectId],
      ["operator_id", "number", (r) => r.operatorId],
      ["operator_ids", "numbers", (r) => arrayLiteral(r.operatorIds)],
      ["author_id", "number", (r) => r.authorId],
      ["number", "number", (r) => r.number],
      ["title", "text", (r) => r.title],
      ["description", "text", (r) => r.description],
      ["status", "text", (r) => r.status],
      ["status_group", "text", (r) => r.statusGroup],
      ["priority", "text", (r) => r.priority],
      ["channel", "text", (r) => r.channel],
      ["chat_id", "text", (r) => r.chatId],
      ["is_outgoing", "boolean", (r) => r.isOutgoing],
      ["tags", "texts", (r) => arrayLiteral(r.tags)],
      ["comment", "text", (r) => r.comment],
      ["message_count", "number", (r) => r.messageCount],
      ["waiting_since", "time", (r) => r.waitingSince],
      ["first_response_at", "time", (r) => r.firstResponseAt],
      ["last_message_at", "time", (r) => r.lastMessageAt],
      ["created_at", "time", (r) => r.createdAt],
      ["updated_at", "time", (r) => r.updatedAt],
      ["closed_at", "time", (r) => r.closedAt],
      ["closed_by", "number", (r) => r.closedBy]
    ]
  },
  appealMessages: {
    table: "appeal_messages",
    columns: [
      instanceOf,
      ["appeal_id", "number", (r) => r.appealId],
      ["sequence", "number", (r) => r.sequence],
      idOf,
      ["author_type", "text", (r) => r.authorType],
      ["author_id", "number", (r) => r.authorId],
      ["text", "text", (r) => r.text],
      ["occurred_at", "time", (r) => r.occurredAt],
      ["recorded_at", "time", (r) => r.occurredAt]
    ]
  },
  propertyDefinitions: {
    table: "property_definitions",
    columns: [
      instanceOf,
      idOf,
      ["entity", "text", (r) => r.entity],
      ["name", "text", (r) => r.name],
      ["label", "text", (r) => r.label],
      ["type", "text", (r) => r.type],
      ["options", "texts", (r) => arrayLiteral(r.options)],
      ["visible_to", "texts", (r) => arrayLiteral(r.visibleTo)]
    ]
  },
  propertyValues: {
    table: "property_values",
    columns: [
      instanceOf,
      uuidOf,
      ["entity", "text", (r) => r.entity],
      ["entity_id", "number", (r) => r.entityId],
      ["definition_id", "number", (r) => r.definitionId],
      ["value", "json", (r) => json(r.value)],
      ["updated_at", "time", (r) => r.updatedAt]
    ]
  },
  clientState: {
    table: "client_state",
    columns: [
      instanceOf,
      uuidOf,
      ["client_id", "number", (r) => r.clientId],
      ["namespace", "text", (r) => r.namespace],
      ["version", "number", (r) => r.version],
      ["state", "json", (r) => json(r.state)],
      ["updated_at", "time", (r) => r.updatedAt]
    ]
  },
  clientStateHistory: {
    table: "client_state_history",
    columns: [
      instanceOf,
      ["client_id", "number", (r) => r.clientId],
      ["namespace", "text", (r) => r.namespace],
      ["version", "number", (r) => r.version],
      ["state", "json", (r) => json(r.state)],
      ["updated_at", "time", (r) => r.updatedAt]
    ]
  },
  clientActions: {
    table: "client_actions",
    columns: [
      instanceOf,
      uuidOf,
      ["client_id", "number", (r) => r.clientId],
      ["type", "text", (r) => r.type],
      ["actor_type", "text", (r) => r.actorType],
      ["actor_id", "number", (r) => r.actorId],
      ["occurred_at", "time", (r) => r.occurredAt],
      ["recorded_at", "time", (r) => r.recordedAt],
      ["external_event_id", "text", (r) => r.externalEventId],
      ["source", "text", (r) => r.source],
      ["channel", "text", (r) => r.channel],
      ["subject_id", "number", (r) => r.subjectId],
      ["appeal_id", "number", (r) => r.appealId],
      ["summary", "text", (r) => r.summary],
      ["payload", "json", (r) => json(r.payload)]
    ]
  },
  contextSessions: {
    table: "context_sessions",
    columns: [
      instanceOf,
      uuidOf,
      ["client_id", "number", (r) => r.clientId],
      ["status", "text", (r) => r.status],
      ["external_session_id", "text", (r) => r.externalSessionId],
      ["channel", "text", (r) => r.channel],
      ["appeal_id", "number", (r) => r.appealId],
      ["metadata", "json", (r) => json(r.metadata)],
      ["message_count", "number", (r) => r.messageCount],
      ["created_at", "time", (r) => r.createdAt],
      ["closed_at", "time", (r) => r.closedAt]
    ]
  },
  sessionMessages: {
    table: "session_messages",
    columns: [
      instanceOf,
      uuidOf,
      ["session_id", "uuid", (r) => r.sessionId],
      ["client_id", "number", (r) => r.clientId],
      ["sequence", "number", (r) => r.sequence],
      ["role", "text", (r) => r.role],
      ["content", "text", (r) => r.content],
      ["occurred_at", "time", (r) => r.occurredAt],
      ["recorded_at", "time", (r) => r.occurredAt]
    ]
  },
  quarantine: {
    table: "quarantine",
    columns: [
      instanceOf,
      ["kind", "text", (r) => r.kind],
      ["key", "number", (r) => r.key],
      ["reason", "text", (r) => r.reason],
      ["tries", "number", (r) => r.tries],
      ["created_at", "time", (r) => r.createdAt]
    ]
  },
  calendars: {
    table: "calendars",
    columns: [
      instanceOf,
      idOf,
      ["name", "text", (r) => r.name],
      ["timezone", "text", (r) => r.timezone],
      ["weekly", "json", (r) => json(r.weekly)],
      ["holidays", "texts", (r) => arrayLiteral(r.holidays)]
    ]
  },
  slaTargets: {
    table: "sla_targets",
    columns: [
      instanceOf,
      ["subject_id", "number", (r) => r.subjectId],
      ["tfr_sec", "number", (r) => r.tfrSec],
      ["ttc_sec", "number", (r) => r.ttcSec],
      ["calendar_id", "number", (r) => r.calendarId]
    ]
  },
  criteria: {
    table: "quality_criteria",
    columns: [
      instanceOf,
      idOf,
      ["name", "text", (r) => r.name],
      ["description", "text", (r) => r.description],
      ["weight", "number", (r) => r.weight],
      ["critical", "boolean", (r) => r.critical],
      ["penalty", "number", (r) => r.penalty]
    ]
  },
  checklists: {
    table: "quality_checklists",
    columns: [instanceOf, idOf, ["name", "text", (r) => r.name], ["active", "boolean", (r) => r.active]]
  },
  assessments: {
    table: "quality_assessments",
    columns: [
      instanceOf,
      idOf,
      ["appeal_id", "number", (r) => r.appealId],
      ["operator_id", "number", (r) => r.operatorId],
      ["assessor_id", "number", (r) => r.assessorId],
      ["checklist_id", "number", (r) => r.checklistId],
      ["checklist_version", "number", () => 1],
      ["status", "text", (r) => r.status],
      ["score", "decimal", (r) => scoreOf(r.criteria)],
      ["created_at", "time", (r) => r.createdAt],
      ["approved_at", "time", (r) => r.approvedAt],
      ["version", "number", (r) => r.version]
    ]
  },
  bots: {
    table: "bots",
    columns: [instanceOf, idOf, ["name", "text", (r) => r.name]]
  },
  botNodes: {
    table: "bot_nodes",
    columns: [
      instanceOf,
      idOf,
      ["bot_id", "number", (r) => r.botId],
      ["name", "text", (r) => r.name],
      ["connector_alias", "text", (r) => r.connectorAlias],
      ["template", "text", (r) => r.template]
    ]
  },
  customModels: {
    table: "custom_models",
    columns: [
      instanceOf,
      idOf,
      ["name", "text", (r) => r.name],
      ["label", "text", (r) => r.label],
      ["fields", "json", (r) => json(r.fields)]
    ]
  },
  customRecords: {
    table: "custom_records",
    columns: [
      instanceOf,
      ["model_id", "number", (r) => r.modelId],
      idOf,
      ["values", "json", (r) => json(r.values)],
      ["created_at", "time", (r) => r.createdAt],
      ["updated_at", "time", (r) => r.createdAt]
    ]
  }
}
