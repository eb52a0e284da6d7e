// State, actions and properties of a pack, from what the primary database holds.
import type { ActionRow, ContextScope, Opened } from "./ContextStore.ts"
import type { Cite, SourceUrls } from "./Citations.ts"
import type { ActionsDraft, Missing, PropertiesDraft, StateDraft } from "./PackDraft.ts"
import type { Attempted } from "./Section.ts"

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
        namespaces: state.namespaces.map(({ id, namespace, version, state, updatedAt }, index) =>
          cite({ namespace, version, state, updatedAt }, `sections.state.namespaces[${index}]`, {
            sourceType: "state",
            sourceId: id,
            occurredAt: updatedAt,
            url: urls.state(scope.id, namespace)
          })
        )
      }
    case "Operator":
      return {
        _tag: "Own",
        own: cite({ status: "available" as const, ...state.operator }, "sections.state", {
          sourceType: "operator",
          sourceId: String(scope.id),
          occurredAt: null,
          url: urls.operator(scope.id)
        })
      }
    case "SkillGroup":
      return {
        _tag: "Own",
        own: cite({ status: "available" as const, ...state.skillGroup }, "sections.state", {
          sourceType: "skill_group",
          sourceId: String(scope.id),
          occurredAt: null,
          url: urls.skillGroup(scope.id)
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
      cite(shownAction(action), `sections.actions.items[${index}]`, {
        sourceType: "action",
        sourceId: action.id,
        occurredAt: action.occurredAt,
        url: urls.action(scope.id, action.id)
      })
    )
  }
}

const shownAction = (row: ActionRow) => ({
  id: row.id,
  type: row.type,
  actorType: row.actorType,
  actorId: row.actorId,
  occurredAt: row.occurredAt,
  recordedAt: row.recordedAt,
  summary: row.summary,
  payload: row.payload
})

/** The properties that the caller may see, by name. */
export const propertiesDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<Opened["properties"]>>,
  cite: Cite,
  urls: SourceUrls
): PropertiesDraft => {
  if (rows._tag === "Unavailable") return missing(rows)
  return {
    _tag: "Properties",
    values: rows.value.map(({ id, name, label, value, updatedAt }) => ({
      name,
      cited: cite({ label, value, updatedAt }, `sections.properties.values.${name}`, {
        sourceType: "property",
        sourceId: id,
        occurredAt: updatedAt,
        url: urls.properties(scope.entity, scope.id)
      })
    }))
  }
}
