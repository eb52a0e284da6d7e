// State, actions and properties with their citations: rows that are the very same objects as before make the same drafts.
import type { Attempted } from "../../failures/SourceUnavailable.ts"
import type { ContextScope, Opened } from "../read/ContextStore.ts"
import type { OpenedSections } from "../read/OpenSections.ts"
import { type Cite, citing, type SourceUrls, type CitedSource, UNCITED } from "./Citations.ts"
import type { ActionsDraft, PropertiesDraft, StateDraft, Cited } from "./PackDraft.ts"
import { Action, Namespace, Property } from "@rapport/contract/context/ContextPack.ts"
import { inOrder } from "../../json/CanonicalJson.ts"
import { sum } from "./Trimming.ts"

interface SectionDrafts {
  readonly state: StateDraft | null
  readonly actions: ActionsDraft | null
  readonly properties: PropertiesDraft | null
  /** Citations that were given. */
  readonly cited: number
}

type MakeDraft<Rows, Draft> = (
  scope: ContextScope,
  rows: Attempted<Rows>,
  cite: Cite,
  urls: SourceUrls
) => Draft

/**
 * Makes the sections of packs; what was made of rows last is kept as long as these are. The generator gives way after a
 * section that is long.
 */
export const sectionDrafting = (sha256: (text: string) => string) => {
  const state = remembering(sha256, stateDraft)
  const actions = remembering(sha256, actionsDraft)
  const properties = remembering(sha256, propertiesDraft)
  return function* (
    scope: ContextScope,
    opened: OpenedSections,
    urls: SourceUrls
  ): Generator<void, SectionDrafts> {
    const made = { state: state(scope, opened.state, urls, 0) }
    if (made.state?._tag === "Namespaces" && areLong(made.state.namespaces)) yield
    const afterState = stateCitations(made.state)
    const withActions = { ...made, actions: actions(scope, opened.actions, urls, afterState) }
    const afterActions =
      afterState + (withActions.actions?._tag === "Actions" ? withActions.actions.items.length : 0)
    if (withActions.actions?._tag === "Actions" && areLong(withActions.actions.items)) yield
    const drafts = { ...withActions, properties: properties(scope, opened.properties, urls, afterActions) }
    const last = drafts.properties?._tag === "Properties" ? drafts.properties.values.length : 0
    return { ...drafts, cited: afterActions + last }
  }
}

const areLong = (shown: ReadonlyArray<Cited<unknown>>): boolean =>
  sum(shown.map(({ text }) => text?.length ?? 0)) > LONG_UNITS_MIN
/** It takes milliseconds to draft so much. */
const LONG_UNITS_MIN = 64 * 1_024

const stateCitations = (state: StateDraft | null): number => {
  if (state === null || state._tag === "Unavailable") return 0
  return state._tag === "Own" ? 1 : state.namespaces.length
}

const remembering = <Rows extends object, Draft>(
  sha256: (text: string) => string,
  make: MakeDraft<Rows, Draft>
) => {
  const last = new WeakMap<Rows, { readonly key: string; readonly draft: Draft }>()
  return (
    scope: ContextScope,
    rows: Attempted<Rows> | null,
    urls: SourceUrls,
    given: number
  ): Draft | null => {
    if (rows === null) return null
    if (rows._tag === "Unavailable") return make(scope, rows, citing(sha256, given), urls)
    // All that a section takes from beside its rows: of its addresses only that of the record depends on the caller.
    const key = `${scope.entity} ${scope.id} ${given} ${urls.record(scope.entity, scope.id)}`
    const known = last.get(rows.value)
    if (known?.key === key) return known.draft
    const draft = make(scope, rows, citing(sha256, given), urls)
    last.set(rows.value, { key, draft })
    return draft
  }
}

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
