// Writes and lists that begin with a remembered session: what was changed or ended meanwhile is found by their own statement
// (docs/contract.md §2).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { selectedCount } from "../../postgres/sql/Query.ts"
import { Rest, RestFixtures, type Who } from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const rest = yield* Rest
  const instance = yield* rest.instance
  const admin = yield* rest.user(instance, ["administrator"])
  const user = yield* rest.user(instance, ["administrator"])
  const client = (yield* rest.call(admin, "POST", "/clients", { name: "Клієнт" })).body.id
  const chat = yield* rest.call(admin, "POST", "/OpChatRooms", { clientId: client, channel: "web" })
  assert.strictEqual(chat.status, 201, chat.text)
  const context = `/kw/clients/${client}/context`
  const action = { type: "order.created", occurredAt: "2026-03-01T08:00:00Z", actorType: "client" }
  const write = (who: Who, method: string, path: string, body: object) =>
    Effect.map(
      rest.call(who, method, path, body, { "idempotency-key": randomUUID() }),
      ({ status }) => status
    )
  const read = (path: string) => (who: Who) => Effect.map(rest.call(who, "GET", path), ({ status }) => status)
  const next = Effect.map(rest.call(admin, "GET", `${context}/state/crm`), ({ body }) => ({
    expectedVersion: body.version ?? 0,
    state: { крок: 1 }
  }))
  const register = (body: object) => (who: Who) => write(who, "POST", `${context}/actions`, body)
  const put = (more: object) => (who: Who) =>
    Effect.flatMap(next, (state) => write(who, "PUT", `${context}/state/crm`, { ...state, ...more }))
  const routes: ReadonlyArray<(who: Who) => Effect.Effect<number>> = [
    put({}),
    put({ mode: "merge" }),
    register(action),
    (who) => register({ ...action, externalEventId: randomUUID() })(who),
    (who) =>
      Effect.flatMap(next, (state) =>
        register({ ...action, stateUpdate: { namespace: "crm", ...state } })(who)
      ),
    read(`${context}/state/crm`),
    read(`${context}/state`),
    read(`${context}/state/crm/history`),
    read(`${context}/actions`),
    read("/OpChatRooms/list"),
    read("/Ticket/list"),
    (who) => write(who, "POST", "/OpChatRooms", { clientId: client, channel: "web" }),
    (who) => write(who, "POST", "/OpChatRooms", { clientId: client, channel: "web", messages: HISTORY }),
    // One that is written in several statements.
    (who) => write(who, "POST", "/OpChatRooms", { clientId: client, channel: "web", messages: LONG_HISTORY })
  ]
  const all = (who: Who) => Effect.forEach(routes, (route) => route(who))
  const written = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    selectedCount(sql`select count(*)::float8 as count from audit_log where instance_id = ${instance}
      and action in ('client.action.register', 'client.state.put', 'chat.create') and actor_id = ${user.id}`)
  )
  return { rest, client, user, routes, all, written }
})

/** Places among the routes. */
const PUT_STATE = 0
const REGISTER = 2

const writes = [200, 200, 201, 201, 201]
const reads = [200, 200, 200, 200, 200, 200]
const creates = [201, 201, 201]

const message = { authorType: "client", text: "Доброго дня", occurredAt: "2026-03-01T08:00:00Z" }
const HISTORY = [message]
const LONG_HISTORY = Array.from({ length: 6 }, () => ({ ...message, text: "Слово ".repeat(10_000) }))

const listed = (user: Who) =>
  Effect.gen(function* () {
    const rest = yield* Rest
    return (yield* rest.call(user, "GET", "/OpChatRooms/list")).body.total
  })

/** Longer than an authentication may take, and shorter than a statement. */
const SLOW_SECONDS = 2.6

layer(RestFixtures, { excludeTestServices: true })("a remembered session", (it) => {
  it.effect("whose write takes long answers what it wrote, not that it was written before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { all, client, routes, user, written } = yield* world
      yield* all(user)
      yield* all(user)
      const before = yield* written
      yield* sql`create function slow() returns trigger language plpgsql as
        'begin perform pg_sleep(${sql.literal(String(SLOW_SECONDS))}); return new; end'`
      for (const [place, table] of [
        [PUT_STATE, "client_state"],
        [REGISTER, "client_actions"]
      ] as const) {
        yield* sql`create trigger slow before insert or update on ${sql(table)} for each row
          when (new.client_id = ${sql.literal(String(client))}) execute function slow()`
        assert.strictEqual(yield* routes[place]?.(user) ?? Effect.succeed(0), writes[place])
        yield* sql`drop trigger slow on ${sql(table)}`
      }
      yield* sql`drop function slow`
      assert.strictEqual(yield* written, before + 2)
    })
  )

  it.effect("that has ended is 401 on every route, and writes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { all, routes, user, written } = yield* world
      for (let round = 0; round < 2; round++)
        assert.deepStrictEqual(yield* all(user), [...writes, ...reads, ...creates])
      const before = yield* written
      const family = sql`refresh_families set revoked_at`
      for (const [at, route] of routes.entries()) {
        yield* sql`update ${family} = now() where user_id = ${user.id}`
        // The first request since is the one that finds it out.
        assert.strictEqual(yield* route(user), 401, `route ${at}`)
        yield* sql`update ${family} = null where user_id = ${user.id}`
        yield* listed(user)
      }
      assert.strictEqual(yield* written, before)
    })
  )

  it.effect("of a user with another role may what this role may, and sees what it sees", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { all, user, written } = yield* world
      const total = listed(user)
      yield* all(user)
      assert.strictEqual(yield* total, 1 + creates.length)
      const before = yield* written
      // Operators see their own chats alone, and of clients those of these chats.
      yield* sql`update users set roles = '{operator}' where id = ${user.id}`
      assert.strictEqual(yield* total, 0)
      assert.deepStrictEqual(
        yield* all(user),
        [404, 404, 404, 404, 404, 404, 404, 404, 404, 200, 200, 400, 403, 413]
      )
      yield* sql`update users set roles = '{qa_specialist}' where id = ${user.id}`
      const statuses = yield* all(user)
      assert.deepStrictEqual([...statuses.slice(0, 5), ...statuses.slice(-3)], [...Array(7).fill(403), 413])
      assert.strictEqual(yield* written, before)
      yield* sql`update users set roles = '{administrator}' where id = ${user.id}`
      assert.deepStrictEqual(yield* all(user), [...writes, ...reads, ...creates])
      assert.strictEqual(yield* total, 1 + 2 * creates.length)
    })
  )

  it.effect("of a user who became an operator opens chats that are theirs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, rest, user } = yield* world
      const open = Effect.map(
        rest.call(user, "POST", "/OpChatRooms", { clientId: client, channel: "web", messages: HISTORY }),
        ({ body }) => body.chat.operatorId
      )
      assert.isNull(yield* open)
      assert.isNull(yield* open)
      yield* sql`update users set roles = '{administrator,operator}' where id = ${user.id}`
      assert.strictEqual(yield* open, user.id)
      yield* sql`update users set roles = '{administrator}' where id = ${user.id}`
      assert.isNull(yield* open)
    })
  )
})
