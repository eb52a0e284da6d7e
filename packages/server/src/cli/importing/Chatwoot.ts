// A conversation of Chatwoot with its `messages` as lines of an import file (docs/moving-in.md).
import {
  clientLine,
  type ExportRecord,
  messagesOf,
  objectIn,
  objectsIn,
  present,
  makeRating,
  textIn,
  textsIn,
  timeIn,
  withFiles
} from "./ExportRecord.ts"

const channels: Readonly<Record<string, string>> = { webwidget: "web", facebookpage: "facebook" }
const statuses: Readonly<Record<string, string>> = { resolved: "closed", snoozed: "postponed" }
const priorities: Readonly<Record<string, string>> = { low: "low", high: "high", urgent: "urgent" }

const [INCOMING, OUTGOING, ACTIVITY] = [0, 1, 2]

export const chatwootLines = (conversation: ExportRecord): ReadonlyArray<ExportRecord> => {
  const meta = objectIn(conversation, "meta")
  const sender = objectIn(meta, "sender")
  const id = textIn(sender, "id")
  const client = id && `chatwoot-${id}`
  const createdAt = timeIn(conversation, "created_at")
  const channel = (textIn(meta, "channel") ?? "").replace("Channel::", "").toLowerCase()
  const messages = objectsIn(conversation, "messages")
  const [first] = messagesOf(messages.map(messageOf).filter(({ visibility }) => visibility === undefined))
  return [
    clientLine(client, {
      name: textIn(sender, "name"),
      email: textIn(sender, "email"),
      phone: textIn(sender, "phone_number"),
      createdAt
    }),
    {
      kind: "chat",
      ...present({
        client,
        externalId: textIn(conversation, "id"),
        channel: channels[channel] ?? (channel === "" ? "web" : channel),
        createdAt,
        status: statuses[textIn(conversation, "status") ?? ""],
        operator: textIn(objectIn(meta, "assignee"), "email"),
        priority: priorities[textIn(conversation, "priority") ?? ""],
        rating: messages.map(ratingIn).findLast((rating) => rating !== undefined),
        isOutgoing: first?.["authorType"] === "operator" ? true : undefined
      }),
      tags: textsIn(conversation, "labels"),
      messages: messagesOf(messages.map(messageOf))
    }
  ]
}

/** The rating that answers a message of the survey. */
const ratingIn = (message: ExportRecord): ExportRecord | undefined => {
  const submitted = objectIn(objectIn(message, "content_attributes"), "submitted_values")
  const answer = objectIn(submitted, "csat_survey_response")
  const time = timeIn(message, "updated_at") ?? timeIn(message, "created_at")
  return makeRating(answer["rating"], textIn(answer, "feedback_message"), time)
}

const messageOf = (message: ExportRecord): ExportRecord => {
  const sender = objectIn(message, "sender")
  const type = message["message_type"]
  const isOperator = type === OUTGOING && textIn(sender, "type") !== "agent_bot"
  return {
    externalMessageId: textIn(message, "id"),
    authorType: type === INCOMING ? "client" : isOperator ? "operator" : type === ACTIVITY ? "system" : "bot",
    author: isOperator ? textIn(sender, "email") : undefined,
    text: withFiles(textIn(message, "content"), objectsIn(message, "attachments"), "data_url"),
    occurredAt: timeIn(message, "created_at"),
    visibility: isOperator && message["private"] === true ? "internal" : undefined
  }
}
