// A pack as JSON: measured part by part, written once, with its hash (contract §3.2).
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { canonicalJson } from "../../json/CanonicalJson.ts"
import { memoize } from "../../values/Memoize.ts"
import {
  shownAppeal,
  citationOf,
  shownConversation,
  shownEvidence,
  sectionsFrame,
  shownState
} from "./Citations.ts"
import {
  type CitationJson,
  type Cited,
  type EvidenceDraft,
  type MeasuredPart,
  type NamespaceJson,
  type PackDraft,
  partsIn
} from "./PackDraft.ts"
import { type Budget, jsonType, type MeasuredAnswer, type PackForm, USED_MILLIS_MOST } from "./PackForm.ts"
import {
  bytesOf,
  COMMA_TOKENS,
  COUNT_TOKENS,
  ESTIMATOR,
  tokensOf,
  tokensOfName,
  utf8Bytes
} from "./Tokens.ts"
import { sum } from "./Coverage.ts"

type Sha256 = (text: string) => string

// `sha256:` and 64 hex digits, of which none takes more than one token each.
const PACK_HASH_BYTES = 71
const PACK_HASH_TOKENS = 68
const EMPTY_TEXT_BYTES = 2

/** The JSON form of the drafts of one request. */
export const jsonForm = (budget: Budget, sha256: Sha256): PackForm => {
  const partsOf = memoize(measuredParts)
  /**
   * The pack without its parts. Members that differ between two answers about the same data count as their maximum, so that
   * both answers drop the same parts: an id takes at most as many tokens as bytes, a duration four digits.
   */
  const frameOf = memoize((cut: PackDraft): ContextPackJson => ({
    requestId: "",
    scope: cut.scope,
    generatedAt: cut.generatedAt,
    sections: sectionsFrame(cut),
    citations: [],
    coverage: shownCoverage(cut),
    budget: shownBudget(budget, cut, { tokens: 0, bytes: 0, usedMillis: mostMillis(cut) }),
    packHash: ""
  }))
  /** Bytes of a cut without its counts of tokens and bytes. */
  const bytesOfCut = memoize(
    (cut: PackDraft) =>
      bytesOf(frameOf(cut)) +
      JSON.stringify(cut.requestId).length +
      PACK_HASH_BYTES -
      EMPTY_TEXT_BYTES -
      listsWithElements(cut) +
      sum(partsOf(cut).map(({ bytes }) => bytes))
  )
  const tokens = memoize(
    (cut: PackDraft) =>
      tokensOf(frameOf(cut)) +
      JSON.stringify(cut.requestId).length +
      2 * COUNT_TOKENS +
      PACK_HASH_TOKENS +
      sum(partsOf(cut).map((part) => part.tokens()))
  )
  return {
    parts: partsOf,
    bytes: (cut, counted) => bytesAround(bytesOfCut(cut), counted),
    tokens,
    written: (cut) => writtenAnswer(cut, budget, contentOf(cut, sha256), tokens(cut), bytesOfCut(cut))
  }
}

const mostMillis = ({ timeMs }: PackDraft): number => Math.max(timeMs.used, USED_MILLIS_MOST)

/** `tokens` and `bytes` are measures of the form; `bytes` excludes the digits of both counts. */
const writtenAnswer = (
  cut: PackDraft,
  budget: Budget,
  { citations, packHash, sections }: Content,
  tokens: number,
  bytes: number
): MeasuredAnswer => {
  const { generatedAt, requestId, scope, timeMs } = cut
  const most = mostMillis(cut)
  // The form counts the request id and the time with their maximum; the answer reports the real counts.
  const used =
    tokens -
    tokensOf("") -
    JSON.stringify(requestId).length -
    tokensOf(most) +
    tokensOf(requestId) +
    tokensOf(timeMs.used)
  const usedBytes = bytesAround(bytes, used, String(most).length - String(timeMs.used).length)
  const shown = shownBudget(budget, cut, { tokens: used, bytes: usedBytes, usedMillis: timeMs.used })
  const text = `{"requestId":${JSON.stringify(requestId)},"scope":${JSON.stringify(scope)},"generatedAt":"${generatedAt}","sections":${sections},"citations":${citations},"coverage":${JSON.stringify(shownCoverage(cut))},"budget":${JSON.stringify(shown)},"packHash":"${packHash}"}`
  return { text, contentType: jsonType, packHash, bytes: usedBytes, tokens: used }
}

/** Bytes of a text that contains the number of its own tokens and bytes, less `spare` bytes of a shorter time. */
const bytesAround = (bytes: number, tokens: number, spare = 0): number =>
  withOwnDigits(bytes - spare - 1 + String(tokens).length)

/** The length of a text that contains its own length. `rest` is the length with a single digit for it. */
const withOwnDigits = (rest: number): number => {
  let used = rest
  while (rest - 1 + String(used).length !== used) used = rest - 1 + String(used).length
  return used
}

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
  const { actions, namespaces, own, properties } = partsIn(cut)
  const frame = sectionsFrame(cut)
  const list = (
    name: ContextSection,
    empty: "[]" | "{}",
    texts: ReadonlyArray<string>,
    canonicalTexts: ReadonlyArray<string>
  ) => {
    if (frame[name] === undefined) return []
    const around = JSON.stringify(frame[name])
    return [
      { name, text: fillList(around, empty, texts), canonicalText: fillList(around, empty, canonicalTexts) }
    ]
  }
  return [
    ...list("actions", "[]", actions.map(textOf), actions.map(canonicalOf)),
    ...(cut.evidence === null ? [] : [{ name: "evidence", ...textsOf(shownEvidence(cut.evidence)) }]),
    ...list(
      "properties",
      "{}",
      properties.map((one) => member(one, textOf(one.cited))),
      properties
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((one) => member(one, canonicalOf(one.cited)))
    ),
    ...(own.length > 0
      ? own.map(({ canonicalText, text }) => ({ name: "state", text, canonicalText }))
      : list("state", "[]", namespaces.map(textOf), namespaces.map(canonicalOf)))
  ]
}

const textOf = ({ text }: Cited<unknown>): string => text
const canonicalOf = ({ canonicalText }: Cited<unknown>): string => canonicalText
/** Names like indexes have no canonical order in JavaScript. */
const textsOf = (value: unknown) => ({ text: JSON.stringify(value), canonicalText: canonicalJson(value) })
const member = ({ name }: { readonly name: string }, text: string) => `${JSON.stringify(name)}:${text}`

/** The text of a section whose list is empty, with its elements. */
const fillList = (frame: string, empty: "[]" | "{}", texts: ReadonlyArray<string>): string => {
  const at = frame.indexOf(empty) + 1
  return frame.slice(0, at) + texts.join(",") + frame.slice(at)
}

const shownCoverage = ({ coverage }: PackDraft): ContextPackJson["coverage"] => ({
  partial: coverage.reasons.length > 0,
  reasons: coverage.reasons,
  details: coverage.details,
  asOf: coverage.asOf
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

const stateCitationTexts = (cut: PackDraft, sha256: Sha256): ReadonlyArray<string> => {
  const { state } = cut
  const { namespaces, own } = partsIn(cut)
  const citation = wholeCitation(cut)
  return state?._tag === "Namespaces" && citation !== null
    ? [JSON.stringify(citationOf({ citation }, shownState(state), sha256))]
    : [...own, ...namespaces].map(citationText)
}

/** The citation of the whole state of a client; null if its namespaces are cited. */
const wholeCitation = ({ state }: PackDraft): CitationJson | null =>
  state?._tag === "Namespaces" && state.isCitedWhole ? state.citation : null

const citationTexts = (cut: PackDraft, sha256: Sha256): ReadonlyArray<string> => {
  const { actions, appeals, conversations, interactions, memories, properties } = partsIn(cut)
  return [
    ...stateCitationTexts(cut, sha256),
    ...actions.map(citationText),
    ...properties.map(({ cited }) => citationText(cited)),
    ...appeals.flatMap((appeal) => [
      JSON.stringify(citationOf(appeal.header, shownAppeal(appeal), sha256)),
      ...appeal.snippets.map(citationText)
    ]),
    ...conversations.flatMap(({ messages }) => messages.map(citationText)),
    ...interactions.map(citationText),
    ...memories.map(citationText)
  ]
}

/** The parts of a cut: elements of lists, each with its citation and the commas after both. */
const measuredParts = (cut: PackDraft): ReadonlyArray<MeasuredPart> => {
  const { actions, appeals, conversations, interactions, memories, namespaces, own, properties } =
    partsIn(cut)
  const whole = wholeCitation(cut)
  const [actionPart, evidencePart] = [itemPart("actions"), itemPart("evidence")]
  return [
    ...(whole === null ? [] : [partOf("state", [elementOf(whole)])]),
    ...namespaces.map(namespacePart),
    ...own.map((one) => (one.known.part ??= partOf("state", [citationElement(one)]))),
    ...properties.map(propertyPart),
    ...actions.map(actionPart),
    ...appeals.flatMap((appeal) => [appealPart(appeal), ...appeal.snippets.map(evidencePart)]),
    ...conversations.flatMap(({ header, messages }) => [
      partOf("evidence", [elementOf(shownConversation({ header, messages: [] }))]),
      ...messages.map(evidencePart)
    ]),
    ...interactions.map(evidencePart),
    ...memories.map(evidencePart)
  ]
}

// A part is measured once, and its measure is kept with its object.
const itemPart =
  (section: ContextSection) =>
  (cited: Cited<unknown>): MeasuredPart =>
    (cited.known.part ??= partOf(section, [cited, citationElement(cited)]))

const namespacePart = (cited: Cited<NamespaceJson>): MeasuredPart =>
  (cited.known.part ??= partOf(
    "state",
    cited.value.citationIds === undefined ? [cited] : [cited, citationElement(cited)],
    cited.value.namespace
  ))

type Property = ReturnType<typeof partsIn>["properties"][number]
const propertyPart = ({ cited, name }: Property): MeasuredPart =>
  (cited.known.part ??= partOf("properties", [
    { value: cited.value, text: cited.text, name },
    citationElement(cited)
  ]))

const appealPart = ({ header }: EvidenceDraft["appeals"][number]): MeasuredPart =>
  (header.known.part ??= partOf("evidence", [
    elementOf(shownAppeal({ header, snippets: [] })),
    citationElement(header)
  ]))

/** A value in a list, or under its name in an object, and its JSON. */
interface Element {
  readonly value: unknown
  readonly text: string
  readonly name?: string
}
const elementOf = (value: unknown): Element => ({ value, text: JSON.stringify(value) })
const citationElement = (cited: Cited<unknown>): Element => ({
  value: cited.citation,
  text: citationText(cited)
})

const partOf = (
  section: ContextSection,
  elements: ReadonlyArray<Element>,
  namespace: string | null = null
): MeasuredPart => {
  const bytes = elements.map(
    ({ name, text }) => utf8Bytes(text) + 1 + (name === undefined ? 0 : utf8Bytes(JSON.stringify(name)) + 1)
  )
  let tokens: number | undefined
  const countAll = () =>
    sum(
      elements.map(
        ({ name, value }) => tokensOf(value) + COMMA_TOKENS + (name === undefined ? 0 : tokensOfName(name))
      )
    )
  return { section, namespace, bytes: sum(bytes), tokens: () => (tokens ??= countAll()) }
}

/** Lists that need no comma before their first element. */
const listsWithElements = (cut: PackDraft): number => {
  const { conversations, own, properties, ...others } = partsIn(cut)
  const lists: ReadonlyArray<ReadonlyArray<unknown>> = [
    ...Object.values(others),
    properties,
    ...others.appeals.map(({ snippets }) => snippets),
    ...conversations.map(({ messages }) => messages)
  ]
  const filledLists = lists.filter((list) => list.length > 0).length
  // The list of citations is one more. A conversation without messages has no citation: its messages are cited.
  const isCited = own.length > 0 || filledLists > 0
  return filledLists + (conversations.length > 0 ? 1 : 0) + (isCited ? 1 : 0)
}
