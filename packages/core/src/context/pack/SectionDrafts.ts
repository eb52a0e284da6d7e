// State, actions and properties with their citations: rows that are the very same objects as before make the same drafts.
import type { Attempted } from "../read/Attempt.ts"
import type { ContextScope } from "../read/ContextStore.ts"
import type { OpenedSections } from "../read/OpenSections.ts"
import { type Cite, citing, type SourceUrls } from "./Citations.ts"
import type { ActionsDraft, PropertiesDraft, StateDraft } from "./PackDraft.ts"
import { actionsDraft, propertiesDraft, stateDraft } from "./PackSections.ts"

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

/** Makes the sections of packs; what was made of rows last is kept as long as these are. */
export const sectionDrafting = (sha256: (text: string) => string) => {
  const state = remembering(sha256, stateDraft)
  const actions = remembering(sha256, actionsDraft)
  const properties = remembering(sha256, propertiesDraft)
  return (scope: ContextScope, opened: OpenedSections, urls: SourceUrls): SectionDrafts => {
    const made = { state: state(scope, opened.state, urls, 0) }
    const afterState = stateCitations(made.state)
    const withActions = { ...made, actions: actions(scope, opened.actions, urls, afterState) }
    const afterActions =
      afterState + (withActions.actions?._tag === "Actions" ? withActions.actions.items.length : 0)
    const drafts = { ...withActions, properties: properties(scope, opened.properties, urls, afterActions) }
    const last = drafts.properties?._tag === "Properties" ? drafts.properties.values.length : 0
    return { ...drafts, cited: afterActions + last }
  }
}

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
