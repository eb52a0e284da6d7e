// The sections of a pack, and the citation of each object: id, path, address and hash (contract §3.2, "citations").
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import type { SourceType } from "@rapport/contract/context/ContextPack.ts"
import type { ContextEntity, ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { ListLimits } from "@rapport/contract/Limits.ts"
import { canonicalJson } from "../../json/CanonicalJson.ts"
import type {
  AppealHeaderJson,
  CitationJson,
  Cited,
  ConversationJson,
  ConversationMessageJson,
  EvidenceDraft,
  NamespaceJson,
  PackDraft,
  SnippetJson
} from "./PackDraft.ts"
import type { Unavailable } from "../../failures/SourceUnavailable.ts"
import { CountedJson } from "./Tokens.ts"

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

/** Gives each object its citation, numbered in the order of the calls, which is the order of the answer. */
export type Cite = <Shown extends object>(
  shown: Shown,
  path: string,
  source: CitedSource
) => Cited<Shown & Required<Citing>>

export const makeCite = (sha256: Sha256Hex): Cite => {
  let last = 0
  return (shown, path, { sourceType, ...source }) => {
    last += 1
    const id = `c${last}`
    const value = { ...shown, citationIds: [id] }
    const contentHash = sourceType === "appeal" ? UNKNOWN_HASH : contentHashOf(value, sha256)
    return citedOf(value, { ...source, contentHash, id, path, sourceType })
  }
}

const citedOf = <Value>(value: Value, citation: CitationJson): Cited<Value> => ({
  value,
  json: new CountedJson(value),
  citation,
  citationJson: new CountedJson(citation)
})

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
const citationOf = <Value extends Citing>(
  citation: CitationJson,
  value: Value,
  sha256: Sha256Hex
): CitationJson => ({ ...citation, contentHash: contentHashOf(value, sha256) })

/** The same source for another form of its object, with the hash of that form. */
export const withValue = <Value extends Citing>(
  cited: Cited<Value>,
  value: Value,
  sha256: Sha256Hex
): Cited<Value> => citedOf(value, citationOf(cited.citation, value, sha256))

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

/** The requested sections. */
export const shownSections = ({ actions, evidence, properties, state }: PackDraft) => ({
  ...(state === null ? {} : { state: state._tag === "Namespaces" ? shownState(state) : shownOwn(state) }),
  ...(actions === null ? {} : { actions: shownActions(actions) }),
  ...(properties === null ? {} : { properties: shownProperties(properties) }),
  ...(evidence === null ? {} : { evidence: shownEvidence(evidence) })
})

type Draft<Section extends "actions" | "properties" | "state"> = NonNullable<PackDraft[Section]>
type Namespaces = Extract<Draft<"state">, { readonly _tag: "Namespaces" }>

const shownOwn = (state: Exclude<Draft<"state">, Namespaces>) =>
  state._tag === "Unavailable" ? shownUnavailable(state) : state.own.json

/** The state of a client. */
const shownState = ({ citation, isCitedWhole, namespaces }: Namespaces) => ({
  ...(isCitedWhole && citation !== null ? { citationIds: [citation.id] } : {}),
  namespaces: namespaces.map(jsonOf),
  status: "available"
})

const shownActions = (actions: Draft<"actions">) =>
  actions._tag === "Unavailable"
    ? shownUnavailable(actions)
    : { items: actions.items.map(jsonOf), status: "available", truncated: actions.truncated }

const shownProperties = (properties: Draft<"properties">) =>
  properties._tag === "Unavailable"
    ? shownUnavailable(properties)
    : {
        status: "available",
        values: Object.fromEntries(properties.values.map(({ cited, name }) => [name, cited.json]))
      }

const shownEvidence = (evidence: EvidenceDraft) => ({
  appeals: evidence.appeals.map(jsonOf),
  conversations: evidence.conversations.map(jsonOf),
  interactions: evidence.interactions.map(jsonOf),
  memories: evidence.memories.map(jsonOf),
  ...operatorsOf(evidence),
  ...(evidence.query === null ? {} : { query: evidence.query }),
  ...(evidence.readings.length === 0
    ? {}
    : { readings: evidence.readings.map(({ readAs, why, word }) => ({ readAs, why, word })) }),
  ...(evidence.reason === null ? {} : { reason: evidence.reason }),
  status: evidence.status,
  targets: Object.fromEntries(
    evidence.targets.map(({ candidates, reason, target }) => [
      target,
      {
        candidates,
        ...(reason === null ? {} : { reason }),
        returned: returnedOf(evidence, target),
        status: reason === null ? "available" : "unavailable"
      }
    ])
  )
})

const jsonOf = ({ json }: Pick<Cited<unknown>, "json">) => json

/** Names of the operators of the remaining appeals. */
const operatorsOf = ({ appeals, operators }: EvidenceDraft) => {
  const ids = new Set(appeals.flatMap(({ header }) => header.value.operatorIds))
  const shown = operators.filter(({ id }) => ids.has(id))
  return shown.length === 0 ? {} : { operators: shown }
}

const shownAppeal = (header: AppealHeaderJson, snippets: ReadonlyArray<Cited<SnippetJson>>) => ({
  ...header,
  snippets: snippets.map(jsonOf)
})

export const appealOf = (
  header: Cited<AppealHeaderJson>,
  snippets: ReadonlyArray<Cited<SnippetJson>>
): EvidenceDraft["appeals"][number] => ({
  header,
  snippets,
  json: new CountedJson(shownAppeal(header.value, snippets))
})

export const conversationOf = (
  header: Omit<ConversationJson, "messages">,
  messages: ReadonlyArray<Cited<ConversationMessageJson>>
): EvidenceDraft["conversations"][number] => ({
  header,
  messages,
  json: new CountedJson({ ...header, messages: messages.map(jsonOf) })
})

/** Trimming changes the appeals and the state as a whole: their hashes are computed once they are chosen. */
export const withFinalHashes = (cut: PackDraft, sha256: Sha256Hex): PackDraft => {
  const { evidence, state } = cut
  const finalHeader = ({ header, snippets }: EvidenceDraft["appeals"][number]) =>
    citedOf(header.value, citationOf(header.citation, shownAppeal(header.value, snippets), sha256))
  return {
    ...cut,
    state:
      state?._tag === "Namespaces" && state.citation !== null
        ? { ...state, citation: citationOf(state.citation, shownState(state), sha256) }
        : state,
    evidence: evidence && {
      ...evidence,
      appeals: evidence.appeals.map((appeal) => ({ ...appeal, header: finalHeader(appeal) }))
    }
  }
}

const shownUnavailable = ({ reason }: Unavailable) => ({ reason, status: "unavailable" })

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
