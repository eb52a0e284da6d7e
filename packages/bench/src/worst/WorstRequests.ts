// The most expensive requests that the limits allow, for each route: what every route of a kind gets, and a table of its own.
import { randomUUID } from "node:crypto"
import type { Asked } from "./Probed.ts"
import { cyrillic, ends, type World, words } from "./WorstData.ts"

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

/** A request with a name; the body is made anew for each sending, as writes may not repeat. */
export interface Worst {
  readonly name: string
  readonly make: () => Asked
}

type Own = (world: World) => ReadonlyArray<readonly [name: string, content: () => unknown]>

const KIB = 1024
const BODY_BYTES = 250_000
const IMPORT_BYTES = 6_290_000
const take: ReadonlySet<string> = new Set(["importBatch", "addSessionMessage", "createChat", "createTicket"])
/** So much smaller than the limit of their own as to be worth no large body. */
const bytesOf = (id: string): number => (take.has(id) ? IMPORT_BYTES : BODY_BYTES)

const many = <A>(count: number, make: (n: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, n) => make(n))
const text = (points: number): string => cyrillic(points * 2).slice(0, points)
const tags = (): ReadonlyArray<string> => many(1_000, (n) => `${"я".repeat(190)}${n}`).slice(0, 600)
const retrieve = (world: World, more: object) => ({
  scope: { entity: "client", id: world.clientId },
  timeoutMs: 5_000,
  maxResponseBytes: 262_144,
  allowPartial: true,
  ...more
})
const relevant = (query: string) => ({
  sections: ["evidence", "actions", "properties"],
  targets: [
    "previous_client_appeals",
    "previous_client_conversations",
    "recent_client_interactions",
    "relevant_client_memory",
    "relevant_appeals"
  ],
  query,
  actions: { limit: 100 },
  topK: 20,
  candidateLimit: 200,
  maxSnippetsPerAppeal: 5
})
const history = (count: number, points: number) =>
  many(count, (n) => ({
    authorType: "client",
    occurredAt: new Date(Date.UTC(2026, 1, 1, 0, 0, n)).toISOString(),
    text: text(points)
  }))
const toolCall = (id: number, world: World, more: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: {
    name: "get_client_context",
    arguments: {
      client_id: world.clientId,
      query: "quetzalcoatl",
      max_response_bytes: 262_144,
      timeout_ms: 5_000,
      ...more
    }
  }
})

const twoDigits = (n: number): string => String(n).padStart(2, "0")
const calendar = () => ({
  name: text(200),
  timezone: "Europe/Kyiv",
  weekly: many(168, (n) => ({
    day: Math.floor(n / 24) + 1,
    from: `${twoDigits(n % 24)}:00`,
    to: `${twoDigits(n % 24)}:59`
  })),
  holidays: many(1_000, (n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10))
})

/** An entry for each route: its largest legal bodies; none where the generic requests say it all. */
export const table: Readonly<Record<string, Own>> = {
  retrieveContext: (world) => [
    ["state of 64 x 64 KiB", () => retrieve(world, {})],
    ["all targets by a word of every text", () => retrieve(world, relevant("quetzalcoatl"))],
    ["all targets by 512 characters, uk", () => retrieve(world, relevant(text(512)))],
    ["all targets by 512 characters, marks", () => retrieve(world, relevant("!?".repeat(256)))],
    [
      "all targets, recent",
      () =>
        retrieve(world, {
          ...relevant(""),
          query: undefined,
          targets: ["previous_client_appeals", "previous_client_conversations", "recent_client_interactions"]
        })
    ],
    [
      "all sections of the demo client",
      () => ({ ...retrieve(world, relevant("не прийшов рахунок")), scope: { entity: "client", id: 501 } })
    ],
    [
      "a skill group",
      () => ({
        scope: { entity: "skill_group", id: 3 },
        targets: ["relevant_appeals"],
        query: "quetzalcoatl",
        topK: 20,
        candidateLimit: 200,
        timeoutMs: 5_000
      })
    ]
  ],
  registerClientAction: () => [
    [
      "64 KiB of words",
      () => ({
        type: "worst",
        actorType: "client",
        occurredAt: "2026-03-01T08:00:00Z",
        summary: text(10_000),
        payload: { text: words(64_000) }
      })
    ],
    [
      "64 KiB of members",
      () => ({
        type: "worst",
        actorType: "client",
        occurredAt: "2026-03-01T08:00:00Z",
        payload: Object.fromEntries(many(6_000, (n) => [`m${n}`, n]))
      })
    ]
  ],
  putClientState: () => [
    [
      "64 KiB of members, merged",
      () => ({
        expectedVersion: 1,
        mode: "merge",
        state: Object.fromEntries(many(6_000, (n) => [`m${n}`, n]))
      })
    ]
  ],
  createSession: (world) => [
    ["metadata of 16 KiB", () => ({ clientId: world.clientId, metadata: { text: words(16_000) } })]
  ],
  addSessionMessage: () => [
    ["1 MiB of words", () => ({ role: "client", content: words(KIB * KIB - 64) })],
    ["1 MiB of letters, escaped", () => ({ role: "client", content: "\u0001".repeat(KIB * KIB - 64) })],
    ["1 MiB, uk", () => ({ role: "client", content: cyrillic(KIB * KIB).slice(0, 500_000) })]
  ],
  setWorkingContext: () => [
    ["8 KiB", () => ({ expectedVersion: 0, workingContext: { goals: many(20, (n) => `${n}${text(180)}`) } })]
  ],
  closeSession: () => [["a reason of 10,000 characters", () => ({ reason: text(10_000) })]],
  importBatch: (world) => [
    [
      "100 actions, 1 MiB",
      () => ({
        source: randomUUID(),
        items: many(100, (n) => ({
          kind: "action",
          clientId: world.clientId,
          externalId: `${randomUUID()}${n}`,
          data: {
            type: "worst",
            actorType: "client",
            occurredAt: "2026-03-01T08:00:00Z",
            summary: words(9_900)
          }
        }))
      })
    ]
  ],
  login: () => [["the longest", () => ({ login: "я".repeat(255), password: "я".repeat(128) })]],
  acceptInvitation: () => [["the longest", () => ({ token: "я".repeat(4_096), password: "я".repeat(128) })]],
  refresh: () => [["the longest", () => ({ refreshToken: "я".repeat(4_096) })]],
  createExternalToken: () => [
    [
      "250 KB of one permission",
      () => ({ name: "я".repeat(255), permissions: many(19_000, () => "chats.read") })
    ]
  ],
  postChatMessage: () => [["65,536 characters", () => ({ text: text(65_536) })]],
  postTicketMessage: () => [["65,536 characters", () => ({ text: text(65_536) })]],
  createChat: (world) => [
    [
      "a history of 1,000 messages, 6 MB",
      () => ({
        clientId: world.clientId,
        channel: "web",
        createdAt: "2026-02-01T00:00:00Z",
        messages: history(1_000, 3_200)
      })
    ],
    [
      "a history of 45 long messages",
      () => ({
        clientId: world.clientId,
        channel: "web",
        createdAt: "2026-02-01T00:00:00Z",
        messages: history(45, 65_000)
      })
    ],
    ["600 tags", () => ({ clientId: world.clientId, channel: "web", tags: tags() })]
  ],
  createTicket: (world) => [
    [
      "a history of 1,000 messages, 6 MB",
      () => ({
        clientId: world.clientId,
        title: "Worst",
        createdAt: "2026-02-01T00:00:00Z",
        messages: history(1_000, 3_200)
      })
    ],
    [
      "1,000 chatIds",
      () => ({ clientId: world.clientId, title: "Worst", chatIds: many(1_000, (n) => n + 1) })
    ]
  ],
  updateChat: () => [["600 tags", () => ({ expectedVersion: 1, comment: ends(10_000), tags: tags() })]],
  updateTicket: () => [
    ["1,000 chatIds", () => ({ expectedVersion: 1, chatIds: many(1_000, (n) => n + 1), tags: tags() })]
  ],
  setTicketStatuses: () => [
    [
      "100 statuses",
      () => ({
        expectedVersion: 1,
        statuses: many(100, (n) => ({
          name: `${n}${text(190)}`,
          position: n + 1,
          group: n === 0 ? "new" : n === 99 ? "done" : "open"
        }))
      })
    ]
  ],
  createClient: () => [
    [
      "600 tags, 1,000 identities",
      () => ({
        name: "Worst",
        tags: many(1_000, String),
        identities: many(1_000, (n) => ({ channel: "web", chatId: `${randomUUID()}${n}` }))
      })
    ]
  ],
  updateClient: () => [
    [
      "1,000 identities",
      () => ({
        expectedVersion: 1,
        identities: many(1_000, (n) => ({ channel: "web", chatId: `${randomUUID()}${n}` }))
      })
    ]
  ],
  mergeClient: () => [["into another", () => ({ intoId: 501 })]],
  createSubject: () => [["the longest", () => ({ name: text(200), alias: `w${randomUUID().slice(0, 8)}` })]],
  updateSubject: () => [["the longest", () => ({ expectedVersion: 1, name: text(200) })]],
  createSkillGroup: () => [
    [
      "1,000 members and subjects",
      () => ({ name: text(200), memberIds: many(1_000, (n) => n + 1), subjectIds: many(1_000, (n) => n + 1) })
    ]
  ],
  updateSkillGroup: () => [
    [
      "1,000 members and subjects",
      () => ({
        expectedVersion: 1,
        memberIds: many(1_000, (n) => n + 1),
        subjectIds: many(1_000, (n) => n + 1)
      })
    ]
  ],
  createUser: () => [
    [
      "16 KiB of fields, 1,000 groups",
      () => ({
        login: randomUUID(),
        password: "я".repeat(128),
        firstName: "W",
        lastName: "W",
        roles: ["operator"],
        skillGroupIds: many(1_000, (n) => n + 1),
        customFields: { text: words(16_000) }
      })
    ]
  ],
  updateUser: () => [
    ["16 KiB of fields", () => ({ expectedVersion: 1, customFields: { text: words(16_000) } })]
  ],
  blockUser: () => [["with nobody to take over", () => ({})]],
  setPassword: () => [["the longest", () => ({ password: "я".repeat(128) })]],
  setPresence: () => [["away", () => ({ presence: "away" })]],
  createProperty: () => [
    [
      "1,000 options",
      () => ({
        entity: "client",
        name: `w${randomUUID().slice(0, 8)}`,
        label: "Worst",
        type: "enum",
        options: many(600, (n) => `${n}${text(190)}`)
      })
    ]
  ],
  updateProperty: () => [["the longest label", () => ({ label: text(200) })]],
  setClientProperties: () => [
    ["10,000 unknown", () => ({ values: Object.fromEntries(many(10_000, (n) => [`m${n}`, "x"])) })]
  ],
  setSubjectProperties: () => [
    ["10,000 unknown", () => ({ values: Object.fromEntries(many(10_000, (n) => [`m${n}`, "x"])) })]
  ],
  setUserProperties: () => [
    ["10,000 unknown", () => ({ values: Object.fromEntries(many(10_000, (n) => [`m${n}`, "x"])) })]
  ],
  setSkillGroupProperties: () => [
    ["10,000 unknown", () => ({ values: Object.fromEntries(many(10_000, (n) => [`m${n}`, "x"])) })]
  ],
  callTools: (world) => [
    ["100 tools/list", () => many(100, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" }))],
    ["20 tools/list", () => many(20, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" }))],
    ["the largest pack, markdown", () => toolCall(1, world, { sections: ["evidence", "actions"] })],
    [
      "the largest pack, json",
      () => toolCall(1, world, { sections: ["evidence", "actions"], format: "json" })
    ],
    [
      "20 of them",
      () => many(20, (id) => toolCall(id, world, { sections: ["evidence", "actions"], format: "json" }))
    ]
  ],
  createCalendar: () => [["1,000 holidays, every hour of the week", calendar]],
  updateCalendar: () => [["1,000 holidays", () => ({ expectedVersion: 1, ...calendar() })]],
  setSlaTarget: () => [["a target", () => ({ tfrSec: 300, ttcSec: 28_800, calendarId: null })]],
  ...Object.fromEntries(
    [
      "readContextReadiness",
      "listClientActions",
      "listClientState",
      "getClientState",
      "listClientStateHistory",
      "getSession",
      "listSessionMessages",
      "getImportBatch",
      "logout",
      "me",
      "listExternalTokens",
      "deleteExternalToken",
      "listChatMessages",
      "listTicketMessages",
      "listChats",
      "getChat",
      "listTickets",
      "getTicket",
      "getTicketStatuses",
      "listClients",
      "getClient",
      "listSubjects",
      "getSubject",
      "listSkillGroups",
      "getSkillGroup",
      "listUsers",
      "getUser",
      "unblockUser",
      "listProperties",
      "getProperty",
      "getClientProperties",
      "getSubjectProperties",
      "getUserProperties",
      "getSkillGroupProperties",
      "listAuditLog",
      "healthLive",
      "healthReady",
      "openapiDocument",
      "documentationPage",
      "inviteUser",
      "reportDialogues",
      "reportOperators",
      "reportSla",
      "listDialogues",
      "listCalendars",
      "getCalendar",
      "getSlaTarget"
    ].map((id) => [id, () => []])
  )
}

/** The path with ids of the world: a route about an appeal, a client, a user gets its largest one. */
const placeOf = ({ id, path }: Operation, world: World): string => {
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
                : 999_999
  // What would end the world of the measurement goes to a record that is not there.
  const isEnd = ["mergeClient", "blockUser", "deleteExternalToken", "closeSession"].includes(id)
  return path
    .replace("{session_id}", isEnd ? "01990000-0000-7000-8000-000000000000" : world.sessionId)
    .replace("{batch_id}", world.batchId)
    .replace("{namespace}", id === "putClientState" ? `p${randomUUID().slice(0, 8)}` : "n1")
    .replace("{subjectId}", String(world.subjectId))
    .replace("{client_id}", String(world.clientId))
    .replace("{id}", String(isEnd ? 999_999 : own))
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
  const asked = (body?: string): Asked => ({
    method: operation.method,
    path: `${placeOf(operation, world)}${queryOf(operation)}`,
    headers: {
      ...(["login", "refresh", "acceptInvitation"].includes(operation.id)
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
