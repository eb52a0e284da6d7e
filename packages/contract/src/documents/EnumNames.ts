// Closed lists that the document uses more than once. Each is a named schema for client generators.
import { dialogueKinds } from "../statistics/Dialogue.ts"
import { AuthorType, Visibility } from "../appeals/AppealsApi.ts"
import { priorities, SearchCoverage } from "../appeals/Appeal.ts"
import { chatStatuses } from "../appeals/ChatsApi.ts"
import { statusGroups } from "../appeals/TicketsApi.ts"
import { actorTypes as auditActorTypes, decisions } from "../audit/AuditApi.ts"
import { permissions, roles } from "../Authorization.ts"
import { broadcastStatuses, recipientStatuses } from "../broadcasts/Broadcast.ts"
import { CoverageReason } from "../context/ContextPack.ts"
import { actorTypes, contextEntities, contextSections, contextTargets } from "../context/ContextRequest.ts"
import { propertyTypes } from "../directory/PropertiesApi.ts"
import { UnavailableReason } from "../Errors.ts"
import { assessmentStatuses, results } from "../quality/Assessment.ts"
import { fieldTypes } from "../records/Model.ts"
import { connectorKinds } from "../scenarios/Bot.ts"
import { deliveredStatuses } from "../scenarios/Call.ts"
import { SessionRole } from "../sessions/SessionsApi.ts"
import { Presence, UserStatus } from "../users/User.ts"
import { isArray, type JsonObject } from "./DocumentJson.ts"

const named = (description: string, values: ReadonlyArray<string>) => ({
  type: "string",
  enum: values,
  description
})

/** The lists by name. Add every list that is used twice. */
const enums = {
  ActionActorType: named("The kind of actor of an action", actorTypes),
  AppealType: named("Whether it is a chat or a ticket", dialogueKinds),
  AssessmentStatus: named("The state of an assessment", assessmentStatuses),
  AuditActorType: named("The kind of caller", auditActorTypes),
  AuditDecision: named("Whether the request was allowed", decisions),
  AuthorType: named("Who wrote a message of a chat or ticket", AuthorType.literals),
  Availability: named("Whether a part of a pack could be read", ["available", "unavailable"]),
  BroadcastStatus: named("The state of a broadcast", broadcastStatuses),
  ChatStatus: named("The state of a chat", chatStatuses),
  ConnectorKind: named("How a bot reaches its channel", connectorKinds),
  ContextTarget: named("A kind of evidence", contextTargets),
  CoverageReason: named("Why a pack is not complete", CoverageReason.literals),
  CriterionResult: named("The result of a criterion", results),
  DeliveryStatus: named("The status of the delivery of a message", deliveredStatuses),
  EntityType: named("The kind of record that a pack or property is about", contextEntities),
  ModelFieldType: named("The type of a field of custom data", fieldTypes),
  PackSection: named("A section of a pack", contextSections),
  Permission: named("A permission", permissions),
  Presence: named("Whether a user is at work", Presence.literals),
  Priority: named("The priority of a chat or ticket", priorities),
  PropertyType: named("The type of the values of a property", propertyTypes),
  ReadinessStatus: named("Whether a part of the service answers", ["ready", "not_ready"]),
  RecipientStatus: named("The status of a recipient of a broadcast", recipientStatuses),
  Role: named("A role of users", roles),
  SearchCoverage: named("Whether a chat or ticket is searchable", SearchCoverage.literals),
  SessionRole: named("Who wrote a message of a session", SessionRole.literals),
  SessionStatus: named("The state of a session", ["open", "closed"]),
  SlaStatus: named("Whether a target was met", ["met", "breached", "running"]),
  SortDirection: named("Ascending or descending", ["asc", "desc"]),
  StateField: named("A member of a state, for `fields`", [
    "clientId",
    "namespace",
    "version",
    "state",
    "updatedAt"
  ]),
  TicketStatusGroup: named("The group of a ticket status", statusGroups),
  UnavailableReason: named("Why a source is unavailable", UnavailableReason.literals),
  UserStatus: named("Whether a user may log in", UserStatus.literals),
  Visibility: named("Whether the message is for the client, or a note for colleagues", Visibility.literals)
}

/** The lists as components of the document. */
export const enumSchemas: JsonObject = enums

const namesByValues = new Map(
  Object.entries(enums).map(([name, schema]) => [JSON.stringify(schema.enum), name])
)

/** Replaces a repeated list by a reference to its named schema. */
export const withEnumName = (schema: JsonObject): JsonObject => {
  const { enum: values, type: _, ...rest } = schema
  const name = isArray(values) ? namesByValues.get(JSON.stringify(values)) : undefined
  return name === undefined ? schema : { $ref: `#/components/schemas/${name}`, ...rest }
}
