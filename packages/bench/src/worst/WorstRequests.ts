// The most expensive requests that the limits allow, for each route: what every route of a kind gets, and its own entry.
import { randomUUID } from "node:crypto"
import type { Asked } from "./Probed.ts"
import { INBOUND_SECRET, type World } from "./WorstData.ts"

/** An operation of the document. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Names of its query parameters, and the includes it offers. */
  readonly query: ReadonlyArray<string>
  readonly hasBody: boolean
  /** A member of the body that takes an array. */
  readonly arrayMember: string | undefined
}

/** A request with a name; each sending has a new body, as writes may not repeat. */
export interface Worst {
  readonly name: string
  readonly make: () => Promise<Asked>
}

/** The largest legal bodies of a route; none where the generic requests say it all. */
export type Own = (world: World) => ReadonlyArray<readonly [name: string, content: () => unknown]>
/** By operationId. */
export type Entries = Readonly<Record<string, Own>>

const UNKNOWN_UUID = "01990000-0000-7000-8000-000000000000"
const BODY_BYTES = 250_000
const IMPORT_BYTES = 6_290_000
const take: ReadonlySet<string> = new Set(["importBatch", "addSessionMessage", "createChat", "createTicket"])
/** So much smaller than the limit of their own as to be worth no large body. */
const bytesOf = (id: string): number => (take.has(id) ? IMPORT_BYTES : BODY_BYTES)

/** The path with ids of the world: a route about an appeal, a client, a user gets its largest one. */
const placeOf = async ({ id, path }: Operation, world: World): Promise<string> => {
  const own = path.includes("/OpChatRooms/")
    ? world.chatId
    : path.includes("/Ticket/")
      ? world.ticketId
      : path.includes("/users/")
        ? world.userId
        : path.includes("/clients/")
          ? world.clientId
          : path.includes("/subjects/")
            ? world.subjectId
            : path.includes("/skill-groups/")
              ? world.groupId
              : path.includes("/properties/")
                ? world.propertyId
                : path.includes("/criteria/{id}")
                  ? (world.criterionIds[0] ?? 0)
                  : path.includes("/checklists/")
                    ? world.checklistId
                    : path.includes("/assessments/")
                      ? world.assessmentId
                      : path.includes("/calendars/")
                        ? world.calendarId
                        : path.includes("/custom-data/")
                          ? world.recordId
                          : path.includes("/nodes/{id}")
                            ? world.nodeId
                            : path.includes("/bots/")
                              ? world.callingBotId
                              : path.includes("/templates/")
                                ? world.templateId
                                : path.includes("/broadcasts/")
                                  ? world.broadcastId
                                  : 999_999
  // What would end a record of the world gets one of its own.
  const ended = await world.makeEnded[id]?.()
  return path
    .replace("{session_id}", ended ?? world.sessionId)
    .replace("{batch_id}", world.batchId)
    .replace("{botId}/{channel}", `${world.botId}/worst`)
    .replace("{namespace}", "n1")
    .replace("{bot_id}", String(world.callingBotId))
    .replace("{node_id}", String(world.nodeId))
    .replace("{channel}", "web")
    .replace("{chat_id}", world.botChatId)
    .replace("{callId}", UNKNOWN_UUID)
    .replace("{model}", world.modelName)
    .replace("{name}", ended ?? world.modelName)
    .replace("{subjectId}", String(world.subjectId))
    .replace("{client_id}", String(world.clientId))
    .replace("{criterionId}", String(world.criterionIds[0]))
    .replace("{id}", ended ?? String(own))
}

/** Every parameter that makes a list longer or wider. */
const queryOf = ({ id, query }: Operation): string => {
  const given = new URLSearchParams()
  if (query.includes("limit")) given.set("limit", "100")
  if (query.includes("from")) given.set("from", "2025-12-01T00:00:00Z")
  if (query.includes("to")) given.set("to", "2026-12-01T00:00:00Z")
  if (id.startsWith("report")) {
    given.set("timezone", "Europe/Kyiv")
    given.set("interval", "hour")
  }
  const includes = {
    listChats: "client,operator,subject,skillGroups,lastMessage",
    listTickets: "client,operator,subject,skillGroups,author,chats"
  }
  if (id === "listChats" || id === "listTickets") {
    given.set("include", includes[id])
    given.set("order[priority]", "asc")
    given.set("order[updatedAt]", "desc")
    given.set("order[id]", "asc")
    given.set("filter[createdAt][gte]", "2000-01-01T00:00:00Z")
    given.set("filter[channel][nin]", Array.from({ length: 100 }, (_, n) => `c${n}`).join(","))
  }
  if (id === "listClients" || id === "listUsers") given.set("q", "е")
  const text = given.toString()
  return text === "" ? "" : `?${text}`
}

const fill = (bytes: number, item: string): string =>
  `[${`${item},`.repeat(Math.floor((bytes - 200) / (item.length + 1)))}${item}]`

/** Bodies full of faults, on every route that takes one; without a token where the route is open. */
const faulty = ({ arrayMember, id }: Operation): ReadonlyArray<readonly [string, () => string]> => {
  const bytes = bytesOf(id)
  const wrong = arrayMember ?? "wrong"
  const names = Array.from({ length: Math.floor(bytes / 15) }, (_, n) => `"u${String(n).padStart(8, "0")}":1`)
  return [
    [`${Math.round(bytes / 1000)} KB of wrong items`, () => `{"${wrong}":${fill(bytes, "0")}}`],
    [`${Math.round(bytes / 1000)} KB of empty objects`, () => `{"${wrong}":${fill(bytes, "{}")}}`],
    [`${Math.round(bytes / 1000)} KB of unknown members`, () => `{${names.join(",")}}`],
    [
      `${Math.round(bytes / 1000)} KB of text`,
      () => `{"${wrong}":"${"\\u0001".repeat(Math.floor(bytes / 6) - 20)}"}`
    ]
  ]
}

export const requestsOf = (operation: Operation, own: Own, world: World): ReadonlyArray<Worst> => {
  const asked = async (body?: string): Promise<Asked> => ({
    method: operation.method,
    path: `${await placeOf(operation, world)}${queryOf(operation)}`,
    headers: {
      ...(operation.id === "receiveInbound" ? { "x-telegram-bot-api-secret-token": INBOUND_SECRET } : {}),
      ...(["login", "refresh", "acceptInvitation", "receiveInbound"].includes(operation.id)
        ? {}
        : { authorization: `Bearer ${world.token}` }),
      ...(operation.id === "callTools"
        ? { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" }
        : {}),
      "idempotency-key": randomUUID()
    },
    ...(body === undefined ? {} : { body })
  })
  const largest = own(world).map(([name, content]): Worst => ({
    name,
    make: () => asked(JSON.stringify(content()))
  }))
  if (!operation.hasBody) return [...largest, { name: "the largest answer", make: () => asked() }]
  // Its faults would end the session of the measurement.
  const bodies = operation.id === "logout" ? faulty(operation).slice(0, 3) : faulty(operation)
  return [...largest, ...bodies.map(([name, body]): Worst => ({ name, make: () => asked(body()) }))]
}
