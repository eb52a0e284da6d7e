// Makes a pack fit: leaves out the least important until bytes and tokens are within their limits (rule 7).
import { QueryBudgetExceeded, type Violation } from "@rapport/contract/Errors.ts"
import { PAYLOAD_KEPT_BYTES_MAX, VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { Result } from "effect"
import type { Cited, PackDraft } from "./PackDraft.ts"
import { type Budget, render, type Rendered } from "./PackRender.ts"
import { bytesOf, everythingOf, type Kept, payloadCut, stateCut } from "./PackShown.ts"
import { COMMA_TOKENS, tokensOf } from "./Tokens.ts"

/** One thing that gives way; `size` is what goes with it, commas included, less what is said about it. */
interface Step {
  readonly apply: (kept: Kept) => Kept
  readonly size: (kept: Kept) => Size
}
interface Size {
  readonly bytes: number
  readonly tokens: () => number
}

/** What the fixed parts of a pack may shrink by when something goes: digits of counts, false to true. */
const SLACK_BYTES = 64
const SLACK_TOKENS = 16

/**
 * The fullest pack within the budget. Things go in one order whatever the budget is (docs/contract.md §3.2, "trimming"),
 * so a larger budget never shows less. State and properties are never cut unsaid: when they alone do not fit the
 * request fails, unless `allowPartial` lets the largest namespaces come without their state.
 */
export const fit = (
  draft: PackDraft,
  budget: Budget & { readonly allowPartial: boolean },
  sha256: (text: string) => string
): Result.Result<Rendered, QueryBudgetExceeded> => {
  let kept = everythingOf(draft)
  let rendered = render(draft, kept, budget, sha256)
  if (fits(rendered, budget)) return Result.succeed(rendered)
  const steps = stepsOf(draft, budget.allowPartial)
  let next = 0
  do {
    const overBytes = rendered.leastBytes - budget.maxResponseBytes
    const overTokens = overBytes > 0 ? 0 : rendered.tokens() - budget.tokenBudget
    let bytes = 0
    let tokens = 0
    // Rendering is dear: first take what has to go in any case, by its measured size.
    do {
      const step = steps[next++]
      if (step === undefined) return Result.fail(tooMuch(render(draft, kept, budget, sha256), budget))
      const size = step.size(kept)
      bytes += size.bytes
      tokens += overTokens > 0 ? size.tokens() : 0
      kept = step.apply(kept)
    } while (bytes + SLACK_BYTES < overBytes || tokens + SLACK_TOKENS < overTokens)
    rendered = render(draft, kept, budget, sha256)
  } while (!fits(rendered, budget))
  return Result.succeed(rendered)
}

const fits = (rendered: Rendered, { maxResponseBytes, tokenBudget }: Budget): boolean =>
  rendered.leastBytes <= maxResponseBytes &&
  rendered.tokens() <= tokenBudget &&
  rendered.bytes() <= maxResponseBytes

/** Everything that may go, the least important first. */
const stepsOf = (draft: PackDraft, allowPartial: boolean): ReadonlyArray<Step> => [
  ...payloadSteps(draft),
  ...snippetSteps(draft),
  ...evidenceSteps(draft),
  ...actionSteps(draft),
  ...(allowPartial ? namespaceSteps(draft) : [])
]

/** 0: payloads above 4 KiB, the largest first. */
const payloadSteps = ({ actions }: PackDraft): ReadonlyArray<Step> => {
  if (actions?._tag !== "Actions") return []
  return actions.items
    .map(({ value }, index) => ({ value, index, bytes: bytesOf(value.payload) }))
    .filter(({ bytes }) => bytes > PAYLOAD_KEPT_BYTES_MAX)
    .toSorted((a, b) => b.bytes - a.bytes || b.index - a.index)
    .map(({ bytes, index, value }) => ({
      apply: (kept) => ({ ...kept, withoutPayload: new Set([...kept.withoutPayload, index]) }),
      size: () => ({
        bytes: bytes - 2 - element(payloadCut(value)).bytes,
        tokens: () => tokensOf(value.payload) - 2 - element(payloadCut(value)).tokens()
      })
    }))
}

/** 1: the lowest-scored snippets beyond the first of each appeal; null is lowest, of equal ones the lowest-ranked. */
const snippetSteps = ({ evidence }: PackDraft): ReadonlyArray<Step> =>
  (evidence?.appeals ?? [])
    .flatMap(({ snippets }, appeal) =>
      snippets.slice(1).map((snippet, i) => ({ snippet, appeal, index: i + 1 }))
    )
    .toSorted(
      (a, b) =>
        (a.snippet.value.score ?? -1) - (b.snippet.value.score ?? -1) ||
        b.appeal - a.appeal ||
        b.index - a.index
    )
    .map(({ appeal, snippet }) => ({
      apply: (kept) => ({ ...kept, snippets: kept.snippets.map((n, i) => (i === appeal ? n - 1 : n)) }),
      size: () => cited(snippet)
    }))

/** 2: what stands lowest in its list; of equal places the interaction goes first, the appeal last. */
const evidenceSteps = ({ evidence }: PackDraft): ReadonlyArray<Step> => {
  if (evidence === null) return []
  const { appeals, conversations, interactions, memories } = evidence
  const steps: ReadonlyArray<ReadonlyArray<Step>> = [
    interactions.map((interaction) => ({
      apply: (kept) => ({ ...kept, interactions: kept.interactions - 1 }),
      size: () => cited(interaction)
    })),
    memories.map((memory) => ({
      apply: (kept) => ({ ...kept, memories: kept.memories - 1 }),
      size: () => cited(memory)
    })),
    conversations.map(({ header, messages }) => ({
      apply: (kept) => ({ ...kept, conversations: kept.conversations - 1 }),
      size: () => total([element(header), ...messages.map(cited)])
    })),
    appeals.map(({ header, snippets }, index) => ({
      apply: (kept) => ({ ...kept, appeals: kept.appeals - 1 }),
      size: (kept) => total([element(header), ...snippets.slice(0, kept.snippets[index]).map(cited)])
    }))
  ]
  const longest = Math.max(...steps.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => longest - 1 - i).flatMap((place) =>
    steps.flatMap((list) => list[place] ?? [])
  )
}

/** 3: the oldest actions. */
const actionSteps = ({ actions }: PackDraft): ReadonlyArray<Step> =>
  actions?._tag === "Actions"
    ? actions.items
        .map((action, index): Step => ({
          apply: (kept) => ({ ...kept, actions: kept.actions - 1 }),
          size: (kept) =>
            kept.withoutPayload.has(index)
              ? total([
                  cited({ ...action, value: { ...action.value, payload: {} } }),
                  element(payloadCut(action.value))
                ])
              : cited(action)
        }))
        .toReversed()
    : []

/** With allowPartial: the largest namespaces, as long as naming one takes less than it holds. */
const namespaceSteps = ({ state }: PackDraft): ReadonlyArray<Step> =>
  state?._tag === "Namespaces"
    ? state.namespaces
        .map(({ value }, index) => {
          const said = element(stateCut(value))
          const bytes = bytesOf(value.state) - 4 - said.bytes
          return { index, bytes, tokens: () => tokensOf(value.state) - 1 - said.tokens() }
        })
        .filter(({ bytes }) => bytes > 0)
        .toSorted((a, b) => b.bytes - a.bytes || a.index - b.index)
        .map(({ bytes, index, tokens }) => ({
          apply: (kept) => ({ ...kept, withoutState: new Set([...kept.withoutState, index]) }),
          size: () => ({ bytes, tokens })
        }))
    : []

/** An element of a list with its comma. */
const element = (value: unknown): Size => ({
  bytes: bytesOf(value) + 1,
  tokens: () => tokensOf(value) + COMMA_TOKENS
})

const cited = ({ citation, value }: Pick<Cited<unknown>, "citation" | "value">): Size =>
  total([element(value), element(citation)])

const total = (sizes: ReadonlyArray<Size>): Size => ({
  bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  tokens: () => sizes.reduce((sum, { tokens }) => sum + tokens(), 0)
})

/** Names each section and namespace with what it takes, the largest first. */
const tooMuch = ({ sections }: Rendered, { maxResponseBytes, tokenBudget }: Budget): QueryBudgetExceeded => {
  const parts: Array<{ readonly path: string; readonly name: string; readonly value: unknown }> =
    Object.entries(sections).map(([name, value]) => ({ path: `sections.${name}`, name, value }))
  if (sections.state !== undefined && "namespaces" in sections.state) {
    for (const [index, value] of sections.state.namespaces.entries()) {
      parts.push({
        path: `sections.state.namespaces[${index}]`,
        name: `namespace ${value.namespace}`,
        value
      })
    }
  }
  const errors = parts
    .map(({ name, path, value }) => ({ path, name, bytes: bytesOf(value), tokens: tokensOf(value) }))
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, VIOLATIONS_MAX)
    .map(({ bytes, name, path, tokens }): Violation => ({
      path,
      message: `${name} takes ${bytes} bytes and ${tokens} tokens`
    }))
  return new QueryBudgetExceeded({
    detail: `what cannot be left out does not fit ${maxResponseBytes} bytes and ${tokenBudget} tokens`,
    errors
  })
}
