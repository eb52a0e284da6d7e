// The sections of a pack, and the citation of each object: id, path, address and hash (contract §3.2, "citations").
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import type { ContextPackJson, SourceType } from "@rapport/contract/context/ContextPack.ts"
import type { ContextEntity, ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { ListLimits } from "@rapport/contract/Limits.ts"
import { canonicalJson, canonicalTextOf, orderMembers } from "../../json/CanonicalJson.ts"
import type { CitationJson, Cited, EvidenceDraft, NamespaceJson, PackDraft } from "./PackDraft.ts"
import type { Unavailable } from "../../failures/SourceUnavailable.ts"

/** A source. Only the message of an appeal has `appealId`. `occurredAt` has the form of the answer. */
export interface CitedSource {
  readonly sourceType: SourceType
  readonly sourceId: string
  /** Of an action, a session, a message of a session, or an edited message of an appeal. */
  readonly mark?: string
  readonly appealId?: number
  readonly occurredAt: string | null
  readonly url: string | null
}

/** Lower-case hex over UTF-8. */
type Sha256Hex = (text: string) => string

interface Citing {
  readonly citationIds?: ReadonlyArray<string>
}

/**
 * Gives each object its citation, numbered in the order of the calls, which is the order of the answer. Members have the
 * canonical order, so that the text of a pack is also the text of its hash.
 */
export type Cite = <Shown extends object>(
  shown: Shown,
  path: string,
  source: CitedSource
) => Cited<Shown & Required<Citing>>

export const makeCite = (sha256: Sha256Hex): Cite => {
  let last = 0
  return (shown, path, { appealId, mark, occurredAt, sourceId, sourceType, url }) => {
    last += 1
    const id = `c${last}`
    const value = orderMembers({ ...shown, citationIds: [id] })
    return {
      value,
      ...textsOf(value),
      known: {},
      citation: {
        ...(appealId === undefined ? {} : { appealId }),
        contentHash: sourceType === "appeal" ? UNKNOWN_HASH : contentHashOf(value, sha256),
        id,
        ...(mark === undefined ? {} : { mark }),
        occurredAt,
        path,
        sourceId,
        sourceType,
        url
      }
    }
  }
}

/**
 * Placeholder for the hash of an appeal until its snippets are chosen. The real hash has the same length and at most as many
 * tokens, so no measure grows.
 */
const UNKNOWN_HASH = "sha256:0a0a0a0a0a0a0a0a"

/** The citation of all namespaces of a client as one object, under the id of the first. */
export const stateCitation = (
  namespaces: ReadonlyArray<Cited<NamespaceJson>>,
  clientId: number,
  urls: SourceUrls
): CitationJson | null => {
  const [first] = namespaces
  if (first === undefined) return null
  const times = namespaces.map(({ value }) => value.updatedAt)
  return {
    contentHash: UNKNOWN_HASH,
    id: first.citation.id,
    occurredAt: times.reduce((latest, time) => (time > latest ? time : latest)),
    path: "sections.state",
    sourceId: String(clientId),
    sourceType: "state",
    url: urls.states(clientId)
  }
}

/** The citation of an object in its final form. */
export const citationOf = <Value extends Citing>(
  { citation }: Pick<Cited<unknown>, "citation">,
  value: Value,
  sha256: Sha256Hex
): CitationJson => ({ ...citation, contentHash: contentHashOf(value, sha256) })

/** The same source for another form of its object, with the hash of that form. */
export const withValue = <Value extends Citing>(
  cited: Cited<Value>,
  value: Value,
  sha256: Sha256Hex
): Cited<Value> => ({
  value,
  ...textsOf(value),
  known: {},
  citation: citationOf(cited, value, sha256)
})

/** The JSON of an object, and the same in canonical order. */
const textsOf = (value: object): Pick<Cited<unknown>, "text" | "canonicalText"> => {
  const text = JSON.stringify(value)
  return { text, canonicalText: canonicalTextOf(value, text) }
}

/** `sha256:` and 16 hex digits over the text of the object, else over its canonical JSON without citationIds and status. */
const contentHashOf = (
  value: Citing & { readonly text?: unknown; readonly status?: unknown },
  sha256: Sha256Hex
): string => {
  const { citationIds: _, status: __, ...content } = value
  const hashed = typeof value.text === "string" ? value.text : canonicalJson(content)
  return `sha256:${sha256(hashed).slice(0, 16)}`
}

const segment = encodeURIComponent

/** Addresses of sources; null if the caller lacks the permission of the route. */
export const sourceUrls = ({
  permissions,
  seesAsUser
}: Pick<AuthorizedSession, "permissions" | "seesAsUser">) => {
  const ifPermitted = (permission: Permission, url: string) => (permissions.has(permission) ? url : null)
  // A user who may open the pack sees an appeal of the client, and so may read the client without clients.read.
  const readsClient =
    permissions.has("clients.read") ||
    (seesAsUser && permissions.has("chats.read") && permissions.has("tickets.read"))
  return {
    appeal: (appealType: "chat" | "ticket", appealId: number) =>
      appealType === "chat"
        ? ifPermitted("chats.read", `/kw/api/v1/OpChatRooms/${appealId}`)
        : ifPermitted("tickets.read", `/kw/api/v1/Ticket/${appealId}`),
    appealMessage: (appealType: "chat" | "ticket", appealId: number, message: string) =>
      appealType === "chat"
        ? ifPermitted("chats.read", `/kw/api/v1/OpChatRooms/${appealId}/messages?around=${message}`)
        : ifPermitted("tickets.read", `/kw/api/v1/Ticket/${appealId}/messages?around=${message}`),
    action: (clientId: number, actionId: string) =>
      `/kw/clients/${clientId}/context/actions?filter[id]=${actionId}`,
    state: (clientId: number, namespace: string) =>
      `/kw/clients/${clientId}/context/state/${segment(namespace)}`,
    states: (clientId: number) => `/kw/clients/${clientId}/context/state?limit=${ListLimits.maximum}`,
    session: (sessionId: string) => `/kw/context/sessions/${sessionId}`,
    sessionMessage: (sessionId: string, messageId: string) =>
      `/kw/context/sessions/${sessionId}/messages?around=${messageId}`,
    // A caller who may open the pack needs no further permission for these.
    properties: (entity: ContextEntity, id: number) => `/kw/api/v1/${folders[entity]}/${id}/properties`,
    record: (entity: ContextEntity, id: number) =>
      (entity === "client" ? readsClient : permissions.has("directory.read"))
        ? `/kw/api/v1/${folders[entity]}/${id}`
        : null
  }
}
export type SourceUrls = ReturnType<typeof sourceUrls>

const folders: Readonly<Record<ContextEntity, string>> = {
  client: "clients",
  subject: "subjects",
  operator: "users",
  skill_group: "skill-groups"
}

type SectionsJson = ContextPackJson["sections"]

/** Sections without the elements of their lists, in the order of RFC 8785; undefined for a section that was not requested. */
export const sectionsFrame = (cut: PackDraft): SectionsJson => ({
  ...(cut.actions === null ? {} : { actions: actionsFrame(cut.actions) }),
  ...(cut.evidence === null ? {} : { evidence: evidenceFrame(cut.evidence) }),
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
      return { ...shownState(state), namespaces: [] }
  }
}

type Namespaces = Extract<PackDraft["state"], { readonly _tag: "Namespaces" }>

/** The state of a client, in the order of RFC 8785. */
export const shownState = ({ citation, isCitedWhole, namespaces }: Namespaces) => ({
  ...(isCitedWhole && citation !== null ? { citationIds: [citation.id] } : {}),
  namespaces: valuesOf(namespaces),
  status: "available" as const
})

const actionsFrame = (actions: NonNullable<PackDraft["actions"]>) =>
  actions._tag === "Unavailable"
    ? unavailable(actions)
    : { items: [], status: "available" as const, truncated: actions.truncated }

const propertiesFrame = (properties: NonNullable<PackDraft["properties"]>) =>
  properties._tag === "Unavailable" ? unavailable(properties) : { status: "available" as const, values: {} }

/** The section evidence, in the order of RFC 8785. */
export const shownEvidence = (evidence: EvidenceDraft) => ({
  appeals: evidence.appeals.map(shownAppeal),
  conversations: evidence.conversations.map(shownConversation),
  interactions: valuesOf(evidence.interactions),
  memories: valuesOf(evidence.memories),
  ...operatorsOf(evidence),
  ...(evidence.query === null ? {} : { query: evidence.query }),
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

const evidenceFrame = (evidence: EvidenceDraft) => ({
  ...shownEvidence(evidence),
  appeals: [],
  conversations: [],
  interactions: [],
  memories: []
})

const valuesOf = <Value>(cited: ReadonlyArray<Cited<Value>>): ReadonlyArray<Value> =>
  cited.map(({ value }) => value)

/** Names of the operators of the remaining appeals. */
const operatorsOf = ({ appeals, operators }: EvidenceDraft) => {
  const ids = new Set(appeals.flatMap(({ header }) => header.value.operatorIds))
  const shown = operators.filter(({ id }) => ids.has(id))
  return shown.length === 0 ? {} : { operators: shown }
}

export const shownAppeal = ({ header, snippets }: EvidenceDraft["appeals"][number]) =>
  orderMembers({ ...header.value, snippets: valuesOf(snippets) })

export const shownConversation = ({ header, messages }: EvidenceDraft["conversations"][number]) =>
  orderMembers({ ...header, messages: valuesOf(messages) })

const unavailable = ({ reason }: Unavailable) => ({ reason, status: "unavailable" as const })

/** The number of items of a target that the pack shows. */
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
