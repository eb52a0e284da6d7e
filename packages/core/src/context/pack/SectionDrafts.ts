// State, actions and properties with their citations.
import type { Attempted } from "../../failures/SourceUnavailable.ts"
import type { ContextScope, OpenedParts } from "../read/ContextStore.ts"
import type { Parts } from "../read/OpenSections.ts"
import { type Cite, citing, type SourceUrls, type CitedSource, UNCITED } from "./Citations.ts"
import type { ActionsDraft, PropertiesDraft, StateDraft, Cited } from "./PackDraft.ts"
import { Action, Namespace, Property } from "@rapport/contract/context/ContextPack.ts"
import { inOrder } from "../../json/CanonicalJson.ts"
import { sum } from "./Trimming.ts"

interface SectionDrafts {
  readonly state: StateDraft | null
  readonly actions: ActionsDraft | null
  readonly properties: PropertiesDraft | null
  /** Numbers what is cited behind them. */
  readonly cite: Cite
}

/** Makes the sections of a pack. The generator gives way after a section that is long. */
export function* sectionsOf(
  sha256: (text: string) => string,
  scope: ContextScope,
  opened: Pick<Parts, "state" | "actions" | "properties">,
  urls: SourceUrls
): Generator<void, SectionDrafts> {
  const cite = citing(sha256)
  const state = opened.state && stateDraft(scope, opened.state, cite, urls)
  if (state?._tag === "Namespaces" && areLong(state.namespaces)) yield
  const actions = opened.actions && actionsDraft(scope, opened.actions, cite, urls)
  if (actions?._tag === "Actions" && areLong(actions.items)) yield
  const properties = opened.properties && propertiesDraft(scope, opened.properties, cite, urls)
  return { state, actions, properties, cite }
}

const areLong = (shown: ReadonlyArray<Cited<unknown>>): boolean =>
  sum(shown.map(({ text }) => text?.length ?? 0)) > LONG_UNITS_MIN
/** It takes milliseconds to draft so much. */
const LONG_UNITS_MIN = 64 * 1_024

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
const stateDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<OpenedParts["state"]>>,
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
const actionsDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<OpenedParts["actions"]>>,
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
const propertiesDraft = (
  scope: ContextScope,
  rows: Attempted<NonNullable<OpenedParts["properties"]>>,
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
