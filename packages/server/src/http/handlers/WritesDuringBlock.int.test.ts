// Appeals that are assigned to a user while the user is blocked: no appeal stays with the blocked user (contract §7,
// operatorId; §9, block).
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { selectedCount } from "../../postgres/sql/Query.ts"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { expectStatus, newInstance, RestFixtures, type RestCaller } from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const operator = yield* rest.user(instance, ["operator"])
  const client = yield* admin.makeId("/clients", { name: "Олена" })
  const chat = yield* admin.makeId("/OpChatRooms", { clientId: client, channel: "web" })
  const ticket = yield* admin.makeId("/Ticket", { clientId: client, title: "Рахунок" })
  const open = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    selectedCount(sql`select count(*)::float8 as count from appeals
      where instance_id = ${instance} and operator_id = ${operator.id} and status_group <> 'done'`)
  )
  return { admin, chat, client, open, operator, ticket }
})

type BodyOf = (clientId: number) => object
const assignments: ReadonlyArray<readonly [what: string, method: string, path: string, BodyOf]> = [
  ["a new chat", "POST", "/OpChatRooms", (clientId) => ({ clientId, channel: "web" })],
  ["a new ticket", "POST", "/Ticket", (clientId) => ({ clientId, title: "т" })],
  ["a chat", "PATCH", "/OpChatRooms/:chat", () => ({ expectedVersion: 1 })],
  ["a ticket", "PATCH", "/Ticket/:ticket", () => ({ expectedVersion: 1 })]
]

/** The transaction of a block after it has reassigned the appeals, before its commit. */
const beginBlock = (operator: RestCaller) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    openTransaction(
      Effect.andThen(
        sql`select 1 from users where id = ${operator.id} for update`,
        sql`update users set status = 'blocked' where id = ${operator.id}`
      )
    )
  )

layer(RestFixtures, { excludeTestServices: true, timeout: 60_000 })("while an operator is blocked", (it) => {
  it.effect.each(assignments)(
    "%s is not assigned to an operator while they are blocked",
    ([, method, path, bodyOf]) =>
      Effect.gen(function* () {
        const w = yield* world
        const end = yield* beginBlock(w.operator)
        const place = path.replace(":chat", String(w.chat)).replace(":ticket", String(w.ticket))
        const body = { ...bodyOf(w.client), operatorId: w.operator.id }
        const given = yield* Effect.forkChild(w.admin.call(method, place, body))
        yield* untilWaiting
        yield* end
        expectStatus(yield* Fiber.join(given), 409, "STATE_NOT_ALLOWED")
        assert.strictEqual(yield* w.open, 0)
      })
  )

  it.effect("a chat that an operator opens while they are blocked is not theirs", () =>
    Effect.gen(function* () {
      const w = yield* world
      // Without an appeal, or the operator may not name the client.
      const clientId = yield* w.admin.makeId("/clients", { name: "Іван" })
      const end = yield* beginBlock(w.operator)
      const body = { clientId, channel: "web" }
      const opening = yield* Effect.forkChild(w.operator.post("/OpChatRooms", body))
      yield* untilWaiting
      yield* end
      // A blocked user sees no client.
      assert.include([400, 401, 409], (yield* Fiber.join(opening)).status)
      assert.strictEqual(yield* w.open, 0)
    })
  )

  it.effect("an assignment concurrent with a block is handed over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const w = yield* world
      const end = yield* openTransaction(
        Effect.andThen(
          sql`select 1 from users where id = ${w.operator.id} for share`,
          sql`update appeals set operator_id = ${w.operator.id}, status = 'active', status_group = 'open'
            where id = ${w.chat}`
        )
      )
      const block = yield* Effect.forkChild(w.admin.post(`/users/${w.operator.id}/block`, {}))
      yield* untilWaiting
      yield* end
      expectStatus(yield* Fiber.join(block), 200)
      assert.strictEqual(yield* w.open, 0)
      const { body } = yield* w.admin.get(`/OpChatRooms/${w.chat}`)
      assert.deepInclude(body, { status: "waiting", operatorId: null })
    })
  )
})
