// The statement that writes actions and states of clients, with their receipts and audit entries. It checks each row against its snapshot,
// locks what the row writes, and writes the row completely or not at all.
import {
  ClientAction,
  clientActions,
  ClientState,
  clientStates
} from "@rapport/contract/clients/ClientContextApi.ts"
import { CLIENT_NAMESPACES_MAX } from "@rapport/contract/Limits.ts"
import type { ClientPermission } from "@rapport/core/clients/ClientContextStore.ts"
import type { Statement } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import {
  entriesOf,
  joinKept,
  keptVerdicts,
  laterRows,
  writeStatement,
  type WriteValues
} from "../receipts/WriteStatement.ts"
import type { Tables } from "../sql/CommonTables.ts"
import { columnsOf, recordJson, wireJson } from "../sql/Columns.ts"
import { appealVisible, clientReadable, holds } from "../sql/Visibility.ts"

/** The text of the statement depends on this. */
export interface WriteKind {
  readonly access: ClientPermission
  readonly hasActions: boolean
  readonly hasStates: boolean
}

export const actionColumns = columnsOf("action", ClientAction.fields)
const actionJson = recordJson(actionColumns, clientActions.members)
const givenAction = wireJson(
  columnsOf("found", ClientAction.fields, {
    id: { sql: "found.action_id" },
    actorType: { sql: "found.action_actor_type" },
    actorId: { sql: "found.action_actor_id" }
  }),
  clientActions.members
)
const givenState = wireJson(
  columnsOf("found", ClientState.fields, { version: { sql: "found.present_version + 1" } }),
  clientStates.members
)

export const clientWriteStatement = (
  sql: Sql,
  kind: WriteKind,
  values: WriteValues
): Statement.Statement<unknown> =>
  writeStatement(sql, values, {
    tables: { found: selectVerdicts(kind, values), ...locks(kind, values) },
    answer: "ready.answer",
    writes: {
      ...(kind.hasActions ? actionWrites(kind, values) : {}),
      ...(kind.hasStates ? stateWrites(values) : {})
    },
    outcome: sql`select case when found.verdict not in ('Write', 'Known') then found.verdict when free.place is null then 'Retry'
        when found.verdict = 'Known' then 'Replayed' else 'Done' end as _tag,
      found.client_id::float8 as "clientId", found.present_version::float8 as "currentVersion", found.appeal, found.subject,
      case found.verdict when 'Replayed' then found.kept_answer when 'Known' then free.answer end as answer
    from found left join free on free.place = found.place order by found.place`
  })

const selectVerdicts = (kind: WriteKind, values: WriteValues): Fragment => {
  const { hasActions, hasStates } = kind
  const instance = sql`${values.instanceId}::int8`
  const none = sql.literal("")
  return sql`select given.*, c.id as client_id, kept.answer as kept_answer,
      ${hasActions ? sql.literal("before.record, before.receipt as before_receipt, before.state_written,") : none}
      ${sql.literal(hasStates ? "coalesce(present.version, 0)" : "0")} as present_version,
      named.appeal, named.subject,
      case when not exists (select 1 from caller u where ${holds(kind.access)}) then 'Forbidden'
        when c.id is null then 'NotFound'
        when not (named.appeal and named.subject) then 'UnknownReferences'
        ${sql.literal(keptVerdicts)}
        ${sql.literal(hasActions ? actionVerdicts(values) : "")}
        ${sql.literal(hasStates ? importVerdicts(values) : "")}
        ${sql.literal(hasStates ? stateVerdicts(values) : "")}
        else 'Write' end as verdict
    from given
      left join lateral (select c.id from clients named
        join clients c on c.instance_id = named.instance_id and c.id = coalesce(named.merged_into_id, named.id), caller u
        where named.instance_id = ${instance} and named.id = given.client and named.erased_at is null
          and c.merged_into_id is null and c.erased_at is null
          and (u.everything or ${clientReadable}) limit 1) c on true
      cross join lateral (select ${hasActions ? references(instance) : sql`true as appeal, true as subject`} offset 0) named
      ${joinKept(values)}
      ${hasActions ? eventBefore(instance) : none}
      ${hasStates ? stateBefore(instance) : none}`
}

const references = (instance: Fragment): Fragment =>
  sql`(given.appeal_id is null or exists (select 1 from appeals a, caller u where a.instance_id = ${instance}
      and a.id = given.appeal_id and a.client_id = c.id and ${appealVisible})) as appeal,
    (given.subject_id is null or exists (select 1 from subjects subject where subject.instance_id = ${instance}
      and subject.id = given.subject_id)) as subject`

/** The existing event of the row. A merge may have joined several: then the one with the same content, if any. */
const eventBefore = (instance: Fragment): Fragment =>
  sql`left join lateral (select action.fingerprint, action.receipt, action.state_written,
      ${sql.literal(actionJson)} as record
    from client_actions action where action.instance_id = ${instance} and action.client_id = c.id
      and coalesce(action.source, '') = coalesce(given.source, '') and action.external_event_id = given.external_event_id
    order by (action.fingerprint = given.event) is true desc, action.merged_from_id nulls first limit 1) before on true`

/** An event of the demo data has no receipt, so its command is unknown. */
const actionVerdicts = (
  values: WriteValues
): string => `when before.record is not null and (before.receipt is null
      or before.fingerprint is distinct from given.event) then 'EventConflict'
  when before.record is not null then 'Known'
  ${laterRows(values, "c.id", "coalesce(given.source, '')", "given.external_event_id")}`

const stateBefore = (instance: Fragment): Fragment =>
  sql`left join lateral (select state.version from client_state state where state.instance_id = ${instance}
      and state.client_id = c.id and state.namespace = given.namespace limit 1) present on true
    left join lateral (select imported.fingerprint from imported_states imported where imported.instance_id = ${instance}
        and imported.client_id = c.id and imported.source = given.import_source and imported.external_id = given.import_id
      order by imported.fingerprint = given.import_fingerprint desc, imported.merged_from_id limit 1) imported on true`

const importVerdicts = (
  values: WriteValues
): string => `when imported.fingerprint = given.import_fingerprint then 'Replayed'
  when imported.fingerprint is not null then 'EventConflict'
  ${laterRows(values, "c.id", "given.import_source", "given.import_id")}`

const isNew = "(given.namespace is not null and present.version is null)"
const stateVerdicts = (values: WriteValues): string => `
  ${laterRows(values, "c.id", "given.namespace")}
  when given.expected <> coalesce(present.version, 0) then 'VersionConflict'
  ${laterRows(values, "c.id", `nullif(${isNew}, false)`)}
  when ${isNew} and (select count(*) from client_state current_state where current_state.instance_id = (select instance_id from caller)
    and current_state.client_id = c.id) >= ${CLIENT_NAMESPACES_MAX} then 'NamespacesFull'
  when given.read_version <> coalesce(present.version, 0) then 'Retry'
  when given.too_large then 'StateTooLarge'`

/**
 * Locks clients, then states, each in the order of keys. A row whose client or state another transaction changed since the snapshot
 * is not in `ready`. The number of namespaces is counted after the lock, which excludes other writers of states.
 */
const locks = ({ hasActions, hasStates }: WriteKind, { instanceId }: WriteValues): Tables => {
  const instance = sql`${instanceId}::int8`
  return {
    client: sql`select c.id from clients c where c.instance_id = ${instance}
          and c.id in (select found.client_id from found where found.verdict in ('Write', 'Known'))
          and c.merged_into_id is null and c.erased_at is null
        order by c.id for ${sql.literal(hasStates ? "no key update" : "key share")} of c`,
    locked:
      hasStates &&
      sql`select found.place, current_state.version from client_state current_state
          join found on current_state.client_id = found.client_id and current_state.namespace = found.namespace
          join client on client.id = found.client_id
          where current_state.instance_id = ${instance} and found.verdict = 'Write'
          order by current_state.client_id, current_state.namespace for no key update of current_state`,
    ready: sql`select found.*, ${answer(hasActions, hasStates)} as answer
        from found join client on client.id = found.client_id
        where found.verdict in ('Write', 'Known') ${hasStates ? unchangedState(instance) : sql.literal("")}`
  }
}

const unchangedState = (instance: Fragment): Fragment =>
  sql`and (found.verdict = 'Known' or found.namespace is null or case found.present_version
    when 0 then client_namespaces(${instance}, found.client_id) < ${sql.literal(String(CLIENT_NAMESPACES_MAX))}
    else found.present_version = (select locked.version from locked where locked.place = found.place) end)`

const answer = (hasActions: boolean, hasStates: boolean): Fragment => {
  const action = `'receipt', found.receipt, 'action', ${givenAction}`
  const state = `'state', ${givenState}`
  const known = `'receipt', found.before_receipt, 'dedupedBy', 'externalEventId', 'action', found.record`
  const knownActions = `when found.verdict = 'Known' and found.state_written is null then json_build_object(${known})
    when found.verdict = 'Known' then json_build_object(${known}, 'state', found.state_written)`
  if (!hasStates) return sql.literal(`case ${knownActions} else json_build_object(${action}) end`)
  const onlyState = `json_build_object('receipt', found.receipt, ${state})`
  return sql.literal(
    hasActions
      ? `case ${knownActions}
        when found.namespace is null then json_build_object(${action})
        when found.action_id is null then ${onlyState}
        else json_build_object(${action}, ${state}) end`
      : onlyState
  )
}

const actionWrites = ({ hasStates }: WriteKind, values: WriteValues): Tables => {
  const writesAction = "free.verdict = 'Write' and free.action_id is not null"
  return {
    action: sql`insert into client_actions (instance_id, id, client_id, type, actor_type, actor_id, occurred_at, recorded_at,
        external_event_id, source, channel, subject_id, appeal_id, summary, payload, fingerprint, receipt, state_written)
      select ${values.instanceId}::int8, action_id, client_id, type, action_actor_type, action_actor_id, occurred_at,
        recorded_at, external_event_id, source, channel, subject_id, appeal_id, summary, payload, event, receipt,
        ${sql.literal(hasStates ? "answer->'state'" : "null::json")}
      from free where ${sql.literal(writesAction)} order by client_id`,
    action_entry: entriesOf(values, "free", {
      action: "'client.action.register'",
      entity: "'client'",
      entityId: "client_id",
      details: "jsonb_build_object('actionId', action_id)",
      where: writesAction
    })
  }
}

const stateWrites = (values: WriteValues): Tables => {
  const instance = sql`${values.instanceId}::int8`
  const writesState = "free.verdict = 'Write' and free.namespace is not null"
  const written = sql.literal(`free where ${writesState}`)
  return {
    first_version: sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
        select ${instance}, client_id, namespace, state_id, 1, state, updated_at from ${written}
          and present_version = 0 order by client_id, namespace`,
    next_version: sql`update client_state current_state
        set version = free.present_version + 1, state = free.state, updated_at = free.updated_at
        from ${written} and present_version > 0 and current_state.instance_id = ${instance} and current_state.client_id = free.client_id
          and current_state.namespace = free.namespace`,
    history: sql`insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
        select ${instance}, client_id, namespace, present_version + 1, state, updated_at from ${written}`,
    imported: sql`insert into imported_states (instance_id, client_id, source, external_id, fingerprint)
        select ${instance}, client_id, import_source, import_id, import_fingerprint from ${written}
          and import_id is not null`,
    state_entry: entriesOf(values, "free", {
      action: "'client.state.put'",
      entity: "'client'",
      entityId: "client_id",
      details: "jsonb_build_object('namespace', namespace, 'version', present_version + 1)",
      where: writesState
    })
  }
}
