// A pack as JSON: the text that is measured is the text that is sent (contract §3.2).
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { canonicalJson, orderedJson } from "../../json/CanonicalJson.ts"
import { sentBackText } from "../../json/SentBackJson.ts"
import { memoize } from "../../values/Memoize.ts"
import { shownSections, withFinalHashes } from "./Citations.ts"
import { sum } from "./Coverage.ts"
import {
  type CitationJson,
  type Cited,
  citedIn,
  type MeasuredPart,
  type PackDraft,
  partsIn
} from "./PackDraft.ts"
import { type Budget, jsonType, type PackForm, USED_MILLIS_MOST } from "./PackForm.ts"
import { bytesOf, COUNT_TOKENS, type CountedJson, ESTIMATOR, tokensOf } from "./Tokens.ts"

type Sha256 = (text: string) => string

// `sha256:` and 64 hex digits, of which none takes more than one token each.
const PACK_HASH_UNITS = 71
const PACK_HASH_TOKENS = 68

/**
 * The JSON form of the drafts of one request. Members that differ between two answers about the same data count as their maximum,
 * so that both answers drop the same parts: an id takes at most as many tokens as bytes, a duration four digits.
 */
export const jsonForm = (budget: Budget, sha256: Sha256): PackForm => {
  const headOf = memoize((cut: PackDraft) => shownHead(cut))
  const headBytes = memoize((cut: PackDraft) => bytesOf(headOf(cut)) - 1)
  const bytes = (cut: PackDraft, tokens: number, usedMillis: number): number => {
    const tail = tailText(shownBudget(budget, cut, { tokens, bytes: 0, usedMillis }), "")
    return withOwnDigits(headBytes(cut) + tail.length + PACK_HASH_UNITS)
  }
  const tokens = memoize((cut: PackDraft) => {
    const used = { tokens: 0, bytes: 0, usedMillis: mostMillis(cut) }
    const pack = { ...headOf(cut), requestId: "", budget: shownBudget(budget, cut, used), packHash: "" }
    return tokensOf(pack) + JSON.stringify(cut.requestId).length + 2 * COUNT_TOKENS + PACK_HASH_TOKENS
  })
  return {
    parts: memoize(measuredParts),
    bytes: (cut, counted) => bytes(cut, counted, mostMillis(cut)),
    tokens,
    written: (cut) => {
      const { requestId, timeMs } = cut
      // The form counts the request id and the time with their maximum; the answer reports the real counts.
      const used =
        tokens(cut) -
        tokensOf("") -
        JSON.stringify(requestId).length -
        tokensOf(mostMillis(cut)) +
        tokensOf(requestId) +
        tokensOf(timeMs.used)
      const usedBytes = bytes(cut, used, timeMs.used)
      const head = shownHead(withFinalHashes(cut, sha256))
      const packHash = hashOf(head, sha256)
      const shown = shownBudget(budget, cut, { tokens: used, bytes: usedBytes, usedMillis: timeMs.used })
      const text = headText(head) + tailText(shown, packHash)
      return { text, contentType: jsonType, packHash, bytes: usedBytes, tokens: used }
    }
  }
}

/** The hash of the JSON pack of a cut. */
export const packHashOf = (cut: PackDraft, sha256: Sha256): string =>
  hashOf(shownHead(withFinalHashes(cut, sha256)), sha256)

const hashOf = ({ citations, scope, sections }: ReturnType<typeof shownHead>, sha256: Sha256): string =>
  `sha256:${sha256(canonicalJson({ citations, scope, sections }))}`

const mostMillis = ({ timeMs }: PackDraft): number => Math.max(timeMs.used, USED_MILLIS_MOST)

/** A pack without its budget and hash, in the order of the answer. */
const shownHead = (cut: PackDraft) => ({
  requestId: cut.requestId,
  scope: cut.scope,
  generatedAt: cut.generatedAt,
  sections: shownSections(cut),
  citations: citationsOf(cut),
  coverage: shownCoverage(cut.coverage)
})

const headText = (head: object): string => sentBackText(orderedJson(head).slice(0, -1))

const tailText = (budget: ContextPackJson["budget"], packHash: string): string =>
  `,"budget":${JSON.stringify(budget)},"packHash":"${packHash}"}`

/** The length of a text that contains its own length. `rest` is the length with a single digit for it. */
const withOwnDigits = (rest: number): number => {
  let used = rest
  while (rest - 1 + String(used).length !== used) used = rest - 1 + String(used).length
  return used
}

/** The citation of the whole state of a client; null if its namespaces are cited. */
const wholeCitation = ({ state }: PackDraft): CitationJson | null =>
  state?._tag === "Namespaces" && state.isCitedWhole ? state.citation : null

/** In the order of the answer. */
const citationsOf = (cut: PackDraft): ReadonlyArray<CitationJson | CountedJson> => {
  const { state, ...others } = citedIn(cut)
  const whole = wholeCitation(cut)
  const cited = [...(whole === null ? state : []), ...Object.values(others).flat()]
  return [...(whole === null ? [] : [whole]), ...cited.map(({ citationJson }) => citationJson)]
}

const shownCoverage = ({ asOf, details, reasons }: PackDraft["coverage"]): ContextPackJson["coverage"] => ({
  partial: reasons.length > 0,
  reasons,
  details,
  asOf
})

interface Used {
  readonly tokens: number
  readonly bytes: number
  readonly usedMillis: number
}

const shownBudget = (
  { maxResponseBytes, tokenBudget }: Budget,
  cut: PackDraft,
  { bytes, tokens, usedMillis }: Used
): ContextPackJson["budget"] => {
  const { appeals } = partsIn(cut)
  return {
    tokens: { limit: tokenBudget, used: tokens, estimator: ESTIMATOR },
    bytes: { limit: maxResponseBytes, used: bytes },
    items: { appeals: appeals.length, snippets: sum(appeals.map(({ snippets }) => snippets.length)) },
    timeMs: { limit: cut.timeMs.limit, used: usedMillis },
    candidates: cut.candidates
  }
}

/** Each cited object with its citation. */
const measuredParts = (cut: PackDraft): ReadonlyArray<MeasuredPart> => {
  const { namespaces } = partsIn(cut)
  const isCitedWhole = wholeCitation(cut) !== null
  const { actions, evidence, properties, state } = citedIn(cut)
  return [
    ...state.map((one, index) => partOf("state", one, namespaces[index]?.value.namespace, isCitedWhole)),
    ...actions.map((one) => partOf("actions", one)),
    ...properties.map((one) => partOf("properties", one)),
    ...evidence.map((one) => partOf("evidence", one))
  ]
}

const partOf = (
  section: ContextSection,
  { citationJson, json }: Cited<unknown>,
  namespace: string | null = null,
  isCitedWhole = false
): MeasuredPart => ({
  section,
  namespace,
  bytes: json.bytes + (isCitedWhole ? 0 : citationJson.bytes),
  tokens: () => json.tokens + (isCitedWhole ? 0 : citationJson.tokens)
})
