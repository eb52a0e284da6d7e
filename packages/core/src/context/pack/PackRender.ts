// A pack as bytes, with its exact size: rendered once, because the budget is bytes.
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import { canonicalJson } from "../../json/CanonicalJson.ts"
import type { PackDraft } from "./PackDraft.ts"
import { coverageShown, type Kept, shownOf, snippetsShown } from "./PackShown.ts"
import { COUNT_TOKENS, ESTIMATOR, tokensOf } from "./Tokens.ts"

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
  const { canonical, citations, sections } = shownOf(draft, kept, sha256)
  const { generatedAt, requestId, scope } = draft
  const body = { requestId, scope, generatedAt, sections, citations, coverage: coverageShown(draft, kept) }
  const text = {
    scope: JSON.stringify(scope),
    sections: JSON.stringify(sections),
    citations: JSON.stringify(citations)
  }
  const head = encoder.encode(
    `{"requestId":${JSON.stringify(requestId)},"scope":${text.scope},"generatedAt":"${generatedAt}","sections":${text.sections},"citations":${text.citations},"coverage":${JSON.stringify(body.coverage)},"budget":`
  )
  const budgetOf = (tokens: number, bytes: number): ContextPackJson["budget"] => ({
    tokens: { limit: budget.tokenBudget, used: tokens, estimator: ESTIMATOR },
    bytes: { limit: budget.maxResponseBytes, used: bytes },
    items: {
      appeals: kept.appeals,
      snippets: snippetsShown(kept)
    },
    timeMs: draft.timeMs,
    candidates: draft.candidates
  })
  // The two counts of the budget are numbers of at most six digits, whatever they come to.
  let counted: number | undefined
  const tokens = () =>
    (counted ??=
      tokensOf({ ...body, budget: budgetOf(0, 0), packHash: "" }) + 2 * COUNT_TOKENS + PACK_HASH_TOKENS)
  const bytesWith = (tokensUsed: number) =>
    withOwnDigits(
      head.length + JSON.stringify(budgetOf(tokensUsed, 0)).length - 1 + tail("").length + PACK_HASH_BYTES
    )
  // What is hashed is what is sent, in the order of RFC 8785, as long as all free JSON in it stands in that order.
  const packHash = () =>
    sha256(
      canonical
        ? `{"citations":${text.citations},"scope":${text.scope},"sections":${text.sections}}`
        : canonicalJson({ scope, sections, citations })
    )
  return {
    sections,
    leastBytes: bytesWith(0),
    bytes: () => bytesWith(tokens()),
    tokens,
    toBytes: () => {
      const used = bytesWith(tokens())
      const bytes = new Uint8Array(used)
      bytes.set(head)
      const end = JSON.stringify(budgetOf(tokens(), used)) + tail(`sha256:${packHash()}`)
      encoder.encodeInto(end, bytes.subarray(head.length))
      return bytes
    }
  }
}

/** The number that, written into a text of `rest` bytes, says how long the text then is. */
const withOwnDigits = (rest: number): number => {
  let used = rest + 1
  while (rest + String(used).length !== used) used = rest + String(used).length
  return used
}
