// Writes that name a client while it is merged: no row keeps the old id, where no erasure would find it (contract §9,
// "Clients").
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { moveClient } from "../../postgres/clients/ClientMerge.ts"
import { selectedCount } from "../../postgres/sql/Query.ts"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { expectStatus, newInstance, RestFixtures, runConcurrently } from "../../testing/RestFixtures.ts"

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
  return { instance, send: who.call, who, client: who.makeId("/clients", { name: "Олена" }) }
})

layer(RestFixtures, { excludeTestServices: true, timeout: 60_000 })(
  "while a client is merged or erased",
  (it) => {
    const phone = "+380441112233"
    const stateOf = { expectedVersion: 1, state: { b: 2 } }
    const stateUpdate = { namespace: "crm", expectedVersion: 1, state: { c: 3 } }
    const context = "/kw/clients/:client/context"
    it.effect.each<readonly [what: string, method: string, path: string, bodyOf: (client: number) => object]>(
      [
        ["an action", "POST", `${context}/actions`, () => action],
        ["an event", "POST", `${context}/actions`, () => ({ ...action, externalEventId: "e" })],
        ["an action with a state", "POST", `${context}/actions`, () => ({ ...action, stateUpdate })],
        ["a first state", "PUT", `${context}/state/web`, () => ({ ...stateOf, expectedVersion: 0 })],
        ["a state", "PUT", `${context}/state/crm`, () => stateOf],
        ["a merged state", "PUT", `${context}/state/crm`, () => ({ ...stateOf, mode: "merge" })],
        ["a session", "POST", "/kw/context/sessions", (clientId) => ({ clientId })],
        [
          "a message",
          "POST",
          "/kw/context/sessions/:session/messages",
          () => ({ role: "client", content: "т" })
        ],
        ["an import", "POST", "/kw/context/import-batches", batch],
        ["a change", "PATCH", "/clients/:client", () => ({ expectedVersion: 1, phone })],
        ["a property", "PUT", "/clients/:client/properties", () => ({ values: { tier: "gold" } })],
        ["a chat", "POST", "/OpChatRooms", (clientId) => ({ clientId, channel: "web" })],
        ["a ticket", "PATCH", "/Ticket/:ticket", () => ({ expectedVersion: 1, title: "Рахунок" })]
      ]
    )("%s written during a merge belongs to the survivor", ([, method, route, bodyOf]) =>
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
        const ids = new Map([
          [":client", a],
          [":session", session.id],
          [":ticket", ticket]
        ])
        const path = route.replace(/:\w+/u, (name) => String(ids.get(name)))
        const writing = yield* Effect.forkChild(send(method, path, bodyOf(a)))
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
        if (path === `/clients/${a}`)
          assert.deepInclude((yield* send("GET", `/clients/${b}`)).body, { id: b, phone })
      })
    )

    it.effect("writes of other clients do not wait for the merge", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { client, who } = yield* world
        const [merged, other] = [yield* client, yield* client]
        const register = (id: number) => who.post(`/kw/clients/${id}/context/actions`, action)
        const release = yield* openTransaction(sql`select 1 from clients where id = ${merged} for update`)
        // More writes than an instance may have concurrent statements.
        const waiting = yield* Effect.forkChild(runConcurrently(6, () => register(merged)))
        yield* untilWaiting
        for (let round = 0; round < 5; round++) expectStatus(yield* register(other), 201)
        assert.isUndefined(waiting.pollUnsafe())
        yield* release
        for (const answer of yield* Fiber.join(waiting)) expectStatus(answer, 201)
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
