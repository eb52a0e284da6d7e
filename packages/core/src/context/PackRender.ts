// A pack as bytes: what is kept of a draft, its coverage and its exact size. Rendered once, because the budget is bytes.
import type { ContextPackJson, CoverageDetail } from "@rapport/contract/context/ContextPack.ts"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { canonicalJson } from "./CanonicalJson.ts"
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
import { COUNT_TOKENS, ESTIMATOR, tokensOf } from "./Tokens.ts"

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

/** Tokens are counted when they are asked for: a pack of too many bytes never pays for it. */
export interface Rendered {
  readonly sections: ContextPackJson["sections"]
  /** Length of the answer, but for the digits of its token count. */
  readonly leastBytes: number
  /** Exact length of the answer. */
  readonly bytes: () => number
  /** Estimate of the answer (docs/contract.md §3.2, "budget"). */
  readonly tokens: () => number
  readonly toBytes: () => Uint8Array
}

export interface Budget {
  readonly maxResponseBytes: number
  readonly tokenBudget: number
}

const encoder = new TextEncoder()
// `sha256:` and 64 hex digits, of which none takes more than one token each.
const PACK_HASH_BYTES = 71
const PACK_HASH_TOKENS = 68

const tail = (packHash: string) => `,"packHash":"${packHash}"}`

export const render = (
  draft: PackDraft,
  kept: Kept,
  budget: Budget,
  sha256: (text: string) => string
): Rendered => {
  const { citations, sections } = shownOf(draft, kept, sha256)
  const { generatedAt, requestId, scope } = draft
  const body = { requestId, scope, generatedAt, sections, citations, coverage: coverageOf(draft, kept) }
  const head = `${JSON.stringify(body).slice(0, -1)},"budget":`
  const budgetOf = (tokens: number, bytes: number): ContextPackJson["budget"] => ({
    tokens: { limit: budget.tokenBudget, used: tokens, estimator: ESTIMATOR },
    bytes: { limit: budget.maxResponseBytes, used: bytes },
    items: {
      appeals: kept.appeals,
      snippets: sum(kept.snippets.slice(0, kept.appeals))
    },
    timeMs: draft.timeMs,
    candidates: draft.candidates
  })
  // The two counts of the budget are numbers of at most six digits, whatever they come to.
  let counted: number | undefined
  const tokens = () =>
    (counted ??=
      tokensOf({ ...body, budget: budgetOf(0, 0), packHash: "" }) + 2 * COUNT_TOKENS + PACK_HASH_TOKENS)
  const headBytes = encoder.encode(head).length
  const bytesWith = (tokensUsed: number) =>
    withOwnDigits(
      headBytes + JSON.stringify(budgetOf(tokensUsed, 0)).length - 1 + tail("").length + PACK_HASH_BYTES
    )
  return {
    sections,
    leastBytes: bytesWith(0),
    bytes: () => bytesWith(tokens()),
    tokens,
    toBytes: () => {
      const packHash = `sha256:${sha256(canonicalJson({ scope, sections, citations }))}`
      return encoder.encode(head + JSON.stringify(budgetOf(tokens(), bytesWith(tokens()))) + tail(packHash))
    }
  }
}

/** The number that, written into a text of `rest` bytes, says how long the text then is. */
const withOwnDigits = (rest: number): number => {
  let used = rest + 1
  while (rest + String(used).length !== used) used = rest + String(used).length
  return used
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, n) => total + n, 0)

/** What is shown of a draft. */
const shownOf = (draft: PackDraft, kept: Kept, sha256: (text: string) => string) => {
  const citations: Array<CitationJson> = []
  const show = <Value>({ citation, value }: Cited<Value>): Value => {
    citations.push(citation)
    return value
  }
  const sections: ContextPackJson["sections"] = {
    ...(draft.state === null ? {} : { state: stateOf(draft.state) }),
    ...(draft.actions === null ? {} : { actions: actionsOf(draft.actions) }),
    ...(draft.properties === null ? {} : { properties: propertiesOf(draft.properties) }),
    ...(draft.evidence === null ? {} : { evidence: evidenceOf(draft.evidence) })
  }
  return { sections, citations }

  function stateOf(state: NonNullable<PackDraft["state"]>) {
    switch (state._tag) {
      case "Missing":
        return unavailable(state)
      case "Own":
        return show(state.own)
      case "Namespaces":
        return {
          status: "available" as const,
          namespaces: state.namespaces.map((namespace, index) =>
            show(kept.withoutState.has(index) ? withoutState(namespace, sha256) : namespace)
          )
        }
    }
  }
  function actionsOf(actions: NonNullable<PackDraft["actions"]>) {
    if (actions._tag === "Missing") return unavailable(actions)
    return {
      status: "available" as const,
      items: actions.items
        .slice(0, kept.actions)
        .map((action, index) =>
          show(kept.withoutPayload.has(index) ? withoutPayload(action, sha256) : action)
        ),
      truncated: actions.truncated || kept.actions < actions.items.length
    }
  }
  function propertiesOf(properties: NonNullable<PackDraft["properties"]>) {
    if (properties._tag === "Missing") return unavailable(properties)
    return {
      status: "available" as const,
      values: Object.fromEntries(properties.values.map(({ cited, name }) => [name, show(cited)]))
    }
  }
  function evidenceOf(evidence: EvidenceDraft) {
    return {
      status: evidence.status,
      ...(evidence.reason === null ? {} : { reason: evidence.reason }),
      targets: Object.fromEntries(
        evidence.targets.map(({ candidates, reason, target }) => [
          target,
          {
            status: reason === null ? ("available" as const) : ("unavailable" as const),
            ...(reason === null ? {} : { reason }),
            returned: returnedOf(evidence, kept, target),
            candidates
          }
        ])
      ),
      appeals: evidence.appeals.slice(0, kept.appeals).map(({ header, snippets }, index) => ({
        ...header,
        snippets: snippets.slice(0, kept.snippets[index]).map(show)
      })),
      conversations: evidence.conversations
        .slice(0, kept.conversations)
        .map(({ header, messages }) => ({ ...header, messages: messages.map(show) })),
      interactions: evidence.interactions.slice(0, kept.interactions).map(show),
      memories: evidence.memories.slice(0, kept.memories).map(show)
    }
  }
}

const unavailable = ({ reason }: Missing) => ({ status: "unavailable" as const, reason })

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
const coverageOf = (draft: PackDraft, kept: Kept): ContextPackJson["coverage"] => {
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
    const shown = sum(kept.snippets.slice(0, kept.appeals))
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

/** UTF-8 bytes of a value as JSON. */
export const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length
