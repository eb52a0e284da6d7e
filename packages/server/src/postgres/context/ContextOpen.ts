// The first statement of a context read: the right to open the entity and, in the same snapshot, its sections.
import type { Caller } from "@rapport/core/access/Caller.ts"
import type {
  ContextScope,
  Opened,
  OpenedParts,
  OpenNeeds,
  StateRows
} from "@rapport/core/context/read/ContextStore.ts"
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { callerOf, openedEntity } from "../sql/Visibility.ts"
import {
  Actions,
  actionsPart,
  Conversations,
  conversationsPart,
  Group,
  groupPart,
  Interactions,
  interactionsPart,
  memberRows,
  Members,
  membersPart,
  type OpenValues,
  Properties,
  propertiesPart,
  QuarantinedMemories,
  quarantinedMemoriesPart,
  State,
  statePart
} from "./ContextOpenParts.ts"
import { Rights, rightsColumn, sessionWith } from "../access/AuthenticatedSessions.ts"
import { isoRange, WireTime } from "./RowColumns.ts"
import { rowsOf, type Places, sharedText } from "../sql/Query.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** What is left in the database counts this many times the bytes of the pack: the text there is canonical JSON or longer. */
const LEFT_FACTOR = 2

/** What the text of the statement depends on, beside which of its values there are. */
interface OpenKind extends Pick<OpenNeeds, "group" | "memories" | "properties" | "session" | "state"> {
  readonly entity: ContextScope["entity"]
}

/** Makes the statement that opens an entity. */
export const makeOpenStatement = (sql: Sql) => {
  const statement = sharedText<OpenKind, OpenValues>(sql, (kind, bound) => openStatement(sql, kind, bound))
  return (caller: Caller, { entity, id }: ContextScope, needs: OpenNeeds): Statement.Statement<unknown> => {
    const { group, memories, properties, session, state } = needs
    const { instanceId, sessionId, tokenId, userId } = caller
    return statement(
      { entity, group, memories, properties, session, state },
      {
        instanceId,
        userId,
        sessionId,
        tokenId,
        entityId: id,
        keptBytes: LEFT_FACTOR * needs.maxResponseBytes,
        // One more than the limit shows whether there are older ones.
        actions: needs.actions && needs.actions.limit + 1,
        actorTypes: needs.actions?.actorTypes ?? null,
        conversations: needs.conversations,
        interactions: needs.interactions,
        ...isoRange(needs)
      }
    )
  }
}

/** One row: what is of this moment, and the parts as one JSON text; what is not needed is null. */
const openStatement = (
  sql: Sql,
  { entity, group, memories, properties, session, state }: OpenKind,
  bound: Places<OpenValues>
): Statement.Statement<unknown> => {
  const when = (needed: boolean, part: () => Fragment): Fragment => (needed ? part() : sql.literal("null"))
  return sql`with ${callerOf(sql, bound)},
    target as materialized (${openedEntity(sql, entity, bound.entityId)})
    select json_build_object('databaseAt', now(), 'snapshot', pg_current_snapshot()::text, 'capabilityEnabled', instances.capability_enabled,
      'contextStoreReady', instances.context_store_ready, 'entityId', (select id from target),
      'rights', ${when(session, () => sql.literal(`(select ${rightsColumn} from caller u)`))}) as opened,
    json_build_object('state', ${when(state, () => statePart(sql, entity, bound))},
      'actions', ${when(bound.actions !== null, () => actionsPart(sql, bound))},
      'members', ${when(properties, () => membersPart(sql, entity, bound))},
      'properties', ${when(properties, () => propertiesPart(sql, entity, bound))},
      'conversations', ${when(bound.conversations !== null, () => conversationsPart(sql, bound))},
      'interactions', ${when(bound.interactions !== null, () => interactionsPart(sql, bound))},
      'quarantinedMemories', ${when(memories, () => quarantinedMemoriesPart(sql, bound))},
      'group', ${when(group, () => groupPart(sql, bound))})::text as parts
    from instances where instances.id = ${bound.instanceId}`
}

const OpenedRow = Schema.Struct({
  opened: Schema.Struct({
    databaseAt: WireTime,
    snapshot: Schema.String,
    capabilityEnabled: Schema.Boolean,
    contextStoreReady: Schema.Boolean,
    entityId: Schema.NullOr(Schema.Int),
    rights: Schema.NullOr(Rights)
  }),
  parts: Schema.String
})
export const openedRows = rowsOf(OpenedRow)

/** Reads the parts of an entity whose state has this shape; a text of another shape is a defect. */
const reading = <S>(state: Schema.Decoder<S>, shown: (state: S) => StateRows | null) => {
  const decode = Schema.decodeUnknownSync(
    Schema.Struct({
      state: Schema.NullOr(state),
      actions: Schema.NullOr(Actions),
      members: Schema.NullOr(Members),
      properties: Schema.NullOr(Properties),
      conversations: Schema.NullOr(Conversations),
      interactions: Schema.NullOr(Interactions),
      quarantinedMemories: Schema.NullOr(QuarantinedMemories),
      group: Schema.NullOr(Group)
    })
  )
  return (text: string, entity: ContextScope["entity"], limit: number): OpenedParts => {
    const { actions, members, properties, state, ...parts } = decode(JSON.parse(text))
    return {
      ...parts,
      state: state && shown(state),
      actions: actions && { more: actions.length > limit, rows: actions.slice(0, limit) },
      properties: properties && [...(members === null ? [] : memberRows(entity, members)), ...properties]
    }
  }
}

const readings = {
  client: reading(State.client, (namespaces) => ({ _tag: "Client", namespaces })),
  operator: reading(State.operator, (operator) => ({ _tag: "Operator", operator })),
  skill_group: reading(State.skill_group, (skillGroup) => ({ _tag: "SkillGroup", skillGroup })),
  subject: reading(Schema.Null, () => null)
}

/** A row of `openStatement`; its parts are parsed when somebody asks for them. */
export const openedOf = (
  caller: Caller,
  { entity }: ContextScope,
  needs: OpenNeeds,
  { opened, parts: text }: typeof OpenedRow.Type
): Opened => {
  const { rights, ...moment } = opened
  let parts: OpenedParts | undefined
  return {
    ...moment,
    session: rights && sessionWith(caller, rights),
    text,
    parts: () => (parts ??= readings[entity](text, entity, needs.actions?.limit ?? 0))
  }
}
