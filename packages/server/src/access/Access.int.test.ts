import { assert, layer } from "@effect/vitest"
import { AUDIT_GATHER_MILLIS } from "../postgres/audit/AuditLogPostgres.ts"
import { Access } from "@rapport/core/access/Access.ts"
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { CurrentAddress } from "@rapport/core/audit/AuditLog.ts"
import { Effect, Layer, type Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { argon2Sync } from "node:crypto"
import { selectedCount } from "../postgres/sql/Query.ts"
import { AccessFixtures, bearer, codeOf, password } from "../testing/AccessFixtures.ts"
import { openTransaction } from "../testing/LockWaits.ts"

const { enter, makeInstance, makeUser, sessionOf } = AccessFixtures

const login = (name: string, secret = password) =>
  Effect.flatMap(Access, (a) => a.login({ login: name, password: secret }))
const here = Effect.provideService(CurrentAddress, "203.0.113.9")
const encodeUnpadded = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/u, "")
const refresh = (refreshToken: string) => Effect.flatMap(Access, (a) => a.refresh({ refreshToken }))
const countAudits = Effect.fnUntraced(function* (instanceId: number, action: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* selectedCount(sql`select count(*)::float8 as count from audit_log
    where instance_id = ${instanceId} and action = ${action}`)
})

layer(AccessFixtures.layer)("access", (it) => {
  // contract §2, POST /kw/api/v1/auth/login

  it.effect("login returns a pair of tokens and the user, without regard to the case of the name", () =>
    Effect.gen(function* () {
      const { adminLogin, administratorId, instanceId } = yield* makeInstance
      const pair = yield* login(adminLogin.toUpperCase())
      assert.strictEqual(pair.tokenType, "Bearer")
      assert.strictEqual(pair.expiresIn, 900)
      assert.strictEqual(pair.refreshExpiresIn, 2_592_000)
      assert.strictEqual(pair.user.id, administratorId)
      assert.strictEqual(pair.user.login, adminLogin)
      assert.isNotNull(pair.user.lastLoginAt)
      assert.notInclude(JSON.stringify(pair.user), "argon2")
      const session = yield* bearer(pair.accessToken)
      assert.strictEqual(session.instanceId, instanceId)
      assert.isTrue(session.permissions.has("users.manage"))
    })
  )

  it.effect("login refuses unknown names, wrong passwords, blocked and invited users alike", () =>
    Effect.gen(function* () {
      const { adminLogin, instanceId } = yield* makeInstance
      const blocked = yield* makeUser(instanceId, ["operator"], "blocked")
      const invited = yield* makeUser(instanceId, ["operator"], "invited")
      const refusals = [
        yield* Effect.flip(login(adminLogin, "wrong password")),
        yield* Effect.flip(login("nobody at all")),
        yield* Effect.flip(login(blocked.login)),
        yield* Effect.flip(login(invited.login))
      ]
      for (const refusal of refusals) {
        assert.strictEqual(refusal.code, "UNAUTHENTICATED")
        assert.strictEqual(refusal.detail, refusals[0]?.detail)
      }
    })
  )

  it.effect("login does the same work for an unknown name as for a wrong password", () =>
    Effect.gen(function* () {
      const { adminLogin, instanceId } = yield* makeInstance
      const blocked = yield* makeUser(instanceId, ["operator"], "blocked")
      const real = yield* Passwords
      let hashes = 0
      const counted = Layer.succeed(Passwords, {
        ...real,
        verify: (secret: Redacted.Redacted, stored: string | null) =>
          Effect.tap(real.verify(secret, stored), () => Effect.sync(() => hashes++))
      })
      const access = Layer.fresh(Access.layer).pipe(Layer.provide(counted))
      for (const name of [adminLogin, "nobody at all", blocked.login]) {
        yield* Effect.provide(codeOf(login(name, "wrong password")), access)
      }
      assert.strictEqual(hashes, 3)
    })
  )

  // contract §2, "Passwords"
  it.effect("login of a name that others blocked works from where it was used within 30 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { adminLogin, instanceId } = yield* makeInstance
      const from = (address: string, secret?: string) =>
        Effect.provideService(codeOf(login(adminLogin, secret)), CurrentAddress, address)
      assert.strictEqual(yield* from("2001:db8:1:2::1"), "OK")
      for (let i = 0; i < 5; i++) yield* from("198.51.100.7", "wrong password")
      assert.strictEqual(yield* from("198.51.100.8"), "RATE_LIMITED")
      assert.strictEqual(yield* from("2001:db8:1:3::1"), "RATE_LIMITED")
      assert.strictEqual(yield* from("2001:db8:1:2::9"), "OK")
      yield* sql`update login_addresses set logged_in_at = now() - interval '31 days'
          where instance_id = ${instanceId}`
      assert.strictEqual(yield* from("2001:db8:1:2::9"), "RATE_LIMITED")
    })
  )

  it.effect("login keeps the latest twenty addresses of a user", () =>
    Effect.gen(function* () {
      const { instanceId } = yield* makeInstance
      const user = yield* makeUser(instanceId, ["operator"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into login_addresses (instance_id, user_id, address, logged_in_at)
          select ${instanceId}, ${user.id}, '10.0.0.' || n, now() - make_interval(hours => 100 - n)
          from generate_series(1, 25) n`
      assert.strictEqual(yield* here(codeOf(login(user.login))), "OK")
      const kept = yield* sql`select address from login_addresses where user_id = ${user.id}
          order by logged_in_at desc`
      assert.deepStrictEqual(
        kept.map((row) => Object.values(row)[0]),
        ["203.0.113.9", ...Array.from({ length: 19 }, (_, i) => `10.0.0.${25 - i}`)]
      )
    })
  )

  it.effect("login rehashes a password that was hashed with other parameters", () =>
    Effect.gen(function* () {
      const { instanceId } = yield* makeInstance
      const user = yield* makeUser(instanceId, ["operator"])
      const salt = Buffer.alloc(16, 1)
      const parameters = { parallelism: 1, tagLength: 32, memory: 8_192, passes: 1 }
      const tag = argon2Sync("argon2id", { message: password, nonce: salt, ...parameters })
      const old = `$argon2id$v=19$m=8192,t=1,p=1$${encodeUnpadded(salt)}$${encodeUnpadded(tag)}`
      const sql = yield* SqlClient.SqlClient
      yield* sql`update users set password_hash = ${old} where id = ${user.id}`
      const stored = Effect.map(sql`select password_hash from users where id = ${user.id}`, ([row]) =>
        String(Object.values(row ?? {})[0])
      )
      assert.strictEqual(yield* codeOf(login(user.login, "wrong password")), "UNAUTHENTICATED")
      assert.strictEqual(yield* stored, old)
      assert.strictEqual(yield* codeOf(login(user.login)), "OK")
      const upgraded = yield* stored
      assert.isTrue(upgraded.startsWith("$argon2id$v=19$m=19456,t=2,p=1$"))
      assert.strictEqual(yield* codeOf(login(user.login)), "OK")
      assert.strictEqual(yield* stored, upgraded)
    })
  )

  it.effect("login is audited: allowed in its own transaction, denied soon after", () =>
    Effect.gen(function* () {
      const { adminLogin, instanceId } = yield* makeInstance
      yield* login(adminLogin)
      assert.strictEqual(yield* countAudits(instanceId, "auth.login"), 1)
      yield* codeOf(login(adminLogin, "wrong password"))
      const soon = Effect.andThen(
        TestClock.adjust(AUDIT_GATHER_MILLIS),
        countAudits(instanceId, "auth.login")
      )
      yield* Effect.repeat(soon, { until: (count) => count === 2 })
    })
  )

  // contract §2, POST /kw/api/v1/auth/refresh

  it.effect("refresh rotates the token and keeps the session", () =>
    Effect.gen(function* () {
      const { pair, session } = yield* enter("operator")
      const next = yield* refresh(pair.refreshToken)
      assert.notStrictEqual(next.refreshToken, pair.refreshToken)
      assert.strictEqual((yield* bearer(next.accessToken)).sessionId, session.sessionId)
      assert.strictEqual(next.user.id, session.userId)
      const third = yield* refresh(next.refreshToken)
      assert.strictEqual((yield* bearer(third.accessToken)).sessionId, session.sessionId)
    })
  )

  it.effect.each([1, 3])(
    "refresh with a token that was used %d rotations ago revokes its whole family, access tokens included, and no other",
    (rotations) =>
      Effect.gen(function* () {
        const { instanceId, pair, user } = yield* enter("operator")
        const other = yield* sessionOf(user.login)
        let last = pair
        for (let i = 0; i < rotations; i++) last = yield* refresh(last.refreshToken)
        for (const { accessToken, refreshToken } of [pair, last]) {
          assert.strictEqual(yield* codeOf(refresh(refreshToken)), "UNAUTHENTICATED")
          assert.strictEqual(yield* codeOf(bearer(accessToken)), "UNAUTHENTICATED")
        }
        assert.strictEqual(yield* codeOf(bearer(other.pair.accessToken)), "OK")
        assert.strictEqual(yield* codeOf(refresh(other.pair.refreshToken)), "OK")
        assert.strictEqual(yield* countAudits(instanceId, "auth.refresh_reused"), 1)
      })
  )

  it.effect("one of twenty concurrent refreshes succeeds, and the reuse by the others ends the session", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        const { instanceId, pair } = yield* enter("operator")
        const results = yield* Effect.all(
          Array.from({ length: 20 }, () => Effect.result(refresh(pair.refreshToken))),
          { concurrency: "unbounded" }
        )
        const won = results.filter(Result.isSuccess)
        assert.strictEqual(won.length, 1)
        for (const { success } of won) {
          assert.strictEqual(yield* codeOf(bearer(success.accessToken)), "UNAUTHENTICATED")
          assert.strictEqual(yield* codeOf(refresh(success.refreshToken)), "UNAUTHENTICATED")
        }
        assert.strictEqual(yield* countAudits(instanceId, "auth.refresh_reused"), 1)
      }
    })
  )

  it.effect("refresh refuses anything but a valid refresh token of an active user", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { pair, session } = yield* enter("operator")
      const { pair: foreign } = yield* enter("operator")
      const swapped = pair.refreshToken.slice(0, 30) + foreign.refreshToken.slice(30)
      for (const token of ["", "x", pair.accessToken, `${pair.refreshToken}A`, swapped]) {
        assert.strictEqual(yield* codeOf(refresh(token)), "UNAUTHENTICATED")
      }
      assert.strictEqual((yield* bearer(pair.accessToken)).userId, session.userId)
      // Nor an expired token, nor one of a blocked user.
      const next = yield* refresh(pair.refreshToken)
      yield* sql`update users set status = 'blocked' where id = ${session.userId}`
      assert.strictEqual(yield* codeOf(refresh(next.refreshToken)), "UNAUTHENTICATED")
      yield* sql`update users set status = 'active' where id = ${session.userId}`
      yield* sql`update refresh_families set expires_at = now() - interval '1 second' where id = ${session.sessionId}::uuid`
      assert.strictEqual(yield* codeOf(refresh(next.refreshToken)), "UNAUTHENTICATED")
    })
  )

  it.effect("a refresh family ends 90 days after the login, however often it is refreshed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { instanceId, pair } = yield* enter("operator")
      const age = (days: number) =>
        sql`update refresh_families set created_at = now() - make_interval(days => ${days})
              where instance_id = ${instanceId}`
      const first = yield* refresh(pair.refreshToken)
      assert.strictEqual(first.refreshExpiresIn, 2_592_000)
      yield* age(89)
      const last = yield* refresh(first.refreshToken)
      assert.strictEqual(last.refreshExpiresIn, 86_400)
      yield* sql`update refresh_families set created_at = created_at - interval '1 day',
          expires_at = expires_at - interval '1 day' where instance_id = ${instanceId}`
      assert.strictEqual(yield* codeOf(bearer(last.accessToken)), "UNAUTHENTICATED")
      assert.strictEqual(yield* codeOf(refresh(last.refreshToken)), "UNAUTHENTICATED")
    })
  )

  // contract §2, POST /kw/api/v1/auth/logout

  it.effect(
    "logout ends the session's tokens immediately, or with everywhere all of the user, no others",
    () =>
      Effect.gen(function* () {
        const access = yield* Access
        const { instanceId, pair, session, user } = yield* enter("operator")
        const [other, last] = [yield* sessionOf(user.login), yield* sessionOf(user.login)]
        const colleague = yield* sessionOf((yield* makeUser(instanceId, ["operator"])).login)
        yield* access.logout(session, undefined)
        assert.strictEqual(yield* codeOf(bearer(pair.accessToken)), "UNAUTHENTICATED")
        assert.strictEqual(yield* codeOf(refresh(pair.refreshToken)), "UNAUTHENTICATED")
        assert.strictEqual(yield* codeOf(bearer(other.pair.accessToken)), "OK")
        assert.strictEqual(yield* countAudits(instanceId, "auth.logout"), 1)
        yield* access.logout(other.session, { everywhere: true })
        for (const { pair } of [other, last])
          assert.strictEqual(yield* codeOf(bearer(pair.accessToken)), "UNAUTHENTICATED")
        assert.strictEqual(yield* codeOf(bearer(colleague.pair.accessToken)), "OK")
      })
  )

  it.effect("logout with a refresh token ends its session too when it is the same user's", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const { instanceId, session, user } = yield* enter("operator")
      const other = yield* sessionOf(user.login)
      const colleague = yield* sessionOf((yield* makeUser(instanceId, ["operator"])).login)
      const second = yield* sessionOf(user.login)
      yield* access.logout(session, { refreshToken: other.pair.refreshToken })
      assert.strictEqual(yield* codeOf(bearer(other.pair.accessToken)), "UNAUTHENTICATED")
      yield* access.logout(second.session, { refreshToken: colleague.pair.refreshToken })
      assert.strictEqual(yield* codeOf(bearer(colleague.pair.accessToken)), "OK")
    })
  )

  // contract §2: "Changes take effect on the next request."
  it.effect("a session has the current permissions and groups of its user", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { instanceId, pair, session } = yield* enter("operator")
      assert.isFalse(session.permissions.has("clients.read"))
      assert.deepStrictEqual(session.skillGroupIds, [])
      const colleague = yield* makeUser(instanceId, ["operator"])
      yield* sql`update users set roles = '{supervisor}' where id = ${session.userId}`
      yield* sql`with g as (insert into skill_groups (instance_id, name) values (${instanceId}, 'Їжа') returning *)
          insert into skill_group_members (instance_id, skill_group_id, user_id)
          select g.instance_id, g.id, u.id from g, users u where u.id in (${session.userId}, ${colleague.id})`
      const now = yield* bearer(pair.accessToken)
      assert.isTrue(now.permissions.has("clients.read"))
      assert.deepStrictEqual(now.roles, ["supervisor"])
      assert.strictEqual(now.skillGroupIds.length, 1)
      assert.includeMembers([...now.colleagueIds], [session.userId, colleague.id])
    })
  )

  it.effect("user_access is neither changed nor locked by a login or another change of a user", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { instanceId, user } = yield* enter("operator")
      const row = sql`select status, roles, xmin::text as written from user_access where user_id = ${user.id}`
      const before = yield* row
      // The lock of a change of groups.
      const unlock = yield* openTransaction(sql`select pg_advisory_xact_lock(7201, ${instanceId}::int4)`)
      yield* sql`update users set last_login_at = now(), first_name = 'Марія', roles = roles where id = ${user.id}`
      yield* unlock
      assert.deepStrictEqual(yield* row, before)
    })
  )

  it.effect("a session returns who its user is", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const { instanceId, session, user } = yield* enter("analyst")
      const me = yield* access.me(session)
      assert.strictEqual(me.user.login, user.login)
      assert.strictEqual(me.user.displayName, "Олена Їжакевич")
      assert.strictEqual(me.instanceId, instanceId)
      assert.deepStrictEqual(me.permissions, [
        "directory.read",
        "broadcasts.read",
        "statistics.read",
        "quality.read"
      ])
    })
  )
})
