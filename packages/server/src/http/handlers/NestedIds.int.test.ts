// Every path with two ids × a child of another parent: it is refused, also if the parent is the caller's own (contract §1.1, NOT_FOUND).
import { assert, layer } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { endpointOf, makeSnapshot } from "../../testing/RefusedWrites.ts"
import { expectStatus, newInstance, RestFixtures, type RestCaller } from "../../testing/RestFixtures.ts"

const expectedVersion = 1
const CANARY = "канарка"

/** Parents and children of every kind, all of one administrator. Names are the same for all tenants, ids are not. */
const makeRecords = Effect.fnUntraced(function* (admin: RestCaller) {
  const { makeId: make } = admin
  const chatId = randomUUID()
  const client = yield* make("/clients", { name: CANARY, identities: [{ channel: "web", chatId }] })
  const chat = yield* make("/OpChatRooms", { clientId: client, channel: "web" })
  const ticket = yield* make("/Ticket", { clientId: client, title: CANARY })
  const criterion = yield* make("/quality/criteria", { name: CANARY })
  const checklist = yield* make("/quality/checklists", { name: CANARY, criterionIds: [criterion] })
  const closed = yield* make("/OpChatRooms", { clientId: client, channel: "web" })
  expectStatus(yield* admin.patch(`/OpChatRooms/${closed}`, { expectedVersion, status: "closed" }), 200)
  const assessment = yield* make("/quality/assessments", {
    appealId: closed,
    checklistId: checklist,
    automatic: [{ criterionId: criterion, result: "met" }]
  })
  const model = `m${randomUUID().slice(0, 8)}`
  const fields = [{ name: "note", type: "TEXT" }]
  expectStatus(yield* admin.post("/custom-data/models", { name: model, label: CANARY, fields }), 201)
  yield* admin.post("/custom-data/models", { name: "same", label: CANARY, fields })
  const record = yield* make(`/custom-data/${model}/records`, { values: { note: CANARY } })
  const connectors = [{ channel: "web", kind: "webhook", url: "https://chat.example.com/in" }]
  const bot = yield* make("/bots", { name: CANARY, connectors })
  return {
    bot,
    chat,
    chatId,
    ticket,
    assessment,
    criterion,
    model,
    record,
    chatMessage: yield* make(`/OpChatRooms/${chat}/messages`, { text: CANARY }),
    ticketMessage: yield* make(`/Ticket/${ticket}/messages`, { text: CANARY }),
    node: yield* make(`/bots/${bot}/nodes`, { name: CANARY, connectorAlias: "start" })
  }
})
type Records = Effect.Success<ReturnType<typeof makeRecords>>

const state = (client: number) => `/kw/clients/${client}/context/state/crm`
const edit = { text: "x", expectedVersion }
const call = { data: { message: "x" } }
type Route = readonly [method: string, path: (parent: Records, child: Records) => string, body?: object]

const records = (modelOf: (parent: Records) => string): ReadonlyArray<Route> => {
  const path: Route[1] = (parent, child) => `/custom-data/${modelOf(parent)}/records/${child.record}`
  return [
    ["GET", path],
    ["PATCH", path, { values: { note: "x" }, expectedVersion }],
    ["DELETE", path]
  ]
}

const routes: ReadonlyArray<Route> = [
  ["PATCH", (parent, child) => `/OpChatRooms/${parent.chat}/messages/${child.chatMessage}`, edit],
  ["DELETE", (parent, child) => `/OpChatRooms/${parent.chat}/messages/${child.chatMessage}`],
  ["PATCH", (parent, child) => `/Ticket/${parent.ticket}/messages/${child.ticketMessage}`, edit],
  ["DELETE", (parent, child) => `/Ticket/${parent.ticket}/messages/${child.ticketMessage}`],
  // A message of the other kind of appeal.
  ["PATCH", (parent, child) => `/OpChatRooms/${parent.chat}/messages/${child.ticketMessage}`, edit],
  ["DELETE", (parent, child) => `/Ticket/${parent.ticket}/messages/${child.chatMessage}`],
  [
    "PATCH",
    (parent, child) => `/quality/assessments/${parent.assessment}/criteria/${child.criterion}`,
    { result: "violated", comment: "x", expectedVersion }
  ],
  ...records((parent) => parent.model),
  // The caller has a model of the same name, and the record another.
  ...records(() => "same"),
  ["GET", (parent, child) => `/bots/${parent.bot}/nodes/${child.node}`],
  ["PATCH", (parent, child) => `/bots/${parent.bot}/nodes/${child.node}`, { name: "x" }],
  ["POST", (parent, child) => `/kw/api/call_node/${parent.bot}/${child.node}/web/${parent.chatId}`, call],
  ["POST", (parent, child) => `/kw/api/call_node/${child.bot}/${parent.node}/web/${parent.chatId}`, call]
]

/** The second id is a text of the caller's own client or bot. */
const ofText = new Set(["getClientState", "setClientState", "listClientStateHistory", "receiveInbound"])

layer(RestFixtures)("a path with two ids", (it) => {
  it.effect("a child in the path of another parent is not found and not changed", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const { admin: foreigner } = yield* newInstance
      const own = yield* makeRecords(admin)
      const tried = new Set<string>()
      const snapshots = [
        yield* makeSnapshot(admin.instanceId),
        yield* makeSnapshot(foreigner.instanceId)
      ] as const
      const others = [yield* makeRecords(admin), yield* makeRecords(foreigner)] as const
      const before = [yield* snapshots[0], yield* snapshots[1]]
      for (const child of others) {
        for (const [method, path, body] of routes) {
          const at = path(own, child)
          const answer = yield* admin.call(method, at, body)
          const what = `${method} ${at}: ${answer.status} ${answer.text}`
          assert.strictEqual(answer.status, 404, what)
          assert.strictEqual(answer.body.code, "NOT_FOUND", what)
          assert.notInclude(answer.text, CANARY, what)
          tried.add(endpointOf(method, at).identifier)
        }
      }
      const [, foreign] = others
      const theirs = `/kw/api/call_node/${own.bot}/${own.node}/web/${foreign.chatId}`
      expectStatus(yield* admin.post(theirs, call), 404, "NOT_FOUND")
      assert.deepStrictEqual([yield* snapshots[0], yield* snapshots[1]], before)

      const missing: Array<string> = []
      HttpApi.reflect(Api, {
        onGroup: () => undefined,
        onEndpoint: ({ endpoint: { identifier, path } }) => {
          const ids = path.match(/:[A-Za-z]|\{/gu) ?? []
          if (ids.length > 1 && !tried.has(identifier) && !ofText.has(identifier)) missing.push(identifier)
        }
      })
      assert.deepStrictEqual(missing, [])
    })
  )

  it.effect("a name that only another tenant uses reads and writes nothing of that tenant", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const { admin: foreigner } = yield* newInstance
      const { id: own } = yield* admin.make("/clients", { name: "Олена" })
      const { id: theirs } = yield* foreigner.make("/clients", { name: CANARY })
      const value = { expectedVersion: 0, state: { note: CANARY } }
      expectStatus(yield* foreigner.put(state(theirs), value), 200)
      yield* foreigner.make("/properties", { entity: "client", name: "tier", label: CANARY, type: "string" })
      const before = yield* makeSnapshot(foreigner.instanceId)
      const rows = yield* before

      const read = yield* admin.get(state(own))
      assert.notInclude(read.text, CANARY)
      const history = yield* admin.get(`${state(own)}/history`)
      assert.notInclude(history.text, CANARY)
      expectStatus(yield* admin.put(state(own), { expectedVersion: 1, state: {} }), 409)
      expectStatus(yield* admin.put(state(own), { expectedVersion: 0, state: {} }), 200)
      const properties = yield* admin.put(`/clients/${own}/properties`, { values: { tier: "x" } })
      expectStatus(properties, 400, "INVALID_REQUEST")
      assert.notInclude(properties.text, CANARY)
      assert.deepStrictEqual(yield* before, rows)
    })
  )
})
