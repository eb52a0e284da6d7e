// The row of the first statement of a context read, decoded once and shaped as the use case wants it.
import { actorTypes } from "@rapport/contract/context/ContextRequest.ts"
import type { ContextScope, Opened, OpenNeeds, StateRows } from "@rapport/core/context/read/ContextStore.ts"
import { Effect, Schema } from "effect"
import { wireTime, wireTimeOrNull } from "./ContextScope.ts"

const Id = Schema.Int
const Ids = Schema.Array(Id)
const Text = Schema.String
const TextOrNull = Schema.NullOr(Schema.String)
const listOf = <S extends Schema.Top>(item: S) => Schema.NullOr(Schema.Array(item))

const Namespaces = listOf(Schema.Tuple([Text, Text, Schema.Int, Schema.Unknown, Text]))
const OperatorState = Schema.Tuple([
  Schema.Literals(["online", "away", "offline"]),
  Schema.Int,
  Schema.NullOr(Schema.Int),
  Ids
])
const SkillGroupState = Schema.Tuple([Schema.Boolean, Schema.Int, Schema.Int, Schema.Int, TextOrNull])

const Actions = listOf(
  Schema.Tuple([
    Text,
    Text,
    Schema.Literals(actorTypes),
    Schema.NullOr(Id),
    Text,
    Text,
    TextOrNull,
    Schema.Unknown,
    Schema.NullOr(Id)
  ])
)
const Properties = listOf(Schema.Tuple([Text, Id, Text, Text, Schema.Unknown, Text]))
const Conversations = listOf(
  Schema.Tuple([
    Text,
    Schema.Literals(["open", "closed"]),
    TextOrNull,
    Text,
    TextOrNull,
    Schema.NullOr(Id),
    Schema.Array(
      Schema.Tuple([
        Text,
        Schema.Literals(["client", "operator", "assistant", "system", "tool"]),
        Text,
        Text,
        Schema.Boolean
      ])
    )
  ])
)
const Interactions = listOf(
  Schema.Tuple([
    Schema.Literals(["action", "message"]),
    Text,
    Text,
    Text,
    TextOrNull,
    Schema.NullOr(Id),
    Schema.Boolean
  ])
)

const Rows = Schema.Tuple([
  Schema.Struct({
    opened: Schema.Tuple([
      Text,
      Schema.Boolean,
      Schema.Boolean,
      Schema.NullOr(Id),
      Schema.Unknown,
      Actions,
      Properties,
      Conversations,
      Interactions,
      Schema.NullOr(Schema.Tuple([Ids, Ids]))
    ])
  })
])
const rows = Schema.decodeUnknownEffect(Rows)
const namespaces = Schema.decodeUnknownEffect(Namespaces)
const operatorState = Schema.decodeUnknownEffect(Schema.NullOr(OperatorState))
const skillGroupState = Schema.decodeUnknownEffect(Schema.NullOr(SkillGroupState))

/** An instance that is not there is a bug of ours: the session names it. */
export const decodeOpened = Effect.fnUntraced(function* (
  scope: ContextScope,
  needs: OpenNeeds,
  found: unknown
): Effect.fn.Return<Opened> {
  const [{ opened }] = yield* Effect.orDie(rows(found))
  const [databaseAt, capabilityEnabled, contextStoreReady, entityId, state, ...parts] = opened
  const [actions, properties, conversations, interactions, group] = parts
  const limit = needs.actions?.limit ?? 0
  return {
    databaseAt: wireTime(databaseAt),
    capabilityEnabled,
    contextStoreReady,
    entityId,
    state: yield* stateOf(scope, state),
    actions: actions && {
      more: actions.length > limit,
      rows: actions.slice(0, limit).map(([id, type, actorType, actorId, occurredAt, recordedAt, ...rest]) => {
        const [summary, payload, appealId] = rest
        return {
          id,
          type,
          actorType,
          actorId,
          occurredAt: wireTime(occurredAt),
          recordedAt: wireTime(recordedAt),
          summary,
          payload,
          appealId
        }
      })
    },
    properties:
      properties?.map(([id, definitionId, name, label, value, updatedAt]) => ({
        id,
        definitionId,
        name,
        label,
        value,
        updatedAt: wireTime(updatedAt)
      })) ?? null,
    conversations:
      conversations?.map(([sessionId, status, channel, createdAt, closedAt, appealId, messages]) => ({
        sessionId,
        status,
        channel,
        createdAt: wireTime(createdAt),
        closedAt: wireTimeOrNull(closedAt),
        appealId,
        messages: messages.map(([messageId, role, text, occurredAt, truncated]) => ({
          messageId,
          role,
          text,
          truncated,
          occurredAt: wireTime(occurredAt)
        }))
      })) ?? null,
    interactions:
      interactions?.map(([kind, id, text, occurredAt, sessionId, appealId, truncated]) => ({
        kind,
        id,
        text,
        truncated,
        occurredAt: wireTime(occurredAt),
        sessionId,
        appealId
      })) ?? null,
    group: group && { subjectIds: group[0], memberIds: group[1] }
  }
})

const stateOf = Effect.fnUntraced(function* (
  { entity }: ContextScope,
  found: unknown
): Effect.fn.Return<StateRows | null> {
  switch (entity) {
    case "client": {
      const list = yield* Effect.orDie(namespaces(found))
      return list === null
        ? null
        : {
            _tag: "Client",
            namespaces: list.map(([id, namespace, version, state, updatedAt]) => ({
              id,
              namespace,
              version,
              state,
              updatedAt: wireTime(updatedAt)
            }))
          }
    }
    case "operator": {
      const row = yield* Effect.orDie(operatorState(found))
      if (row === null) return null
      const [presence, openAppeals, capacity, skillGroupIds] = row
      return { _tag: "Operator", operator: { presence, openAppeals, capacity, skillGroupIds } }
    }
    case "skill_group": {
      const row = yield* Effect.orDie(skillGroupState(found))
      if (row === null) return null
      const [active, operatorsOnline, operatorsTotal, queueLength, oldest] = row
      const oldestWaitingSince = wireTimeOrNull(oldest)
      return {
        _tag: "SkillGroup",
        skillGroup: { active, operatorsOnline, operatorsTotal, queueLength, oldestWaitingSince }
      }
    }
    case "subject":
      return null
  }
})
