// A draft without what a budget leaves no room for, and with a coverage that says so (docs/contract.md §3.2).
import type { CoverageDetail } from "@rapport/contract/context/ContextPack.ts"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { showing } from "./Citations.ts"
import { inReasonOrder } from "./Coverage.ts"
import type { ActionJson, Cited, EvidenceDraft, NamespaceJson, PackDraft } from "./PackDraft.ts"
import { bytesOf } from "./Tokens.ts"
import { type Kept, snippetsShown, sum } from "./Trimming.ts"

/** Cuts one draft again and again; a part that is shown without its content is made once. */
export const cutting = (draft: PackDraft, sha256: (text: string) => string): ((kept: Kept) => PackDraft) => {
  const withoutState = once((namespace: Cited<NamespaceJson>) =>
    showing(namespace, { ...namespace.value, state: null }, sha256)
  )
  const withoutPayload = once((action: Cited<ActionJson>) =>
    showing(action, { ...action.value, payload: {} }, sha256)
  )
  return (kept) => {
    const { actions, state } = draft
    const evidence = draft.evidence === null ? null : evidenceCut(draft.evidence, kept)
    const lost = cutsOf(draft, kept)
    const short = evidence === null ? [] : truncatedOf(evidence)
    const { asOf, details, reasons } = draft.coverage
    return {
      ...draft,
      state:
        state?._tag === "Namespaces" && kept.withoutState.size > 0
          ? {
              ...state,
              namespaces: state.namespaces.map((namespace, index) =>
                kept.withoutState.has(index) ? withoutState(namespace) : namespace
              )
            }
          : state,
      actions:
        actions?._tag === "Actions"
          ? {
              ...actions,
              items: actions.items
                .slice(0, kept.actions)
                .map((action, index) => (kept.withoutPayload.has(index) ? withoutPayload(action) : action)),
              truncated: actions.truncated || kept.actions < actions.items.length
            }
          : actions,
      evidence,
      coverage: {
        reasons: inReasonOrder([...reasons, ...[...lost, ...short].map(({ reason }) => reason)]),
        details: [...lost, ...details, ...short],
        asOf
      }
    }
  }
}

const once = <A extends object>(make: (given: A) => A): ((given: A) => A) => {
  const made = new WeakMap<A, A>()
  return (given) => {
    const known = made.get(given) ?? make(given)
    made.set(given, known)
    return known
  }
}

const evidenceCut = (evidence: EvidenceDraft, kept: Kept): EvidenceDraft => ({
  ...evidence,
  appeals: evidence.appeals
    .slice(0, kept.appeals)
    .map(({ header, snippets }, index) => ({ header, snippets: snippets.slice(0, kept.snippets[index]) })),
  conversations: evidence.conversations.slice(0, kept.conversations),
  interactions: evidence.interactions.slice(0, kept.interactions),
  memories: evidence.memories.slice(0, kept.memories)
})

/** One entry for each namespace and payload that gave way, one for what else each section lost. */
const cutsOf = ({ actions, evidence, state }: PackDraft, kept: Kept): ReadonlyArray<CoverageDetail> => {
  const cuts: Array<CoverageDetail> = []
  if (state?._tag === "Namespaces") {
    for (const index of kept.withoutState) {
      const namespace = state.namespaces[index]
      if (namespace !== undefined) cuts.push(stateCut(namespace))
    }
  }
  if (actions?._tag === "Actions") {
    for (const index of kept.withoutPayload) {
      const action = actions.items[index]
      if (action !== undefined && index < kept.actions) cuts.push(payloadCut(action))
    }
    const droppedActions = actions.items.length - kept.actions
    if (droppedActions > 0) cuts.push({ reason: "pack_budget", section: "actions", droppedActions })
  }
  if (evidence !== null) {
    const dropped = {
      droppedAppeals: evidence.appeals.length - kept.appeals,
      droppedSnippets: sum(evidence.appeals.map(({ snippets }) => snippets.length)) - snippetsShown(kept),
      droppedConversations: evidence.conversations.length - kept.conversations,
      droppedInteractions: evidence.interactions.length - kept.interactions,
      droppedMemories: evidence.memories.length - kept.memories
    }
    const { droppedAppeals, droppedSnippets, ...others } = dropped
    if (Object.values(dropped).some((n) => n > 0)) {
      const named = Object.fromEntries(Object.entries(others).filter(([, n]) => n > 0))
      cuts.push({ reason: "pack_budget", section: "evidence", droppedAppeals, droppedSnippets, ...named })
    }
  }
  return cuts
}

const stateCut = ({ leftBytes, value }: Cited<NamespaceJson>): CoverageDetail => ({
  reason: "pack_budget",
  section: "state",
  namespace: value.namespace,
  bytes: leftBytes ?? bytesOf(value.state)
})

const payloadCut = ({ leftBytes, value }: Cited<ActionJson>): CoverageDetail => ({
  reason: "pack_budget",
  section: "actions",
  actionId: value.id,
  bytes: leftBytes ?? bytesOf(value.payload)
})

/** One entry for each target that shows texts which are longer than they are shown. */
const truncatedOf = ({
  conversations,
  interactions,
  memories
}: EvidenceDraft): ReadonlyArray<CoverageDetail> => {
  return [
    ...truncatedIn(
      "previous_client_conversations",
      conversations.flatMap(({ messages }) => messages)
    ),
    ...truncatedIn("recent_client_interactions", interactions),
    ...truncatedIn("relevant_client_memory", memories)
  ]
}

const truncatedIn = (
  target: ContextTarget,
  texts: ReadonlyArray<Cited<{ readonly truncated?: true }>>
): ReadonlyArray<CoverageDetail> => {
  const truncatedTexts = texts.filter(({ value }) => value.truncated === true).length
  return truncatedTexts === 0
    ? []
    : [{ reason: "text_truncated", section: "evidence", target, truncatedTexts }]
}
