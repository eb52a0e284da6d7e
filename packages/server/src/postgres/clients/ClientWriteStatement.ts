// The statement that writes actions and states of clients, with their receipts and audit entries. It checks each row against its snapshot,
// locks what the row writes, and writes the row completely or not at all.
import { clientActions, clientStates } from "@rapport/contract/clients/ClientContextApi.ts"
import { CLIENT_NAMESPACES_MAX } from "@rapport/contract/Limits.ts"
import type { Access } from "@rapport/core/clients/ClientContextStore.ts"
import type { SqlClient, Statement } from "effect/sql"
import {
  entriesOf,
  givenRows,
  isFirst,
  isFirstOfKey,
  joinKept,
  keptVerdicts,
  receiptsOf,
  type WriteValues
} from "../receipts/WriteStatement.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { recordJson } from "../sql/Records.ts"
import { wireTime } from "../sql/SqlTime.ts"
import { appealVisible, clientReadable, holds } from "../sql/Visibility.ts"
import { actionJson } from "./ClientActions.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** What the text depends on. */
export interface WriteKind {
  readonly access: Access
  readonly hasActions: boolean
  readonly hasStates: boolean
  /** The clients of the rows are locked, so that the number of their namespaces cannot change. */
  readonly isLocked: boolean
}

const columns = [
  "client int8",
  "action_id uuid",
  "type text",
  "action_actor_type text",
  "action_actor_id int8",
  "occurred_at timestamptz",
  "recorded_at timestamptz",
  "external_event_id text",
  "source text",
  "channel text",
  "subject_id int8",
  "appeal_id int8",
  "summary text",
  "payload json",
  "event text",
  "namespace text",
  "expected int8",
  "read_version int8",
  "state json",
  "state_id uuid",
  "updated_at timestamptz",
  "too_large bool",
  "import_source text",
  "import_id text",
  "import_fingerprint text"
]

/** The JSON of the action that a row of `given` writes to the client of `ready`. */
const givenAction = recordJson(
  {
    id: { sql: "given.action_id" },
    clientId: { sql: "found.client_id" },
    type: { sql: "given.type" },
    occurredAt: { sql: wireTime("given.occurred_at") },
    actorType: { sql: "given.action_actor_type" },
    actorId: { sql: "given.action_actor_id" },
    externalEventId: { sql: "given.external_event_id" },
    source: { sql: "given.source" },
    channel: { sql: "given.channel" },
    subjectId: { sql: "given.subject_id" },
    appealId: { sql: "given.appeal_id" },
    summary: { sql: "given.summary" },
    payload: { sql: "given.payload" },
    recordedAt: { sql: wireTime("given.recorded_at") }
  },
  clientActions.members
)
const givenState = recordJson(
  {
    clientId: { sql: "found.client_id" },
    namespace: { sql: "given.namespace" },
    version: { sql: "found.version + 1" },
    state: { sql: "given.state" },
    updatedAt: { sql: wireTime("given.updated_at") }
  },
  clientStates.members
)

export const clientWriteStatement = (
  sql: Sql,
  kind: WriteKind,
  values: WriteValues
): Statement.Statement<unknown> =>
  statement(
    sql,
    [
      ...givenRows(sql, values, columns),
      found(sql, kind, values),
      ...locks(sql, kind, values),
      ...receiptsOf(sql, values, "ready", "ready.answer"),
      ...(kind.hasActions ? actionWrites(sql, kind, values) : []),
      ...(kind.hasStates ? stateWrites(sql, values) : [])
    ],
    sql`select found.place::float8 as place,
      case when found.verdict not in ('Write', 'Known') then found.verdict when free.place is null then 'Again'
        when found.verdict = 'Known' then 'Replayed' else 'Done' end as outcome,
      found.client_id::float8 as "clientId", found.version::float8 as version, found.appeal, found.subject,
      case found.verdict when 'Replayed' then found.kept_answer when 'Known' then free.answer end as answer
    from found left join free on free.place = found.place order by found.place`
  )

/** The verdict about each row. */
const found = (sql: Sql, kind: WriteKind, values: WriteValues): Fragment => {
  const { hasActions, hasStates } = kind
  const instance = sql`${values.instanceId}::int8`
  const none = sql.literal("")
  return cte(
    sql,
    "found",
    sql`select given.place, c.id as client_id, kept.answer as kept_answer,
      ${hasActions ? sql.literal("before.record, before.receipt, before.state_written,") : none}
      ${sql.literal(hasStates ? "coalesce(present.version, 0)" : "0")} as version,
      named.appeal, named.subject,
      case when not exists (select 1 from caller u where ${holds(sql, kind.access)}) then 'Forbidden'
        when c.id is null then 'NotFound'
        when not (named.appeal and named.subject) then 'UnknownReferences'
        ${sql.literal(keptVerdicts)}
        ${sql.literal(hasActions ? actionVerdicts : "")}
        ${sql.literal(hasStates ? importVerdicts : "")}
        when not ${sql.literal(isFirstOfKey)} then 'Again'
        ${sql.literal(hasStates ? stateVerdicts(kind) : "")}
        else 'Write' end as verdict
    from given
      left join lateral (select c.id from clients named
        join clients c on c.instance_id = named.instance_id and c.id = coalesce(named.merged_into_id, named.id), caller u
        where named.instance_id = ${instance} and named.id = given.client and named.erased_at is null
          and c.merged_into_id is null and c.erased_at is null and ${holds(sql, kind.access)}
          and (u.everything or ${clientReadable(sql)}) limit 1) c on true
      cross join lateral (select ${hasActions ? references(sql, instance) : sql`true as appeal, true as subject`}) named
      ${joinKept(sql, values)}
      ${hasActions ? eventBefore(sql, instance) : none}
      ${hasStates ? stateBefore(sql, instance) : none}`,
    "materialized"
  )
}

const references = (sql: Sql, instance: Fragment): Fragment =>
  sql`(given.appeal_id is null or exists (select 1 from appeals a, caller u where a.instance_id = ${instance}
      and a.id = given.appeal_id and a.client_id = c.id and ${appealVisible(sql)})) as appeal,
    (given.subject_id is null or exists (select 1 from subjects subject where subject.instance_id = ${instance}
      and subject.id = given.subject_id)) as subject`

/** Of several events that a merge of clients brought together the one with the same content, where there is one. */
const eventBefore = (sql: Sql, instance: Fragment): Fragment =>
  sql`left join lateral (select action.fingerprint, action.receipt, action.state_written,
      ${sql.literal(actionJson)} as record
    from client_actions action where action.instance_id = ${instance} and action.client_id = c.id
      and coalesce(action.source, '') = coalesce(given.source, '') and action.external_event_id = given.external_event_id
    order by (action.fingerprint = given.event) is true desc, action.merged_from_id nulls first limit 1) before on true`

/** An event of the demo data has no receipt: its command is unknown. */
const actionVerdicts = `when before.record is not null and (before.receipt is null
      or before.fingerprint is distinct from given.event) then 'EventConflict'
  when before.record is not null then 'Known'
  when not ${isFirst("c.id", "coalesce(given.source, '')", "given.external_event_id")} then 'Again'`

const stateBefore = (sql: Sql, instance: Fragment): Fragment =>
  sql`left join lateral (select state.version from client_state state where state.instance_id = ${instance}
      and state.client_id = c.id and state.namespace = given.namespace limit 1) present on true
    left join lateral (select imported.fingerprint from imported_states imported where imported.instance_id = ${instance}
        and imported.client_id = c.id and imported.source = given.import_source and imported.external_id = given.import_id
      order by imported.fingerprint = given.import_fingerprint desc, imported.merged_from_id limit 1) imported on true`

const importVerdicts = `when imported.fingerprint = given.import_fingerprint then 'Replayed'
  when imported.fingerprint is not null then 'EventConflict'
  when not ${isFirst("c.id", "given.import_source", "given.import_id")} then 'Again'`

const isNew = "(given.namespace is not null and present.version is null)"
const stateVerdicts = ({ isLocked }: WriteKind): string => `
  when not ${isFirst("c.id", "given.namespace")} then 'Again'
  when given.expected <> coalesce(present.version, 0) then 'VersionConflict'
  when ${isNew} and not ${isFirst("c.id", `${isNew}`, `nullif(${isNew}, false)`)} then 'Again'
  when ${isNew} and (select count(*) from client_state held where held.instance_id = (select instance_id from caller)
    and held.client_id = c.id) >= ${CLIENT_NAMESPACES_MAX} then 'NamespacesFull'
  when given.read_version <> coalesce(present.version, 0) then 'Again'
  when given.too_large then 'StateTooLarge'
  ${isLocked ? "" : `when ${isNew} then 'Again'`}`

/**
 * Locks clients, then states, each in the order of keys. A row whose client or state another transaction changed since the snapshot
 * is not in `ready`.
 */
const locks = (
  sql: Sql,
  { hasActions, hasStates }: WriteKind,
  { instanceId }: WriteValues
): ReadonlyArray<Fragment | false> => {
  const instance = sql`${instanceId}::int8`
  return [
    cte(
      sql,
      "client",
      sql`select c.id from clients c where c.instance_id = ${instance}
          and c.id in (select found.client_id from found where found.verdict in ('Write', 'Known'))
          and c.merged_into_id is null and c.erased_at is null order by c.id for key share of c`,
      "materialized"
    ),
    hasStates &&
      cte(
        sql,
        "changing",
        sql`select found.place, found.client_id, given.namespace, found.version from found
          join client on client.id = found.client_id join given on given.place = found.place
          where found.verdict = 'Write' and found.version > 0`,
        "materialized"
      ),
    hasStates &&
      cte(
        sql,
        "locked",
        sql`select changing.place, held.version from client_state held
          join changing on changing.client_id = held.client_id and changing.namespace = held.namespace
          where held.instance_id = ${instance} order by held.client_id, held.namespace for no key update of held`,
        "materialized"
      ),
    cte(
      sql,
      "ready",
      sql`select found.place, found.client_id, found.version, found.verdict, ${answer(sql, hasActions, hasStates)} as answer
        from found join client on client.id = found.client_id join given on given.place = found.place
        where found.verdict in ('Write', 'Known')
          ${sql.literal(
            hasStates
              ? `and (found.verdict = 'Known' or found.version = 0
            or found.version = (select locked.version from locked where locked.place = found.place))`
              : ""
          )}`,
      "materialized"
    )
  ]
}

const answer = (sql: Sql, hasActions: boolean, hasStates: boolean): Fragment => {
  const action = `'receipt', given.receipt, 'action', ${givenAction}`
  const known = `'receipt', found.receipt, 'dedupedBy', 'externalEventId', 'action', found.record`
  return sql.literal(
    [
      "case",
      hasActions &&
        `when found.verdict = 'Known' and found.state_written is null then json_build_object(${known})
        when found.verdict = 'Known' then json_build_object(${known}, 'state', found.state_written)
        when given.namespace is null then json_build_object(${action})`,
      hasActions &&
        hasStates &&
        `when given.action_id is not null then json_build_object(${action}, 'state', ${givenState})`,
      hasStates &&
        `when given.namespace is not null then json_build_object('receipt', given.receipt, 'state', ${givenState})`,
      "end"
    ]
      .filter((part) => part !== false)
      .join("\n")
  )
}

const actionWrites = (sql: Sql, { hasStates }: WriteKind, values: WriteValues): ReadonlyArray<Fragment> => [
  cte(
    sql,
    "action",
    sql`insert into client_actions (instance_id, id, client_id, type, actor_type, actor_id, occurred_at, recorded_at,
        external_event_id, source, channel, subject_id, appeal_id, summary, payload, fingerprint, receipt, state_written)
      select ${values.instanceId}::int8, given.action_id, free.client_id, given.type, given.action_actor_type,
        given.action_actor_id, given.occurred_at, given.recorded_at, given.external_event_id, given.source, given.channel,
        given.subject_id, given.appeal_id, given.summary, given.payload, given.event, given.receipt,
        ${sql.literal(hasStates ? "free.answer->'state'" : "null::json")}
      from given join free on free.place = given.place
      where free.verdict = 'Write' and given.action_id is not null order by free.client_id returning id`
  ),
  cte(
    sql,
    "registered",
    sql`select free.place, free.client_id from free join given on given.place = free.place
      where free.verdict = 'Write' and given.action_id is not null`
  ),
  entriesOf(sql, values, "registered", {
    name: "action_entry",
    action: "'client.action.register'",
    entity: "'client'",
    entityId: "registered.client_id",
    details: "jsonb_build_object('actionId', given.action_id)"
  })
]

const stateWrites = (sql: Sql, values: WriteValues): ReadonlyArray<Fragment> => {
  const instance = sql`${values.instanceId}::int8`
  return [
    cte(
      sql,
      "changed",
      sql`select free.place, free.client_id, free.version from free join given on given.place = free.place
        where free.verdict = 'Write' and given.namespace is not null`,
      "materialized"
    ),
    cte(
      sql,
      "first_version",
      sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
        select ${instance}, changed.client_id, given.namespace, given.state_id, 1, given.state, given.updated_at
        from changed join given on given.place = changed.place where changed.version = 0
        order by changed.client_id, given.namespace`
    ),
    cte(
      sql,
      "next_version",
      sql`update client_state held set version = changed.version + 1, state = given.state, updated_at = given.updated_at
        from changed join given on given.place = changed.place
        where changed.version > 0 and held.instance_id = ${instance} and held.client_id = changed.client_id
          and held.namespace = given.namespace`
    ),
    cte(
      sql,
      "history",
      sql`insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
        select ${instance}, changed.client_id, given.namespace, changed.version + 1, given.state, given.updated_at
        from changed join given on given.place = changed.place`
    ),
    cte(
      sql,
      "imported",
      sql`insert into imported_states (instance_id, client_id, source, external_id, fingerprint)
        select ${instance}, changed.client_id, given.import_source, given.import_id, given.import_fingerprint
        from changed join given on given.place = changed.place where given.import_id is not null`
    ),
    entriesOf(sql, values, "changed", {
      name: "state_entry",
      action: "'client.state.put'",
      entity: "'client'",
      entityId: "changed.client_id",
      details: "jsonb_build_object('namespace', given.namespace, 'version', changed.version + 1)"
    })
  ]
}
