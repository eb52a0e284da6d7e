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

const enumOf = (description: string, values: ReadonlyArray<string>) => ({
  type: "string",
  enum: values,
  description
})

/** The lists by name. Add every list that is used twice. */
const enums = {
  ActionActorType: enumOf("The kind of actor of an action", actorTypes),
  AppealType: enumOf("Whether it is a chat or a ticket", dialogueKinds),
  AssessmentStatus: enumOf("The state of an assessment", assessmentStatuses),
  AuditActorType: enumOf("The kind of caller", auditActorTypes),
  AuditDecision: enumOf("Whether the request was allowed", decisions),
  AuthorType: enumOf("Who wrote a message of a chat or ticket", AuthorType.literals),
  Availability: enumOf("Whether a part of a pack could be read", ["available", "unavailable"]),
  BroadcastStatus: enumOf("The state of a broadcast", broadcastStatuses),
  ChatStatus: enumOf("The state of a chat", chatStatuses),
  ConnectorKind: enumOf("How a bot reaches its channel", connectorKinds),
  ContextTarget: enumOf("A kind of evidence", contextTargets),
  CoverageReason: enumOf("Why a pack is not complete", CoverageReason.literals),
  CriterionResult: enumOf("The result of a criterion", results),
  DeliveryStatus: enumOf("The status of the delivery of a message", deliveredStatuses),
  EntityType: enumOf("The kind of record that a pack or property is about", contextEntities),
  ModelFieldType: enumOf("The type of a field of custom data", fieldTypes),
  PackSection: enumOf("A section of a pack", contextSections),
  Permission: enumOf("A permission", permissions),
  Presence: enumOf("Whether a user is at work", Presence.literals),
  Priority: enumOf("The priority of a chat or ticket", priorities),
  PropertyType: enumOf("The type of the values of a property", propertyTypes),
  ReadinessStatus: enumOf("Whether a part of the service answers", ["ready", "not_ready"]),
  RecipientStatus: enumOf("The status of a recipient of a broadcast", recipientStatuses),
  Role: enumOf("A role of users", roles),
  SearchCoverage: enumOf("Whether a chat or ticket is searchable", SearchCoverage.literals),
  SessionRole: enumOf("Who wrote a message of a session", SessionRole.literals),
  SessionStatus: enumOf("The state of a session", ["open", "closed"]),
  SlaStatus: enumOf("Whether a target was met", ["met", "breached", "running"]),
  SortDirection: enumOf("Ascending or descending", ["asc", "desc"]),
  StateField: enumOf("A member of a state, for `fields`", [
    "clientId",
    "namespace",
    "version",
    "state",
    "updatedAt"
  ]),
  TicketStatusGroup: enumOf("The group of a ticket status", statusGroups),
  UnavailableReason: enumOf("Why a source is unavailable", UnavailableReason.literals),
  UserStatus: enumOf("Whether a user may log in", UserStatus.literals),
  Visibility: enumOf("Whether the message is for the client, or a note for colleagues", Visibility.literals)
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
