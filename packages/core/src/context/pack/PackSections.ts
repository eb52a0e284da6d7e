// State, actions and properties of a pack, from what the primary database holds.
import { Action, Namespace, Property } from "@rapport/contract/context/ContextPack.ts"
import { inOrder } from "../../json/CanonicalJson.ts"
import type { Attempted } from "../read/Attempt.ts"
import type { ContextScope, Opened } from "../read/ContextStore.ts"
import { type Cite, type CitedSource, type SourceUrls, UNCITED } from "./Citations.ts"
import type { ActionsDraft, Cited, PropertiesDraft, StateDraft } from "./PackDraft.ts"

/** The places of a part's members, in canonical order: spread before its row, it keeps them there. */
const placesOf = ({ fields }: { readonly fields: object }): object =>
  Object.fromEntries(
    Object.keys(fields)
      .toSorted()
      .map((name) => [name, undefined])
  )
const inNamespace = placesOf(Namespace)
const inAction = placesOf(Action)
const inProperty = placesOf(Property)

/** The current state of the entity; what a client's integrations wrote, by namespace. */
export const stateDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<Opened["state"]>>,
  cite: Cite,
  urls: SourceUrls
): StateDraft => {
  if (rows._tag === "Unavailable") return rows
  const state = rows.value
  const source = (sourceType: "operator" | "skill_group"): CitedSource => ({
    sourceType,
    sourceId: String(scope.id),
    occurredAt: null,
    url: urls.record(sourceType, scope.id)
  })
  switch (state._tag) {
    case "Client":
      return {
        _tag: "Namespaces",
        namespaces: state.namespaces.map(({ id, leftBytes, ...row }, index) =>
          left(
            leftBytes,
            cite(
              { ...inNamespace, ...row, citationIds: UNCITED, state: inOrder(row.state) },
              `sections.state.namespaces[${index}]`,
              {
                sourceType: "state",
                sourceId: id,
                occurredAt: row.updatedAt,
                url: urls.state(scope.id, row.namespace)
              }
            )
          )
        )
      }
    case "Operator":
      return {
        _tag: "Own",
        own: cite({ ...state.operator, status: "available" as const }, "sections.state", source("operator"))
      }
    case "SkillGroup":
      return {
        _tag: "Own",
        own: cite(
          { ...state.skillGroup, status: "available" as const },
          "sections.state",
          source("skill_group")
        )
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
  if (rows._tag === "Unavailable") return rows
  return {
    _tag: "Actions",
    truncated: rows.value.more,
    items: rows.value.rows.map((found, index) => {
      const { appealId: _, leftBytes, ...row } = found
      const shown = { ...inAction, ...row, citationIds: UNCITED, payload: inOrder(row.payload) }
      return left(
        leftBytes,
        cite(shown, `sections.actions.items[${index}]`, {
          sourceType: "action",
          sourceId: row.id,
          occurredAt: row.occurredAt,
          url: urls.action(scope.id, row.id)
        })
      )
    })
  }
}

const left = <Value>(leftBytes: number | null, cited: Cited<Value>): Cited<Value> =>
  leftBytes === null ? cited : { ...cited, leftBytes }

/** Members of the record itself, then the properties that the caller may see. */
export const propertiesDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<Opened["properties"]>>,
  cite: Cite,
  urls: SourceUrls
): PropertiesDraft => {
  if (rows._tag === "Unavailable") return rows
  return {
    _tag: "Properties",
    values: rows.value.map(({ definitionId, id, name, ...row }) => ({
      name,
      cited: cite(
        { ...inProperty, ...row, citationIds: UNCITED, value: inOrder(row.value) },
        `sections.properties.values.${name}`,
        {
          sourceType: "property",
          sourceId: id,
          occurredAt: row.updatedAt,
          url:
            definitionId === null
              ? urls.record(scope.entity, scope.id)
              : urls.properties(scope.entity, scope.id)
        }
      )
    }))
  }
}
