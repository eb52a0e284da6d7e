// What of a draft is shown: how much of each list is kept, what that leaves out, and how coverage tells of it.
import type { ContextPackJson, CoverageDetail } from "@rapport/contract/context/ContextPack.ts"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { showing } from "./Citations.ts"
import type {
  ActionJson,
  Cited,
  CitationJson,
  EvidenceDraft,
  Missing,
  NamespaceJson,
  PackDraft
} from "./PackDraft.ts"

/** How much of each list of a draft stands; lists lose their last members. */
export interface Kept {
  /** Namespaces, by index, whose state gives way to null. */
  readonly withoutState: ReadonlySet<number>
  /** Actions, by index, whose payload gives way to {}. */
  readonly withoutPayload: ReadonlySet<number>
  readonly actions: number
  readonly appeals: number
  /** Of each appeal. */
  readonly snippets: ReadonlyArray<number>
  readonly conversations: number
  readonly interactions: number
  readonly memories: number
}

export const everythingOf = ({ actions, evidence }: PackDraft): Kept => ({
  withoutState: new Set(),
  withoutPayload: new Set(),
  actions: actions?._tag === "Actions" ? actions.items.length : 0,
  appeals: evidence?.appeals.length ?? 0,
  snippets: evidence?.appeals.map(({ snippets }) => snippets.length) ?? [],
  conversations: evidence?.conversations.length ?? 0,
  interactions: evidence?.interactions.length ?? 0,
  memories: evidence?.memories.length ?? 0
})

/** Snippets of the appeals that are kept. */
export const snippetsShown = (kept: Kept): number => sum(kept.snippets.slice(0, kept.appeals))

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, n) => total + n, 0)

/** What is shown of a draft; members in canonical order. */
export const shownOf = (draft: PackDraft, kept: Kept, sha256: (text: string) => string) => {
  const citations: Array<CitationJson> = []
  let canonical = true
  const show = <Value>(cited: Cited<Value>): Value => {
    citations.push(cited.citation)
    canonical &&= cited.canonical
    return cited.value
  }
  // In the order of the answer's citations; the members are put in theirs below.
  const state = draft.state === null ? undefined : stateShown(draft.state, kept, show, sha256)
  const actions = draft.actions === null ? undefined : actionsShown(draft.actions, kept, show, sha256)
  const properties = draft.properties === null ? undefined : propertiesShown(draft.properties, show)
  const evidence = draft.evidence === null ? undefined : evidenceShown(draft.evidence, kept, show)
  const sections: ContextPackJson["sections"] = {
    ...(actions === undefined ? {} : { actions }),
    ...(evidence === undefined ? {} : { evidence }),
    ...(properties === undefined ? {} : { properties }),
    ...(state === undefined ? {} : { state })
  }
  return { sections, citations, canonical }
}

type Show = <Value>(cited: Cited<Value>) => Value

const stateShown = (
  state: NonNullable<PackDraft["state"]>,
  kept: Kept,
  show: Show,
  sha256: (text: string) => string
) => {
  switch (state._tag) {
    case "Missing":
      return unavailable(state)
    case "Own":
      return show(state.own)
    case "Namespaces":
      return {
        namespaces: state.namespaces.map((namespace, index) =>
          show(kept.withoutState.has(index) ? withoutState(namespace, sha256) : namespace)
        ),
        status: "available" as const
      }
  }
}

const actionsShown = (
  actions: NonNullable<PackDraft["actions"]>,
  kept: Kept,
  show: Show,
  sha256: (text: string) => string
) =>
  actions._tag === "Missing"
    ? unavailable(actions)
    : {
        items: actions.items
          .slice(0, kept.actions)
          .map((action, index) =>
            show(kept.withoutPayload.has(index) ? withoutPayload(action, sha256) : action)
          ),
        status: "available" as const,
        truncated: actions.truncated || kept.actions < actions.items.length
      }

const propertiesShown = (properties: NonNullable<PackDraft["properties"]>, show: Show) =>
  properties._tag === "Missing"
    ? unavailable(properties)
    : {
        status: "available" as const,
        values: Object.fromEntries(properties.values.map(({ cited, name }) => [name, show(cited)]))
      }

const evidenceShown = (evidence: EvidenceDraft, kept: Kept, show: Show) => ({
  appeals: evidence.appeals.slice(0, kept.appeals).map(({ header, snippets }, index) => {
    const { status, subject, subjectId, targets, ...first } = header
    return {
      ...first,
      snippets: snippets.slice(0, kept.snippets[index]).map(show),
      status,
      subject,
      subjectId,
      targets
    }
  }),
  conversations: evidence.conversations.slice(0, kept.conversations).map(({ header, messages }) => {
    const { sessionId, status, ...first } = header
    return { ...first, messages: messages.map(show), sessionId, status }
  }),
  interactions: evidence.interactions.slice(0, kept.interactions).map(show),
  memories: evidence.memories.slice(0, kept.memories).map(show),
  ...(evidence.reason === null ? {} : { reason: evidence.reason }),
  status: evidence.status,
  targets: Object.fromEntries(
    evidence.targets
      .toSorted((a, b) => (a.target < b.target ? -1 : 1))
      .map(({ candidates, reason, target }) => [
        target,
        {
          candidates,
          ...(reason === null ? {} : { reason }),
          returned: returnedOf(evidence, kept, target),
          status: reason === null ? ("available" as const) : ("unavailable" as const)
        }
      ])
  )
})

const unavailable = ({ reason }: Missing) => ({ reason, status: "unavailable" as const })

/** A namespace whose state found no room. */
export const withoutState = (namespace: Cited<NamespaceJson>, sha256: (text: string) => string) =>
  showing(namespace, { ...namespace.value, state: null }, sha256)

/** An action whose payload found no room. */
export const withoutPayload = (action: Cited<ActionJson>, sha256: (text: string) => string) =>
  showing(action, { ...action.value, payload: {} }, sha256)

const returnedOf = (evidence: EvidenceDraft, kept: Kept, target: ContextTarget): number => {
  switch (target) {
    case "previous_client_conversations":
      return kept.conversations
    case "recent_client_interactions":
      return kept.interactions
    case "relevant_client_memory":
      return kept.memories
    default:
      return evidence.appeals.slice(0, kept.appeals).filter(({ header }) => header.targets.includes(target))
        .length
  }
}

/** What the draft already lacks, and what gave way to the budget. */
export const coverageShown = (draft: PackDraft, kept: Kept): ContextPackJson["coverage"] => {
  const { asOf, details, reasons } = draft.coverage
  const cut = cutsOf(draft, kept)
  return {
    partial: reasons.length > 0 || cut.length > 0,
    reasons: cut.length > 0 ? ["pack_budget", ...reasons] : reasons,
    details: [...cut, ...details],
    asOf
  }
}

/** One entry for each namespace and payload that gave way, one for what else each section lost. */
export const cutsOf = (
  { actions, evidence, state }: PackDraft,
  kept: Kept
): ReadonlyArray<CoverageDetail> => {
  const cuts: Array<CoverageDetail> = []
  if (state?._tag === "Namespaces") {
    for (const index of kept.withoutState) {
      const namespace = state.namespaces[index]?.value
      if (namespace !== undefined) cuts.push(stateCut(namespace))
    }
  }
  if (actions?._tag === "Actions") {
    for (const index of kept.withoutPayload) {
      const action = actions.items[index]?.value
      if (action !== undefined && index < kept.actions) cuts.push(payloadCut(action))
    }
    const droppedActions = actions.items.length - kept.actions
    if (droppedActions > 0) cuts.push({ reason: "pack_budget", section: "actions", droppedActions })
  }
  if (evidence !== null) {
    const shown = snippetsShown(kept)
    const dropped = {
      droppedAppeals: evidence.appeals.length - kept.appeals,
      droppedSnippets: sum(evidence.appeals.map(({ snippets }) => snippets.length)) - shown,
      droppedConversations: evidence.conversations.length - kept.conversations,
      droppedInteractions: evidence.interactions.length - kept.interactions,
      droppedMemories: evidence.memories.length - kept.memories
    }
    const { droppedAppeals, droppedSnippets, ...others } = dropped
    if (Object.values(dropped).some((n) => n > 0)) {
      const told = Object.fromEntries(Object.entries(others).filter(([, n]) => n > 0))
      cuts.push({ reason: "pack_budget", section: "evidence", droppedAppeals, droppedSnippets, ...told })
    }
  }
  return cuts
}

export const stateCut = ({ namespace, state }: NamespaceJson): CoverageDetail => ({
  reason: "pack_budget",
  section: "state",
  namespace,
  bytes: bytesOf(state)
})

export const payloadCut = ({ id, payload }: ActionJson): CoverageDetail => ({
  reason: "pack_budget",
  section: "actions",
  actionId: id,
  bytes: bytesOf(payload)
})

const encoder = new TextEncoder()

/** UTF-8 bytes of a value as JSON. */
export const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length
