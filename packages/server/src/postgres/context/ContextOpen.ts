// The first statement of a context read: the right to open the entity and, in the same snapshot, its sections.
import type { Caller } from "@rapport/core/access/Caller.ts"
import type {
  ContextScope,
  OpenedContext,
  OpenNeeds,
  StateRows
} from "@rapport/core/context/read/ContextStore.ts"
import { Effect, Schema, Struct } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { callerOf, namedVisible, openedEntity, propertyVisible } from "../sql/Visibility.ts"
import {
  column,
  Id,
  IdOrNull,
  inRange,
  isoRange,
  objectOf,
  shownOf,
  Text,
  TextOrNull,
  timeColumn,
  timeOrNullColumn
} from "../sql/RowColumns.ts"
import { rowsOf } from "../sql/Query.ts"
import { wireTime } from "../sql/SqlTime.ts"
import { notOf } from "./ContextConversation.ts"
import { recordMembers } from "@rapport/contract/directory/PropertiesApi.ts"
import { SessionRole } from "@rapport/contract/sessions/SessionsApi.ts"
import * as Pack from "@rapport/contract/context/ContextPack.ts"
import {
  CONVERSATION_MESSAGES_MAX,
  FLAGGED_APPEALS_MAX,
  SHOWN_TEXT_POINTS_MAX
} from "@rapport/contract/Limits.ts"
import { PAYLOAD_KEPT_BYTES_MAX } from "@rapport/core/context/pack/Coverage.ts"
import { displayName } from "../users/UserColumns.ts"
import { memoryRows } from "../memory/MemoryRows.ts"
import { shownText } from "../files/ShownText.ts"

type Entity = ContextScope["entity"]

const shown = String(SHOWN_TEXT_POINTS_MAX)
const beginningOf = (text: string) => `substr(${text}, 1, ${shown})`
const isLonger = (text: string) => `length(substr(${text}, 1, ${shown} + 1)) > ${shown}`

const Namespace = shownOf("item", Pack.Namespace.fields, {
  id: column("item.id", Text),
  state: column("case when item.is_left then null else item.state end", Schema.Unknown),
  leftBytes: column("case when item.is_left then item.bytes end", IdOrNull)
})
const OperatorState = shownOf("operator", Struct.omit(Pack.OperatorState.fields, ["status"]), {
  openAppeals: column("own.appeals", Schema.Int),
  skillGroupIds: column("own.groups", Schema.Array(Id))
})
const SkillGroupState = shownOf("skill_group", Struct.omit(Pack.SkillGroupState.fields, ["status"]), {
  operatorsOnline: column("members.online", Schema.Int),
  operatorsTotal: column("members.total", Schema.Int),
  queueLength: column("queue.length", Schema.Int),
  oldestWaitingSince: timeOrNullColumn("queue.oldest")
})
const State = {
  client: Schema.Array(Namespace),
  operator: OperatorState,
  skill_group: SkillGroupState
}

const statePart = (entity: Entity, bound: OpenValues): Fragment => {
  const { instanceId } = bound
  switch (entity) {
    case "client":
      return sql`(select coalesce(json_agg(${objectOf(Namespace)} order by item.namespace collate "C"), '[]')
        from (select *, sum(bytes) over (order by bytes, namespace collate "C" desc) > ${bound.keptBytes}::int8 as is_left
          from (select state.*, octet_length(state.state::text) as bytes from client_state state
            where state.instance_id = ${instanceId} and state.client_id = (select id from target)) measured) item)`
    case "operator":
      return sql`(select ${objectOf(OperatorState)} from users operator,
          lateral (select
            (select count(*) from appeals a where a.instance_id = ${instanceId} and a.operator_id = operator.id
              and a.status_group <> 'done') as appeals,
            (select coalesce(json_agg(member.skill_group_id order by member.skill_group_id), '[]')
              from skill_group_members member
              where member.instance_id = ${instanceId} and member.user_id = operator.id) as groups) own
        where operator.instance_id = ${instanceId} and operator.id = (select id from target))`
    case "skill_group":
      return sql`(select ${objectOf(SkillGroupState)} from skill_groups skill_group,
          (select count(*) filter (where account.presence = 'online') as online, count(*) as total
            from skill_group_members member join users account on account.instance_id = member.instance_id
              and account.id = member.user_id
            where member.instance_id = ${instanceId} and member.skill_group_id = (select id from target)
              and account.status = 'active') members,
          (select count(*) as length, min(case a.kind when 'ticket' then a.created_at else a.waiting_since end) as oldest
            from appeals a where a.instance_id = ${instanceId} and a.operator_id is null
              and a.status_group in ('new', 'open') and (a.kind = 'ticket' or a.status = 'waiting')
              and not (a.is_outgoing and a.waiting_since is null)
              and a.subject_id = any(array(select group_subject.subject_id from skill_group_subjects group_subject
                where group_subject.instance_id = ${instanceId}
                  and group_subject.skill_group_id = (select id from target)))) queue
        where skill_group.instance_id = ${instanceId} and skill_group.id = (select id from target))`
    case "subject":
      return sql.literal("null")
  }
}

const Action = shownOf("item", Pack.Action.fields, {
  payload: column("case when item.is_left then '{}'::json else item.payload end", Schema.Unknown),
  leftBytes: column("case when item.is_left then item.bytes end", IdOrNull),
  appealId: column("item.appeal_id", IdOrNull)
})
const Actions = Schema.Array(Action)

const actionsPart = ({ actions, actorTypes, instanceId, keptBytes }: OpenValues): Fragment => {
  const ofActors =
    actorTypes === null ? sql.literal("") : sql` and action.actor_type = any(${actorTypes}::text[])`
  return sql`(select coalesce(json_agg(${objectOf(Action)} order by item.occurred_at desc, item.id desc), '[]')
    from (select *, bytes > ${sql.literal(String(PAYLOAD_KEPT_BYTES_MAX))}
        and sum(bytes) over (order by bytes, occurred_at desc, id desc) > ${keptBytes}::int8 as is_left
      from (select action.*, octet_length(action.payload::text) as bytes from client_actions action
        where action.instance_id = ${instanceId}
        and action.client_id = (select id from target)${ofActors} and ${namedVisible("action")}
        order by action.occurred_at desc, action.id desc limit ${actions}) measured) item)`
}

const Members = Schema.Struct({
  id: column("record.id", Id),
  updatedAt: timeColumn("record.updated_at"),
  values: Schema.Record(Schema.String, Schema.Unknown)
})

const records: Readonly<Record<Entity, { readonly table: string; readonly members: string }>> = {
  client: {
    table: "clients",
    members: `'name', record.name, 'email', record.emails[1], 'phone', record.phones[1], 'language', record.language,
      'tags', nullif(record.tags, '{}'), 'externalId', record.external_id`
  },
  subject: { table: "subjects", members: `'name', record.name, 'alias', record.alias` },
  operator: {
    table: "users",
    members: `'displayName', ${displayName("record")}, 'language', record.language,
      'timezone', record.timezone, 'status', record.status`
  },
  skill_group: { table: "skill_groups", members: `'name', record.name, 'active', record.active` }
}

const membersPart = (entity: Entity, { instanceId }: OpenValues): Fragment => {
  const { members, table } = records[entity]
  return sql`(select json_build_object('id', record.id, 'updatedAt', ${sql.literal(wireTime("record.updated_at"))},
      'values', json_build_object(${sql.literal(members)}))
    from ${sql.literal(table)} record where record.instance_id = ${instanceId} and record.id = (select id from target))`
}

/** Members of the record with a value, in the order of a pack. */
const memberRows = (entity: Entity, { id, updatedAt, values }: typeof Members.Type) =>
  Object.entries(recordMembers[entity]).flatMap(([name, label]) => {
    const value = values[name]
    return value === undefined || value === null || value === ""
      ? []
      : [{ id: String(id), definitionId: null, name, label, value, updatedAt }]
  })

const Property = shownOf("property", Pack.Property.fields, {
  id: column("property.id", Text),
  definitionId: column("d.id", Id),
  name: column("d.name", Text),
  label: column("d.label", Text)
})
const Properties = Schema.Array(Property)

const propertiesPart = (entity: Entity, { instanceId }: OpenValues): Fragment =>
  sql`(select coalesce(json_agg(${objectOf(Property)} order by d.name collate "C"), '[]')
    from property_values property join property_definitions d on d.instance_id = property.instance_id
      and d.id = property.definition_id,
      caller u
    where property.instance_id = ${instanceId} and property.entity = '${sql.literal(entity)}'
      and property.entity_id = (select id from target)
      and ${propertyVisible})`

const Message = shownOf("message", Struct.omit(Pack.ConversationMessage.fields, ["truncated"]), {
  messageId: column("message.id", Text),
  text: column(beginningOf(shownText("message", "content")), Text),
  cutAfter: column(isLonger(shownText("message", "content")), Schema.Boolean)
})
const Conversation = shownOf("session", Struct.omit(Pack.Conversation.fields, ["mark"]), {
  sessionId: column("session.id", Text),
  appealId: column("session.appeal_id", IdOrNull),
  messages: column("session.messages", Schema.Array(Message))
})
const Conversations = Schema.Array(Conversation)

const conversationsPart = (bound: OpenValues): Fragment =>
  sql`(select coalesce(json_agg(${objectOf(Conversation)} order by session.created_at desc, session.id desc), '[]')
    from (select session.*, (select coalesce(json_agg(${objectOf(Message)} order by message.sequence), '[]')
        from (select * from session_messages message where message.instance_id = ${bound.instanceId}
          and message.session_id = session.id
          order by message.sequence desc limit ${sql.literal(String(CONVERSATION_MESSAGES_MAX))}) message) as messages
      from context_sessions session where session.instance_id = ${bound.instanceId}
        and session.client_id = (select id from target)${inRange("session.created_at", bound)}
          and ${namedVisible("session")}${notOf("session", bound.leftOut)}
      order by session.created_at desc, session.id desc limit ${bound.conversations}) session)`

const Interaction = shownOf("interaction", Struct.omit(Pack.Interaction.fields, ["truncated"]), {
  text: column(beginningOf("interaction.text"), Text),
  cutAfter: column(isLonger("interaction.text"), Schema.Boolean),
  role: column("interaction.role", Schema.NullOr(SessionRole)),
  sessionId: column("interaction.session_id", TextOrNull),
  appealId: column("interaction.appeal_id", IdOrNull)
})
const Interactions = Schema.Array(Interaction)

const interactionsPart = (bound: OpenValues): Fragment =>
  sql`(select coalesce(json_agg(${objectOf(Interaction)}
      order by interaction.occurred_at desc, interaction.id desc), '[]')
    from (
      (select 'action' as kind, action.id, coalesce(action.summary, action.type) as text, action.occurred_at, null::uuid as session_id,
          action.appeal_id, null::text as role
        from client_actions action where action.instance_id = ${bound.instanceId}
          and action.client_id = (select id from target)${inRange("action.occurred_at", bound)} and ${namedVisible("action")}
        order by action.occurred_at desc, action.id desc limit ${bound.interactions})
      union all
      (select 'message', message.id, ${sql.literal(shownText("message", "content"))}, message.occurred_at, message.session_id, session.appeal_id, message.role
        from session_messages message join context_sessions session on session.instance_id = message.instance_id
          and session.id = message.session_id
        where message.instance_id = ${bound.instanceId}
          and message.client_id = (select id from target)${inRange("message.occurred_at", bound)} and ${namedVisible("session")}
          ${notOf("session", bound.leftOut)}
        order by message.occurred_at desc, message.id desc limit ${bound.interactions})
      order by 4 desc, 2 desc limit ${bound.interactions}) interaction)`

const QuarantinedMemory = Schema.Struct({
  id: column("entry.id", Text),
  occurredAt: timeColumn("entry.occurred_at")
})
const QuarantinedMemories = Schema.Array(QuarantinedMemory)

/** Quarantined entries of the client, except those of an appeal hidden from the caller. */
const quarantinedMemoriesPart = (bound: OpenValues): Fragment =>
  sql`(select coalesce(json_agg(${objectOf(QuarantinedMemory)} order by entry.occurred_at desc, entry.id desc), '[]')
    from (select source.id, source.occurred_at from quarantine
        join memory_entries memory on memory.instance_id = quarantine.instance_id
          and memory.id = quarantine.key, ${memoryRows} source
      where quarantine.instance_id = ${bound.instanceId} and quarantine.kind = 'client_memory'
        and memory.client_id = (select id from target)${inRange("source.occurred_at", bound)}
          and ${namedVisible("source")}
          and (source.session_id is null or (true${notOf("source", bound.leftOut, "session_id")}))
      order by source.occurred_at desc, source.id desc limit ${sql.literal(String(FLAGGED_APPEALS_MAX))}) entry)`

const Group = Schema.Struct({ subjectIds: Schema.Array(Id), memberIds: Schema.Array(Id) })

const groupPart = ({ instanceId }: OpenValues): Fragment =>
  sql`json_build_object(
    'subjectIds', (select coalesce(json_agg(group_subject.subject_id order by group_subject.subject_id), '[]')
      from skill_group_subjects group_subject
      where group_subject.instance_id = ${instanceId} and group_subject.skill_group_id = (select id from target)),
    'memberIds', (select coalesce(json_agg(member.user_id order by member.user_id), '[]') from skill_group_members member
      where member.instance_id = ${instanceId} and member.skill_group_id = (select id from target)))`

/**
 * States and payloads are not read if their bytes exceed the pack's this many times: canonical JSON is not longer than stored text. Of
 * equal sizes those are omitted that core drops first (Coverage.ts).
 */
const LEFT_FACTOR = 2

/** Parameters. Null: not needed. */
const valuesOf = (
  { instanceId, sessionId, tokenId, userId }: Caller,
  { id }: ContextScope,
  needs: OpenNeeds
) => ({
  instanceId,
  userId,
  sessionId,
  tokenId,
  entityId: id,
  keptBytes: LEFT_FACTOR * needs.maxResponseBytes,
  // One more than the limit, to see whether there are older ones.
  actions: needs.actions && needs.actions.limit + 1,
  actorTypes: needs.actions?.actorTypes ?? null,
  conversations: needs.conversations,
  interactions: needs.interactions,
  leftOut: needs.leftOut,
  ...isoRange(needs)
})
type OpenValues = ReturnType<typeof valuesOf>

/** One row: the current values, and the parts. Parts that are not needed are null. */
const openStatement = (
  sql: Sql,
  entity: Entity,
  { group, memories, properties, state }: OpenNeeds,
  bound: OpenValues
): Statement.Statement<unknown> => {
  const when = (needed: boolean, part: () => Fragment): Fragment => (needed ? part() : sql.literal("null"))
  return sql`with ${callerOf(bound)},
    target as materialized (${openedEntity(entity, bound.entityId)})
    select json_build_object('databaseAt', ${sql.literal(wireTime("now()"))}, 'snapshot', pg_current_snapshot()::text, 'capabilityEnabled', instances.capability_enabled,
      'contextStoreReady', instances.context_store_ready, 'entityId', (select id from target)) as opened,
    json_build_object('state', ${when(state, () => statePart(entity, bound))},
      'actions', ${when(bound.actions !== null, () => actionsPart(bound))},
      'members', ${when(properties, () => membersPart(entity, bound))},
      'properties', ${when(properties, () => propertiesPart(entity, bound))},
      'conversations', ${when(bound.conversations !== null, () => conversationsPart(bound))},
      'interactions', ${when(bound.interactions !== null, () => interactionsPart(bound))},
      'quarantinedMemories', ${when(memories, () => quarantinedMemoriesPart(bound))},
      'group', ${when(group, () => groupPart(bound))}) as parts
    from instances where instances.id = ${bound.instanceId}`
}

const Current = Schema.Struct({
  databaseAt: Schema.String,
  snapshot: Schema.String,
  capabilityEnabled: Schema.Boolean,
  contextStoreReady: Schema.Boolean,
  entityId: Schema.NullOr(Schema.Int)
})

/** Reads the row of an entity with this state. */
const readerOf = <A>(state: Schema.Codec<A, unknown>, shown: (state: A) => StateRows | null) => {
  const parts = Schema.Struct({
    state: Schema.NullOr(state),
    actions: Schema.NullOr(Actions),
    members: Schema.NullOr(Members),
    properties: Schema.NullOr(Properties),
    conversations: Schema.NullOr(Conversations),
    interactions: Schema.NullOr(Interactions),
    quarantinedMemories: Schema.NullOr(QuarantinedMemories),
    group: Schema.NullOr(Group)
  })
  const rows = rowsOf(Schema.Struct({ opened: Current, parts }))
  return (statement: Statement.Statement<unknown>, entity: Entity, limit: number) =>
    Effect.map(rows.get(statement), ({ opened, parts }): OpenedContext => {
      const { actions, members, properties, state, ...others } = parts
      return {
        ...opened,
        parts: {
          ...others,
          state: state === null ? null : shown(state),
          actions: actions && { more: actions.length > limit, rows: actions.slice(0, limit) },
          properties: properties && [...(members === null ? [] : memberRows(entity, members)), ...properties]
        }
      }
    })
}

const readings = {
  client: readerOf(State.client, (namespaces) => ({ _tag: "Client", namespaces })),
  operator: readerOf(State.operator, (operator) => ({ _tag: "Operator", operator })),
  skill_group: readerOf(State.skill_group, (skillGroup) => ({ _tag: "SkillGroup", skillGroup })),
  subject: readerOf(Schema.Null, () => null)
}

export const readOpened = (
  sql: Sql,
  caller: Caller,
  scope: ContextScope,
  needs: OpenNeeds
): Effect.Effect<OpenedContext, SqlError.SqlError> =>
  readings[scope.entity](
    openStatement(sql, scope.entity, needs, valuesOf(caller, scope, needs)),
    scope.entity,
    needs.actions?.limit ?? 0
  )
