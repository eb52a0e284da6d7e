// A pack as JSON: measured part by part, written once, with its hash (contract §3.2).
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { canonicalJson, inCanonicalOrder } from "../../json/CanonicalJson.ts"
import { memoized } from "../../values/Memoized.ts"
import {
  appealShown,
  citationOf,
  conversationShown,
  evidenceShown,
  sectionsFrame,
  stateShown
} from "./Citations.ts"
import type {
  CitationJson,
  Cited,
  EvidenceDraft,
  NamespaceJson,
  PackDraft,
  MeasuredPart
} from "./PackDraft.ts"
import { type Budget, jsonType, type MeasuredAnswer, type PackForm, USED_MILLIS_MOST } from "./PackForm.ts"
import {
  bytesOf,
  COMMA_TOKENS,
  COUNT_TOKENS,
  type CountedTexts,
  countingOf,
  ESTIMATOR,
  SLICE_UNITS,
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
  const counted: CountedTexts = new Map()
  const partsOf = memoized(measuring(counted))
  const frameOf = memoized((cut: PackDraft) => bodyOf(steady(cut), budget, sectionsFrame(cut), [], 0, 0))
  /** Bytes of a cut without its counts of tokens and bytes. Cached, because a cut is measured several times. */
  const bytesOfCut = memoized((cut: PackDraft) => {
    const parts = partsOf(cut).map(({ bytes }) => bytes)
    return (
      bytesOf(frameOf(cut)) +
      JSON.stringify(cut.requestId).length +
      PACK_HASH_BYTES -
      EMPTY_TEXT_BYTES -
      listsWithElements(cut) +
      sum(parts)
    )
  })
  const bytesWith = (cut: PackDraft, tokens: number): number => bytesAround(bytesOfCut(cut), tokens)
  const tokens = memoized(
    (cut: PackDraft) =>
      tokensOf(frameOf(cut), counted) +
      JSON.stringify(cut.requestId).length +
      2 * COUNT_TOKENS +
      PACK_HASH_TOKENS +
      sum(partsOf(cut).map((part) => part.tokens()))
  )
  return {
    parts: partsOf,
    bytes: bytesWith,
    tokens,
    written: (cut) => writtenAnswer(cut, budget, contentOf(cut, sha256), tokens(cut), bytesOfCut(cut))
  }
}

/** `tokens` and `bytes` are measures of the form; `bytes` excludes the digits of both counts. */
const writtenAnswer = (
  cut: PackDraft,
  budget: Budget,
  { citations, packHash, sections }: Content,
  tokens: number,
  bytes: number
): MeasuredAnswer => {
  const { candidates, coverage, evidence, generatedAt, requestId, scope, timeMs } = cut
  const most = Math.max(timeMs.used, USED_MILLIS_MOST)
  // The form counts the request id and the time with their maximum; the answer reports the real counts.
  const used =
    tokens -
    tokensOf("") -
    JSON.stringify(requestId).length -
    tokensOf(most) +
    tokensOf(requestId) +
    tokensOf(timeMs.used)
  const usedBytes = bytesAround(bytes, used, String(most).length - String(timeMs.used).length)
  const shown = budgetShown(budget, {
    candidates,
    items: itemsOf(evidence),
    limit: timeMs.limit,
    usedMillis: timeMs.used,
    tokens: used,
    bytes: usedBytes
  })
  const text = `{"requestId":${JSON.stringify(requestId)},"scope":${JSON.stringify(scope)},"generatedAt":"${generatedAt}","sections":${sections},"citations":${citations},"coverage":${JSON.stringify(coverageShown(coverage))},"budget":${JSON.stringify(shown)},"packHash":"${packHash}"}`
  return { text, contentType: jsonType, packHash, bytes: usedBytes, tokens: used }
}

/** Bytes of a text that contains the number of its own tokens, less `spare` bytes of a shorter time. */
const bytesAround = (bytes: number, tokens: number, spare = 0): number =>
  withOwnDigits(bytes - spare - 1 + String(tokens).length)

/**
 * Members that differ between two answers about the same data count as their maximum, so that both answers drop the same parts:
 * an id takes at most as many tokens as bytes, a duration four digits.
 */
const steady = (cut: PackDraft): PackDraft => ({
  ...cut,
  requestId: "",
  timeMs: { ...cut.timeMs, used: Math.max(cut.timeMs.used, USED_MILLIS_MOST) }
})
const EMPTY_TEXT_BYTES = 2

const citationText = ({ citation, known }: Cited<unknown>): string =>
  (known.citationText ??= JSON.stringify(citation))

/** Sections and citations as JSON, and the hash of them with the scope. */
interface Content {
  readonly sections: string
  readonly citations: string
  readonly packHash: string
}

/** Writes the content of a pack. */
export const contentOf = (cut: PackDraft, sha256: Sha256): Content => {
  const sections = sectionTexts(cut)
  const citations = `[${citationTexts(cut, sha256).join(",")}]`
  // The hash covers the sections in the order of RFC 8785, which most of them have already.
  const hashed = object(sections.map(({ canonicalText, name }) => `"${name}":${canonicalText}`))
  return {
    sections: object(sections.map(({ name, text }) => `"${name}":${text}`)),
    citations,
    packHash: `sha256:${sha256(`{"citations":${citations},"scope":${JSON.stringify(cut.scope)},"sections":${hashed}}`)}`
  }
}

const object = (texts: ReadonlyArray<string>) => `{${texts.join(",")}}`

/** The text of each section and its canonical text, in the order of RFC 8785. */
const sectionTexts = (cut: PackDraft) => {
  const { actions, evidence, properties, state } = cut
  const frame = sectionsFrame(cut)
  const items = actions?._tag === "Actions" ? actions.items : []
  const namespaces = state?._tag === "Namespaces" ? state.namespaces : []
  const values = properties?._tag === "Properties" ? properties.values : []
  const list = (
    name: ContextSection,
    empty: "[]" | "{}",
    texts: ReadonlyArray<string>,
    canonicalTexts = texts
  ) =>
    frame[name] === undefined
      ? []
      : [
          {
            name,
            text: filled(JSON.stringify(frame[name]), empty, texts),
            canonicalText: filled(JSON.stringify(frame[name]), empty, canonicalTexts)
          }
        ]
  return [
    ...list("actions", "[]", items.map(shownText), items.map(canonicalText)),
    ...(evidence === null ? [] : [evidenceTexts(evidence)]),
    ...list(
      "properties",
      "{}",
      values.map((one) => member(one, shownText(one.cited))),
      values
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((one) => member(one, canonicalText(one.cited)))
    ),
    ...(state?._tag === "Own"
      ? [{ name: "state", text: shownText(state.own), canonicalText: canonicalText(state.own) }]
      : list("state", "[]", namespaces.map(shownText), namespaces.map(canonicalText)))
  ]
}

const member = ({ name }: { readonly name: string }, text: string) => `${JSON.stringify(name)}:${text}`

/** Custom fields with names like indexes have no canonical order in JavaScript. */
const evidenceTexts = (evidence: EvidenceDraft) => {
  const shown = evidenceShown(evidence)
  const text = JSON.stringify(shown)
  return { name: "evidence", text, canonicalText: inCanonicalOrder(shown) ? text : canonicalJson(shown) }
}

/** The text of a section whose list is empty, with its elements. */
const filled = (frame: string, empty: "[]" | "{}", texts: ReadonlyArray<string>): string => {
  if (texts.length === 0) return frame
  const at = frame.indexOf(empty) + 1
  return frame.slice(0, at) + texts.join(",") + frame.slice(at)
}

const shownText = ({ text, value }: Cited<unknown>): string => text ?? JSON.stringify(value)
const canonicalText = ({ canonicalText: known, value }: Cited<unknown>): string =>
  known ?? canonicalJson(value)

/** The pack around its sections; `packHash` is empty here. */
const bodyOf = (
  cut: PackDraft,
  budget: Budget,
  sections: ContextPackJson["sections"],
  citations: ReadonlyArray<CitationJson>,
  tokens: number,
  bytes: number
): ContextPackJson => ({
  requestId: cut.requestId,
  scope: cut.scope,
  generatedAt: cut.generatedAt,
  sections,
  citations,
  coverage: coverageShown(cut.coverage),
  budget: budgetShown(budget, {
    tokens,
    bytes,
    items: itemsOf(cut.evidence),
    limit: cut.timeMs.limit,
    usedMillis: cut.timeMs.used,
    candidates: cut.candidates
  }),
  packHash: ""
})

const coverageShown = ({ asOf, details, reasons }: PackDraft["coverage"]): ContextPackJson["coverage"] => ({
  partial: reasons.length > 0,
  reasons,
  details,
  asOf
})

const itemsOf = (evidence: PackDraft["evidence"]): ContextPackJson["budget"]["items"] => ({
  appeals: evidence?.appeals.length ?? 0,
  snippets: sum((evidence?.appeals ?? []).map(({ snippets }) => snippets.length))
})

interface Counts {
  readonly tokens: number
  readonly bytes: number
  readonly items: ContextPackJson["budget"]["items"]
  /** Milliseconds that the answer may take. */
  readonly limit: number
  readonly usedMillis: number
  readonly candidates: PackDraft["candidates"]
}

const budgetShown = (
  { maxResponseBytes, tokenBudget }: Budget,
  { bytes, candidates, items, limit, tokens, usedMillis }: Counts
): ContextPackJson["budget"] => ({
  tokens: { limit: tokenBudget, used: tokens, estimator: ESTIMATOR },
  bytes: { limit: maxResponseBytes, used: bytes },
  items,
  timeMs: { limit, used: usedMillis },
  candidates
})

const stateCitationTexts = (state: PackDraft["state"], sha256: Sha256): ReadonlyArray<string> => {
  if (state?._tag === "Own") return [citationText(state.own)]
  if (state?._tag !== "Namespaces") return []
  const { citation, isCitedWhole, namespaces } = state
  return isCitedWhole && citation !== null
    ? [JSON.stringify(citationOf({ citation }, stateShown(state, valuesOf(namespaces)), sha256))]
    : namespaces.map(citationText)
}

const citationTexts = (
  { actions, evidence, properties, state }: PackDraft,
  sha256: Sha256
): ReadonlyArray<string> => {
  return [
    ...stateCitationTexts(state, sha256),
    ...(actions?._tag === "Actions" ? actions.items : []).map(citationText),
    ...(properties?._tag === "Properties" ? properties.values : []).map(({ cited }) => citationText(cited)),
    ...(evidence?.appeals ?? []).flatMap(({ header, snippets }) => [
      JSON.stringify(citationOf(header, appealShown(header.value, valuesOf(snippets)), sha256)),
      ...snippets.map(citationText)
    ]),
    ...(evidence?.conversations ?? []).flatMap(({ messages }) => messages.map(citationText)),
    ...(evidence?.interactions ?? []).map(citationText),
    ...(evidence?.memories ?? []).map(citationText)
  ]
}

const valuesOf = <Value>(cited: ReadonlyArray<Cited<Value>>): ReadonlyArray<Value> =>
  cited.map(({ value }) => value)

const citationElement = (cited: Cited<unknown>): Element => ({
  value: cited.citation,
  text: citationText(cited)
})

/** The parts of drafts, each measured once: an element of a list with its comma, and its citation with one. */
const measuring = (counted: CountedTexts) => {
  const part = (
    { known }: Cited<unknown>,
    about: About,
    elements: () => ReadonlyArray<Element>
  ): MeasuredPart => (known.part ??= partOf(about, elements(), counted))
  const shownIn =
    (section: ContextSection) =>
    (cited: Cited<unknown>): MeasuredPart =>
      cited.known.part ?? part(cited, { section, namespace: null }, () => elementsOf(cited))
  const namespacePart = (cited: Cited<NamespaceJson>): MeasuredPart =>
    cited.known.part ??
    part(cited, { section: "state", namespace: cited.value.namespace }, () =>
      cited.value.citationIds === undefined
        ? [{ value: cited.value, text: shownText(cited) }]
        : elementsOf(cited)
    )
  const stateCitationPart = memoized((citation: CitationJson) =>
    partOf(
      { section: "state", namespace: null },
      [{ value: citation, text: JSON.stringify(citation) }],
      counted
    )
  )
  const propertyPart = ({
    cited,
    name
  }: {
    readonly name: string
    readonly cited: Cited<unknown>
  }): MeasuredPart =>
    cited.known.part ??
    part(cited, { section: "properties", namespace: null }, () => [
      { value: cited.value, text: shownText(cited), name },
      citationElement(cited)
    ])
  const [actionPart, evidencePart] = [shownIn("actions"), shownIn("evidence")]
  const appealPart = (header: Appeal["header"]): MeasuredPart =>
    part(header, EVIDENCE, () => {
      const value = appealShown(header.value, [])
      return [{ value, text: JSON.stringify(value) }, citationElement(header)]
    })
  const conversationPart = memoized((header: Conversation["header"]) => {
    const value = conversationShown(header, [])
    return partOf(EVIDENCE, [{ value, text: JSON.stringify(value) }], counted)
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

type About = Pick<MeasuredPart, "section" | "namespace">
const EVIDENCE: About = { section: "evidence", namespace: null }
type Appeal = EvidenceDraft["appeals"][number]
type Conversation = EvidenceDraft["conversations"][number]

/** A value in a list, or under its name in an object, and its JSON. */
interface Element {
  readonly value: unknown
  readonly text: string
  readonly name?: string
}

const partOf = (about: About, elements: ReadonlyArray<Element>, counted: CountedTexts): MeasuredPart => {
  let bytes = 0
  for (const { name, text } of elements)
    bytes += utf8Bytes(text) + 1 + (name === undefined ? 0 : utf8Bytes(JSON.stringify(name)) + 1)
  let tokens: number | undefined
  const countAll = () => {
    let all = 0
    for (const { name, value } of elements)
      all += tokensOf(value, counted) + COMMA_TOKENS + (name === undefined ? 0 : tokensOfName(name, counted))
    return all
  }
  return {
    ...about,
    bytes,
    tokens: () => (tokens ??= countAll()),
    // A part without a long text is counted in one step.
    counting: () =>
      tokens === undefined && bytes > SLICE_UNITS
        ? countingOf(
            elements.map(({ value }) => value),
            counted
          )
        : []
  }
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
  // A conversation without messages has no citation: its messages are cited.
  const cited =
    state?._tag === "Own" || lists.some((list) => list.length > 0 && list !== evidence?.conversations)
  return lists.filter((list) => list.length > 0).length + (cited ? 1 : 0)
}

/** The length of a text that contains its own length. `rest` is the length with a single digit for it. */
const withOwnDigits = (rest: number): number => {
  let used = rest
  while (rest - 1 + String(used).length !== used) used = rest - 1 + String(used).length
  return used
}
