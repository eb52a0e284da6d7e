// Every route with its permission, the records it shows to each role, and its status when allowed (contract §1.1, §2).
import {
  type Permission,
  type Role,
  rolesCountingAll,
  rolesHolding,
  rolesSeeingAssessments
} from "@rapport/contract/Authorization.ts"

/**
 * A record from the caller's view: of a subject of their group, of another group, closed by another user, of another
 * instance, nonexistent.
 */
export const cases = ["own", "hidden", "closed", "foreign", "unknown"] as const
export type Case = (typeof cases)[number]
export const kinds = [
  "chat",
  "ticket",
  "client",
  "subject",
  "group",
  "user",
  "property",
  "session",
  "batch",
  "token",
  "calendar",
  "criterion",
  "checklist",
  "assessment",
  "model",
  "record",
  "bot",
  "node",
  "call",
  "template",
  "broadcast"
] as const
export type Kind = (typeof kinds)[number]

/** An id without a record. */
export const UNKNOWN = 2 ** 53 - 1

export interface Row {
  readonly method: string
  /** Below /kw/api/v1 unless it begins with /kw/; `:id` is the record's. */
  readonly path: string
  readonly kind: Kind | null
  /** One of them is needed; none: every user may use the route. */
  readonly needs: ReadonlyArray<Permission>
  /** The status if the caller may use the record. */
  readonly passed: number
  /** The code of that status if it is an error. */
  readonly code?: string
  readonly body?: object | ((id: number | string) => object)
  /** The visibility that applies instead of that of `kind`. */
  readonly seenBy?: Kind | "context" | "statistics"
  /** The status if the caller does not see the record; 404 unless given. */
  readonly unseen?: number
  /** A role that may use the route for its own records without the permission. */
  readonly also?: Role
  /** The member of the answer that has or counts its records. */
  readonly counted?: "data" | "succeeded"
}

type More = Omit<Row, "method" | "path" | "kind" | "needs" | "passed">
const row = (
  method: string,
  path: string,
  kind: Kind | null,
  needs: Permission | ReadonlyArray<Permission>,
  passed: number,
  more: More = {}
): Row => ({ method, path, kind, needs: typeof needs === "string" ? [needs] : needs, passed, ...more })

/** A list filtered by one record: the page is empty if the caller does not see it. */
const list = (path: string, kind: Kind, needs: Permission | ReadonlyArray<Permission>): Row =>
  row("GET", path, kind, needs, 200, { unseen: 200, counted: "data" })

const pack = (entity: string, kind: Kind): Row =>
  row("POST", "/kw/chatrooms/context/retrieve", kind, "context.read", 200, {
    seenBy: "context",
    unseen: 403,
    body: (id) => ({ scope: { entity, id } })
  })

// A version that no record has: an allowed change is refused with a conflict, and nothing changes.
const stale = { expectedVersion: 999_999 }
const change = (path: string, kind: Kind, needs: Permission): Row =>
  row("PATCH", path, kind, needs, 409, { body: stale })
const create = (path: string, needs: Permission): Row => row("POST", path, null, needs, 400, { body: {} })
/** Each change has its own status, so a record that the caller does not see fails only in its result. */
const changes = (path: string, needs: Permission): Row =>
  row("PATCH", path, null, needs, 400, { body: { changes: [] }, unseen: 200 })
const properties = (path: string, kind: Kind): Row =>
  row("GET", path, kind, "context.read", 200, { seenBy: "context" })
const setProperties = (path: string, kind: Kind, needs: Permission): Row =>
  row("PUT", path, kind, needs, 200, { body: { values: {} } })
const clientReaders: ReadonlyArray<Permission> = [
  "clients.read",
  "chats.read",
  "tickets.read",
  "clients.manage"
]
const scenarios: ReadonlyArray<Permission> = ["scenarios.call", "scenarios.manage"]
const ofClient = "/kw/clients/:id/context"
const sessions = "/kw/context/sessions"
const batches = "/kw/context/import-batches"
// A draft with a criterion without result can only be voided.
const step = (name: string, needs: Permission, more: More = {}): Row =>
  row("POST", `/quality/assessments/:id/${name}`, "assessment", needs, 409, {
    body: { comment: "x" },
    code: "STATE_NOT_ALLOWED",
    ...more
  })
const range = "?from=2026-01-01&to=2027-01-01"
const imported = { namespace: "x", state: {} }
export const rows: Readonly<Record<string, Row>> = {
  listChats: list(
    "/OpChatRooms/list?filter[id]=:id&include=client,operator,lastMessage",
    "chat",
    "chats.read"
  ),
  exportChats: row("GET", "/OpChatRooms/export", null, "chats.read", 200),
  getChat: row("GET", "/OpChatRooms/:id", "chat", "chats.read", 200),
  createChat: create("/OpChatRooms", "chats.manage"),
  updateChat: change("/OpChatRooms/:id", "chat", "chats.manage"),
  updateChats: changes("/OpChatRooms", "chats.manage"),
  createChatMessage: row("POST", "/OpChatRooms/:id/messages", "chat", "chats.manage", 201, {
    body: { text: "x" }
  }),
  updateChatMessage: row("PATCH", `/OpChatRooms/:id/messages/${UNKNOWN}`, "chat", "chats.manage", 404, {
    body: { ...stale, text: "x" }
  }),
  deleteChatMessage: row("DELETE", `/OpChatRooms/:id/messages/${UNKNOWN}`, "chat", "chats.manage", 404),
  updateTicketMessage: row("PATCH", `/Ticket/:id/messages/${UNKNOWN}`, "ticket", "tickets.manage", 404, {
    body: { ...stale, text: "x" }
  }),
  deleteTicketMessage: row("DELETE", `/Ticket/:id/messages/${UNKNOWN}`, "ticket", "tickets.manage", 404),
  listTickets: list(
    "/Ticket/list?filter[id]=:id&include=client,operator,author,chats",
    "ticket",
    "tickets.read"
  ),
  exportTickets: row("GET", "/Ticket/export", null, "tickets.read", 200),
  getTicket: row("GET", "/Ticket/:id", "ticket", "tickets.read", 200),
  createTicket: create("/Ticket", "tickets.manage"),
  updateTicket: change("/Ticket/:id", "ticket", "tickets.manage"),
  updateTickets: changes("/Ticket", "tickets.manage"),
  createTicketMessage: row("POST", "/Ticket/:id/messages", "ticket", "tickets.manage", 201, {
    body: { text: "x" }
  }),
  getTicketStatuses: row("GET", "/ticket-statuses", null, "tickets.read", 200),
  setTicketStatuses: row("PUT", "/ticket-statuses", null, "directory.manage", 400, { body: {} }),
  uploadFile: row(
    "POST",
    "/files?name=x.json",
    null,
    ["chats.manage", "tickets.manage", "context.write", "imports.write"],
    201,
    { body: {} }
  ),
  getFile: row(
    "GET",
    "/files/01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e",
    null,
    ["chats.read", "tickets.read", "context.read"],
    404
  ),
  listClients: list("/clients?filter[id]=:id", "client", clientReaders),
  exportClients: row("GET", "/clients/export", null, clientReaders, 200),
  getClient: row("GET", "/clients/:id", "client", clientReaders, 200),
  createClient: create("/clients", "clients.manage"),
  updateClient: change("/clients/:id", "client", "clients.manage"),
  mergeClient: row("POST", "/clients/:id/merge", "client", "clients.manage", 400, {
    body: { intoId: UNKNOWN }
  }),
  exportClient: row("GET", "/clients/:id/export", "client", "clients.erase", 200),
  eraseClient: row("POST", "/clients/:id/erase", "client", "clients.erase", 202),
  listSubjects: list("/subjects?filter[id]=:id", "subject", "directory.read"),
  getSubject: row("GET", "/subjects/:id", "subject", "directory.read", 200),
  createSubject: create("/subjects", "directory.manage"),
  updateSubject: change("/subjects/:id", "subject", "directory.manage"),
  listSkillGroups: list("/skill-groups?filter[id]=:id", "group", "directory.read"),
  getSkillGroup: row("GET", "/skill-groups/:id", "group", "directory.read", 200),
  createSkillGroup: create("/skill-groups", "directory.manage"),
  updateSkillGroup: change("/skill-groups/:id", "group", "directory.manage"),
  listUsers: list("/users?filter[id]=:id", "user", "directory.read"),
  getUser: row("GET", "/users/:id", "user", "directory.read", 200),
  createUser: create("/users", "users.manage"),
  updateUser: change("/users/:id", "user", "users.manage"),
  blockUser: row("POST", "/users/:id/block", "user", "users.manage", 400, { body: { reassignTo: UNKNOWN } }),
  unblockUser: row("POST", "/users/:id/unblock", "user", "users.manage", 200),
  setUserPassword: row("POST", "/users/:id/password", "user", "users.manage", 204, {
    body: {
      password: "a long password"
    }
  }),
  inviteUser: row("POST", "/users/:id/invitation", "user", "users.manage", 409, {
    code: "STATE_NOT_ALLOWED"
  }),
  setUserPresence: row("PUT", "/users/:id/presence", "user", "users.manage", 200, {
    body: { presence: "away" }
  }),
  listProperties: list("/properties?filter[id]=:id", "property", "directory.read"),
  getProperty: row("GET", "/properties/:id", "property", "directory.read", 200),
  createProperty: create("/properties", "directory.manage"),
  updateProperty: row("PATCH", "/properties/:id", "property", "directory.manage", 200, { body: {} }),
  getClientProperties: properties("/clients/:id/properties", "client"),
  setClientProperties: setProperties("/clients/:id/properties", "client", "clients.manage"),
  getSubjectProperties: properties("/subjects/:id/properties", "subject"),
  setSubjectProperties: setProperties("/subjects/:id/properties", "subject", "directory.manage"),
  getUserProperties: properties("/users/:id/properties", "user"),
  setUserProperties: setProperties("/users/:id/properties", "user", "users.manage"),
  getSkillGroupProperties: properties("/skill-groups/:id/properties", "group"),
  setSkillGroupProperties: setProperties("/skill-groups/:id/properties", "group", "directory.manage"),
  listAuditLog: list("/audit-log?filter[entity]=client&filter[entityId]=:id", "client", "audit.read"),
  reportDialogues: row("GET", `/statistics/dialogues${range}`, null, "statistics.read", 200),
  reportOperators: row("GET", `/statistics/operators${range}`, null, "statistics.read", 200),
  reportSla: row("GET", `/statistics/sla${range}`, null, "statistics.read", 200),
  reportCsat: row("GET", `/statistics/csat${range}`, null, "statistics.read", 200),
  listDialogues: row(
    "GET",
    `/statistics/dialogues/rows${range}&filter[appealId]=:id`,
    "chat",
    "statistics.read",
    200,
    {
      seenBy: "statistics",
      unseen: 200,
      counted: "data"
    }
  ),
  listCalendars: list("/statistics/calendars?filter[id]=:id", "calendar", "statistics.read"),
  getCalendar: row("GET", "/statistics/calendars/:id", "calendar", "statistics.read", 200),
  createCalendar: create("/statistics/calendars", "directory.manage"),
  updateCalendar: change("/statistics/calendars/:id", "calendar", "directory.manage"),
  getSlaTarget: row("GET", "/statistics/sla/targets/:id", "subject", "statistics.read", 200),
  setSlaTarget: row("PUT", "/statistics/sla/targets/:id", "subject", "directory.manage", 200, {
    body: { tfrSec: 60 }
  }),
  listCriteria: list("/quality/criteria?filter[id]=:id", "criterion", "quality.read"),
  getCriterion: row("GET", "/quality/criteria/:id", "criterion", "quality.read", 200),
  createCriterion: create("/quality/criteria", "quality.manage"),
  updateCriterion: change("/quality/criteria/:id", "criterion", "quality.manage"),
  deleteCriterion: row("DELETE", "/quality/criteria/:id", "criterion", "quality.manage", 204),
  listChecklists: list("/quality/checklists?filter[id]=:id", "checklist", "quality.read"),
  getChecklist: row("GET", "/quality/checklists/:id", "checklist", "quality.read", 200),
  createChecklist: create("/quality/checklists", "quality.manage"),
  updateChecklist: change("/quality/checklists/:id", "checklist", "quality.manage"),
  deleteChecklist: row("DELETE", "/quality/checklists/:id", "checklist", "quality.manage", 204),
  listAssessments: list("/quality/assessments?filter[id]=:id", "assessment", "quality.read"),
  getAssessment: row("GET", "/quality/assessments/:id", "assessment", "quality.read", 200),
  createAssessment: create("/quality/assessments", "quality.assess"),
  setAssessmentResult: row(
    "PATCH",
    `/quality/assessments/:id/criteria/${UNKNOWN}`,
    "assessment",
    "quality.assess",
    404,
    {
      body: { ...stale, result: "met" }
    }
  ),
  approveAssessment: step("approve", "quality.assess"),
  disputeAssessment: step("dispute", "quality.manage", { also: "operator" }),
  resolveAssessment: step("resolve", "quality.manage"),
  reopenAssessment: step("reopen", "quality.manage"),
  voidAssessment: row("POST", "/quality/assessments/:id/void", "assessment", "quality.manage", 200, {
    body: { comment: "x" }
  }),
  listCustomModels: list("/custom-data/models?filter[name]=:id", "model", "records.read"),
  getCustomModel: row("GET", "/custom-data/models/:id", "model", "records.read", 200),
  createCustomModel: create("/custom-data/models", "records.models"),
  updateCustomModel: change("/custom-data/models/:id", "model", "records.models"),
  deleteCustomModel: row("DELETE", "/custom-data/models/:id", "model", "records.models", 409, {
    code: "STATE_NOT_ALLOWED"
  }),
  listCustomRecords: row("GET", "/custom-data/:id/records", "model", "records.read", 200),
  exportCustomRecords: row("GET", "/custom-data/:id/records/export", "model", "records.read", 200),
  searchCustomRecords: row("POST", "/custom-data/:id/records/search", "model", "records.read", 200, {
    body: {}
  }),
  upsertCustomRecords: row("POST", "/custom-data/:id/records/upsert", "model", "records.manage", 400, {
    body: { keyField: "none", records: [{ values: {} }] }
  }),
  createCustomRecord: row("POST", "/custom-data/:id/records", "model", "records.manage", 400, {
    body: { values: { none: 1 } }
  }),
  getCustomRecord: row("GET", "/custom-data/:id", "record", "records.read", 200),
  updateCustomRecord: row("PATCH", "/custom-data/:id", "record", "records.manage", 409, {
    body: { ...stale, values: {} }
  }),
  deleteCustomRecord: row("DELETE", "/custom-data/:id", "record", "records.manage", 204),
  listBots: list("/bots?filter[id]=:id", "bot", scenarios),
  getBot: row("GET", "/bots/:id", "bot", scenarios, 200),
  createBot: create("/bots", "scenarios.manage"),
  updateBot: row("PATCH", "/bots/:id", "bot", "scenarios.manage", 200, { body: {} }),
  listBotNodes: row("GET", "/bots/:id/nodes", "bot", scenarios, 200),
  getBotNode: row("GET", "/bots/:id", "node", scenarios, 200),
  createBotNode: row("POST", "/bots/:id/nodes", "bot", "scenarios.manage", 201, { body: { name: "x" } }),
  updateBotNode: row("PATCH", "/bots/:id", "node", "scenarios.manage", 200, { body: {} }),
  callNode: row("POST", "/kw/api/call_node/:id/1/web/x", "bot", "scenarios.call", 404, {
    body: { data: { message: "x" } }
  }),
  callNodeByAlias: row("POST", "/kw/api/call_node/", "bot", "scenarios.call", 404, {
    body: (id) => ({
      bot_id: id,
      connector_alias: "x",
      channel: "web",
      chat_id: "x",
      data: { message: "x" }
    })
  }),
  getCall: row("GET", "/kw/api/call_node/calls/:id", "call", "scenarios.call", 200),
  listMessageTemplates: list("/broadcasts/templates?filter[id]=:id", "template", "broadcasts.read"),
  getMessageTemplate: row("GET", "/broadcasts/templates/:id", "template", "broadcasts.read", 200),
  createMessageTemplate: create("/broadcasts/templates", "broadcasts.manage"),
  updateMessageTemplate: change("/broadcasts/templates/:id", "template", "broadcasts.manage"),
  deleteMessageTemplate: row("DELETE", "/broadcasts/templates/:id", "template", "broadcasts.manage", 409, {
    code: "STATE_NOT_ALLOWED"
  }),
  listBroadcasts: list("/broadcasts?filter[id]=:id", "broadcast", "broadcasts.read"),
  getBroadcast: row("GET", "/broadcasts/:id", "broadcast", "broadcasts.read", 200),
  createBroadcast: create("/broadcasts", "broadcasts.manage"),
  updateBroadcast: change("/broadcasts/:id", "broadcast", "broadcasts.manage"),
  previewBroadcast: row("POST", "/broadcasts/:id/preview", "broadcast", "broadcasts.manage", 400),
  startBroadcast: row("POST", "/broadcasts/:id/start", "broadcast", "broadcasts.manage", 400),
  pauseBroadcast: row("POST", "/broadcasts/:id/pause", "broadcast", "broadcasts.manage", 409, {
    code: "STATE_NOT_ALLOWED"
  }),
  resumeBroadcast: row("POST", "/broadcasts/:id/resume", "broadcast", "broadcasts.manage", 409, {
    code: "STATE_NOT_ALLOWED"
  }),
  cancelBroadcast: row("POST", "/broadcasts/:id/cancel", "broadcast", "broadcasts.manage", 200),
  getBroadcastResults: row("GET", "/broadcasts/:id/results", "broadcast", "broadcasts.read", 200),
  // Needs broadcasts.read too, which every role with clients.read has.
  listBroadcastRecipients: row("GET", "/broadcasts/:id/recipients", "broadcast", "clients.read", 200),
  listChatMessages: row("GET", "/OpChatRooms/:id/messages", "chat", "chats.read", 200),
  listTicketMessages: row("GET", "/Ticket/:id/messages", "ticket", "tickets.read", 200),
  retrieveContext: pack("client", "client"),
  "retrieveContext of a subject": pack("subject", "subject"),
  "retrieveContext of an operator": pack("operator", "user"),
  "retrieveContext of a skill group": pack("skill_group", "group"),
  getContextReadiness: row("GET", "/kw/context/readiness", null, [], 200),
  registerClientAction: row("POST", `${ofClient}/actions`, "client", "context.write", 201, {
    body: { type: "x", occurredAt: "2026-01-01T00:00:00Z", actorType: "client" }
  }),
  listClientActions: row("GET", `${ofClient}/actions`, "client", "context.read", 200),
  listClientState: row("GET", `${ofClient}/state`, "client", "context.read", 200),
  getClientState: row("GET", `${ofClient}/state/crm`, "client", "context.read", 200),
  setClientState: row("PUT", `${ofClient}/state/crm`, "client", "context.write", 409, {
    body: { ...stale, state: {} }
  }),
  listClientStateHistory: row("GET", `${ofClient}/state/crm/history`, "client", "context.read", 200),
  createSession: row("POST", sessions, "client", "context.write", 201, {
    unseen: 400,
    body: (id) => ({ clientId: id })
  }),
  getSession: row("GET", `${sessions}/:id`, "session", "context.read", 200),
  addSessionMessage: row("POST", `${sessions}/:id/messages`, "session", "context.write", 201, {
    body: { role: "client", content: "x" }
  }),
  listSessionMessages: row("GET", `${sessions}/:id/messages`, "session", "context.read", 200),
  closeSession: row("POST", `${sessions}/:id/close`, "session", "context.write", 200),
  setWorkingContext: row("PUT", `${sessions}/:id/working-context`, "session", "context.write", 409, {
    body: { ...stale, workingContext: {} }
  }),
  createImportBatch: row("POST", batches, "client", "imports.write", 201, {
    unseen: 201,
    counted: "succeeded",
    body: (id) => ({ source: "x", items: [{ kind: "state", clientId: id, externalId: "x", data: imported }] })
  }),
  getImportBatch: row("GET", `${batches}/:id`, "batch", "imports.write", 200),
  logout: row("POST", "/auth/logout", null, [], 204),
  getCurrentUser: row("GET", "/auth/me", null, [], 200),
  listExternalTokens: list("/auth/external-tokens?filter[id]=:id", "token", "tokens.manage"),
  createExternalToken: create("/auth/external-tokens", "tokens.manage"),
  deleteExternalToken: row("DELETE", "/auth/external-tokens/:id", "token", "tokens.manage", 204)
}

/** Groups of routes without a row, with the reason. */
export const withoutRows: Readonly<Record<string, string>> = {
  login: "open: a session begins there",
  health: "open, and without a detail",
  documents: "open",
  inbound: "a connector of a bot, by its signature",
  file_links: "open: the link is signed, and names one file",
  tools: "each call enters as a context read of the same caller"
}

const all: ReadonlyArray<Role> = ["administrator", "integrator"]
const grouped: ReadonlyArray<Role> = ["supervisor", "operator", "light_agent"]
const ofQuality: ReadonlyArray<Role> = ["qa_lead", "qa_specialist"]
export const holds = (role: Role, permission: Permission): boolean =>
  rolesHolding[permission].some((holder) => holder === role)

/** Whether the role sees the record. */
export const sees = (role: Role, kind: Kind | "context" | "statistics", of: Kind, which: Case): boolean => {
  if (which === "foreign" || which === "unknown") return false
  if (kind === "token") return role === "administrator" || (role === "integrator" && which === "own")
  if (all.includes(role)) return true
  switch (kind) {
    case "subject":
    case "group":
    case "user":
    case "property":
    case "model":
    case "record":
    case "bot":
    case "node":
    case "call":
    case "template":
    case "broadcast":
      return true
    case "client":
    case "session":
      if (holds(role, "clients.read")) return true
      break
    case "calendar":
    case "criterion":
    case "checklist":
      return true
    case "assessment":
      if (rolesSeeingAssessments.includes(role)) return true
      return role === "supervisor" && which === "own"
    case "batch":
      return false
    case "statistics":
      if (rolesCountingAll.includes(role)) return true
      break
    case "context":
      if (of === "client" && holds(role, "clients.read")) return true
      if (of === "subject" || of === "group") return which === "own"
      if (of === "user") return which === "own" && role === "supervisor"
      break
    default:
  }
  return which === "own" ? grouped.includes(role) : which === "closed" && ofQuality.includes(role)
}
