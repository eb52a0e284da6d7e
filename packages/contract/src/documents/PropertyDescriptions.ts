// Describes every property of the document: by its own description, that of its schema, or by its name.
import { isArray, isObject, type Json, type JsonObject, mapMembers, objectOf } from "./DocumentJson.ts"
import { byName } from "./PropertyNames.ts"

/** Exceptions of PropertyNames.ts, by schema and property. */
export const bySchema: Readonly<Record<string, string>> = {
  "ActionAnswer.action": "The stored action",
  "ActionAnswer.state": "The state that was written with the action",
  "ActionRequest.type": "What happened, such as order.created",
  "AliasCall.data": "Values for the placeholders of the template, and `message`",
  "AssessmentRequest.automatic": "Results of automatic checks",
  "AssessedCriterion.comment": "A remark about the result",
  "ClientAction.type": "What happened, such as order.created",
  "ContextActions.type": "What happened, such as order.created",
  "ContextPack.details": "What is missing, in detail",
  "ContextPack.items": "How many items the pack has",
  "ContextPack.limit": "How much is allowed",
  "ContextPack.actions": "Actions of the client, or why they could not be read",
  "ContextPack.state": "The state of the entity, or why it could not be read",
  "ContextPack.properties": "Values of properties, or why they could not be read",
  "EvidenceAppeal.subject": "The name of the subject",
  "Assessment.score": "The score from 0 to 100, null if no criterion applies",
  "Evidence.targets": "Whether each kind of evidence could be read",
  "EvidenceAppeal.targets": "The kinds of evidence that found it",
  "EvidenceAppeal.messageCount": "How many messages the chat or ticket has",
  "ChatRequest.messages": "The messages of an imported history, in the order of time",
  "TicketRequest.messages": "The messages of an imported history, in the order of time",
  "CreatedMessage.message": "The stored message",
  "SessionMessageAnswer.message": "The stored message",
  "ImportItem.data": "The body of the matching route, without the external id, source and clientId",
  "ImportRequest.items": "The items, imported in this order",
  "ImportedItem.message": "Why the item failed",
  "ImportedItem.code": "The error code of an item that failed",
  "ImportBatch.failed": "How many items failed",
  "ImportBatch.total": "How many items the batch has",
  "BroadcastPreview.total": "How many clients the audience has",
  "BroadcastResults.total": "How many recipients there are",
  "BroadcastPreview.text": "The message as this client would receive it",
  "MessageTemplate.text": "The text with placeholders: {{name}}, {{name|default}}",
  "MessageTemplatePatch.text": "The text with placeholders: {{name}}, {{name|default}}",
  "MessageTemplateRequest.text": "The text with placeholders: {{name}}, {{name|default}}",
  "StateAnswer.state": "The current state",
  "Ticket.status": "The name of a ticket status",
  "ListedTicket.status": "The name of a ticket status",
  "TicketPatch.status": "The name of a ticket status",
  "TicketRequest.status": "The name of a ticket status",
  "WorkingHours.from": "The time of day at which it begins, HH:MM",
  "WorkingHours.to": "The time of day at which it ends, HH:MM",
  "ImportedItem.index": "The index of the item in the request, from 0",
  "ToolAnswer.data": "Details of the error",
  "ToolAnswer.id": "The id of the answered message",
  "ToolMessage.id": "The id of the message; without one it is a notification",
  "ConnectorRequest.token": "The token of the bot in Telegram",
  "ConnectorPatch.token": "The token of the bot in Telegram",
  "InvitationRequest.token": "The token of the invitation",
  "CreatedExternalToken.token": "The token, shown once",
  "SessionClose.reason": "Why the session was closed",
  "CriterionRequest.description": "What the criterion requires",
  "UpsertRequest.records": "The records, at most one for each value of `keyField`"
}

const refPrefix = "#/components/schemas/"

/** Adds a description to each property of a component. */
const describe =
  (schemas: JsonObject, component: string) =>
  (json: Json): Json => {
    if (isArray(json)) return json.map(describe(schemas, component))
    if (!isObject(json)) return json
    return mapMembers(json, (member, name) =>
      name === "properties" && json["type"] === "object"
        ? mapMembers(objectOf(member), (property, propertyName) =>
            withDescription(schemas, component, describe(schemas, component)(property), propertyName)
          )
        : describe(schemas, component)(member)
    )
  }

const withDescription = (schemas: JsonObject, component: string, property: Json, name: string): Json => {
  const schema = objectOf(property)
  const { $ref } = schema
  const target = typeof $ref === "string" ? objectOf(schemas[$ref.slice(refPrefix.length)]) : {}
  const description = bySchema[`${component}.${name}`] ?? byName[name]
  // The description of a time says only how it is written.
  const isDescribed =
    (schema["description"] !== undefined && schema["format"] !== "date-time") ||
    target["description"] !== undefined
  return isDescribed || description === undefined ? property : { ...schema, description }
}

/** The components with a description of every property. */
export const withDescriptions = (schemas: JsonObject): JsonObject =>
  mapMembers(schemas, (schema, component) => describe(schemas, component)(schema))

/** The same for bodies and answers of operations. */
export const withDescriptionsOf = (schemas: JsonObject, json: Json): Json => describe(schemas, "")(json)
