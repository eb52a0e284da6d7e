// The bounds of the writing routes, met exactly and passed by one: contract §4, §5, §10; and what a replay shows, §1.3.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { expectFaults, expectStatus, member, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

const action = { type: "t", occurredAt: "2026-03-01T08:00:00Z", actorType: "client" }
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
/** A text of so many bytes in UTF-8, most of its letters taking two. */
const textOf = (length: number) => "ї".repeat(Math.floor(length / 2)) + "a".repeat(length % 2)

/** An object of so many bytes of JSON. */
const objectOf = (length: number) => ({ a: textOf(length - bytes({ a: "" })) })

const world = Effect.gen(function* () {
  const { admin: who, rest } = yield* newInstance
  const client = yield* who.makeId("/clients", { name: "Олена" })
  const { post, put } = who
  const session = Effect.map(
    who.make("/kw/context/sessions", { clientId: client }),
    ({ id }) => `/kw/context/sessions/${id}`
  )
  return { rest, who, client, post, put, session }
})

layer(RestFixtures)("writes", (it) => {
  it.effect("If-Match means the same as expectedVersion or is refused, never ignored", () =>
    Effect.gen(function* () {
      const { client, put, session, who } = yield* world
      const writes = [
        { path: `/kw/clients/${client}/context/state/crm`, body: { state: { a: 1 } } },
        { path: `${yield* session}/working-context`, body: { workingContext: { goals: ["a"] } } }
      ]
      for (const { body, path } of writes) {
        const first = yield* put(path, { ...body, expectedVersion: 0 })
        assert.strictEqual(first.headers.get("etag"), '"1"')
        for (const etag of ['"2"', "*", 'W/"1"', '"1", "2"', "1"]) {
          const refused = yield* put(path, { ...body, expectedVersion: 1 }, { "if-match": etag })
          expectStatus(refused, 400, "INVALID_REQUEST")
        }
        const matched = Effect.suspend(() =>
          put(path, { ...body, expectedVersion: 1 }, { "if-match": '"1"' })
        )
        expectStatus(yield* matched, 200)
        expectStatus(yield* matched, 409, "VERSION_CONFLICT")
      }
      // Where no version is compared.
      const root = `/broadcasts/templates/${yield* who.makeId("/broadcasts/templates", { name: "t", text: "x" })}`
      for (const refused of [
        yield* who.remove(root, { "if-match": '"7"' }),
        yield* put(`/clients/${client}/properties`, { values: {} }, { "if-match": '"1"' })
      ])
        expectFaults(refused, ["If-Match"])
      expectStatus(yield* who.remove(root), 204)
    })
  )

  it.effect("texts and objects are accepted up to their limit of bytes, and one byte more is refused", () =>
    Effect.gen(function* () {
      const { client, post, put, session } = yield* world
      const path = yield* session
      const messages = `${path}/messages`
      const full = textOf(1_048_576)
      expectStatus(yield* post(messages, { role: "tool", content: full }), 201)
      expectStatus(yield* post(messages, { role: "tool", content: `${full}a` }), 413, "PAYLOAD_TOO_LARGE")
      // Escapes do not count.
      const escaped = full.replaceAll("ї", "\\u0457")
      expectStatus(yield* post(messages, `{"role":"tool","content":"${escaped}"}`), 201)
      const context = `${path}/working-context`
      const lists = { goals: [""], tasks: [], entities: [], assertions: [], sources: [] }
      for (const [length, status] of [
        [8_193, 413],
        [8_192, 200]
      ] as const) {
        const workingContext = { ...lists, goals: [textOf(length - bytes(lists))] }
        assert.strictEqual(bytes(workingContext), length)
        expectStatus(yield* put(context, { expectedVersion: 0, workingContext }), status)
      }
      const actions = `/kw/clients/${client}/context/actions`
      const state = `/kw/clients/${client}/context/state/crm`
      expectStatus(yield* post(actions, { ...action, payload: objectOf(65_536) }), 201)
      expectStatus(yield* post(actions, { ...action, payload: objectOf(65_537) }), 413, "PAYLOAD_TOO_LARGE")
      const over = { expectedVersion: 0, state: objectOf(65_537) }
      expectStatus(yield* put(state, over), 413, "PAYLOAD_TOO_LARGE")
      expectStatus(yield* put(state, { expectedVersion: 0, state: objectOf(65_536) }), 200)
      const merge = { expectedVersion: 1, state: { b: 1 }, mode: "merge" }
      expectStatus(yield* put(state, merge), 413, "PAYLOAD_TOO_LARGE")
      expectStatus(yield* put(state, { ...merge, state: { a: null, b: 1 } }), 200)
    })
  )

  it.effect("a batch of 100 items and of 1 MiB is accepted, 101 items are 400, one byte more is 413", () =>
    Effect.gen(function* () {
      const { client, post } = yield* world
      const path = "/kw/context/import-batches"
      const item = { kind: "action", clientId: client, data: action }
      const items = (count: number) =>
        Array.from({ length: count }, (_, n) => ({ ...item, externalId: `${n}` }))
      const hundred = yield* post(path, { source: "s", items: items(100) })
      expectStatus(hundred, 201)
      assert.deepInclude(hundred.body.batch, { status: "completed", succeeded: 100 })
      expectStatus(yield* post(path, { source: "s", items: items(101) }), 400, "INVALID_REQUEST")
      expectStatus(yield* post(path, { source: "s", items: [] }), 400, "INVALID_REQUEST")
      const opened = { kind: "session", clientId: client, externalId: "open", data: {} }
      expectStatus(yield* post(path, { source: "s", items: [opened] }), 201)
      const fillBatch = (length: number) => {
        const message = { kind: "message", sessionExternalId: "open", externalId: `m-${length}` }
        const withText = (content: string) => [{ ...message, data: { content, role: "tool" } }]
        return { source: "s", items: withText(textOf(length - bytes(withText("")))) }
      }
      assert.strictEqual(bytes(fillBatch(1_048_576).items), 1_048_576)
      const full = yield* post(path, fillBatch(1_048_576))
      expectStatus(full, 201)
      assert.strictEqual(full.body.batch.status, "completed", full.text.slice(0, 500))
      expectStatus(yield* post(path, fillBatch(1_048_577)), 413, "PAYLOAD_TOO_LARGE")
    })
  )

  it.effect(
    "an import item too large for its own route fails with the code of that route, and only that item",
    () =>
      Effect.gen(function* () {
        const { client, post } = yield* world
        const state = (size: number) => ({ namespace: "crm", expectedVersion: 0, state: objectOf(size) })
        const items = [
          ["action", { ...action, payload: objectOf(65_536) }],
          ["action", { ...action, payload: objectOf(65_537) }],
          ["action", { ...action, stateUpdate: state(65_537) }],
          ["state", state(65_537)],
          ["session", { metadata: objectOf(16_385) }],
          ["action", action]
        ].map(([kind, data], n) => ({ kind, clientId: client, externalId: `large-${n}`, data }))
        const { body } = yield* post("/kw/context/import-batches", { source: "s", items })
        const tooLarge = "PAYLOAD_TOO_LARGE"
        const codes = [undefined, tooLarge, tooLarge, tooLarge, "INVALID_REQUEST", undefined]
        assert.deepStrictEqual(body.batch.items.map(member("code")), codes)
        assert.strictEqual(body.batch.status, "completed_with_errors")
      })
  )

  it.effect("a fault outside data refuses the import batch at its path, and nothing is written", () =>
    Effect.gen(function* () {
      const { client, post, who } = yield* world
      const path = "/kw/context/import-batches"
      const item = { kind: "action", clientId: client, externalId: "a", data: action }
      const message = { kind: "message", externalId: "m", data: { role: "client", content: "Привіт" } }
      const faulty = [
        [message, "sessionExternalId", "is required for a message"],
        [{ ...item, sessionExternalId: "s" }, "sessionExternalId", "is allowed only for a message"],
        [{ ...item, clientId: "501" }, "clientId", "must be a positive integer"],
        [{ ...item, data: [] }, "data", "must be an object"]
      ] as const
      const answer = yield* post(path, { source: "s", items: [item, ...faulty.map(([one]) => one)] })
      expectStatus(answer, 400, "INVALID_REQUEST")
      assert.sameDeepMembers(
        answer.body.errors,
        faulty.map(([, member, said], i) => ({ path: `items[${i + 1}].${member}`, message: said }))
      )
      assert.strictEqual((yield* who.read(`/kw/clients/${client}/context/actions`)).total, 0)
    })
  )

  it.effect("a replay is the first response byte for byte except replayed, and is marked in the header", () =>
    Effect.gen(function* () {
      const { client, post } = yield* world
      const path = `/kw/clients/${client}/context/actions`
      const headers = { "idempotency-key": "k-1" }
      const members = { type: "t", actorType: "operator", actorId: 31, payload: { sum: 1, ї: "й" } }
      const first = yield* post(path, { ...members, occurredAt: "2026-03-01T08:00:00Z" }, headers)
      expectStatus(first, 201)
      assert.isNull(first.headers.get("idempotency-replayed"))
      // Another offset, another order, 1.0 for 1, other code points, a quoted key: the same command.
      const again = yield* post(
        path,
        `{"payload":{"\\u0457":"${"й".normalize("NFD")}","sum":1.0},"actorId":31,"actorType":"operator",
          "occurredAt":"2026-03-01T10:00:00.000+02:00","type":"t"}`,
        { "idempotency-key": '"k-1"' }
      )
      expectStatus(again, 200)
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.strictEqual(again.text, first.text.replace('"replayed":false', '"replayed":true'))
      const other = yield* post(path, { ...members, occurredAt: "2026-03-01T08:00:00.001Z" }, headers)
      expectStatus(other, 422, "IDEMPOTENCY_KEY_REUSED")
    })
  )

  it.effect("an Idempotency-Key is required on actions, state and imports, and an empty one is missing", () =>
    Effect.gen(function* () {
      const { client, rest, who } = yield* world
      const item = { kind: "session", clientId: client, externalId: "x", data: {} }
      for (const headers of [{}, { "idempotency-key": '""' }])
        for (const [method, path, body] of [
          ["POST", `/kw/clients/${client}/context/actions`, action],
          ["PUT", `/kw/clients/${client}/context/state/crm`, { expectedVersion: 0, state: {} }],
          ["POST", "/kw/context/import-batches", { source: "s", items: [item] }]
        ] as const) {
          const answer = yield* rest.call(who, method, path, body, headers)
          expectStatus(answer, 400, "IDEMPOTENCY_KEY_REQUIRED")
          assert.deepStrictEqual(answer.body.errors, [{ path: "Idempotency-Key", message: "is required" }])
        }
    })
  )

  it.effect("an omitted member and its default are one command", () =>
    Effect.gen(function* () {
      const { client, post } = yield* world
      const connector = { channel: "web", kind: "webhook", url: "https://chat.example.com/" }
      const chat = { clientId: client, channel: "web" }
      const ticket = { clientId: client, title: "Т" }
      const named = { namespace: "defaults", state: {} }
      const batch = (ofAction: object, ofState: object) => ({
        source: "s",
        items: [
          { kind: "action", clientId: client, externalId: "d-1", data: { ...action, ...ofAction } },
          { kind: "state", clientId: client, externalId: "d-2", data: { ...named, ...ofState } }
        ]
      })
      const pairs: ReadonlyArray<readonly [string, object, object]> = [
        ["/clients", { name: "К" }, { name: "К", tags: [], identities: [] }],
        ["/kw/context/sessions", { clientId: client }, { clientId: client, metadata: {} }],
        ["/OpChatRooms", chat, { ...chat, priority: "normal", tags: [], isOutgoing: false, messages: [] }],
        ["/Ticket", ticket, { ...ticket, tags: [], chatIds: [], customFields: {}, messages: [] }],
        ["/bots", { name: "Б" }, { name: "Б", active: true, connectors: [] }],
        [
          "/bots",
          { name: "Б", connectors: [connector] },
          { name: "Б", active: true, connectors: [{ ...connector, active: true }] }
        ],
        ["/kw/context/import-batches", batch({}, {}), batch({ payload: {} }, { mode: "replace" })]
      ]
      for (const [path, bare, full] of pairs) {
        const headers = { "idempotency-key": randomUUID() }
        expectStatus(yield* post(path, bare, headers), 201)
        const again = yield* post(path, full, headers)
        expectStatus(again, 200)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true", path)
      }
    })
  )

  it.effect("a refused write leaves its key free and no entry in the audit log", () =>
    Effect.gen(function* () {
      const { client, post, put, who } = yield* world
      const sql = yield* SqlClient.SqlClient
      const headers = { "idempotency-key": randomUUID() }
      const path = `/kw/clients/${client}/context/state/crm`
      expectStatus(yield* put(path, { expectedVersion: 3, state: {} }, headers), 409, "VERSION_CONFLICT")
      expectStatus(yield* put(path, { expectedVersion: 0, state: {} }, headers), 200)
      const log = yield* who.read(`/audit-log?filter[entityId]=${client}&filter[action]=client.state.put`)
      assert.strictEqual(log.total, 1)
      for (const [path, body] of [
        ["/kw/context/sessions", { clientId: client, appealId: 1 }],
        ["/OpChatRooms", { clientId: client, channel: "web", subjectId: 1 }],
        ["/Ticket", { clientId: client, title: "Т", subjectId: 1 }]
      ] as const) {
        const free = randomUUID()
        expectStatus(yield* post(path, body, { "idempotency-key": free }), 400, "INVALID_REQUEST")
        assert.deepStrictEqual(yield* sql`select key from receipts where key = ${free}`, [], path)
      }
    })
  )

  it.effect("a replay returns the stored response after the session is closed", () =>
    Effect.gen(function* () {
      const { post, session } = yield* world
      const path = yield* session
      const message = { role: "client", content: "Дякую" }
      const add = post(`${path}/messages`, message, { "idempotency-key": "k" })
      const first = yield* add
      expectStatus(yield* post(`${path}/close`), 200)
      assert.deepStrictEqual((yield* add).body, { ...first.body, replayed: true })
      expectStatus(yield* post(`${path}/messages`, message), 409, "SESSION_CLOSED")
    })
  )
})
