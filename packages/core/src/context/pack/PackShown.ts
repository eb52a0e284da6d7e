// The members of a JSON pack, from a draft that is cut: whole, or as a frame whose lists are empty so that their elements
// can be measured one by one (docs/contract.md §3.2).
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { ordered } from "../../json/CanonicalJson.ts"
import type { Unavailable } from "../../failures/SourceUnavailable.ts"
import type {
  AppealHeaderJson,
  Cited,
  ConversationJson,
  EvidenceDraft,
  PackDraft,
  SnippetJson
} from "./PackDraft.ts"

type SectionsJson = ContextPackJson["sections"]

/** How a list is shown: all of it, or none. */
type Lists = <A, B>(items: ReadonlyArray<A>, shown: (item: A) => B) => ReadonlyArray<B>

const whole: Lists = (items, shown) => items.map((item) => shown(item))
const none: Lists = () => []

const valueOf = <Value>({ value }: Cited<Value>): Value => value

/** The section evidence, in the order of RFC 8785. */
export const evidenceShown = (evidence: EvidenceDraft) => evidenceWith(evidence, whole)

/** Sections without the elements of their lists, in the order of RFC 8785; undefined where one was not asked for. */
export const sectionsFrame = (cut: PackDraft): SectionsJson => ({
  ...(cut.actions === null ? {} : { actions: actionsFrame(cut.actions) }),
  ...(cut.evidence === null ? {} : { evidence: evidenceWith(cut.evidence, none) }),
  ...(cut.properties === null ? {} : { properties: propertiesFrame(cut.properties) }),
  ...(cut.state === null ? {} : { state: stateFrame(cut.state) })
})

const stateFrame = (state: NonNullable<PackDraft["state"]>) => {
  switch (state._tag) {
    case "Unavailable":
      return unavailable(state)
    case "Own":
      return state.own.value
    case "Namespaces":
      return { namespaces: [], status: "available" as const }
  }
}

const actionsFrame = (actions: NonNullable<PackDraft["actions"]>) =>
  actions._tag === "Unavailable"
    ? unavailable(actions)
    : { items: [], status: "available" as const, truncated: actions.truncated }

const propertiesFrame = (properties: NonNullable<PackDraft["properties"]>) =>
  properties._tag === "Unavailable" ? unavailable(properties) : { status: "available" as const, values: {} }

const evidenceWith = (evidence: EvidenceDraft, lists: Lists) => ({
  appeals: lists(evidence.appeals, ({ header, snippets }) =>
    appealShown(
      header.value,
      snippets.map(({ value }) => value)
    )
  ),
  conversations: lists(evidence.conversations, ({ header, messages }) =>
    conversationShown(
      header,
      messages.map(({ value }) => value)
    )
  ),
  interactions: lists(evidence.interactions, valueOf),
  memories: lists(evidence.memories, valueOf),
  ...(evidence.readings.length === 0
    ? {}
    : { readings: evidence.readings.map(({ readAs, why, word }) => ({ readAs, why, word })) }),
  ...(evidence.reason === null ? {} : { reason: evidence.reason }),
  status: evidence.status,
  targets: Object.fromEntries(
    evidence.targets
      .toSorted((a, b) => (a.target < b.target ? -1 : 1))
      .map(({ candidates, reason, target }) => [
        target,
        {
          candidates,
          ...(reason === null ? {} : { reason }),
          returned: returnedOf(evidence, target),
          status: reason === null ? ("available" as const) : ("unavailable" as const)
        }
      ])
  )
})

export const appealShown = (header: AppealHeaderJson, snippets: ReadonlyArray<SnippetJson>) =>
  ordered({ ...header, snippets })

export const conversationShown = (
  header: Omit<ConversationJson, "messages">,
  messages: ConversationJson["messages"]
) => ordered({ ...header, messages })

const unavailable = ({ reason }: Unavailable) => ({ reason, status: "unavailable" as const })

/** How many of a target the pack shows. */
export const returnedOf = (evidence: EvidenceDraft, target: ContextTarget): number => {
  switch (target) {
    case "previous_client_conversations":
      return evidence.conversations.length
    case "recent_client_interactions":
      return evidence.interactions.length
    case "relevant_client_memory":
      return evidence.memories.length
    default:
      return evidence.appeals.filter(({ header }) => header.value.targets.includes(target)).length
  }
}
