// Cuts a pack to its budget: finds how many parts have to go, without writing the pack (contract §3.2,
// "trimming").
import { QueryBudgetExceeded, type Violation } from "@rapport/contract/Errors.ts"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { Result } from "effect"
import { memoize } from "../../values/Memoize.ts"
import { appealOf, withValue } from "./Citations.ts"
import {
  makeCutsOf,
  namespaceSteps,
  type DroppedItem,
  inReasonOrder,
  type KeptParts,
  keptAfter,
  stepsOf,
  sum,
  truncatedOf
} from "./Coverage.ts"
import {
  type ActionJson,
  type Cited,
  type EvidenceDraft,
  type NamespaceJson,
  type PackDraft,
  partsIn
} from "./PackDraft.ts"
import { type Budget, countTokens, type PackForm } from "./PackForm.ts"

/** A pack within its budget. */
export interface FittedPack {
  readonly cut: PackDraft
  /** The items that each trimming step dropped. */
  readonly dropped: ReadonlyArray<ReadonlyArray<DroppedItem>>
  /** The pack after a number of steps. */
  readonly after: (stepCount: number) => PackDraft
}

export interface FitBudget extends Budget {
  readonly allowPartial: boolean
}

/**
 * The fullest pack within the budget. Parts are dropped in one order, so a larger budget never shows less. If state and
 * properties do not fit, the request fails; with `allowPartial` the largest namespaces come without their state. Bytes are
 * measured first, and tokens are counted only of what may fit. The generator yields while it counts.
 */
export function* fitPack(
  draft: PackDraft,
  form: PackForm,
  budget: FitBudget,
  sha256: (text: string) => string
): Generator<void, Result.Result<FittedPack, QueryBudgetExceeded>> {
  const { allowPartial } = budget
  const required = stepsOf(draft)
  const steps = allowPartial ? [...required, ...namespaceSteps(draft)] : required
  const cut = makeCut(draft, sha256)
  // The same object for the same count, so that the form finds its cached measures.
  const after = memoize((stepCount: number) => cut(keptAfter(draft, steps, stepCount)))
  // A state that was not read is larger than any pack. Drop all parts that precede a state: a larger budget, for which the
  // state is read, drops them too.
  const first = wasLeft(draft) ? required.length : 0
  const stepCount =
    wasLeft(draft) && !allowPartial
      ? undefined
      : yield* leastSteps(form, budget, after, { from: first, to: steps.length })
  if (stepCount === undefined)
    return Result.fail(yield* budgetError(draft, after(required.length), form, budget))
  return Result.succeed({
    cut: after(stepCount),
    dropped: steps.slice(0, stepCount).map(({ items }) => items),
    after
  })
}

/** The least number of steps after which the pack fits; undefined: it never fits. */
function* leastSteps(
  form: PackForm,
  { maxResponseBytes, tokenBudget }: Budget,
  after: FittedPack["after"],
  { from, to }: { readonly from: number; readonly to: number }
): Generator<void, number | undefined> {
  const fitsBytes = (bytesMax: number) => (stepCount: number) => form.bytes(after(stepCount), 0) <= bytesMax
  const enough = leastThat(fitsBytes(maxResponseBytes), from, to)
  if (enough === undefined) return undefined
  // The result is above `no` and at most `yes`. Counting tokens is expensive, so the first guess is a pack of hardly more tokens.
  let [no, yes] = [enough - 1, to + 1]
  let guess = leastThat(fitsBytes(tokenBudget * BYTES_OF_TOKEN_MOST), enough, to) ?? to
  while (yes - no > 1) {
    const tokens = yield* countTokens(form, after(guess))
    if (tokens <= tokenBudget && form.bytes(after(guess), tokens) <= maxResponseBytes) yes = guess
    else no = guess
    guess = (no + yes) >> 1
  }
  return yes > to ? undefined : yes
}

/** Texts with more bytes a token, such as long runs of spaces, are rare. */
const BYTES_OF_TOKEN_MOST = 6

/** Cuts one draft repeatedly. A part without its content is made once. */
const makeCut = (draft: PackDraft, sha256: (text: string) => string): ((kept: KeptParts) => PackDraft) => {
  const withoutState = memoize((namespace: Cited<NamespaceJson>) =>
    withValue(namespace, { ...namespace.value, state: null }, sha256)
  )
  const withoutCitation = memoize((namespace: Cited<NamespaceJson>) => {
    const { citationIds: _, ...value } = namespace.value
    const shown: NamespaceJson = value
    return withValue(namespace, shown, sha256)
  })
  const withoutPayload = memoize((action: Cited<ActionJson>) =>
    withValue(action, { ...action.value, payload: {} }, sha256)
  )
  // The same object for the same count, so that its JSON is written once.
  const shorter = memoize((appeal: EvidenceDraft["appeals"][number]) =>
    memoize((count: number) => appealOf(appeal.header, appeal.snippets.slice(0, count)))
  )
  const evidenceCut = (evidence: EvidenceDraft, kept: KeptParts): EvidenceDraft => ({
    ...evidence,
    appeals: evidence.appeals
      .slice(0, kept.appeals)
      .map((appeal, index) => shorter(appeal)(kept.snippets[index] ?? 0)),
    conversations: evidence.conversations.slice(0, kept.conversations),
    interactions: evidence.interactions.slice(0, kept.interactions),
    memories: evidence.memories.slice(0, kept.memories)
  })
  const cutsOf = makeCutsOf(draft)
  return (kept) => {
    const { actions, state } = draft
    const evidence = draft.evidence === null ? null : evidenceCut(draft.evidence, kept)
    const lost = cutsOf(kept)
    const short = evidence === null ? [] : truncatedOf(evidence)
    const { asOf, details, reasons } = draft.coverage
    return {
      ...draft,
      state:
        state?._tag === "Namespaces" && (kept.withoutState.size > 0 || kept.isCitedWhole)
          ? {
              ...state,
              isCitedWhole: kept.isCitedWhole,
              namespaces: state.namespaces.map((namespace, index) => {
                const shown = kept.withoutState.has(index) ? withoutState(namespace) : namespace
                return kept.isCitedWhole ? withoutCitation(shown) : shown
              })
            }
          : state,
      actions:
        actions?._tag === "Actions"
          ? {
              ...actions,
              items: actions.items
                .slice(0, kept.actions)
                .map((action, index) => (kept.withoutPayload.has(index) ? withoutPayload(action) : action)),
              matching: Math.min(actions.matching, kept.actions),
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

const wasLeft = (draft: PackDraft): boolean =>
  partsIn(draft).namespaces.some(({ leftBytes }) => leftBytes !== undefined)

/**
 * The smallest number from `from` to `to` for which `holds` is true. More steps never make a pack larger, except that the
 * first step adds its entries of the coverage.
 */
const leastThat = (holds: (count: number) => boolean, from: number, to: number): number | undefined => {
  if (holds(from)) return from
  // Usually few steps are enough, so the search starts near the first.
  let no = from
  let yes = from + 1
  while (yes < to && !holds(yes)) [no, yes] = [yes, Math.min(yes + 2 * (yes - no), to)]
  if (yes > to || (yes === to && !holds(to))) return undefined
  while (yes - no > 1) {
    const middle = Math.ceil((no + yes) / 2)
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}

/** Names each section and namespace with its size, the largest first. Counts the tokens of a pack that is not too long. */
function* budgetError(
  draft: PackDraft,
  least: PackDraft,
  form: PackForm,
  { maxResponseBytes, tokenBudget }: FitBudget
): Generator<void, QueryBudgetExceeded> {
  const counted = !wasLeft(draft) && form.bytes(least, 0) <= maxResponseBytes
  const tokens = counted ? yield* countTokens(form, least) : 0
  const left = new Map(
    partsIn(draft).namespaces.map(({ leftBytes, value }) => [value.namespace, leftBytes ?? 0] as const)
  )
  const parts = form.parts(least).map((part) => {
    const bytes = part.bytes + (part.namespace === null ? 0 : (left.get(part.namespace) ?? 0))
    return { ...part, bytes, tokens: counted ? part.tokens() : Math.ceil(bytes / BYTES_OF_TOKEN) }
  })
  const sections = (["state", "actions", "properties", "evidence"] as const)
    .filter((name) => draft[name] !== null)
    .map((name) => {
      const own = parts.filter(({ section }) => section === name)
      const [bytes, tokens] = [sum(own.map((part) => part.bytes)), sum(own.map((part) => part.tokens))]
      return { path: `sections.${name}`, name: `${name}`, bytes, tokens }
    })
  const namespaces = parts
    .filter(({ namespace }) => namespace !== null)
    .map(({ bytes, namespace, tokens }, index) => ({
      path: `sections.state.namespaces[${index}]`,
      name: `namespace ${namespace}`,
      bytes,
      tokens
    }))
  const errors = [...sections, ...namespaces]
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, VIOLATIONS_MAX)
    .map(({ bytes, name, path, tokens }): Violation => ({
      path,
      message: `${name} takes ${bytes} bytes, about ${tokens} tokens`
    }))
  const needed = counted ? `: it takes about ${form.bytes(least, tokens)} bytes and ${tokens} tokens` : ""
  return new QueryBudgetExceeded({
    detail: `what cannot be left out does not fit ${maxResponseBytes} bytes and ${tokenBudget} tokens${needed}`,
    errors
  })
}

// An estimate where tokens are not counted: bytes of a token, with its share of names and ids.
const BYTES_OF_TOKEN = 3
