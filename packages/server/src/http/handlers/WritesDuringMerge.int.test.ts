// Writes that name a client while it is merged: no row keeps the old id, where no erasure would find it (contract §9,
// "Clients").
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { moveClient } from "../../postgres/clients/ClientMerge.ts"
import { selectedCount } from "../../postgres/sql/Query.ts"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { expectStatus, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

const at = "2026-01-01T08:00:00Z"
const action = { type: "x", occurredAt: at, actorType: "client" }

const batch = (clientId: number) => ({
  source: "crm",
  items: [
    { kind: "action", externalId: "e", clientId, data: action },
    { kind: "state", externalId: "s", clientId, data: { namespace: "new", state: {} } },
    { kind: "session", externalId: "s", clientId, data: {} }
  ]
})

/** Tables with rows of a client. */
const tables = [
  "client_actions",
  "client_state",
  "client_state_history",
  "context_sessions",
  "session_messages",
  "imported_states",
  "appeals"
]

const world = Effect.gen(function* () {
  const { admin: who, instance } = yield* newInstance
  const send = (method: string, path: string, body?: unknown) =>
    who.call(method, path, body, method === "GET" ? {} : { "idempotency-key": randomUUID() })
  return { instance, send, who, client: who.makeId("/clients", { name: "Олена" }) }
})

layer(RestFixtures, { excludeTestServices: true, timeout: 60_000 })(
  "while a client is merged or erased",
  (it) => {
    const phone = "+380441112233"
    const stateOf = { expectedVersion: 1, state: { b: 2 } }
    const stateUpdate = { namespace: "crm", expectedVersion: 1, state: { c: 3 } }
    it.effect.each<
      readonly [
        what: string,
        (a: number, session: string, ticket: number) => readonly [string, string, object]
      ]
    >([
      ["an action", (a) => ["POST", `/kw/clients/${a}/context/actions`, action]],
      ["an event", (a) => ["POST", `/kw/clients/${a}/context/actions`, { ...action, externalEventId: "e" }]],
      [
        "an action with a state",
        (a) => ["POST", `/kw/clients/${a}/context/actions`, { ...action, stateUpdate }]
      ],
      [
        "a first state",
        (a) => ["PUT", `/kw/clients/${a}/context/state/web`, { ...stateOf, expectedVersion: 0 }]
      ],
      ["a state", (a) => ["PUT", `/kw/clients/${a}/context/state/crm`, stateOf]],
      ["a merged state", (a) => ["PUT", `/kw/clients/${a}/context/state/crm`, { ...stateOf, mode: "merge" }]],
      ["a session", (a) => ["POST", "/kw/context/sessions", { clientId: a }]],
      [
        "a message",
        (_, id) => ["POST", `/kw/context/sessions/${id}/messages`, { role: "client", content: "т" }]
      ],
      ["an import", (a) => ["POST", "/kw/context/import-batches", batch(a)]],
      ["a change", (a) => ["PATCH", `/clients/${a}`, { expectedVersion: 1, phone }]],
      ["a property", (a) => ["PUT", `/clients/${a}/properties`, { values: { tier: "gold" } }]],
      ["a chat", (a) => ["POST", "/OpChatRooms", { clientId: a, channel: "web" }]],
      ["a ticket", (_, __, id) => ["PATCH", `/Ticket/${id}`, { expectedVersion: 1, title: "Рахунок" }]]
    ])("%s written during a merge belongs to the survivor", ([, request]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { client, instance, send, who } = yield* world
        const [a, b] = [yield* client, yield* client]
        yield* who.make("/properties", { entity: "client", name: "tier", label: "Tier", type: "string" })
        const first = { expectedVersion: 0, state: { a: 1 } }
        expectStatus(yield* send("PUT", `/kw/clients/${a}/context/state/crm`, first), 200)
        const session = yield* who.make("/kw/context/sessions", { clientId: a })
        const ticket = yield* who.makeId("/Ticket", { clientId: a, title: "т" })
        // The transaction of ClientStore.merge between its locks and its moves.
        const endMerge = yield* openTransaction(
          sql`select 1 from clients where id in (${a}, ${b}) order by id for update`,
          moveClient(sql, instance, a, b)
        )
        const writing = yield* Effect.forkChild(send(...request(a, session.id, ticket)))
        yield* untilWaiting
        // A write that waits for the client has locked none of its rows, or the merge would deadlock.
        const states = yield* sql`select 1 from client_state where client_id = ${a} for update skip locked`
        const appeals = yield* sql`select 1 from appeals where client_id = ${a} for update skip locked`
        assert.deepStrictEqual([states.length, appeals.length], [1, 1])
        yield* endMerge
        const answer = yield* Fiber.join(writing)
        assert.include([200, 201], answer.status, answer.text)
        const items: ReadonlyArray<{ status: string }> = answer.body.batch?.items ?? []
        for (const { status } of items) assert.strictEqual(status, "succeeded", answer.text)
        for (const table of tables) {
          const left = yield* selectedCount(
            sql`select count(*)::float8 as count from ${sql(table)} where client_id = ${a}`
          )
          assert.strictEqual(left, 0, `${table} names the client that was merged`)
        }
        const values = yield* selectedCount(sql`select count(*)::float8 as count from property_values
        where instance_id = ${instance} and entity = 'client' and entity_id = ${a}`)
        assert.strictEqual(values, 0)
        const lost = yield* selectedCount(sql`select count(*)::float8 as count from client_state s
        where s.client_id = ${b} and s.version <> (select count(*) from client_state_history history
          where history.client_id = s.client_id and history.namespace = s.namespace)`)
        assert.strictEqual(lost, 0, "a state without its history")
        if (request(a, "", 0)[1] === `/clients/${a}`)
          assert.deepInclude((yield* send("GET", `/clients/${b}`)).body, { id: b, phone })
      })
    )

    it.effect.each<
      readonly [what: string, (client: number, round: number) => readonly [string, string, object]]
    >([
      ["actions", (client) => ["POST", `/kw/clients/${client}/context/actions`, action]],
      [
        "states",
        (id, expectedVersion) => [
          "PUT",
          `/kw/clients/${id}/context/state/crm`,
          { expectedVersion, state: {} }
        ]
      ],
      ["chats", (client) => ["POST", "/OpChatRooms", { clientId: client, channel: "web" }]]
    ])("%s of other clients do not wait for the merge", ([, request]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { client, send } = yield* world
        // The first and the third client share a lane.
        const [merged, , other] = [yield* client, yield* client, yield* client]
        for (const id of [merged, other]) yield* send(...request(id, 0))
        const release = yield* openTransaction(sql`select 1 from clients where id = ${merged} for update`)
        const waiting: Array<Fiber.Fiber<{ readonly status: number }>> = []
        const statuses: Array<number> = []
        // More writes than an instance may have concurrent statements.
        for (let round = 1; round < 6; round++) {
          waiting.push(yield* Effect.forkChild(send(...request(merged, round))))
          statuses.push((yield* send(...request(other, round))).status)
        }
        yield* untilWaiting
        for (const status of statuses) assert.include([200, 201], status)
        assert.isUndefined(waiting[0]?.pollUnsafe())
        yield* release
        const first = waiting[0] && (yield* Fiber.join(waiting[0]))
        assert.include([200, 201], first?.status)
      })
    )

    it.effect("the second of two merges locks the survivor of the first", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { client, instance, send } = yield* world
        const [a, b, c] = [yield* client, yield* client, yield* client]
        const endMerge = yield* openTransaction(moveClient(sql, instance, a, b))
        const endWrite = yield* openTransaction(
          sql`select 1 from clients where id = ${b} for key share`,
          sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
            values (${instance}, ${b}, 'crm', ${randomUUID()}::uuid, 1, '{}', now())`
        )
        const merging = yield* Effect.forkChild(send("POST", `/clients/${a}/merge`, { intoId: c }))
        yield* untilWaiting
        yield* endMerge
        yield* Effect.sleep("50 millis")
        yield* untilWaiting
        yield* endWrite
        expectStatus(yield* Fiber.join(merging), 200)
        expectStatus(yield* send("GET", `/kw/clients/${c}/context/state/crm`), 200)
        const left = yield* selectedCount(
          sql`select count(*)::float8 as count from client_state where client_id in (${a}, ${b})`
        )
        assert.strictEqual(left, 0)
      })
    )

    it.effect("a session of an erased client is unknown immediately and accepts nothing", () =>
      Effect.gen(function* () {
        const { client, send, who } = yield* world
        const clientId = yield* client
        const made = yield* who.make("/kw/context/sessions", { clientId, externalSessionId: "conv" })
        const session = `/kw/context/sessions/${made.id}`
        expectStatus(yield* send("POST", `/clients/${clientId}/erase`), 202)
        const message = { role: "client", content: "Є тут хто?" }
        for (const [method, path, body] of [
          ["POST", "/messages", message],
          ["PUT", "/working-context", { expectedVersion: 0, workingContext: { goals: ["g"] } }],
          ["POST", "/close", undefined],
          ["GET", "/messages", undefined],
          ["GET", "", undefined]
        ] as const)
          expectStatus(yield* send(method, `${session}${path}`, body), 404)
        const items = [{ kind: "message", sessionExternalId: "conv", externalId: "m", data: message }]
        const batch = yield* send("POST", "/kw/context/import-batches", { source: "crm", items })
        assert.deepInclude(batch.body.batch.items[0], { status: "failed", code: "INVALID_REQUEST" })
      })
    )
  }
)
