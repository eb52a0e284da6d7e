// Every route with its permission, the records it shows to each role, and its status when allowed (contract §1.1, §2).
import { Api } from "@rapport/contract/Api.ts"
import {
  type Permission,
  type Role,
  rolesCountingAll,
  rolesHolding,
  rolesSeeingAssessments
} from "@rapport/contract/Authorization.ts"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"

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
  /** `:id` is the record's. */
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

/** What a row has in addition to the kind, the permissions and the status. */
interface More extends Omit<Row, "method" | "path" | "kind" | "needs" | "passed"> {
  readonly query?: string
  /** The parameters of the path after the id. */
  readonly others?: ReadonlyArray<number | string>
}
type Needs = Permission | ReadonlyArray<Permission>
type Declaration = More & Pick<Row, "kind" | "needs" | "passed">

const row = (kind: Kind | null, needs: Needs, passed: number, more: More = {}): Declaration => ({
  kind,
  needs: typeof needs === "string" ? [needs] : needs,
  passed,
  ...more
})

/** A list filtered by one record: the page is empty if the caller does not see it. */
const list = (kind: Kind, needs: Needs, query = "filter[id]=:id"): Declaration =>
  row(kind, needs, 200, { query, unseen: 200, counted: "data" })

const pack = (entity: string, kind: Kind): Declaration =>
  row(kind, "context.read", 200, {
    seenBy: "context",
    unseen: 403,
    body: (id) => ({ scope: { entity, id } })
  })

// A version that no record has: an allowed change is refused with a conflict, and nothing changes.
const stale = { expectedVersion: 999_999 }
const change = (kind: Kind, needs: Permission, more: More = {}): Declaration =>
  row(kind, needs, 409, { body: stale, ...more })
const create = (needs: Permission): Declaration => row(null, needs, 400, { body: {} })
/** Each change has its own status, so a record that the caller does not see fails only in its result. */
const changes = (needs: Permission): Declaration =>
  row(null, needs, 400, { body: { changes: [] }, unseen: 200 })
const properties = (kind: Kind): Declaration => row(kind, "context.read", 200, { seenBy: "context" })
const setProperties = (kind: Kind, needs: Permission): Declaration =>
  row(kind, needs, 200, { body: { values: {} } })
const clientReaders: Needs = ["clients.read", "chats.read", "tickets.read", "clients.manage"]
const scenarios: Needs = ["scenarios.call", "scenarios.manage"]
/** A refused step of a record in the wrong status. */
const refuse = (kind: Kind, needs: Permission, more: More = {}): Declaration =>
  row(kind, needs, 409, { code: "STATE_NOT_ALLOWED", ...more })
// A draft with a criterion without result can only be voided.
const step = (needs: Permission, more: More = {}): Declaration =>
  refuse("assessment", needs, { body: { comment: "x" }, ...more })
const text = { body: { text: "x" } }
const edit = { body: { ...stale, text: "x" }, others: [UNKNOWN] }
const message = { others: [UNKNOWN] }
const crm = { others: ["crm"] }
const call = { data: { message: "x" } }
const query = "from=2026-01-01&to=2027-01-01"
const imported = { kind: "state", externalId: "x", data: { namespace: "x", state: {} } }

/** By the identifier of the endpoint, and a word if it has several rows. */
const declarations: Readonly<Record<string, Declaration>> = {
  listChats: list("chat", "chats.read", "filter[id]=:id&include=client,operator,lastMessage"),
  exportChats: row(null, "chats.read", 200),
  getChat: row("chat", "chats.read", 200),
  createChat: create("chats.manage"),
  updateChat: change("chat", "chats.manage"),
  updateChats: changes("chats.manage"),
  createChatMessage: row("chat", "chats.manage", 201, text),
  updateChatMessage: row("chat", "chats.manage", 404, edit),
  deleteChatMessage: row("chat", "chats.manage", 404, message),
  updateTicketMessage: row("ticket", "tickets.manage", 404, edit),
  deleteTicketMessage: row("ticket", "tickets.manage", 404, message),
  listTickets: list("ticket", "tickets.read", "filter[id]=:id&include=client,operator,author,chats"),
  exportTickets: row(null, "tickets.read", 200),
  getTicket: row("ticket", "tickets.read", 200),
  createTicket: create("tickets.manage"),
  updateTicket: change("ticket", "tickets.manage"),
  updateTickets: changes("tickets.manage"),
  createTicketMessage: row("ticket", "tickets.manage", 201, text),
  getTicketStatuses: row(null, "tickets.read", 200),
  setTicketStatuses: create("directory.manage"),
  uploadFile: row(null, ["chats.manage", "tickets.manage", "context.write", "imports.write"], 201, {
    query: "name=x.json",
    body: {}
  }),
  getFile: row(null, ["chats.read", "tickets.read", "context.read"], 404, {
    others: ["01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"]
  }),
  listClients: list("client", clientReaders),
  exportClients: row(null, clientReaders, 200),
  getClient: row("client", clientReaders, 200),
  createClient: create("clients.manage"),
  updateClient: change("client", "clients.manage"),
  mergeClient: row("client", "clients.manage", 400, { body: { intoId: UNKNOWN } }),
  exportClient: row("client", "clients.erase", 200),
  eraseClient: row("client", "clients.erase", 202),
  listSubjects: list("subject", "directory.read"),
  getSubject: row("subject", "directory.read", 200),
  createSubject: create("directory.manage"),
  updateSubject: change("subject", "directory.manage"),
  listSkillGroups: list("group", "directory.read"),
  getSkillGroup: row("group", "directory.read", 200),
  createSkillGroup: create("directory.manage"),
  updateSkillGroup: change("group", "directory.manage"),
  listUsers: list("user", "directory.read"),
  getUser: row("user", "directory.read", 200),
  createUser: create("users.manage"),
  updateUser: change("user", "users.manage"),
  blockUser: row("user", "users.manage", 400, { body: { reassignTo: UNKNOWN } }),
  unblockUser: row("user", "users.manage", 200),
  setUserPassword: row("user", "users.manage", 204, { body: { password: "a long password" } }),
  inviteUser: refuse("user", "users.manage"),
  setUserPresence: row("user", "users.manage", 200, { body: { presence: "away" } }),
  listProperties: list("property", "directory.read"),
  getProperty: row("property", "directory.read", 200),
  createProperty: create("directory.manage"),
  updateProperty: row("property", "directory.manage", 200, { body: {} }),
  getClientProperties: properties("client"),
  setClientProperties: setProperties("client", "clients.manage"),
  getSubjectProperties: properties("subject"),
  setSubjectProperties: setProperties("subject", "directory.manage"),
  getUserProperties: properties("user"),
  setUserProperties: setProperties("user", "users.manage"),
  getSkillGroupProperties: properties("group"),
  setSkillGroupProperties: setProperties("group", "directory.manage"),
  listAuditLog: list("client", "audit.read", "filter[entity]=client&filter[entityId]=:id"),
  reportDialogues: row(null, "statistics.read", 200, { query }),
  reportOperators: row(null, "statistics.read", 200, { query }),
  reportSla: row(null, "statistics.read", 200, { query }),
  reportCsat: row(null, "statistics.read", 200, { query }),
  listDialogues: {
    ...list("chat", "statistics.read", `${query}&filter[appealId]=:id`),
    seenBy: "statistics"
  },
  listCalendars: list("calendar", "statistics.read"),
  getCalendar: row("calendar", "statistics.read", 200),
  createCalendar: create("directory.manage"),
  updateCalendar: change("calendar", "directory.manage"),
  getSlaTarget: row("subject", "statistics.read", 200),
  setSlaTarget: row("subject", "directory.manage", 200, { body: { tfrSec: 60 } }),
  listCriteria: list("criterion", "quality.read"),
  getCriterion: row("criterion", "quality.read", 200),
  createCriterion: create("quality.manage"),
  updateCriterion: change("criterion", "quality.manage"),
  deleteCriterion: row("criterion", "quality.manage", 204),
  listChecklists: list("checklist", "quality.read"),
  getChecklist: row("checklist", "quality.read", 200),
  createChecklist: create("quality.manage"),
  updateChecklist: change("checklist", "quality.manage"),
  deleteChecklist: row("checklist", "quality.manage", 204),
  listAssessments: list("assessment", "quality.read"),
  getAssessment: row("assessment", "quality.read", 200),
  createAssessment: create("quality.assess"),
  setAssessmentResult: row("assessment", "quality.assess", 404, {
    body: { ...stale, result: "met" },
    others: [UNKNOWN]
  }),
  approveAssessment: step("quality.assess"),
  disputeAssessment: step("quality.manage", { also: "operator" }),
  resolveAssessment: step("quality.manage"),
  reopenAssessment: step("quality.manage"),
  voidAssessment: row("assessment", "quality.manage", 200, { body: { comment: "x" } }),
  listCustomModels: list("model", "records.read", "filter[name]=:id"),
  getCustomModel: row("model", "records.read", 200),
  createCustomModel: create("records.models"),
  updateCustomModel: change("model", "records.models"),
  deleteCustomModel: refuse("model", "records.models"),
  listCustomRecords: row("model", "records.read", 200),
  exportCustomRecords: row("model", "records.read", 200),
  searchCustomRecords: row("model", "records.read", 200, { body: {} }),
  upsertCustomRecords: row("model", "records.manage", 400, {
    body: { keyField: "none", records: [{ values: {} }] }
  }),
  createCustomRecord: row("model", "records.manage", 400, { body: { values: { none: 1 } } }),
  getCustomRecord: row("record", "records.read", 200),
  updateCustomRecord: change("record", "records.manage", { body: { ...stale, values: {} } }),
  deleteCustomRecord: row("record", "records.manage", 204),
  listBots: list("bot", scenarios),
  getBot: row("bot", scenarios, 200),
  createBot: create("scenarios.manage"),
  updateBot: row("bot", "scenarios.manage", 200, { body: {} }),
  listBotNodes: row("bot", scenarios, 200),
  getBotNode: row("node", scenarios, 200),
  createBotNode: row("bot", "scenarios.manage", 201, { body: { name: "x" } }),
  updateBotNode: row("node", "scenarios.manage", 200, { body: {} }),
  callNode: row("bot", "scenarios.call", 404, { body: call, others: [1, "web", "x"] }),
  callNodeByAlias: row("bot", "scenarios.call", 404, {
    body: (id) => ({ bot_id: id, connector_alias: "x", channel: "web", chat_id: "x", ...call })
  }),
  getCall: row("call", "scenarios.call", 200),
  listMessageTemplates: list("template", "broadcasts.read"),
  getMessageTemplate: row("template", "broadcasts.read", 200),
  createMessageTemplate: create("broadcasts.manage"),
  updateMessageTemplate: change("template", "broadcasts.manage"),
  deleteMessageTemplate: refuse("template", "broadcasts.manage"),
  listBroadcasts: list("broadcast", "broadcasts.read"),
  getBroadcast: row("broadcast", "broadcasts.read", 200),
  createBroadcast: create("broadcasts.manage"),
  updateBroadcast: change("broadcast", "broadcasts.manage"),
  previewBroadcast: row("broadcast", "broadcasts.manage", 400),
  startBroadcast: row("broadcast", "broadcasts.manage", 400),
  pauseBroadcast: refuse("broadcast", "broadcasts.manage"),
  resumeBroadcast: refuse("broadcast", "broadcasts.manage"),
  cancelBroadcast: row("broadcast", "broadcasts.manage", 200),
  getBroadcastResults: row("broadcast", "broadcasts.read", 200),
  // Needs broadcasts.read too, which every role with clients.read has.
  listBroadcastRecipients: row("broadcast", "clients.read", 200),
  listChatMessages: row("chat", "chats.read", 200),
  listTicketMessages: row("ticket", "tickets.read", 200),
  retrieveContext: pack("client", "client"),
  "retrieveContext of a subject": pack("subject", "subject"),
  "retrieveContext of an operator": pack("operator", "user"),
  "retrieveContext of a skill group": pack("skill_group", "group"),
  getContextReadiness: row(null, [], 200),
  registerClientAction: row("client", "context.write", 201, {
    body: { type: "x", occurredAt: "2026-01-01T00:00:00Z", actorType: "client" }
  }),
  listClientActions: row("client", "context.read", 200),
  listClientState: row("client", "context.read", 200),
  getClientState: row("client", "context.read", 200, crm),
  setClientState: change("client", "context.write", { body: { ...stale, state: {} }, ...crm }),
  listClientStateHistory: row("client", "context.read", 200, crm),
  createSession: row("client", "context.write", 201, { unseen: 400, body: (id) => ({ clientId: id }) }),
  getSession: row("session", "context.read", 200),
  addSessionMessage: row("session", "context.write", 201, { body: { role: "client", content: "x" } }),
  listSessionMessages: row("session", "context.read", 200),
  closeSession: row("session", "context.write", 200),
  setWorkingContext: change("session", "context.write", { body: { ...stale, workingContext: {} } }),
  createImportBatch: row("client", "imports.write", 201, {
    unseen: 201,
    counted: "succeeded",
    body: (id) => ({ source: "x", items: [{ clientId: id, ...imported }] })
  }),
  getImportBatch: row("batch", "imports.write", 200),
  logout: row(null, [], 204),
  getCurrentUser: row(null, [], 200),
  listExternalTokens: list("token", "tokens.manage"),
  createExternalToken: create("tokens.manage"),
  deleteExternalToken: row("token", "tokens.manage", 204)
}

const endpoints = new Map<string, HttpApiEndpoint.Top>()
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => void endpoints.set(endpoint.identifier, endpoint)
})

/** `:id` is the id of the record, or the first of `others` if there is none. A record of custom data and a node have two. */
const pathOf = (path: string, { kind, others = [], query }: Declaration): string => {
  const values = (kind === null ? others : [":id", ...others]).values()
  const whole = kind === "record" || kind === "node" ? path.replace(/:.*$/u, ":id") : path
  const filled = whole.replace(/:\w+/gu, () => String(values.next().value))
  return query === undefined ? filled : `${filled}?${query}`
}

export const rows: Readonly<Record<string, Row>> = Object.fromEntries(
  Object.entries(declarations).map(([name, declared]) => {
    const endpoint = endpoints.get(name.split(" ")[0] ?? "")
    if (endpoint === undefined) throw new Error(`there is no endpoint ${name}`)
    return [name, { ...declared, method: endpoint.method, path: pathOf(endpoint.path, declared) }]
  })
)

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
