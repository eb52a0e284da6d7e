// Users over HTTP on a real PostgreSQL: contract §9 (users), §2 (who may change whom).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectStatus, newInstance, RestFixtures, type RestCaller } from "../../testing/RestFixtures.ts"

const patch = (who: RestCaller, id: number, change: object) =>
  who.patch(`/users/${id}`, { expectedVersion: 1, ...change })
const setPresence = (who: RestCaller, of: RestCaller, presence: string) =>
  who.put(`/users/${of.id}/presence`, { presence })

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  let n = 0
  const body = (more: object = {}) => ({
    login: `u${instance}-${++n}`,
    password: "rapport-demo",
    firstName: "Іван",
    lastName: "Мельник",
    roles: ["operator"],
    ...more
  })
  const make = (more: object = {}, headers?: Record<string, string>) =>
    admin.post("/users", body(more), headers)
  return { rest, instance, admin, body, make }
})

layer(RestFixtures)("users", (it) => {
  it.effect("POST /users returns the record, and the groups of the user list them", () =>
    Effect.gen(function* () {
      const { admin, make } = yield* world
      const g = (yield* admin.make("/skill-groups", { name: "g" })).id
      const made = yield* make({ skillGroupIds: [g], capacity: 3, customFields: { team: "а" } })
      expectStatus(made, 201)
      const { createdAt: _, id, login: __, updatedAt: ___, ...members } = made.body
      const given = { capacity: 3, customFields: { team: "а" }, roles: ["operator"], skillGroupIds: [g] }
      const names = { firstName: "Іван", lastName: "Мельник", displayName: "Іван Мельник" }
      const usual = { status: "active", presence: "offline", version: 1, lastLoginAt: null }
      const none = { email: null, language: null, timezone: null }
      assert.deepStrictEqual(members, { ...given, ...names, ...usual, ...none })
      assert.deepStrictEqual((yield* admin.read(`/skill-groups/${g}`)).memberIds, [id])
      assert.strictEqual((yield* admin.get(`/users/${id}`)).text, made.text)
    })
  )

  it.effect("a password is part of the command, and no receipt contains it", () =>
    Effect.gen(function* () {
      const { admin, body } = yield* world
      const sql = yield* SqlClient.SqlClient
      const request = body({ password: "one long password" })
      const key = { "idempotency-key": "p" }
      expectStatus(yield* admin.post("/users", request, key), 201)
      expectStatus(yield* admin.post("/users", request, key), 200)
      const other = { ...request, password: "another password" }
      expectStatus(yield* admin.post("/users", other, key), 422, "IDEMPOTENCY_KEY_REUSED")
      const rows = yield* sql`select 1 from receipts where answer::text like '%one long%'`
      assert.strictEqual(rows.length, 0)
    })
  )

  it.effect("logins and e-mails are shown to managers of users and supervisors only, also in searches", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const login = `olha-${instance}`
      const names = { login, email: "olha@example.com", firstName: "Ольга", lastName: "Мельник" }
      const id = yield* admin.makeId("/users", { ...names, roles: ["operator"] })
      const shownContacts = Effect.fnUntraced(function* (who: RestCaller) {
        const one = yield* who.read(`/users/${id}`)
        const [row] = (yield* who.read(`/users?filter[id]=${id}`)).data
        assert.deepInclude(row, { login: one.login, email: one.email, displayName: "Ольга Мельник" })
        const found = [`filter[login]=${login}`, "filter[email][contains]=OLHA", `q=${login}`, "q=olha@"]
        for (const query of found)
          assert.strictEqual((yield* who.read(`/users?${query}`)).total, one.login === null ? 0 : 1, query)
        return [one.login, one.email]
      })
      const manager = yield* rest.token(admin, ["directory.read", "users.manage"])
      for (const who of [admin, manager, yield* rest.user(instance, ["supervisor"])])
        assert.deepStrictEqual(yield* shownContacts(who), [login, "olha@example.com"])
      const operator = yield* rest.user(instance, ["operator"])
      const token = yield* rest.token(admin, ["directory.read"])
      for (const who of [operator, token, yield* rest.user(instance, ["integrator"])])
        assert.deepStrictEqual(yield* shownContacts(who), [null, null])
      assert.isString((yield* operator.read(`/users/${operator.id}`)).login)
      assert.isString((yield* setPresence(operator, operator, "online")).body.login)
      assert.isString((yield* admin.read(`/users/${operator.id}`)).login)
    })
  )

  it.effect("a caller cannot grant a permission they lack, and the last administrator stays", () =>
    Effect.gen(function* () {
      const { admin, instance, make, rest } = yield* world
      const token = yield* rest.token(admin, ["users.manage", "directory.read", "context.read"])
      expectStatus(yield* patch(token, admin.id, { firstName: "x" }), 403, "ACCESS_DENIED")
      const analyst = (yield* make({ roles: [] })).body.id
      const granted = yield* patch(token, analyst, { roles: ["qa_specialist"] })
      expectStatus(granted, 403, "ACCESS_DENIED")
      assert.match(granted.body.detail, /^you do not hold .+ yourself$/u)
      expectStatus(yield* patch(token, analyst, { firstName: "x" }), 200)
      expectStatus(yield* patch(admin, admin.id, { roles: ["operator"] }), 409, "STATE_NOT_ALLOWED")
      expectStatus(yield* admin.post(`/users/${admin.id}/block`), 409, "STATE_NOT_ALLOWED")
      const second = yield* rest.user(instance, ["administrator"])
      expectStatus(yield* patch(second, admin.id, { roles: ["operator"] }), 200)
      expectStatus(yield* patch(admin, analyst, { firstName: "y" }), 403, "ACCESS_DENIED")
      // Of two who leave concurrently one stays.
      const third = yield* rest.user(instance, ["administrator"])
      const leave = (who: RestCaller) => patch(who, who.id, { roles: ["operator"] })
      const answers = yield* Effect.all([leave(second), leave(third)], { concurrency: 2 })
      assert.deepStrictEqual(answers.map((a) => a.status).toSorted(), [200, 409])
    })
  )

  it.effect("a blocked user is offline and their session stays 401 after unblocking", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* world
      const user = yield* rest.user(instance, ["operator"])
      expectStatus(yield* setPresence(user, user, "online"), 200)
      const blocked = yield* admin.post(`/users/${user.id}/block`, {})
      expectStatus(blocked, 200)
      assert.deepInclude(blocked.body, { status: "blocked", presence: "offline", version: 2 })
      assert.strictEqual((yield* admin.post(`/users/${user.id}/block`)).body.version, 2)
      expectStatus(yield* user.get(`/users/${user.id}`), 401, "UNAUTHENTICATED")
      const free = yield* admin.post(`/users/${user.id}/unblock`)
      assert.strictEqual(free.body.status, "invited", "the user never had a password")
      yield* (yield* SqlClient.SqlClient)`update users set status = 'active' where id = ${user.id}`
      expectStatus(yield* user.get(`/users/${user.id}`), 401, "UNAUTHENTICATED")
    })
  )

  it.effect("presence raises no version, and another user's presence needs users.manage", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* world
      const [a, b] = [yield* rest.user(instance, ["operator"]), yield* rest.user(instance, ["operator"])]
      const own = yield* setPresence(a, a, "away")
      assert.deepInclude(own.body, { presence: "away", version: 1 })
      expectStatus(yield* setPresence(a, b, "away"), 403, "ACCESS_DENIED")
      expectStatus(yield* setPresence(admin, b, "online"), 200)
      expectStatus(yield* setPresence(admin, b, "gone"), 400, "INVALID_REQUEST")
    })
  )
})
