// Where every fact of a pack comes from: id, path, address and hash of what is shown (docs/contract.md §3.2, "citations").
import type { Permission } from "@rapport/contract/access/Permission.ts"
import type { SourceType } from "@rapport/contract/context/ContextPack.ts"
import type { ContextEntity } from "@rapport/contract/context/ContextRequest.ts"
import { canonicalJson } from "./CanonicalJson.ts"
import type { Cited } from "./PackDraft.ts"

/** A source: `appealId` of an appeal's message, `occurredAt` as the wire shows it. */
export interface CitedSource {
  readonly sourceType: SourceType
  readonly sourceId: string
  readonly appealId?: number
  readonly occurredAt: string | null
  readonly url: string | null
}

/** Lower-case hex over UTF-8. */
type Sha256Hex = (text: string) => string

/** Gives each object its citation, numbered in the order of the calls: the order in which the answer shows them. */
export type Cite = <Value extends object>(
  value: Value,
  path: string,
  source: CitedSource
) => Cited<Value & { readonly citationIds: ReadonlyArray<string> }>

export const citing = (sha256: Sha256Hex): Cite => {
  let last = 0
  return (value, path, { appealId, occurredAt, sourceId, sourceType, url }) => {
    last += 1
    const id = `c${last}`
    return {
      value: { ...value, citationIds: [id] },
      citation: {
        id,
        sourceType,
        sourceId,
        ...(appealId === undefined ? {} : { appealId }),
        path,
        contentHash: contentHash(value, sha256),
        occurredAt,
        url
      }
    }
  }
}

/** The same source of an object that is shown otherwise: hashed as it now stands. */
export const showing = <Value extends object>(
  { citation }: Cited<Value>,
  value: Value,
  sha256: Sha256Hex
): Cited<Value> => ({ value, citation: { ...citation, contentHash: contentHash(value, sha256) } })

/** `sha256:` and 16 hex digits over the text of the object, else over its canonical JSON without citationIds and status. */
const contentHash = (value: object, sha256: Sha256Hex): string =>
  `sha256:${sha256("text" in value && typeof value.text === "string" ? value.text : canonicalJson({ ...value, citationIds: undefined, status: undefined })).slice(0, 16)}`

const segment = encodeURIComponent

/** Addresses of sources, each null where the caller lacks the permission of its route. */
export const sourceUrls = (permissions: ReadonlySet<Permission>) => {
  const given = (permission: Permission, url: string) => (permissions.has(permission) ? url : null)
  return {
    appealMessage: (appealType: "chat" | "ticket", appealId: number, messageId: number) =>
      appealType === "chat"
        ? given("chats.read", `/kw/api/v1/OpChatRooms/${appealId}/messages?around=${messageId}`)
        : given("tickets.read", `/kw/api/v1/Ticket/${appealId}/messages?around=${messageId}`),
    action: (clientId: number, actionId: string) =>
      `/kw/clients/${clientId}/context/actions?filter[id]=${actionId}`,
    state: (clientId: number, namespace: string) =>
      `/kw/clients/${clientId}/context/state/${segment(namespace)}`,
    sessionMessage: (sessionId: string, messageId: string) =>
      `/kw/context/sessions/${sessionId}/messages?around=${messageId}`,
    // These are for whoever may open the pack: no further permission.
    properties: (entity: ContextEntity, id: number) => `/kw/api/v1/${folders[entity]}/${id}/properties`,
    operator: (userId: number) => given("directory.read", `/kw/api/v1/users/${userId}`),
    skillGroup: (skillGroupId: number) => given("directory.read", `/kw/api/v1/skill-groups/${skillGroupId}`)
  }
}
export type SourceUrls = ReturnType<typeof sourceUrls>

const folders: Readonly<Record<ContextEntity, string>> = {
  client: "clients",
  subject: "subjects",
  operator: "users",
  skill_group: "skill-groups"
}
