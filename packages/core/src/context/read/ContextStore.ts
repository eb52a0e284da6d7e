// Port of the primary database for context reads; each method is one round trip.
import type { ActorType, ContextEntity, ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import type { Operator } from "@rapport/contract/context/ContextPack.ts"
import type { Priority } from "@rapport/contract/appeals/Appeal.ts"
import type { SessionRole } from "@rapport/contract/sessions/SessionsApi.ts"
import { Context, type Effect } from "effect"
import type { Caller } from "../../access/Caller.ts"
import type { SourceUnavailable } from "../../failures/SourceUnavailable.ts"
import type { Conversation, OpenedConversation } from "./ConversationQuery.ts"
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

/** The entity of the read and its caller, whose rights every statement checks again. */
export interface ContextScope {
  readonly entity: ContextEntity
  readonly id: number
}

/** The sections to read. Ranges are half-open, epoch milliseconds. */
export interface OpenNeeds {
  readonly state: boolean
  /** If states and payloads together exceed the pack, the largest are not read. */
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
  /** Left out of conversations and interactions. */
  readonly leftOut: Conversation | null
  readonly from: number | null
  readonly to: number | null
}

/** The members of a row that a pack shows; citations are added later. */
type Shown<Json, Else extends string = never> = Omit<Json, "citationIds" | "status" | Else>

interface NamespaceRow extends Shown<NamespaceJson> {
  readonly id: string
  /** Bytes of a state that was not read (then the state is null); else null. */
  readonly leftBytes: number | null
}
export type StateRows =
  | { readonly _tag: "Client"; readonly namespaces: ReadonlyArray<NamespaceRow> }
  | { readonly _tag: "Operator"; readonly operator: Shown<OperatorStateJson> }
  | { readonly _tag: "SkillGroup"; readonly skillGroup: Shown<SkillGroupStateJson> }

interface ActionRow extends Shown<ActionJson> {
  /** Bytes of a payload that was not read (then the payload is {}); else null. */
  readonly leftBytes: number | null
  readonly appealId: number | null
}
interface PropertyRow extends Shown<PropertyJson> {
  /** Id of the value; for a member of the record itself the id of the record. */
  readonly id: string
  /** Null: a member of the record itself. */
  readonly definitionId: number | null
  readonly name: string
}
/** At most SHOWN_TEXT_POINTS_MAX code points of a text. */
interface TextRow {
  readonly cutAfter: boolean
}
export interface ConversationRow extends Omit<ConversationJson, "mark" | "messages"> {
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

/** Times are in the form of the wire. Sections that were not requested or may not be opened are null. */
export interface OpenedContext {
  readonly databaseAt: string
  /** The database snapshot: an equal snapshot shows the same data. */
  readonly snapshot: string
  readonly capabilityEnabled: boolean
  readonly contextStoreReady: boolean
  /** Id of the entity, or of the client it was merged into. Null: no right or no such entity; the two are not distinguished. */
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
  /** Its appeal counts as hidden. */
  readonly leftOut: Conversation | null
  readonly candidateIds: ReadonlyArray<number>
  /** Candidates to read, with the named messages or the latest ones. */
  readonly wanted: ReadonlyArray<{
    readonly appealId: number
    /** Null: the title and description. */
    readonly messageIds: ReadonlyArray<number | null>
  }>
  readonly latestMessages: number
  /** Beginnings of the words of the query, which select the part of a long message. */
  readonly wordStarts: ReadonlyArray<string>
  /** Whether to return some long and quarantined appeals among all visible appeals of scope and range. */
  readonly flags: boolean
}

/** The row of an appeal, without the members that the search adds. */
export interface AppealRow extends Omit<
  AppealHeaderJson,
  | "citationIds"
  | "customFields"
  | "priority"
  | "rank"
  | "relation"
  | "score"
  | "searchCoverage"
  | "tags"
  | "targets"
  | "truncated"
> {
  readonly priority: Priority
  readonly tags: ReadonlyArray<string>
  /** Null: the caller may not open the appeal. */
  readonly customFields: Readonly<Record<string, unknown>> | null
  /** Names of its operators, if the caller may open the appeal. */
  readonly operators: ReadonlyArray<typeof Operator.Type>
  /** In the scope of a skill group: whether the subject is one of the group. */
  readonly ofSubject: boolean
  /** Unordered; title and description of a ticket are one of them. */
  readonly messages: ReadonlyArray<MessageRow>
}
/** `text`: at most SNIPPET_SOURCE_POINTS_MAX code points of it. */
export interface MessageRow extends Omit<
  SnippetJson,
  "citationIds" | "highlights" | "score" | "truncated" | "visibility"
> {
  readonly isNote: boolean
  readonly sequence: number
  /** Above 1 once the message was edited. */
  readonly version: number
  /** Whether the message continues before or after `text`. */
  readonly cutBefore: boolean
  readonly cutAfter: boolean
}

/** Appeals of scope and range that the caller may see and that are not in quarantine. */
export interface RecheckedAppeals {
  readonly visibleIds: ReadonlySet<number>
  readonly appeals: ReadonlyArray<AppealRow>
  /** In the order of a list of the latest. */
  readonly long: ReadonlyArray<FlaggedAppeal>
  readonly quarantined: ReadonlyArray<FlaggedAppeal>
}
export type FlaggedAppeal = Pick<AppealRow, "appealId" | "createdAt" | "ofSubject">

/** Everything that a pack shows, to be checked again in one snapshot. */
export interface Confirmation {
  readonly caller: Caller
  readonly scope: ContextScope
  /** Appeals of the scope. */
  readonly appealIds: ReadonlyArray<number>
  /** The ids that the caller may open. */
  readonly openedAppealIds: ReadonlyArray<number>
  /** Appeals that shown actions and sessions reference. */
  readonly namedAppealIds: ReadonlyArray<number>
  readonly propertyDefinitionIds: ReadonlyArray<number>
  /** The snapshot in which everything was read; null if there were several. */
  readonly snapshot: string | null
}

export class ContextStore extends Context.Service<
  ContextStore,
  {
    /** The entities with the key of the scope that the caller may open: the lowest ids, at most AMBIGUOUS_IDS_MAX. */
    readonly find: (
      caller: Caller,
      scope: ContextRequest["scope"]
    ) => Effect.Effect<ReadonlyArray<number>, SourceUnavailable>
    /**
     * The conversation, or null if the caller may not read it. Of the scope of a client it has to be a conversation of that client.
     */
    readonly conversation: (
      caller: Caller,
      scope: ContextScope,
      named: NonNullable<ContextRequest["conversation"]>
    ) => Effect.Effect<OpenedConversation | null, SourceUnavailable>
    readonly open: (
      caller: Caller,
      scope: ContextScope,
      needs: OpenNeeds
    ) => Effect.Effect<OpenedContext, SourceUnavailable>
    readonly recheck: (request: Recheck) => Effect.Effect<RecheckedAppeals, SourceUnavailable>
    /** True when the entity may still be opened, and everything named is still visible and of the scope. */
    readonly confirm: (request: Confirmation) => Effect.Effect<boolean, SourceUnavailable>
  }
>()("core/context/ContextStore") {}
