// A conversation of Intercom with its parts as lines of an import file (docs/moving-in.md).
import {
  clientLine,
  type ExportRecord,
  messagesOf,
  objectIn,
  objectsIn,
  plainText,
  present,
  makeRating,
  textIn,
  timeIn,
  withFiles
} from "./ExportRecord.ts"

const statuses: Readonly<Record<string, string>> = { closed: "closed", snoozed: "postponed" }
const clientTypes: ReadonlyArray<string | undefined> = ["user", "lead", "contact"]

export const intercomLines = (conversation: ExportRecord): ReadonlyArray<ExportRecord> => {
  const source = objectIn(conversation, "source")
  const parts = objectsIn(objectIn(conversation, "conversation_parts"), "conversation_parts")
  const authors = [source, ...parts].map((part) => objectIn(part, "author"))
  const [contact = {}] = objectsIn(objectIn(conversation, "contacts"), "contacts")
  const person = authors.find(isClient) ?? contact
  const id = textIn(contact, "id") ?? textIn(person, "id")
  const client = id && `intercom-${id}`
  const createdAt = timeIn(conversation, "created_at")
  const assignee = textIn(conversation, "admin_assignee_id")
  const operator = authors.find((author) => !isClient(author) && textIn(author, "id") === assignee)
  const type = textIn(source, "type")
  const rating = objectIn(conversation, "conversation_rating")
  return [
    clientLine(client, { name: textIn(person, "name"), email: textIn(person, "email"), createdAt }),
    {
      kind: "chat",
      ...present({
        client,
        externalId: textIn(conversation, "id"),
        channel: type === undefined || type === "conversation" ? "web" : type,
        createdAt,
        status: statuses[textIn(conversation, "state") ?? ""],
        closedAt:
          conversation["state"] === "closed"
            ? timeIn(objectIn(conversation, "statistics"), "last_close_at")
            : undefined,
        operator: operator === undefined ? undefined : textIn(operator, "email"),
        priority: conversation["priority"] === "priority" ? "high" : undefined,
        rating: makeRating(rating["rating"], textIn(rating, "remark"), timeIn(rating, "created_at")),
        isOutgoing: isClient(objectIn(source, "author")) ? undefined : true
      }),
      tags: objectsIn(objectIn(conversation, "tags"), "tags").flatMap((tag) => textIn(tag, "name") ?? []),
      messages: messagesOf([
        messageOf({ ...source, created_at: conversation["created_at"] }, "source-"),
        ...parts.map((part) => messageOf(part, ""))
      ])
    }
  ]
}

const isClient = (author: ExportRecord): boolean => clientTypes.includes(textIn(author, "type"))

const messageOf = (part: ExportRecord, prefix: string): ExportRecord => {
  const author = objectIn(part, "author")
  const isOperator = textIn(author, "type") === "admin"
  const body = textIn(part, "body")
  return {
    externalMessageId: `${prefix}${textIn(part, "id")}`,
    authorType: isClient(author) ? "client" : isOperator ? "operator" : "bot",
    author: isOperator ? textIn(author, "email") : undefined,
    text: withFiles(body === undefined ? undefined : plainText(body), objectsIn(part, "attachments"), "url"),
    occurredAt: timeIn(part, "created_at"),
    visibility: isOperator && part["part_type"] === "note" ? "internal" : undefined
  }
}
