// Maps generated rows of the demo data to the columns of their tables.
import { scoreOf } from "@rapport/core/quality/Scoring.ts"
import type { SeedTable, SeedTables } from "@rapport/demo/SeedRows.ts"
import { columnName } from "../postgres/sql/Columns.ts"

/** Types of row members by the kind of their column. */
interface Values {
  readonly number: number | null
  readonly decimal: number | null
  readonly text: string | null
  readonly uuid: string
  readonly boolean: boolean
  readonly json: unknown
  readonly time: number | null
  readonly numbers: ReadonlyArray<number>
  readonly texts: ReadonlyArray<string>
}
export type Kind = keyof Values
type Column<Row> = readonly [name: string, kind: Kind, valueOf: (row: Row) => unknown]

export interface Insert<Row> {
  readonly table: string
  readonly columns: ReadonlyArray<Column<Row>>
}

/** Members with a column of the same name: `clientId` is in `client_id`. */
type Members<Row> = {
  readonly [K in Kind]?: ReadonlyArray<
    { [M in keyof Row & string]: Row[M] extends Values[K] ? M : never }[keyof Row & string]
  >
}

export const insert = <Row>(
  table: string,
  members: Members<Row>,
  ...others: ReadonlyArray<Column<Row>>
): Insert<Row> => ({
  table,
  columns: [
    ...kinds.flatMap((kind) =>
      (members[kind] ?? []).map((member): Column<Row> => [
        columnName(member),
        kind,
        (row) => written(kind, row[member])
      ])
    ),
    ...others
  ]
})

const kinds = ["number", "decimal", "text", "uuid", "boolean", "json", "time", "numbers", "texts"] as const

const written = (kind: Kind, value: unknown): unknown =>
  kind === "json" ? JSON.stringify(value) : Array.isArray(value) ? arrayLiteral(value) : value

const arrayLiteral = (items: ReadonlyArray<unknown>): string =>
  `{${items.map((item) => `"${String(item).replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(",")}}`

export const inserts: { readonly [T in SeedTable]: Insert<SeedTables[T]> } = {
  instances: insert("instances", { number: ["id"], text: ["name"] }, [
    "context_store_ready",
    "boolean",
    () => true
  ]),
  users: insert(
    "users",
    {
      number: ["instanceId", "id", "capacity"],
      text: ["login", "email", "firstName", "lastName", "status", "presence", "language", "timezone"],
      time: ["createdAt"],
      texts: ["roles"]
    },
    ["updated_at", "time", (r) => r.createdAt]
  ),
  skillGroups: insert("skill_groups", { number: ["instanceId", "id"], text: ["name"], boolean: ["active"] }),
  clients: insert(
    "clients",
    {
      number: ["instanceId", "id"],
      text: ["name", "externalId", "language"],
      time: ["createdAt"],
      texts: ["tags", "emails", "phones"]
    },
    ["updated_at", "time", (r) => r.createdAt]
  ),
  subjects: insert("subjects", {
    number: ["instanceId", "id", "parentId"],
    text: ["name", "alias"],
    boolean: ["active"]
  }),
  appeals: insert("appeals", {
    number: [
      "instanceId",
      "id",
      "clientId",
      "subjectId",
      "operatorId",
      "authorId",
      "number",
      "messageCount",
      "closedBy"
    ],
    text: [
      "kind",
      "title",
      "description",
      "status",
      "statusGroup",
      "priority",
      "channel",
      "chatId",
      "comment"
    ],
    boolean: ["isOutgoing"],
    json: ["customFields"],
    time: ["waitingSince", "firstResponseAt", "lastMessageAt", "createdAt", "updatedAt", "closedAt"],
    numbers: ["operatorIds"],
    texts: ["tags"]
  }),
  appealMessages: insert(
    "appeal_messages",
    {
      number: ["instanceId", "appealId", "sequence", "id", "authorId"],
      text: ["authorType", "text", "visibility"],
      time: ["occurredAt"]
    },
    ["recorded_at", "time", (r) => r.occurredAt]
  ),
  propertyDefinitions: insert("property_definitions", {
    number: ["instanceId", "id"],
    text: ["entity", "name", "label", "type"],
    texts: ["options", "visibleTo"]
  }),
  propertyValues: insert("property_values", {
    number: ["instanceId", "entityId", "definitionId"],
    text: ["entity"],
    uuid: ["id"],
    json: ["value"],
    time: ["updatedAt"]
  }),
  clientState: insert("client_state", {
    number: ["instanceId", "clientId", "version"],
    text: ["namespace"],
    uuid: ["id"],
    json: ["state"],
    time: ["updatedAt"]
  }),
  clientStateHistory: insert("client_state_history", {
    number: ["instanceId", "clientId", "version"],
    text: ["namespace"],
    json: ["state"],
    time: ["updatedAt"]
  }),
  clientActions: insert("client_actions", {
    number: ["instanceId", "clientId", "actorId", "subjectId", "appealId"],
    text: ["type", "actorType", "externalEventId", "source", "channel", "summary"],
    uuid: ["id"],
    json: ["payload"],
    time: ["occurredAt", "recordedAt"]
  }),
  contextSessions: insert("context_sessions", {
    number: ["instanceId", "clientId", "appealId", "messageCount"],
    text: ["status", "externalSessionId", "channel"],
    uuid: ["id"],
    json: ["metadata"],
    time: ["createdAt", "closedAt"]
  }),
  sessionMessages: insert(
    "session_messages",
    {
      number: ["instanceId", "clientId", "sequence"],
      text: ["role", "content"],
      uuid: ["id", "sessionId"],
      time: ["occurredAt"]
    },
    ["recorded_at", "time", (r) => r.occurredAt]
  ),
  quarantine: insert("quarantine", {
    number: ["instanceId", "key", "tries"],
    text: ["kind", "reason"],
    time: ["createdAt"]
  }),
  calendars: insert("calendars", {
    number: ["instanceId", "id"],
    text: ["name", "timezone"],
    json: ["weekly"],
    texts: ["holidays"]
  }),
  slaTargets: insert("sla_targets", {
    number: ["instanceId", "subjectId", "tfrSec", "ttcSec", "calendarId"],
    json: ["overrides"]
  }),
  criteria: insert("quality_criteria", {
    number: ["instanceId", "id", "weight", "penalty"],
    text: ["name", "description"],
    boolean: ["critical"]
  }),
  checklists: insert("quality_checklists", {
    number: ["instanceId", "id"],
    text: ["name"],
    boolean: ["active"]
  }),
  assessments: insert(
    "quality_assessments",
    {
      number: ["instanceId", "id", "appealId", "operatorId", "assessorId", "checklistId", "version"],
      text: ["status"],
      time: ["createdAt", "approvedAt"]
    },
    ["checklist_version", "number", () => 1],
    ["score", "decimal", (r) => scoreOf(r.criteria)]
  ),
  bots: insert("bots", { number: ["instanceId", "id"], text: ["name"] }),
  botNodes: insert("bot_nodes", {
    number: ["instanceId", "id", "botId"],
    text: ["name", "connectorAlias", "template"]
  }),
  customModels: insert("custom_models", {
    number: ["instanceId", "id"],
    text: ["name", "label"],
    json: ["fields"]
  }),
  customRecords: insert(
    "custom_records",
    { number: ["instanceId", "modelId", "id"], json: ["values"], time: ["createdAt"] },
    ["updated_at", "time", (r) => r.createdAt]
  )
}
