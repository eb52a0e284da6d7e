// State, actions and properties of a pack, from what the primary database holds.
import { inOrder } from "../../json/CanonicalJson.ts"
import type { ActionRow, ContextScope, Opened, OperatorRow, SkillGroupRow } from "../read/ContextStore.ts"
import type { Cite, SourceUrls } from "./Citations.ts"
import type { ActionsDraft, Cited, Missing, PropertiesDraft, StateDraft } from "./PackDraft.ts"
import type { Attempted } from "../read/Attempt.ts"

const missing = ({ reason }: Extract<Attempted<unknown>, { readonly _tag: "Unavailable" }>): Missing => ({
  _tag: "Missing",
  reason
})

/** The current state of the entity; what a client's integrations wrote, by namespace. */
export const stateDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<Opened["state"]>>,
  cite: Cite,
  urls: SourceUrls
): StateDraft => {
  if (rows._tag === "Unavailable") return missing(rows)
  const state = rows.value
  switch (state._tag) {
    case "Client":
      return {
        _tag: "Namespaces",
        namespaces: state.namespaces.map(({ id, leftBytes, namespace, version, updatedAt, ...row }, index) =>
          left(
            leftBytes,
            cite(
              (citationIds) => ({ citationIds, namespace, state: inOrder(row.state), updatedAt, version }),
              `sections.state.namespaces[${index}]`,
              {
                sourceType: "state",
                sourceId: id,
                occurredAt: updatedAt,
                url: urls.state(scope.id, namespace)
              }
            )
          )
        )
      }
    case "Operator":
      return {
        _tag: "Own",
        own: cite((citationIds) => operatorState(state.operator, citationIds), "sections.state", {
          sourceType: "operator",
          sourceId: String(scope.id),
          occurredAt: null,
          url: urls.record("operator", scope.id)
        })
      }
    case "SkillGroup":
      return {
        _tag: "Own",
        own: cite((citationIds) => skillGroupState(state.skillGroup, citationIds), "sections.state", {
          sourceType: "skill_group",
          sourceId: String(scope.id),
          occurredAt: null,
          url: urls.record("skill_group", scope.id)
        })
      }
  }
}

/** Actions of a client, newest first. */
export const actionsDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<Opened["actions"]>>,
  cite: Cite,
  urls: SourceUrls
): ActionsDraft => {
  if (rows._tag === "Unavailable") return missing(rows)
  return {
    _tag: "Actions",
    truncated: rows.value.more,
    items: rows.value.rows.map((action, index) =>
      left(
        action.leftBytes,
        cite((citationIds) => shownAction(action, citationIds), `sections.actions.items[${index}]`, {
          sourceType: "action",
          sourceId: action.id,
          occurredAt: action.occurredAt,
          url: urls.action(scope.id, action.id)
        })
      )
    )
  }
}

const left = <Value>(leftBytes: number | null, cited: Cited<Value>): Cited<Value> =>
  leftBytes === null ? cited : { ...cited, leftBytes }

type Ids = ReadonlyArray<string>

const operatorState = (row: OperatorRow, citationIds: Ids) => ({
  capacity: row.capacity,
  citationIds,
  openAppeals: row.openAppeals,
  presence: row.presence,
  skillGroupIds: row.skillGroupIds,
  status: "available" as const
})

const skillGroupState = (row: SkillGroupRow, citationIds: Ids) => ({
  active: row.active,
  citationIds,
  oldestWaitingSince: row.oldestWaitingSince,
  operatorsOnline: row.operatorsOnline,
  operatorsTotal: row.operatorsTotal,
  queueLength: row.queueLength,
  status: "available" as const
})

const shownAction = (row: ActionRow, citationIds: Ids) => ({
  actorId: row.actorId,
  actorType: row.actorType,
  citationIds,
  id: row.id,
  occurredAt: row.occurredAt,
  payload: inOrder(row.payload),
  recordedAt: row.recordedAt,
  summary: row.summary,
  type: row.type
})

/** Members of the record itself, then the properties that the caller may see. */
export const propertiesDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<Opened["properties"]>>,
  cite: Cite,
  urls: SourceUrls
): PropertiesDraft => {
  if (rows._tag === "Unavailable") return missing(rows)
  return {
    _tag: "Properties",
    values: rows.value.map(({ definitionId, id, name, label, value, updatedAt }) => ({
      name,
      cited: cite(
        (citationIds) => ({ citationIds, label, updatedAt, value: inOrder(value) }),
        `sections.properties.values.${name}`,
        {
          sourceType: "property",
          sourceId: id,
          occurredAt: updatedAt,
          url:
            definitionId === null
              ? urls.record(scope.entity, scope.id)
              : urls.properties(scope.entity, scope.id)
        }
      )
    }))
  }
}
