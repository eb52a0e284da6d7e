// A pack before its budget: each part has its citation, so that parts can be measured and left out.
import type { UnavailableReason } from "@rapport/contract/Errors.ts"
import type { Reading } from "../../search/text/Readings.ts"
import type {
  ContextPackJson,
  CoverageDetail,
  CoverageReason
} from "@rapport/contract/context/ContextPack.ts"
import type { ContextTarget, ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import type { Unavailable } from "../../failures/SourceUnavailable.ts"
import type { CountedJson } from "./Tokens.ts"

type SectionsJson = ContextPackJson["sections"]
type EvidenceJson = NonNullable<SectionsJson["evidence"]>
type AvailableJson<Section> = Extract<Section, { readonly status: "available" }>

export type CitationJson = ContextPackJson["citations"][number]
type StateJson = AvailableJson<SectionsJson["state"]>
type ClientStateJson = Extract<StateJson, { readonly namespaces: unknown }>
/** The state of an operator or a skill group: one object, cited as a whole. */
export type OperatorStateJson = Extract<StateJson, { readonly presence: unknown }>
export type SkillGroupStateJson = Extract<StateJson, { readonly queueLength: unknown }>
type OwnStateJson = OperatorStateJson | SkillGroupStateJson
export type NamespaceJson = ClientStateJson["namespaces"][number]
export type ActionJson = AvailableJson<SectionsJson["actions"]>["items"][number]
export type PropertyJson = AvailableJson<SectionsJson["properties"]>["values"][string]
type AppealJson = EvidenceJson["appeals"][number]
export type AppealHeaderJson = Omit<AppealJson, "snippets">
export type SnippetJson = AppealJson["snippets"][number]
export type ConversationJson = EvidenceJson["conversations"][number]
export type ConversationMessageJson = ConversationJson["messages"][number]
export type InteractionJson = EvidenceJson["interactions"][number]
export type MemoryJson = EvidenceJson["memories"][number]

/** An object of the answer and the one citation that leads to its source. */
export interface Cited<Value> {
  readonly value: Value
  readonly json: CountedJson
  readonly citation: CitationJson
  readonly citationJson: CountedJson
  /** Bytes of a state or payload that was not read because it exceeds every budget. */
  readonly leftBytes?: number
  /** Only of a text that is cut. */
  readonly cut?: CutSides
}

/** The sides on which a shown text was cut. */
export interface CutSides {
  readonly cutBefore: boolean
  readonly cutAfter: boolean
}

export type StateDraft =
  | Unavailable
  | {
      readonly _tag: "Namespaces"
      readonly namespaces: ReadonlyArray<Cited<NamespaceJson>>
      /** The citation of all namespaces together; null without one. Its contentHash is computed when the pack is written. */
      readonly citation: CitationJson | null
      /** The state is cited as a whole, and its namespaces have no citations of their own. */
      readonly isCitedWhole: boolean
    }
  | { readonly _tag: "Own"; readonly own: Cited<OwnStateJson> }

export type ActionsDraft =
  | Unavailable
  | {
      readonly _tag: "Actions"
      /** Items that match the query, then the others, each newest first. */
      readonly items: ReadonlyArray<Cited<ActionJson>>
      /** How many of the items match the query. */
      readonly matching: number
      readonly truncated: boolean
    }

export type PropertiesDraft =
  | Unavailable
  | {
      readonly _tag: "Properties"
      readonly values: ReadonlyArray<{ readonly name: string; readonly cited: Cited<PropertyJson> }>
    }

/** Appeals by rank, snippets best first: the last is always dropped first. */
export interface EvidenceDraft {
  readonly status: EvidenceJson["status"]
  readonly reason: UnavailableReason | null
  readonly targets: ReadonlyArray<{
    readonly target: ContextTarget
    readonly reason: UnavailableReason | null
    readonly candidates: number
  }>
  readonly appeals: ReadonlyArray<{
    /** Its contentHash is UNKNOWN_HASH until the snippets are chosen. */
    readonly header: Cited<AppealHeaderJson>
    readonly snippets: ReadonlyArray<Cited<SnippetJson>>
    readonly json: CountedJson
  }>
  readonly conversations: ReadonlyArray<{
    readonly header: Omit<ConversationJson, "messages">
    readonly messages: ReadonlyArray<Cited<ConversationMessageJson>>
    readonly json: CountedJson
  }>
  readonly interactions: ReadonlyArray<Cited<InteractionJson>>
  readonly memories: ReadonlyArray<Cited<MemoryJson>>
  /** Operators of the appeals, by id. */
  readonly operators: NonNullable<EvidenceJson["operators"]>
  /** The query made from a conversation; null without one. */
  readonly query: string | null
  /** Corrected words of the query. */
  readonly readings: ReadonlyArray<Reading>
}

export interface PackDraft {
  readonly requestId: string
  readonly scope: ContextPackJson["scope"]
  readonly generatedAt: string
  readonly state: StateDraft | null
  readonly actions: ActionsDraft | null
  readonly properties: PropertiesDraft | null
  readonly evidence: EvidenceDraft | null
  readonly coverage: {
    readonly reasons: ReadonlyArray<CoverageReason>
    readonly details: ReadonlyArray<CoverageDetail>
    readonly asOf: ContextPackJson["coverage"]["asOf"]
  }
  readonly candidates: ContextPackJson["budget"]["candidates"]
  readonly timeMs: ContextPackJson["budget"]["timeMs"]
}

/** A piece of the answer that is measured once. */
export interface MeasuredPart {
  /** Null: of the pack as a whole. */
  readonly section: ContextSection | null
  /** Of a namespace. */
  readonly namespace: string | null
  readonly bytes: number
  /** Takes milliseconds for a long part, and counts once. */
  readonly tokens: () => number
}

/** The parts of a draft; none of a section that was not requested or is unavailable. */
export const partsIn = ({ actions, evidence, properties, state }: PackDraft) => ({
  own: state?._tag === "Own" ? [state.own] : [],
  namespaces: state?._tag === "Namespaces" ? state.namespaces : [],
  actions: actions?._tag === "Actions" ? actions.items : [],
  properties: properties?._tag === "Properties" ? properties.values : [],
  appeals: evidence?.appeals ?? [],
  conversations: evidence?.conversations ?? [],
  interactions: evidence?.interactions ?? [],
  memories: evidence?.memories ?? []
})

/** The cited objects of each section, in the order of their citations. */
export const citedIn = (draft: PackDraft) => {
  const { actions, appeals, conversations, interactions, memories, namespaces, own, properties } =
    partsIn(draft)
  return {
    state: [...own, ...namespaces],
    actions,
    properties: properties.map(({ cited }) => cited),
    evidence: [
      ...appeals.flatMap(({ header, snippets }) => [header, ...snippets]),
      ...conversations.flatMap(({ messages }) => messages),
      ...interactions,
      ...memories
    ]
  } satisfies Record<ContextSection, ReadonlyArray<Cited<unknown>>>
}
