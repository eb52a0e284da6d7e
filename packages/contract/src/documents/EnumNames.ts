// Names and descriptions of closed lists that the document uses more than once: each is one schema for client generators.
import { AuthorType } from "../appeals/AppealsApi.ts"
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

/** The lists by name. A new list that is used twice gets its name here. */
const enums = {
  ActionActorType: named("Who performed an action", actorTypes),
  AssessmentStatus: named("The state of an assessment", assessmentStatuses),
  AuditActorType: named("What kind of caller made a change", auditActorTypes),
  AuditDecision: named("Whether the request was allowed", decisions),
  AuthorType: named("Who wrote a message of a chat or ticket", AuthorType.literals),
  Availability: named("Whether a part of a pack could be read", ["available", "unavailable"]),
  BroadcastStatus: named("The state of a broadcast", broadcastStatuses),
  ChatStatus: named("The state of a chat", chatStatuses),
  ConnectorKind: named("How a bot reaches its channel", connectorKinds),
  ContextTarget: named("A kind of evidence", contextTargets),
  CoverageReason: named("Why a pack is not complete", CoverageReason.literals),
  CriterionResult: named("How a criterion was judged", results),
  DeliveryStatus: named("How far the delivery of a message has come", deliveredStatuses),
  EntityType: named("What a pack or a property is about", contextEntities),
  ModelFieldType: named("The type of a field of custom data", fieldTypes),
  PackSection: named("A section of a pack", contextSections),
  Permission: named("What a caller may do", permissions),
  Presence: named("Whether a user is at work", Presence.literals),
  Priority: named("The priority of a chat or ticket", priorities),
  PropertyType: named("The type of the values of a property", propertyTypes),
  ReadinessStatus: named("Whether a part of the service answers", ["ready", "not_ready"]),
  RecipientStatus: named("How far a broadcast has come for one recipient", recipientStatuses),
  Role: named("What a user does in the instance", roles),
  SearchCoverage: named("How much of a chat or ticket the search index has", SearchCoverage.literals),
  SessionRole: named("Who wrote a message of a session", SessionRole.literals),
  SessionStatus: named("The state of a session", ["open", "closed"]),
  SlaStatus: named("Whether a target time was kept", ["met", "breached", "running"]),
  SortDirection: named("Ascending or descending", ["asc", "desc"]),
  StateField: named("A member of a state that `fields` can name", [
    "clientId",
    "namespace",
    "version",
    "state",
    "updatedAt"
  ]),
  TicketStatusGroup: named("The group of a ticket status", statusGroups),
  UnavailableReason: named("Why a source cannot answer", UnavailableReason.literals),
  UserStatus: named("Whether a user may log in", UserStatus.literals)
}

/** The same as components of the document. */
export const enumSchemas: JsonObject = enums

const namesByValues = new Map(
  Object.entries(enums).map(([name, schema]) => [JSON.stringify(schema.enum), name])
)

/** The schema refers to the named list that it repeats; a message about the value stays with it. */
export const withEnumName = (schema: JsonObject): JsonObject => {
  const { enum: values, type: _, ...rest } = schema
  const name = isArray(values) ? namesByValues.get(JSON.stringify(values)) : undefined
  return name === undefined ? schema : { $ref: `#/components/schemas/${name}`, ...rest }
}
