// The first statement of a context read: the right to open the entity and, in the same snapshot, its sections.
import type { Caller } from "@rapport/core/access/Caller.ts"
import type { ContextScope, Opened, OpenNeeds, StateRows } from "@rapport/core/context/read/ContextStore.ts"
import { Effect, Schema } from "effect"
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
import { WireTime } from "./RowColumns.ts"
import { rowsOf } from "../sql/Query.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** One row with one JSON object; what is not needed is null. */
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
    select json_build_object('databaseAt', now(), 'capabilityEnabled', instances.capability_enabled,
      'contextStoreReady', instances.context_store_ready, 'entityId', (select id from target),
      'state', ${when(needs.state, () => statePart(sql, instanceId, scope, needs))},
      'actions', ${when(needs.actions !== null, () => actionsPart(sql, instanceId, needs))},
      'members', ${when(needs.properties, () => membersPart(sql, instanceId, scope))},
      'properties', ${when(needs.properties, () => propertiesPart(sql, instanceId, scope))},
      'conversations', ${when(needs.conversations !== null, () => conversationsPart(sql, instanceId, needs))},
      'interactions', ${when(needs.interactions !== null, () => interactionsPart(sql, instanceId, needs))},
      'quarantinedMemories', ${when(needs.memories, () => quarantinedMemoriesPart(sql, instanceId, needs))},
      'group', ${when(needs.group, () => groupPart(sql, instanceId))},
      'rights', ${when(needs.session, () => sql.literal(`(select ${rightsColumn} from caller u)`))}) as opened
    from instances where instances.id = ${instanceId}`
}

const OpenedRow = Schema.Struct({
  databaseAt: WireTime,
  capabilityEnabled: Schema.Boolean,
  contextStoreReady: Schema.Boolean,
  entityId: Schema.NullOr(Schema.Int),
  state: Schema.Unknown,
  actions: Schema.NullOr(Actions),
  members: Schema.NullOr(Members),
  properties: Schema.NullOr(Properties),
  conversations: Schema.NullOr(Conversations),
  interactions: Schema.NullOr(Interactions),
  quarantinedMemories: Schema.NullOr(QuarantinedMemories),
  group: Schema.NullOr(Group),
  rights: Schema.NullOr(Rights)
})
export const openedRows = rowsOf(Schema.Struct({ opened: OpenedRow }))
const states = {
  client: Schema.decodeUnknownEffect(Schema.NullOr(State.client)),
  operator: Schema.decodeUnknownEffect(Schema.NullOr(State.operator)),
  skill_group: Schema.decodeUnknownEffect(Schema.NullOr(State.skill_group))
}

/** An instance that is not there is a bug of ours: the session names it. */
export const openedOf = Effect.fnUntraced(function* (
  caller: Caller,
  scope: ContextScope,
  needs: OpenNeeds,
  { opened }: { readonly opened: typeof OpenedRow.Type }
): Effect.fn.Return<Opened> {
  const { actions, members, properties, rights, state, ...parts } = opened
  const limit = needs.actions?.limit ?? 0
  return {
    ...parts,
    session: rights && sessionWith(caller, rights),
    state: yield* Effect.orDie(stateOf(scope, state)),
    actions: actions && { more: actions.length > limit, rows: actions.slice(0, limit) },
    properties: properties && [...(members === null ? [] : memberRows(scope.entity, members)), ...properties]
  }
})

const stateOf = Effect.fnUntraced(function* (
  { entity }: ContextScope,
  found: unknown
): Effect.fn.Return<StateRows | null, Schema.SchemaError> {
  switch (entity) {
    case "client": {
      const namespaces = yield* states.client(found)
      return namespaces && { _tag: "Client", namespaces }
    }
    case "operator": {
      const operator = yield* states.operator(found)
      return operator && { _tag: "Operator", operator }
    }
    case "skill_group": {
      const skillGroup = yield* states.skill_group(found)
      return skillGroup && { _tag: "SkillGroup", skillGroup }
    }
    case "subject":
      return null
  }
})
