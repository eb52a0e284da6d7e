// The first statement of a context read: the right to open the entity and, in the same snapshot, its sections.
import type { Caller } from "@rapport/core/access/Caller.ts"
import type { ContextScope, Opened, OpenNeeds, StateRows } from "@rapport/core/context/read/ContextStore.ts"
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
  Properties,
  propertiesPart,
  QuarantinedMemories,
  quarantinedMemoriesPart,
  State,
  statePart
} from "./ContextOpenParts.ts"
import { Rights, rightsColumn, sessionWith } from "../access/AuthenticatedSessions.ts"
import { RememberedTexts } from "./RememberedTexts.ts"
import { WireTime } from "./RowColumns.ts"
import { rowsOf } from "../sql/Query.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/**
 * UTF-16 units of the texts of parts that a process remembers, some 700 clients; what is made of them takes some six times as
 * much: 50 MiB.
 */
const PARTS_UNITS_KEPT_MAX = 4 * 1_024 * 1_024

/** One row: what is of this moment, and the parts as one JSON text; what is not needed is null. */
export const openStatement = (
  sql: Sql,
  caller: Caller,
  scope: ContextScope,
  needs: OpenNeeds
): Statement.Statement<unknown> => {
  const { instanceId } = caller
  const when = (needed: boolean, part: () => Fragment): Fragment => (needed ? part() : sql.literal("null"))
  return sql`with ${callerOf(sql, caller)},
    target as materialized (${openedEntity(sql, scope.entity, scope.id)})
    select json_build_object('databaseAt', now(), 'snapshot', pg_current_snapshot()::text, 'capabilityEnabled', instances.capability_enabled,
      'contextStoreReady', instances.context_store_ready, 'entityId', (select id from target),
      'rights', ${when(needs.session, () => sql.literal(`(select ${rightsColumn} from caller u)`))}) as opened,
    json_build_object('state', ${when(needs.state, () => statePart(sql, instanceId, scope, needs))},
      'actions', ${when(needs.actions !== null, () => actionsPart(sql, instanceId, needs))},
      'members', ${when(needs.properties, () => membersPart(sql, instanceId, scope))},
      'properties', ${when(needs.properties, () => propertiesPart(sql, instanceId, scope))},
      'conversations', ${when(needs.conversations !== null, () => conversationsPart(sql, instanceId, needs))},
      'interactions', ${when(needs.interactions !== null, () => interactionsPart(sql, instanceId, needs))},
      'quarantinedMemories', ${when(needs.memories, () => quarantinedMemoriesPart(sql, instanceId, needs))},
      'group', ${when(needs.group, () => groupPart(sql, instanceId))})::text as parts
    from instances where instances.id = ${instanceId}`
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

/** What the text of the parts says. */
type Parts = Omit<
  Opened,
  "session" | "databaseAt" | "snapshot" | "capabilityEnabled" | "contextStoreReady" | "entityId"
>

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
  return (text: string, entity: ContextScope["entity"], limit: number): Parts => {
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

/** Reads rows of `openStatement`; what has not changed since it was read last is the same objects. */
export const makeOpening = () => {
  const known = new RememberedTexts<Parts>(PARTS_UNITS_KEPT_MAX)
  return (
    caller: Caller,
    { entity }: ContextScope,
    needs: OpenNeeds,
    { opened, parts }: typeof OpenedRow.Type
  ): Opened => {
    const { rights, ...moment } = opened
    const limit = needs.actions?.limit ?? 0
    const found = known.get(`${entity} ${limit} ${parts}`, () => readings[entity](parts, entity, limit))
    return { ...moment, ...found, session: rights && sessionWith(caller, rights) }
  }
}
