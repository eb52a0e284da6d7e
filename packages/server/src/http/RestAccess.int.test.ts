// Every route of the general interface × every role × {own, hidden, closed, foreign, unknown}: docs/contract.md §1.1 (403, 404),
// §2 (permissions, visibility). A route without a row here fails the test; what is refused shows nothing of the record.
import { assert, layer } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { type Permission, type Role, roles, rolesHolding } from "@rapport/contract/access/Permission.ts"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { type Answer, Rest, RestFixtures, type Who } from "../testing/RestFixtures.ts"

const CANARY = "канарка"
const UNKNOWN = 2 ** 53 - 1
const cases = ["own", "hidden", "closed", "foreign", "unknown"] as const
type Case = (typeof cases)[number]
type Kind = "chat" | "ticket" | "client" | "subject" | "group" | "user" | "property"

interface Row {
  readonly kind: Kind | null
  /** One of them is needed. */
  readonly needs: ReadonlyArray<Permission>
  readonly method: string
  /** Behind /kw/api/v1; `:id` is the record's. */
  readonly path: string
  readonly body?: unknown
  /** What the route answers where the record is the caller's to use. */
  readonly passed: number
  /** Whose records it sees where that is not the visibility of its own kind: values follow the context read. */
  readonly seenBy?: Kind | "context"
}
const row = (
  method: string,
  path: string,
  kind: Kind | null,
  needs: Permission | ReadonlyArray<Permission>,
  passed: number,
  body?: unknown,
  seenBy?: Row["seenBy"]
): Row => ({
  kind,
  needs: typeof needs === "string" ? [needs] : needs,
  method,
  path,
  passed,
  ...(body === undefined ? {} : { body }),
  ...(seenBy === undefined ? {} : { seenBy })
})

// A version that no record has: whoever may change the record is told of the conflict, and nothing changes.
const stale = { expectedVersion: 999_999 }
const clientReaders: ReadonlyArray<Permission> = [
  "clients.read",
  "chats.read",
  "tickets.read",
  "clients.manage"
]
const rows: Readonly<Record<string, Row>> = {
  listChats: row("GET", "/OpChatRooms/list?filter[id]=:id", null, "chats.read", 200),
  getChat: row("GET", "/OpChatRooms/:id", "chat", "chats.read", 200),
  createChat: row("POST", "/OpChatRooms", null, "chats.manage", 400, {}),
  updateChat: row("PATCH", "/OpChatRooms/:id", "chat", "chats.manage", 409, stale),
  postChatMessage: row("POST", "/OpChatRooms/:id/messages", "chat", "chats.manage", 201, { text: "x" }),
  listTickets: row("GET", "/Ticket/list?filter[id]=:id", null, "tickets.read", 200),
  getTicket: row("GET", "/Ticket/:id", "ticket", "tickets.read", 200),
  createTicket: row("POST", "/Ticket", null, "tickets.manage", 400, {}),
  updateTicket: row("PATCH", "/Ticket/:id", "ticket", "tickets.manage", 409, stale),
  postTicketMessage: row("POST", "/Ticket/:id/messages", "ticket", "tickets.manage", 201, { text: "x" }),
  getTicketStatuses: row("GET", "/ticket-statuses", null, "tickets.read", 200),
  setTicketStatuses: row("PUT", "/ticket-statuses", null, "directory.manage", 400, {}),
  listClients: row("GET", "/clients?filter[id]=:id", null, clientReaders, 200),
  getClient: row("GET", "/clients/:id", "client", clientReaders, 200),
  createClient: row("POST", "/clients", null, "clients.manage", 400, {}),
  updateClient: row("PATCH", "/clients/:id", "client", "clients.manage", 409, stale),
  mergeClient: row("POST", "/clients/:id/merge", "client", "clients.manage", 400, { intoId: UNKNOWN }),
  listSubjects: row("GET", "/subjects", null, "directory.read", 200),
  getSubject: row("GET", "/subjects/:id", "subject", "directory.read", 200),
  createSubject: row("POST", "/subjects", null, "directory.manage", 400, {}),
  updateSubject: row("PATCH", "/subjects/:id", "subject", "directory.manage", 409, stale),
  listSkillGroups: row("GET", "/skill-groups", null, "directory.read", 200),
  getSkillGroup: row("GET", "/skill-groups/:id", "group", "directory.read", 200),
  createSkillGroup: row("POST", "/skill-groups", null, "directory.manage", 400, {}),
  updateSkillGroup: row("PATCH", "/skill-groups/:id", "group", "directory.manage", 409, stale),
  listUsers: row("GET", "/users", null, "directory.read", 200),
  getUser: row("GET", "/users/:id", "user", "directory.read", 200),
  createUser: row("POST", "/users", null, "users.manage", 400, {}),
  updateUser: row("PATCH", "/users/:id", "user", "users.manage", 409, stale),
  blockUser: row("POST", "/users/:id/block", "user", "users.manage", 400, { reassignTo: UNKNOWN }),
  unblockUser: row("POST", "/users/:id/unblock", "user", "users.manage", 200),
  setPassword: row("POST", "/users/:id/password", "user", "users.manage", 204, {
    password: "a long password"
  }),
  setPresence: row("PUT", "/users/:id/presence", "user", "users.manage", 200, { presence: "away" }),
  listProperties: row("GET", "/properties", null, "directory.read", 200),
  getProperty: row("GET", "/properties/:id", "property", "directory.read", 200),
  createProperty: row("POST", "/properties", null, "directory.manage", 400, {}),
  updateProperty: row("PATCH", "/properties/:id", "property", "directory.manage", 200, {}),
  getClientProperties: row(
    "GET",
    "/clients/:id/properties",
    "client",
    "context.read",
    200,
    undefined,
    "context"
  ),
  setClientProperties: row("PUT", "/clients/:id/properties", "client", "clients.manage", 200, { values: {} }),
  getSubjectProperties: row(
    "GET",
    "/subjects/:id/properties",
    "subject",
    "context.read",
    200,
    undefined,
    "context"
  ),
  setSubjectProperties: row("PUT", "/subjects/:id/properties", "subject", "directory.manage", 200, {
    values: {}
  }),
  getUserProperties: row("GET", "/users/:id/properties", "user", "context.read", 200, undefined, "context"),
  setUserProperties: row("PUT", "/users/:id/properties", "user", "users.manage", 200, { values: {} }),
  getSkillGroupProperties: row(
    "GET",
    "/skill-groups/:id/properties",
    "group",
    "context.read",
    200,
    undefined,
    "context"
  ),
  setSkillGroupProperties: row("PUT", "/skill-groups/:id/properties", "group", "directory.manage", 200, {
    values: {}
  }),
  listAuditLog: row("GET", "/audit-log", null, "audit.read", 200)
}
const rooms = ["chats", "tickets", "clients", "directory", "users", "properties", "audit"]

const all: ReadonlyArray<Role> = ["administrator", "integrator"]
const grouped: ReadonlyArray<Role> = ["supervisor", "operator", "light_agent"]
const ofQuality: ReadonlyArray<Role> = ["qa_lead", "qa_specialist"]
const holds = (role: Role, permission: Permission): boolean =>
  rolesHolding[permission].some((holder) => holder === role)

/** Whether the role sees the record: own ones are of a subject of its group, closed ones of nobody's. */
const sees = (role: Role, kind: Kind | "context", of: Kind, which: Case): boolean => {
  if (which === "foreign" || which === "unknown") return false
  if (all.includes(role)) return true
  switch (kind) {
    case "subject":
    case "group":
    case "user":
    case "property":
      return true
    case "client":
      if (holds(role, "clients.read")) return true
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

layer(RestFixtures)("the general interface", (it) => {
  it.effect("every route of its rooms has a row", () =>
    Effect.sync(() => {
      const known: Array<string> = []
      HttpApi.reflect(Api, {
        onGroup: () => undefined,
        onEndpoint: ({ endpoint, group }) => {
          if (rooms.includes(group.identifier)) known.push(endpoint.identifier)
        }
      })
      assert.deepStrictEqual(known.toSorted(), Object.keys(rows).toSorted())
    })
  )

  it.effect(
    "answers each role by its rights and its visibility, and refuses in the same words",
    () =>
      Effect.gen(function* () {
        const rest = yield* Rest
        const instances = [yield* rest.instance, yield* rest.instance] as const
        const [admin, foreigner] = [
          yield* rest.user(instances[0], ["administrator"]),
          yield* rest.user(instances[1], ["administrator"])
        ]
        let n = 0
        const make = (who: Who, path: string, body: object) =>
          Effect.map(rest.call(who, "POST", path, body), (r) => {
            assert.strictEqual(r.status, 201, r.text)
            return (r.body.chat ?? r.body.ticket ?? r.body).id as number
          })
        const subject = (who: Who) => make(who, "/subjects", { name: CANARY, alias: `s${++n}` })
        /** One of everything; `more` are the members of its appeals. */
        const world = Effect.fnUntraced(function* (
          who: Who,
          subjectId: number,
          groupId: number,
          userId: number,
          status: object
        ) {
          const clientId = yield* make(who, "/clients", { name: CANARY })
          const appeal = { clientId, subjectId, ...status }
          return {
            client: clientId,
            chat: yield* make(who, "/OpChatRooms", { ...appeal, channel: "web", comment: CANARY }),
            ticket: yield* make(who, "/Ticket", { ...appeal, title: CANARY }),
            subject: subjectId,
            group: groupId,
            user: userId,
            property: yield* make(who, "/properties", {
              entity: "client",
              name: `p${++n}`,
              label: CANARY,
              type: "string"
            })
          }
        })
        const records = Effect.fnUntraced(function* (caller: Who) {
          const [own, hidden, foreign] = [
            yield* subject(admin),
            yield* subject(admin),
            yield* subject(foreigner)
          ]
          const colleague = yield* rest.user(instances[0], ["light_agent"])
          const stranger = yield* rest.user(instances[0], ["operator"])
          const alien = yield* rest.user(instances[1], ["operator"])
          const mine = yield* make(admin, "/skill-groups", {
            name: CANARY,
            subjectIds: [own],
            memberIds: [caller.id, colleague.id]
          })
          const theirs = yield* make(admin, "/skill-groups", {
            name: CANARY,
            subjectIds: [hidden],
            memberIds: []
          })
          const aliens = yield* make(foreigner, "/skill-groups", { name: CANARY, subjectIds: [foreign] })
          const busy = { operatorId: stranger.id }
          return {
            own: yield* world(admin, own, mine, colleague.id, {}),
            hidden: yield* world(admin, hidden, theirs, stranger.id, busy),
            closed: yield* world(admin, hidden, theirs, stranger.id, { ...busy, status: "closed" }),
            foreign: yield* world(foreigner, foreign, aliens, alien.id, {}),
            unknown: undefined
          }
        })

        const words = new Set<string>()
        for (const role of roles) {
          // Rights that only some rows need are tried on records of their own: what one row changes another would meet.
          for (const [operationId, { body, kind, method, needs, passed, path, seenBy }] of Object.entries(
            rows
          )) {
            const caller = yield* rest.user(instances[0], [role])
            const made = yield* records(caller)
            for (const which of cases) {
              const id = kind === null ? UNKNOWN : (made[which]?.[kind] ?? UNKNOWN)
              const answer: Answer = yield* rest.call(caller, method, path.replace(":id", String(id)), body)
              const what = `${role} ${operationId} ${which}: ${answer.text}`
              const mayUse = needs.some((permission) => holds(role, permission))
              const isSeen = kind === null || sees(role, seenBy ?? kind, kind, which)
              const isClosedChat = operationId === "postChatMessage" && which === "closed"
              const expected = !mayUse
                ? passed === 400 && kind === null
                  ? 400
                  : 403
                : !isSeen
                  ? 404
                  : isClosedChat
                    ? 409
                    : passed
              assert.strictEqual(answer.status, expected, what)
              if (expected === 403 || expected === 404) {
                assert.notInclude(answer.text, CANARY, what)
                if (expected === 404) words.add(answer.body.detail)
              }
              if (kind === null) break
            }
          }
        }
        assert.strictEqual(words.size, 1, [...words].join(" | "))
      }),
    600_000
  )
})
