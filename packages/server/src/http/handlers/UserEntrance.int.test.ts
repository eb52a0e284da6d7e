// Passwords and invitations over HTTP on a real PostgreSQL (contract §2).
import { assert, layer } from "@effect/vitest"
import { permissions, permissionsOf } from "@rapport/contract/Authorization.ts"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { expectStatus, newInstance, RestFixtures, type RestCaller } from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  let made = 0
  const make = (more: object = {}) =>
    admin.post("/users", {
      login: `їжак${instance}-${++made}`,
      password: "rapport-demo",
      firstName: "Іван",
      lastName: "Мельник",
      roles: ["operator"],
      ...more
    })
  return { rest, admin, make }
})

/** A user with the password rapport-demo and a session. */
const withSession = Effect.fnUntraced(function* (roles: ReadonlyArray<string> = ["operator"]) {
  const { admin, make, rest } = yield* world
  const made = (yield* make({ roles })).body
  yield* admin.post("/auth/login", { login: made.login, password: "rapport-demo" })
  const sql = yield* SqlClient.SqlClient
  const [session] = yield* sql`select id::text as id from refresh_families where user_id = ${made.id}`
  const user = rest.caller({
    id: made.id,
    instanceId: admin.instanceId,
    headers: { authorization: `Bearer ${admin.instanceId}.${made.id}.${String(session?.["id"])}` }
  })
  const change = (who: RestCaller, more: object, key?: string) =>
    who.post(
      `/users/${made.id}/password`,
      { password: "a new password", ...more },
      key === undefined ? {} : { "idempotency-key": key }
    )
  const login = (password: string) => admin.post("/auth/login", { login: made.login, password })
  return { admin, change, login, rest, user }
})

layer(RestFixtures, { excludeTestServices: true })("passwords and invitations", (it) => {
  // contract §2: "counts as a failed login"
  it.effect("a wrong current password counts as a failed login and is audited as denied", () =>
    Effect.gen(function* () {
      const { admin, change, login, user } = yield* withSession()
      for (let i = 0; i < 3; i++)
        expectStatus(yield* change(user, { currentPassword: "wrong" }), 403, "ACCESS_DENIED")
      for (let i = 0; i < 2; i++) expectStatus(yield* login("wrong"), 401, "UNAUTHENTICATED")
      expectStatus(yield* change(user, { currentPassword: "rapport-demo" }), 429, "RATE_LIMITED")
      expectStatus(yield* login("rapport-demo"), 429, "RATE_LIMITED")
      const denied = "/audit-log?filter[action]=user.password&filter[decision]=denied"
      let total = 0
      while (total < 3) total = (yield* admin.read(denied)).total
      const { data } = yield* admin.read(denied)
      assert.strictEqual(total, 3)
      assert.deepInclude(data[0], { actorId: user.id, entityId: String(user.id) })
    })
  )

  it.effect("a repeated password change under its key counts as no failure", () =>
    Effect.gen(function* () {
      const { change, login, user } = yield* withSession()
      for (let i = 0; i < 7; i++)
        expectStatus(yield* change(user, { currentPassword: "rapport-demo" }, "key"), 204)
      expectStatus(yield* login("a new password"), 200)
    })
  )

  // contract §2: "ends all sessions of the user"
  it.effect("one's own password needs the current one, with a token too, and ends all sessions", () =>
    Effect.gen(function* () {
      const { change, rest, user } = yield* withSession(["administrator"])
      const token = yield* rest.token(user, [...permissions])
      for (const who of [user, token]) expectStatus(yield* change(who, {}), 400, "INVALID_REQUEST")
      expectStatus(yield* change(token, { currentPassword: "wrong" }), 403, "ACCESS_DENIED")
      expectStatus(yield* user.get("/auth/me"), 200)
      const weak = yield* rest.token(user, ["directory.read"])
      expectStatus(yield* change(weak, { currentPassword: "rapport-demo" }), 403, "ACCESS_DENIED")
      expectStatus(yield* change(token, { currentPassword: "rapport-demo" }), 204)
      expectStatus(yield* user.get("/auth/me"), 401, "UNAUTHENTICATED")
    })
  )

  it.effect("a password is not set when the user's password or rights changed while it was hashed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin, change, login, rest, user } = yield* withSession()
      const below = yield* rest.token(admin, [...permissionsOf(["operator"]), "users.manage"])
      for (const [who, more, changed] of [
        [user, { currentPassword: "rapport-demo" }, sql`password_hash = 'another'`],
        [below, {}, sql`roles = '{supervisor}'`]
      ] as const) {
        const commit = yield* openTransaction(sql`update users set ${changed} where id = ${user.id}`)
        const running = yield* Effect.forkChild(change(who, more))
        // The lock is awaited after the hashing, which takes longer than one such wait.
        yield* Effect.replicateEffect(untilWaiting, 20)
        yield* commit
        expectStatus(yield* Fiber.join(running), 403, "ACCESS_DENIED")
      }
      expectStatus(yield* change(admin, {}), 204)
      expectStatus(yield* login("a new password"), 200)
    })
  )

  it.effect("a password set by another user ends sessions and tokens, one's own leaves the tokens", () =>
    Effect.gen(function* () {
      const { admin, change, rest, user } = yield* withSession(["integrator"])
      const token = yield* rest.token(user, ["clients.read", "tokens.manage"])
      const made = { name: "child", permissions: ["clients.read"] }
      const secret = (yield* token.post("/auth/external-tokens", made)).body.token
      const child = rest.caller({ ...user, headers: { "x-auth-token": secret } })
      const other = yield* rest.token(admin, ["clients.read"])
      expectStatus(yield* change(user, { currentPassword: "rapport-demo" }), 204)
      for (const who of [user, token, child, other]) expectStatus(yield* who.get("/clients"), 200)
      expectStatus(yield* change(admin, {}), 204)
      for (const who of [user, token, child]) expectStatus(yield* who.get("/clients"), 401, "UNAUTHENTICATED")
      assert.strictEqual((yield* other.get("/clients")).status, 200)
      const entries = yield* admin.read("/audit-log?filter[action]=external_token.delete")
      assert.strictEqual(entries.total, 2)
    })
  )

  // contract §2
  it.effect("an invitation ends with its use, with the next one and after seven days", () =>
    Effect.gen(function* () {
      const { admin, make } = yield* world
      const invited = yield* make({ password: undefined })
      const { id, invitationToken: first, status } = invited.body
      assert.strictEqual(status, "invited")
      const sql = yield* SqlClient.SqlClient
      const accept = (token: string) =>
        admin.post("/auth/invitations/accept", { token, password: "a first password" })
      const invite = admin.post(`/users/${id}/invitation`)
      const days = (n: number) =>
        sql`update users set invitation_expires_at = invitation_expires_at - make_interval(days => ${n}) where id = ${id}`
      yield* days(7)
      expectStatus(yield* accept(first), 401, "UNAUTHENTICATED")

      const again = yield* invite
      expectStatus(again, 201)
      assert.deepStrictEqual([again.body.id, again.body.status], [id, "invited"])
      assert.notStrictEqual(again.body.invitationToken, first)
      const last = (yield* invite).body.invitationToken
      for (const ended of [first, again.body.invitationToken])
        expectStatus(yield* accept(ended), 401, "UNAUTHENTICATED")
      yield* days(6)
      const concurrent = yield* Effect.all([accept(last), accept(last), accept(last)], { concurrency: 3 })
      assert.deepStrictEqual(concurrent.map(({ status }) => status).toSorted(), [200, 401, 401])
      const login = { login: invited.body.login, password: "a first password" }
      expectStatus(yield* admin.post("/auth/login", login), 200)
      expectStatus(yield* invite, 409, "STATE_NOT_ALLOWED")
      expectStatus(yield* accept(last), 401, "UNAUTHENTICATED")
      const entries = yield* admin.get("/audit-log?filter[action]=user.invite")
      assert.strictEqual(entries.body.total, 2)
      assert.notInclude(entries.text, last)
    })
  )
})
