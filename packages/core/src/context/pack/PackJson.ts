// A pack as JSON: measured part by part, written once, with its hash (docs/contract.md §3.2).
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { canonicalJson } from "../../json/CanonicalJson.ts"
import { citationOf } from "./Citations.ts"
import type { Cited, CitationJson, PackDraft } from "./PackDraft.ts"
import type { Budget, PackForm, Part } from "./PackForm.ts"
import { appealShown, conversationShown, sectionsFrame, sectionsShown } from "./PackShown.ts"
import {
  bytesOf,
  COMMA_TOKENS,
  COUNT_TOKENS,
  type CountedTexts,
  countingOf,
  ESTIMATOR,
  SLICE_UNITS,
  tokensOf
} from "./Tokens.ts"
import { sum } from "./Trimming.ts"

type Sha256 = (text: string) => string

const encoder = new TextEncoder()
// `sha256:` and 64 hex digits, of which none takes more than one token each.
const PACK_HASH_BYTES = 71
const PACK_HASH_TOKENS = 68

/** The JSON form of the drafts of one request. */
export const jsonForm = (budget: Budget, sha256: Sha256): PackForm => {
  const counted: CountedTexts = new Map()
  const partsOf = measuring(counted)
  /** Of a cut that says no tokens and no bytes: each is measured several times. */
  const bytesOfCut = memoized((cut: PackDraft) => {
    const frame = bodyOf(cut, budget, sectionsFrame(cut), [], 0, 0)
    const parts = partsOf(cut).map(({ bytes }) => bytes)
    return bytesOf(frame) + PACK_HASH_BYTES - listsWithElements(cut) + sum(parts)
  })
  const bytesWith = (cut: PackDraft, tokens: number): number =>
    withOwnDigits(bytesOfCut(cut) - 1 + String(tokens).length)
  const tokens = memoized(
    (cut: PackDraft) =>
      tokensOf(bodyOf(cut, budget, sectionsFrame(cut), [], 0, 0), counted) +
      2 * COUNT_TOKENS +
      PACK_HASH_TOKENS +
      sum(partsOf(cut).map((part) => part.tokens()))
  )
  return {
    parts: partsOf,
    bytes: bytesWith,
    tokens,
    answer: (cut) => {
      const content = contentOf(cut, sha256)
      const used = tokens(cut)
      const body = bodyOf(cut, budget, {}, [], used, bytesWith(cut, used))
      const text = `{"requestId":${JSON.stringify(body.requestId)},"scope":${JSON.stringify(cut.scope)},"generatedAt":"${body.generatedAt}","sections":${content.sections},"citations":${content.citations},"coverage":${JSON.stringify(body.coverage)},"budget":${JSON.stringify(body.budget)},"packHash":"${content.packHash}"}`
      return { bytes: encoder.encode(text), contentType: "application/json", packHash: content.packHash }
    }
  }
}

const memoized = <Key extends object>(measure: (key: Key) => number): ((key: Key) => number) => {
  const known = new WeakMap<Key, number>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const now = measure(key)
    known.set(key, now)
    return now
  }
}

/** Sections and citations as JSON, and the hash of them with the scope. */
export const contentOf = (cut: PackDraft, sha256: Sha256) => {
  const sections = sectionsShown(cut)
  const citations = citationsOf(cut, sha256)
  const names = ["actions", "evidence", "properties", "state"] as const
  const texts = names.flatMap((name) =>
    sections[name] === undefined ? [] : [{ name, text: JSON.stringify(sections[name]) }]
  )
  // What is hashed is what is sent, in the order of RFC 8785, where a section is in that order.
  const hashed = texts.map(({ name, text }) => ({
    name,
    text: isCanonical(cut, name) ? text : canonicalJson(sections[name])
  }))
  const joined = (parts: typeof texts) => `{${parts.map(({ name, text }) => `"${name}":${text}`).join(",")}}`
  const citationsText = JSON.stringify(citations)
  return {
    sections: joined(texts),
    citations: citationsText,
    packHash: `sha256:${sha256(
      `{"citations":${citationsText},"scope":${JSON.stringify(cut.scope)},"sections":${joined(hashed)}}`
    )}`
  }
}

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
  coverage: {
    partial: cut.coverage.reasons.length > 0,
    reasons: cut.coverage.reasons,
    details: cut.coverage.details,
    asOf: cut.coverage.asOf
  },
  budget: {
    tokens: { limit: budget.tokenBudget, used: tokens, estimator: ESTIMATOR },
    bytes: { limit: budget.maxResponseBytes, used: bytes },
    items: {
      appeals: cut.evidence?.appeals.length ?? 0,
      snippets: sum((cut.evidence?.appeals ?? []).map(({ snippets }) => snippets.length))
    },
    timeMs: cut.timeMs,
    candidates: cut.candidates
  },
  packHash: ""
})

const citationsOf = (
  { actions, evidence, properties, state }: PackDraft,
  sha256: Sha256
): ReadonlyArray<CitationJson> => {
  return [
    ...(state?._tag === "Namespaces" ? state.namespaces : state?._tag === "Own" ? [state.own] : []).map(
      given
    ),
    ...(actions?._tag === "Actions" ? actions.items : []).map(given),
    ...(properties?._tag === "Properties" ? properties.values : []).map(({ cited }) => cited.citation),
    ...(evidence?.appeals ?? []).flatMap(({ header, snippets }) => [
      citationOf(header, appealShown(header.value, valuesOf(snippets)), sha256),
      ...snippets.map(given)
    ]),
    ...(evidence?.conversations ?? []).flatMap(({ messages }) => messages.map(given)),
    ...(evidence?.interactions ?? []).map(given),
    ...(evidence?.memories ?? []).map(given)
  ]
}

const given = ({ citation }: Cited<unknown>): CitationJson => citation

const valuesOf = <Value>(cited: ReadonlyArray<Cited<Value>>): ReadonlyArray<Value> =>
  cited.map(({ value }) => value)

const all = (cited: ReadonlyArray<Cited<unknown>>): boolean => cited.every(({ canonical }) => canonical)

/** A section is written in canonical order unless free JSON in it, or the order of its properties, is another. */
const isCanonical = ({ actions, properties, state }: PackDraft, section: ContextSection): boolean => {
  switch (section) {
    case "state":
      return state?._tag !== "Namespaces" || all(state.namespaces)
    case "actions":
      return actions?._tag !== "Actions" || all(actions.items)
    case "properties":
      return properties?._tag !== "Properties" || properties.values.length < 2
    case "evidence":
      return true
  }
}

/** The parts of drafts of one request, each measured once: an element of a list with its comma, and its citation with one. */
const measuring = (counted: CountedTexts) => {
  const parts = new WeakMap<object, Part>()
  const part = (
    key: object,
    about: Pick<Part, "section" | "namespace">,
    elements: () => ReadonlyArray<unknown>
  ) => {
    const known = parts.get(key)
    if (known !== undefined) return known
    const made = partOf(about, elements(), counted)
    parts.set(key, made)
    return made
  }
  return ({ actions, evidence, properties, state }: PackDraft): ReadonlyArray<Part> => {
    const of = (section: ContextSection, namespace: string | null = null) => {
      const about = { section, namespace }
      return (cited: Cited<unknown>) => part(cited, about, () => [cited.value, cited.citation])
    }
    const evidenceOf = of("evidence")
    return [
      ...(state?._tag === "Namespaces"
        ? state.namespaces.map((one) => of("state", one.value.namespace)(one))
        : state?._tag === "Own"
          ? [part(state.own, { section: "state", namespace: null }, () => [state.own.citation])]
          : []),
      ...(properties?._tag === "Properties" ? properties.values : []).map((one) =>
        // A member of an object: its element would have two braces more.
        part(one, { section: "properties", namespace: null }, () => [
          new Member(one.name, one.cited.value),
          one.cited.citation
        ])
      ),
      ...(actions?._tag === "Actions" ? actions.items : []).map(of("actions")),
      ...(evidence?.appeals ?? []).flatMap(({ header, snippets }) => [
        part(header, { section: "evidence", namespace: null }, () => [
          appealShown(header.value, []),
          header.citation
        ]),
        ...snippets.map(evidenceOf)
      ]),
      ...(evidence?.conversations ?? []).flatMap(({ header, messages }) => [
        part(header, { section: "evidence", namespace: null }, () => [conversationShown(header, [])]),
        ...messages.map(evidenceOf)
      ]),
      ...(evidence?.interactions ?? []).map(evidenceOf),
      ...(evidence?.memories ?? []).map(evidenceOf)
    ]
  }
}

/** A member of an object, as an element among others. */
class Member {
  readonly json: object
  constructor(name: string, value: unknown) {
    this.json = { [name]: value }
  }
}
const BRACES = 2

const partOf = (
  about: Pick<Part, "section" | "namespace">,
  elements: ReadonlyArray<unknown>,
  counted: CountedTexts
): Part => {
  const values = elements.map((element) => (element instanceof Member ? element.json : element))
  const braces = elements.some((element) => element instanceof Member) ? BRACES : 0
  const bytes = sum(values.map((value) => bytesOf(value) + 1)) - braces
  let tokens: number | undefined
  return {
    ...about,
    bytes,
    tokens: () => (tokens ??= sum(values.map((value) => tokensOf(value, counted) + COMMA_TOKENS)) - braces),
    // A part without a long text is counted in one go.
    counting: () => (tokens === undefined && bytes > SLICE_UNITS ? countingOf(values, counted) : [])
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
  const cited = state?._tag === "Own" || lists.some((list) => list.length > 0)
  return lists.filter((list) => list.length > 0).length + (cited ? 1 : 0)
}

/** The number that, written into a text of `rest` bytes, says how long the text then is; one digit of it is in `rest`. */
const withOwnDigits = (rest: number): number => {
  let used = rest
  while (rest - 1 + String(used).length !== used) used = rest - 1 + String(used).length
  return used
}
