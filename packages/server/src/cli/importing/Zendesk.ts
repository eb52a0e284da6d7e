// A ticket of a Zendesk JSON export as lines of an import file (docs/moving-in.md).
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

/** The statuses that an instance begins with (contract §7). */
const statuses: Readonly<Record<string, string>> = {
  new: "new",
  open: "open",
  pending: "waiting",
  hold: "waiting",
  solved: "resolved",
  closed: "closed"
}

/** A product with only good and bad has 5 and 1 (contract §9.3). */
const scores: Readonly<Record<string, number>> = { good: 5, bad: 1 }

export const zendeskLines = (ticket: ExportRecord): ReadonlyArray<ExportRecord> => {
  const requester = objectIn(ticket, "requester")
  const id = textIn(requester, "id") ?? textIn(ticket, "requester_id")
  const client = id && `zendesk-${id}`
  const createdAt = timeIn(ticket, "created_at")
  const status = statuses[textIn(ticket, "status") ?? ""] ?? "open"
  const isEnded = status === "resolved" || status === "closed"
  const satisfaction = objectIn(ticket, "satisfaction_rating")
  const description = textIn(ticket, "description")
  // The first comment of Zendesk is the description.
  const comments = objectsIn(ticket, "comments")
  const [first] = comments
  const isDescribed =
    first !== undefined && description !== undefined && textIn(first, "body") === description
  return [
    clientLine(client, {
      name: textIn(requester, "name"),
      email: textIn(requester, "email"),
      phone: textIn(requester, "phone"),
      createdAt
    }),
    {
      kind: "ticket",
      ...present({
        client,
        externalId: textIn(ticket, "id"),
        number: ticket["id"],
        title:
          textIn(ticket, "subject") ??
          (description === undefined ? undefined : beginningOf(description)) ??
          `Zendesk ${textIn(ticket, "id")}`,
        description,
        status,
        priority: textIn(ticket, "priority"),
        channel: textIn(objectIn(ticket, "via"), "channel"),
        operator: textIn(objectIn(ticket, "assignee"), "email"),
        dueAt: timeIn(ticket, "due_at"),
        createdAt,
        closedAt: isEnded
          ? (timeIn(objectIn(ticket, "metric_set"), "solved_at") ?? timeIn(ticket, "updated_at"))
          : undefined,
        rating: makeRating(
          scores[textIn(satisfaction, "score") ?? ""],
          textIn(satisfaction, "comment"),
          timeIn(satisfaction, "updated_at") ?? timeIn(ticket, "updated_at")
        ),
        ...(textIn(ticket, "submitter_id") === textIn(ticket, "requester_id")
          ? { authorType: "client" }
          : { authorType: "operator", author: textIn(objectIn(ticket, "submitter"), "email") })
      }),
      tags: textsIn(ticket, "tags"),
      customFields: customFieldsOf(ticket),
      messages: messagesOf((isDescribed ? comments.slice(1) : comments).map(messageOf(ticket)))
    }
  ]
}

/** Of a description that becomes the title. */
const TITLE_POINTS = 80
/** Cuts between code points, because half of a surrogate pair is no text. */
const beginningOf = (text: string): string => Array.from(text).slice(0, TITLE_POINTS).join("")

const customFieldsOf = (ticket: ExportRecord): ExportRecord =>
  Object.fromEntries(
    objectsIn(ticket, "custom_fields").flatMap((field) =>
      field["value"] === null || field["value"] === undefined
        ? []
        : [[`zendesk_${textIn(field, "id")}`, field["value"]]]
    )
  )

/** Comments have only the id of their author; the ticket has the persons that take part in it. */
const messageOf =
  (ticket: ExportRecord) =>
  (comment: ExportRecord): ExportRecord => {
    const authorId = textIn(comment, "author_id")
    const isClient =
      authorId === (textIn(ticket, "requester_id") ?? textIn(objectIn(ticket, "requester"), "id"))
    const persons = [
      objectIn(ticket, "assignee"),
      objectIn(ticket, "submitter"),
      ...objectsIn(ticket, "collaborator")
    ]
    const author = persons.find((person) => textIn(person, "id") === authorId)
    return {
      externalMessageId: textIn(comment, "id"),
      authorType: isClient ? "client" : "operator",
      author: isClient || author === undefined ? undefined : textIn(author, "email"),
      text: withFiles(textIn(comment, "body"), objectsIn(comment, "attachments"), "content_url"),
      occurredAt: timeIn(comment, "created_at"),
      visibility: comment["public"] === false && !isClient ? "internal" : undefined
    }
  }
