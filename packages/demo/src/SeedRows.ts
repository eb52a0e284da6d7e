// The rows of the demo data by table: what the generator yields and the loader inserts.
import type { fixedRows } from "./FixedRows.ts"

export const languages = ["uk", "ru", "en"] as const
export type Language = (typeof languages)[number]
export const roles = [
  "administrator",
  "supervisor",
  "operator",
  "light_agent",
  "integrator",
  "analyst",
  "qa_lead",
  "qa_specialist"
] as const
export type Role = (typeof roles)[number]
export const propertyEntities = ["client", "subject", "operator", "skill_group"] as const
export type PropertyEntity = (typeof propertyEntities)[number]
export const propertyTypes = ["string", "number", "boolean", "date", "enum"] as const
export const actorTypes = ["client", "operator", "bot", "system", "integration"] as const
export type ActorType = (typeof actorTypes)[number]

/** Narrows a text of a data file; throws where it is none of the members. */
export const oneOf = <A extends string>(members: ReadonlyArray<A>, text: string): A => {
  const found = members.find((member) => member === text)
  if (found === undefined) throw new RangeError(`${text} must be one of ${members.join(", ")}`)
  return found
}

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

interface RowOfInstance {
  readonly instanceId: number
}
interface NumberedRow extends RowOfInstance {
  readonly id: number
}

export interface InstanceRow {
  readonly id: number
  readonly name: string
}

export interface UserRow extends NumberedRow {
  readonly login: string
  readonly email: string | null
  readonly firstName: string
  readonly lastName: string
  readonly roles: ReadonlyArray<Role>
  readonly status: "active" | "blocked" | "invited"
  readonly presence: "online" | "away" | "offline"
  readonly capacity: number | null
  readonly language: Language | null
  readonly timezone: string | null
  /** True for the logins of contract §11, which take the demo password; the others have none. */
  readonly hasDemoPassword: boolean
  readonly createdAt: number
}

export interface SkillGroupRow extends NumberedRow {
  readonly name: string
  readonly active: boolean
  readonly subjectIds: ReadonlyArray<number>
  readonly memberIds: ReadonlyArray<number>
}

export interface SubjectRow extends NumberedRow {
  readonly name: string
  readonly alias: string
  readonly parentId: number | null
  readonly active: boolean
}

export interface ClientIdentity {
  readonly channel: string
  readonly chatId: string
  readonly subscribed: boolean
  readonly unsubscribedReason: "blocked" | null
}

export interface ClientRow extends NumberedRow {
  readonly name: string
  readonly emails: ReadonlyArray<string>
  readonly phones: ReadonlyArray<string>
  readonly externalId: string | null
  readonly language: Language
  readonly tags: ReadonlyArray<string>
  readonly identities: ReadonlyArray<ClientIdentity>
  readonly createdAt: number
}

/** A chat or a ticket. Times are epoch milliseconds; a ticket has number, title and author, a chat has chatId. */
export interface AppealRow extends NumberedRow {
  readonly kind: "chat" | "ticket"
  readonly clientId: number
  readonly subjectId: number
  readonly operatorId: number | null
  /** Everybody who was assigned or wrote as operator, ascending. */
  readonly operatorIds: ReadonlyArray<number>
  readonly authorId: number | null
  readonly number: number | null
  readonly title: string | null
  readonly description: string | null
  readonly status: string
  readonly statusGroup: "new" | "open" | "waiting" | "done"
  readonly priority: "low" | "normal" | "high" | "urgent"
  readonly channel: string
  readonly chatId: string | null
  readonly isOutgoing: boolean
  readonly tags: ReadonlyArray<string>
  readonly customFields: Readonly<Record<string, string>>
  readonly comment: string | null
  readonly messageCount: number
  readonly waitingSince: number | null
  readonly firstResponseAt: number | null
  readonly lastMessageAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly closedAt: number | null
  readonly closedBy: number | null
  /** After midnight, of some postponed chats. */
  readonly postponedUntil: number | null
}

export interface AppealMessageRow extends RowOfInstance {
  readonly appealId: number
  /** From 1, without gaps. */
  readonly sequence: number
  readonly id: number
  readonly authorType: "client" | "operator" | "bot" | "system"
  /** The user of an operator message, the client of a client message, else null. */
  readonly authorId: number | null
  readonly text: string
  readonly visibility: "public" | "internal"
  readonly occurredAt: number
  readonly version: number
  readonly editedAt: number | null
}

export interface PropertyDefinitionRow extends NumberedRow {
  readonly entity: PropertyEntity
  readonly name: string
  readonly label: string
  readonly type: (typeof propertyTypes)[number]
  readonly options: ReadonlyArray<string>
  /** Roles; empty = all. */
  readonly visibleTo: ReadonlyArray<Role>
}

export interface PropertyValueRow extends RowOfInstance {
  readonly id: string
  readonly entity: PropertyEntity
  readonly entityId: number
  readonly definitionId: number
  readonly value: string | number | boolean
  readonly updatedAt: number
}

export interface ClientStateRow extends RowOfInstance {
  readonly id: string
  readonly clientId: number
  readonly namespace: string
  readonly version: number
  readonly state: JsonObject
  readonly updatedAt: number
}

/** One version of a client state, the present one included. */
export interface ClientStateHistoryRow extends RowOfInstance {
  readonly clientId: number
  readonly namespace: string
  readonly version: number
  readonly state: JsonObject
  readonly updatedAt: number
}

export interface ClientActionRow extends RowOfInstance {
  readonly id: string
  readonly clientId: number
  readonly type: string
  readonly actorType: ActorType
  readonly actorId: number | null
  readonly occurredAt: number
  readonly recordedAt: number
  readonly externalEventId: string | null
  readonly source: string | null
  readonly channel: string | null
  readonly subjectId: number | null
  readonly appealId: number | null
  readonly summary: string | null
  readonly payload: JsonObject
}

export interface ContextSessionRow extends RowOfInstance {
  readonly id: string
  readonly clientId: number
  readonly status: "open" | "closed"
  readonly externalSessionId: string | null
  readonly channel: string | null
  readonly appealId: number | null
  readonly metadata: JsonObject
  readonly messageCount: number
  readonly createdAt: number
  readonly closedAt: number | null
}

export interface SessionMessageRow extends RowOfInstance {
  readonly id: string
  readonly sessionId: string
  readonly clientId: number
  /** From 1, without gaps. */
  readonly sequence: number
  readonly role: "client" | "operator" | "assistant" | "system" | "tool"
  readonly content: string
  readonly occurredAt: number
}

/** An appeal that the evidence index gave up on. */
export interface QuarantineRow extends RowOfInstance {
  readonly kind: "evidence"
  readonly key: number
  readonly reason: string
  readonly tries: number
  readonly createdAt: number
}

export type QualityResult = "met" | "violated" | "not_applicable"

/** A copy of the criterion, with what was found. */
export interface AssessedCriterionRow {
  readonly criterionId: number
  readonly name: string
  readonly weight: number
  readonly critical: boolean
  readonly penalty: number
  readonly automatic: QualityResult | null
  readonly human: QualityResult | null
  readonly comment: string | null
}

/** The loader works out the score. */
export interface AssessmentRow extends NumberedRow {
  readonly appealId: number
  readonly operatorId: number | null
  readonly assessorId: number
  readonly checklistId: number
  readonly status: "draft" | "approved" | "disputed" | "resolved" | "void"
  readonly criteria: ReadonlyArray<AssessedCriterionRow>
  readonly createdAt: number
  readonly approvedAt: number | null
  readonly version: number
}

export type CustomValue = string | number | boolean
/** Values by the id of their field; empty ones are left out. */
export interface CustomRecordRow extends RowOfInstance {
  readonly modelId: number
  readonly id: number
  readonly values: Readonly<Record<string, CustomValue>>
  readonly createdAt: number
}

type FixedRows = ReturnType<typeof fixedRows>

/** Table name → row; a batch only names rows of tables that earlier batches filled. */
export interface SeedTables extends Readonly<{ [T in keyof FixedRows]: FixedRows[T][number] }> {
  readonly instances: InstanceRow
  readonly users: UserRow
  readonly subjects: SubjectRow
  readonly skillGroups: SkillGroupRow
  readonly clients: ClientRow
  readonly appeals: AppealRow
  readonly appealMessages: AppealMessageRow
  readonly propertyDefinitions: PropertyDefinitionRow
  readonly propertyValues: PropertyValueRow
  readonly clientState: ClientStateRow
  readonly clientStateHistory: ClientStateHistoryRow
  readonly clientActions: ClientActionRow
  readonly contextSessions: ContextSessionRow
  readonly sessionMessages: SessionMessageRow
  readonly quarantine: QuarantineRow
  readonly assessments: AssessmentRow
  readonly customRecords: CustomRecordRow
}

export type SeedTable = keyof SeedTables

/** At most 2,000 rows of one table. */
export type SeedBatch = {
  readonly [T in SeedTable]: { readonly table: T; readonly rows: ReadonlyArray<SeedTables[T]> }
}[SeedTable]
