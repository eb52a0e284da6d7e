// Port of the primary database as a context read needs it: open, re-check, confirm, each one round trip.
import type { ActorType, ContextEntity } from "@rapport/contract/context/ContextRequest.ts"
import type { SessionRole } from "@rapport/contract/sessions/SessionsApi.ts"
import { Context, type Effect } from "effect"
import type { Caller } from "../../access/Caller.ts"
import type { SourceUnavailable } from "../../failures/SourceUnavailable.ts"
import type {
  ActionJson,
  AppealHeaderJson,
  ConversationJson,
  ConversationMessageJson,
  InteractionJson,
  NamespaceJson,
  OperatorStateJson,
  PropertyJson,
  SkillGroupStateJson,
  SnippetJson
} from "../pack/PackDraft.ts"

/** Whose context; every statement checks the caller's rights again. */
export interface ContextScope {
  readonly entity: ContextEntity
  readonly id: number
}

/** What to read together with the right to read it. Ranges are half-open, epoch milliseconds. */
export interface OpenNeeds {
  readonly state: boolean
  /** States and payloads of more bytes together than a pack may have are left where they are, the largest first. */
  readonly maxResponseBytes: number
  readonly actions: { readonly limit: number; readonly actorTypes: ReadonlyArray<ActorType> | null } | null
  readonly properties: boolean
  /** At most this many sessions, the latest first; null for none. */
  readonly conversations: number | null
  /** At most this many actions and session messages, the latest first; null for none. */
  readonly interactions: number | null
  /** Entries of client memory that are in quarantine, a few. */
  readonly memories: boolean
  /** Subjects and members of a skill group, for its evidence. */
  readonly group: boolean
  readonly from: number | null
  readonly to: number | null
}

/** What a pack shows of a row; the citation comes with the pack. */
type Shown<Json, Else extends string = never> = Omit<Json, "citationIds" | "status" | Else>

interface NamespaceRow extends Shown<NamespaceJson> {
  readonly id: string
  /** Bytes of a state that was left where it is, and is null here; else null. */
  readonly leftBytes: number | null
}
export type StateRows =
  | { readonly _tag: "Client"; readonly namespaces: ReadonlyArray<NamespaceRow> }
  | { readonly _tag: "Operator"; readonly operator: Shown<OperatorStateJson> }
  | { readonly _tag: "SkillGroup"; readonly skillGroup: Shown<SkillGroupStateJson> }

interface ActionRow extends Shown<ActionJson> {
  /** Bytes of a payload that was left where it is, and is {} here; else null. */
  readonly leftBytes: number | null
  readonly appealId: number | null
}
interface PropertyRow extends Shown<PropertyJson> {
  /** Of the value; of a member of the record itself the id of the record. */
  readonly id: string
  /** Null: a member of the record itself. */
  readonly definitionId: number | null
  readonly name: string
}
/** Of a text at most SHOWN_TEXT_POINTS_MAX code points are read. */
interface TextRow {
  readonly cutAfter: boolean
}
export interface ConversationRow extends Omit<ConversationJson, "messages"> {
  readonly appealId: number | null
  /** The latest, oldest first. */
  readonly messages: ReadonlyArray<Shown<ConversationMessageJson, "truncated"> & TextRow>
}
export interface InteractionRow extends Shown<InteractionJson, "role" | "truncated">, TextRow {
  /** Of a message. */
  readonly role: SessionRole | null
  /** Of a message. */
  readonly sessionId: string | null
  readonly appealId: number | null
}

/** Times are as the wire shows them. What was not needed, or is not to be opened, is null. */
export interface Opened {
  readonly databaseAt: string
  /** Of all transactions those whose work was seen: while it is the same, the database shows the same. */
  readonly snapshot: string
  readonly capabilityEnabled: boolean
  readonly contextStoreReady: boolean
  /** The entity that is read: its own id, or that of a client it was merged into. Null: no right, or no such entity; never which. */
  readonly entityId: number | null
  readonly parts: OpenedParts
}

export interface OpenedParts {
  readonly state: StateRows | null
  /** Newest first; `more`: there are older ones. */
  readonly actions: { readonly rows: ReadonlyArray<ActionRow>; readonly more: boolean } | null
  /** Members of the record itself in the order of `recordMembers`, then the defined ones by name. */
  readonly properties: ReadonlyArray<PropertyRow> | null
  readonly conversations: ReadonlyArray<ConversationRow> | null
  readonly interactions: ReadonlyArray<InteractionRow> | null
  /** In quarantine, of the range and not hidden from the caller, newest first. */
  readonly quarantinedMemories: ReadonlyArray<{ readonly id: string; readonly occurredAt: string }> | null
  readonly group: {
    readonly subjectIds: ReadonlyArray<number>
    readonly memberIds: ReadonlyArray<number>
  } | null
}

/** Which appeals of the scope to check again. */
export interface Recheck {
  readonly caller: Caller
  readonly scope: ContextScope
  readonly from: number | null
  readonly to: number | null
  readonly candidateIds: ReadonlyArray<number>
  /** Candidates to bring whole: with the messages named, or with the latest ones where none is. */
  readonly wanted: ReadonlyArray<{
    readonly appealId: number
    /** Null: the title and description. */
    readonly messageIds: ReadonlyArray<number | null>
  }>
  readonly latestMessages: number
  /** How the words of the query begin: where a long message is read. */
  readonly wordStarts: ReadonlyArray<string>
  /** Name the long and the quarantined ones among all visible appeals of the scope and range, a few of each. */
  readonly flags: boolean
}

/** Of an appeal; what the search adds is not in the row. */
export interface AppealRow extends Omit<
  AppealHeaderJson,
  "citationIds" | "rank" | "relation" | "score" | "searchCoverage" | "targets"
> {
  /** Of a skill group's scope: its subject is one of the group's. */
  readonly ofSubject: boolean
  /** In no promised order; a ticket's title and description are its first one. */
  readonly messages: ReadonlyArray<MessageRow>
}
/** `text`: at most SNIPPET_SOURCE_POINTS_MAX code points of it. */
export interface MessageRow extends Omit<SnippetJson, "citationIds" | "highlights" | "score" | "truncated"> {
  readonly sequence: number
  /** Whether the message goes on before or after `text`. */
  readonly cutBefore: boolean
  readonly cutAfter: boolean
}

/** Only what belongs to the scope and range, is visible to the caller, and is not in quarantine. */
export interface Rechecked {
  readonly visibleIds: ReadonlySet<number>
  readonly appeals: ReadonlyArray<AppealRow>
  /** In the order in which a list of the latest shows appeals. */
  readonly long: ReadonlyArray<FlaggedAppeal>
  readonly quarantined: ReadonlyArray<FlaggedAppeal>
}
export type FlaggedAppeal = Pick<AppealRow, "appealId" | "createdAt" | "ofSubject">

/** What a pack shows, to be checked once more in one snapshot. */
export interface Confirmation {
  readonly caller: Caller
  readonly scope: ContextScope
  /** Appeals of the scope. */
  readonly appealIds: ReadonlyArray<number>
  /** Appeals that shown actions and sessions name. */
  readonly namedAppealIds: ReadonlyArray<number>
  readonly propertyDefinitionIds: ReadonlyArray<number>
  /** That all of it was read in, under rights judged in it; null where there were several. */
  readonly snapshot: string | null
}

export class ContextStore extends Context.Service<
  ContextStore,
  {
    readonly open: (
      caller: Caller,
      scope: ContextScope,
      needs: OpenNeeds
    ) => Effect.Effect<Opened, SourceUnavailable>
    readonly recheck: (request: Recheck) => Effect.Effect<Rechecked, SourceUnavailable>
    /** True when the entity may still be opened, and everything named is still visible and of the scope. */
    readonly confirm: (request: Confirmation) => Effect.Effect<boolean, SourceUnavailable>
  }
>()("core/context/ContextStore") {}
