// A pack as JSON: measured part by part, written once, with its hash (contract §3.2).
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { memoized } from "../../values/Memoized.ts"
import { canonicalJson, inCanonicalOrder } from "../../json/CanonicalJson.ts"
import {
  appealShown,
  citationOf,
  conversationShown,
  sectionsFrame,
  sectionsShown,
  stateShown
} from "./Citations.ts"
import type {
  About,
  CitationJson,
  Cited,
  EvidenceDraft,
  MeasuredPart,
  NamespaceJson,
  PackDraft
} from "./PackDraft.ts"
import { type Budget, jsonType, type PackForm, USED_MILLIS_MOST } from "./PackForm.ts"
import {
  bytesOf,
  COMMA_TOKENS,
  countingValue,
  COUNT_TOKENS,
  ESTIMATOR,
  measuredPart,
  tokensOf,
  tokensOfName,
  utf8Bytes
} from "./Tokens.ts"
import { sum } from "./Coverage.ts"

type Sha256 = (text: string) => string

// `sha256:` and 64 hex digits, of which none takes more than one token each.
const PACK_HASH_BYTES = 71
const PACK_HASH_TOKENS = 68

/** The JSON form of the drafts of one request. */
export const jsonForm = (budget: Budget, sha256: Sha256): PackForm => {
  const partsOf = memoized(measuring())
  const frameOf = memoized((cut: PackDraft) => bodyOf(cut, budget, { sections: sectionsFrame(cut) }))
  const steadyOf = memoized(steady)
  /** Bytes of a pack without the digits of its own counts. Each cut is measured several times. */
  const bytesOfCut = memoized(
    (cut: PackDraft): number =>
      bytesOf(frameOf(steadyOf(cut))) +
      PACK_HASH_BYTES -
      listsWithElements(cut) +
      sum(partsOf(cut).map(({ bytes }) => bytes))
  )
  const tokensOfCut = memoized(
    (cut: PackDraft): number =>
      tokensOf(frameOf(steadyOf(cut))) +
      spareTokensOf(cut.requestId) +
      2 * COUNT_TOKENS +
      PACK_HASH_TOKENS +
      sum(partsOf(cut).map((part) => part.tokens()))
  )
  return {
    parts: partsOf,
    bytes: (cut, tokens) => bytesAround(bytesOfCut(cut), tokens),
    tokens: tokensOfCut,
    written: (cut) => {
      const { citations, packHash, sections } = contentOf(cut, sha256)
      // The answer contains the request id and the time as they are.
      const [most, used] = [steadyOf(cut).timeMs.used, cut.timeMs.used]
      const tokens = tokensOfCut(cut) - spareTokensOf(cut.requestId) - tokensOf(most) + tokensOf(used)
      const bytes = bytesAround(bytesOfCut(cut) - String(most).length + String(used).length, tokens)
      const frame = JSON.stringify(bodyOf(cut, budget, { tokens, bytes, packHash }))
      const text = frame.replace(EMPTY_CONTENT, () => `"sections":${sections},"citations":${citations}`)
      return { text, contentType: jsonType, packHash, bytes, tokens }
    }
  }
}
const EMPTY_CONTENT = '"sections":{},"citations":[]'

/** The difference to the most tokens of such an id: one for each byte of its JSON, and one where it meets its quotes. */
const spareTokensOf = (requestId: string): number =>
  JSON.stringify(requestId).length + 1 - tokensOf(requestId)

/** Bytes of a text that contains the number of its own tokens. */
const bytesAround = (bytes: number, tokens: number): number =>
  withOwnDigits(bytes - 1 + String(tokens).length)

/**
 * Times differ between two answers about the same data, so they count as their maximum of four digits, and a request id as one
 * token for each byte: both answers then drop the same parts.
 */
const steady = (cut: PackDraft): PackDraft => ({
  ...cut,
  timeMs: { ...cut.timeMs, used: Math.max(cut.timeMs.used, USED_MILLIS_MOST) }
})

/** Sections and citations as JSON, and the hash of them with the scope. */
interface Content {
  readonly sections: string
  readonly citations: string
  readonly packHash: string
}

/** Writes the content of a pack. */
export const contentOf = (cut: PackDraft, sha256: Sha256): Content => {
  const shown = sectionsShown(cut)
  const [sections, citations] = [JSON.stringify(shown), JSON.stringify(citationsOf(cut, sha256))]
  // Sections are in canonical order unless names of members look like indexes or properties are not sorted.
  const hashed = inCanonicalOrder(shown) ? sections : canonicalJson(shown)
  const packHash = sha256(
    `{"citations":${citations},"scope":${JSON.stringify(cut.scope)},"sections":${hashed}}`
  )
  return { sections, citations, packHash: `sha256:${packHash}` }
}

/** The pack with these members; others are empty. */
const bodyOf = (
  { candidates, coverage, evidence, generatedAt, requestId, scope, timeMs }: PackDraft,
  { maxResponseBytes, tokenBudget }: Budget,
  {
    bytes = 0,
    packHash = "",
    sections = {},
    tokens = 0
  }: {
    readonly sections?: ContextPackJson["sections"]
    readonly tokens?: number
    readonly bytes?: number
    readonly packHash?: string
  }
): ContextPackJson => ({
  requestId,
  scope,
  generatedAt,
  sections,
  citations: [],
  coverage: {
    partial: coverage.reasons.length > 0,
    reasons: coverage.reasons,
    details: coverage.details,
    asOf: coverage.asOf
  },
  budget: {
    tokens: { limit: tokenBudget, used: tokens, estimator: ESTIMATOR },
    bytes: { limit: maxResponseBytes, used: bytes },
    items: {
      appeals: evidence?.appeals.length ?? 0,
      snippets: sum((evidence?.appeals ?? []).map(({ snippets }) => snippets.length))
    },
    timeMs: { limit: timeMs.limit, used: timeMs.used },
    candidates
  },
  packHash
})

const stateCitations = (state: PackDraft["state"], sha256: Sha256): ReadonlyArray<CitationJson> => {
  if (state?._tag === "Own") return [state.own.citation]
  if (state?._tag !== "Namespaces") return []
  const { citation, isCitedWhole, namespaces } = state
  return isCitedWhole && citation !== null
    ? [citationOf({ citation }, stateShown(state, valuesOf(namespaces)), sha256)]
    : namespaces.map((one) => one.citation)
}

const citationsOf = (
  { actions, evidence, properties, state }: PackDraft,
  sha256: Sha256
): ReadonlyArray<CitationJson> => [
  ...stateCitations(state, sha256),
  ...(actions?._tag === "Actions" ? actions.items : []).map(({ citation }) => citation),
  ...(properties?._tag === "Properties" ? properties.values : []).map(({ cited }) => cited.citation),
  ...(evidence?.appeals ?? []).flatMap(({ header, snippets }) => [
    citationOf(header, appealShown(header.value, valuesOf(snippets)), sha256),
    ...snippets.map(({ citation }) => citation)
  ]),
  ...[
    ...(evidence?.conversations ?? []).flatMap(({ messages }) => messages),
    ...(evidence?.interactions ?? []),
    ...(evidence?.memories ?? [])
  ].map(({ citation }) => citation)
]

const valuesOf = <Value>(cited: ReadonlyArray<Cited<Value>>): ReadonlyArray<Value> =>
  cited.map(({ value }) => value)

const shownText = ({ text, value }: Cited<unknown>): string => text ?? JSON.stringify(value)

const citationElement = ({ citation }: Cited<unknown>): Element => ({
  value: citation,
  text: JSON.stringify(citation)
})

/** A part of the pack that is measured once: an element of a list with its comma, and its citation with one. */
const part = (
  { known }: Cited<unknown>,
  about: About,
  elements: () => ReadonlyArray<Element>
): MeasuredPart => (known.part ??= partOf(about, elements()))

const shownIn = (section: ContextSection) => {
  const about = { section, namespace: null }
  return (cited: Cited<unknown>): MeasuredPart => part(cited, about, () => elementsOf(cited))
}
const actionPart = shownIn("actions")
const evidencePart = shownIn("evidence")

const namespacePart = (cited: Cited<NamespaceJson>): MeasuredPart =>
  part(cited, { section: "state", namespace: cited.value.namespace }, () =>
    cited.value.citationIds === undefined
      ? [{ value: cited.value, text: shownText(cited) }]
      : elementsOf(cited)
  )

const propertyPart = ({
  cited,
  name
}: {
  readonly name: string
  readonly cited: Cited<unknown>
}): MeasuredPart =>
  part(cited, { section: "properties", namespace: null }, () => [
    { value: cited.value, text: shownText(cited), name },
    citationElement(cited)
  ])

const appealPart = (header: Appeal["header"]): MeasuredPart =>
  part(header, EVIDENCE, () => {
    const value = appealShown(header.value, [])
    return [{ value, text: JSON.stringify(value) }, citationElement(header)]
  })

/** The parts of the drafts of one request. */
const measuring = () => {
  const stateCitationPart = memoized((citation: CitationJson) =>
    partOf({ section: "state", namespace: null }, [{ value: citation, text: JSON.stringify(citation) }])
  )
  const conversationPart = memoized((header: Conversation["header"]) => {
    const value = conversationShown(header, [])
    return partOf(EVIDENCE, [{ value, text: JSON.stringify(value) }])
  })
  return ({ actions, evidence, properties, state }: PackDraft): ReadonlyArray<MeasuredPart> => [
    ...(state?._tag === "Namespaces" && state.isCitedWhole && state.citation !== null
      ? [stateCitationPart(state.citation)]
      : []),
    ...(state?._tag === "Namespaces"
      ? state.namespaces.map(namespacePart)
      : state?._tag === "Own"
        ? [part(state.own, { section: "state", namespace: null }, () => [citationElement(state.own)])]
        : []),
    ...(properties?._tag === "Properties" ? properties.values : []).map(propertyPart),
    ...(actions?._tag === "Actions" ? actions.items : []).map(actionPart),
    ...(evidence?.appeals ?? []).flatMap((appeal) => [
      appealPart(appeal.header),
      ...appeal.snippets.map(evidencePart)
    ]),
    ...(evidence?.conversations ?? []).flatMap((conversation) => [
      conversationPart(conversation.header),
      ...conversation.messages.map(evidencePart)
    ]),
    ...(evidence?.interactions ?? []).map(evidencePart),
    ...(evidence?.memories ?? []).map(evidencePart)
  ]
}

const elementsOf = (cited: Cited<unknown>): ReadonlyArray<Element> => [
  { value: cited.value, text: shownText(cited) },
  citationElement(cited)
]

const EVIDENCE: About = { section: "evidence", namespace: null }
type Appeal = EvidenceDraft["appeals"][number]
type Conversation = EvidenceDraft["conversations"][number]

/** A value in a list, or under its name in an object, and its JSON. */
interface Element {
  readonly value: unknown
  readonly text: string
  readonly name?: string
}

const partOf = (about: About, elements: ReadonlyArray<Element>): MeasuredPart => {
  let bytes = 0
  for (const { name, text } of elements)
    bytes += utf8Bytes(text) + 1 + (name === undefined ? 0 : utf8Bytes(JSON.stringify(name)) + 1)
  return measuredPart(about, bytes, function* () {
    let tokens = 0
    for (const { name, value } of elements)
      tokens += (yield* countingValue(value)) + COMMA_TOKENS + (name === undefined ? 0 : tokensOfName(name))
    return tokens
  })
}

/** Lists that need no comma before their first element. */
const listsWithElements = (cut: PackDraft): number => {
  const { actions, evidence, properties, state } = cut
  const lists: ReadonlyArray<ReadonlyArray<unknown>> = [
    state?._tag === "Namespaces" ? state.namespaces : [],
    actions?._tag === "Actions" ? actions.items : [],
    properties?._tag === "Properties" ? properties.values : [],
    evidence?.appeals ?? [],
    ...(evidence?.appeals ?? []).map(({ snippets }) => snippets),
    evidence?.conversations ?? [],
    ...(evidence?.conversations ?? []).map(({ messages }) => messages),
    evidence?.interactions ?? [],
    evidence?.memories ?? []
  ]
  // A conversation is cited by its messages, of which it may have none.
  const cited =
    state?._tag === "Own" || lists.some((list) => list.length > 0 && list !== evidence?.conversations)
  return lists.filter((list) => list.length > 0).length + (cited ? 1 : 0)
}

/** The number that, written into a text of `rest` bytes, says how long the text then is; one digit of it is in `rest`. */
const withOwnDigits = (rest: number): number => {
  let used = rest
  while (rest - 1 + String(used).length !== used) used = rest - 1 + String(used).length
  return used
}
