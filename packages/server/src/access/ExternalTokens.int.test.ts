import { assert, layer } from "@effect/vitest"
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import { EXTERNAL_TOKENS_MAX } from "@rapport/contract/Limits.ts"
import { Access } from "@rapport/core/access/Access.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AccessFixtures, bearer, codeOf, external } from "../testing/AccessFixtures.ts"

const { enter, makeUser, sessionOf } = AccessFixtures

const request = (...permissions: ReadonlyArray<Permission>) => ({ name: "CRM", permissions })
const createOnce = (
  session: AuthorizedSession,
  body: ReturnType<typeof request> & { readonly expiresAt?: number },
  key: string | null
) => Effect.flatMap(ExternalTokens, (tokens) => tokens.create(session, body, key))
const create = (session: AuthorizedSession, body: Parameters<typeof createOnce>[1]) =>
  Effect.map(createOnce(session, body, null), ({ answer }) => answer)
const makerOfTokens = (by: AuthorizedSession) => create(by, request("tokens.manage", "chats.read"))
const expiryOf = (token: string | null) =>
  Effect.gen(function* () {
    const { tokenId } = yield* external(token)
    const sql = yield* SqlClient.SqlClient
    return yield* sql`select expires_at::text as at from external_tokens where id = ${tokenId}`
  })
/** Far behind every clock of these tests. */
const future = 4_102_444_800_000

layer(AccessFixtures.layer)("external tokens", (it) => {
  // contract §2, external-tokens

  it.effect("an external token is shown once, stored as a hash, and opens its maker's instance", () =>
    Effect.gen(function* () {
      const { session, user } = yield* enter("integrator")
      const made = yield* create(session, {
        ...request("context.read", "chats.read"),
        expiresAt: future
      })
      assert.isTrue(made.token?.startsWith(made.prefix))
      const found = yield* external(made.token)
      assert.deepInclude(found, {
        instanceId: session.instanceId,
        userId: user.id,
        tokenId: made.id,
        sessionId: null
      })
      assert.deepStrictEqual([...found.permissions], ["context.read", "chats.read"])
      const sql = yield* SqlClient.SqlClient
      const kept = JSON.stringify(
        yield* sql`select *, encode(hash, 'escape') as text from external_tokens
          where id = ${made.id}`,
        (_, value) => (typeof value === "bigint" ? String(value) : value)
      )
      assert.notInclude(kept, made.token ?? "")
      const log = JSON.stringify(
        yield* sql`select details from audit_log where instance_id = ${session.instanceId}`
      )
      assert.notInclude(log, made.token ?? "")
      assert.include(log, made.prefix)
    })
  )

  it.effect("an external token has only permissions that its maker has now", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { session } = yield* enter("administrator")
      const { token } = yield* create(session, request("clients.read", "users.manage", "audit.read"))
      yield* sql`update users set roles = '{integrator}' where id = ${session.userId}`
      assert.deepStrictEqual([...(yield* external(token)).permissions], ["clients.read"])
      yield* sql`update users set roles = '{integrator, administrator}' where id = ${session.userId}`
      assert.deepStrictEqual(
        [...(yield* external(token)).permissions],
        ["clients.read", "users.manage", "audit.read"]
      )
    })
  )

  // contract §2: "401 while its maker is blocked or lacks tokens.manage"
  it.effect("an external token is 401 while its maker lacks tokens.manage, also for a running request", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tokens = yield* ExternalTokens
      const { session } = yield* enter("integrator")
      const { token } = yield* create(session, request("chats.read", "context.read", "tokens.manage"))
      const running = yield* external(token)
      const listed = Effect.map(tokens.list(running, { query: {}, names: [] }), ({ total }) => total)
      for (const roles of ["{light_agent}", "{analyst, supervisor, operator}", "{}"]) {
        yield* sql`update users set roles = ${roles}::text[] where id = ${session.userId}`
        assert.strictEqual(yield* codeOf(external(token)), "UNAUTHENTICATED")
        assert.strictEqual(yield* listed, 0)
      }
      yield* sql`update users set roles = '{operator, integrator}' where id = ${session.userId}`
      assert.strictEqual(yield* codeOf(external(token)), "OK")
      assert.strictEqual(yield* listed, 1)
    })
  )

  it.effect("an external token is 401 while its maker is blocked, when expired and when deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tokens = yield* ExternalTokens
      const { session } = yield* enter("integrator")
      const { id, token } = yield* create(session, request("context.read"))
      yield* sql`update users set status = 'blocked' where id = ${session.userId}`
      assert.strictEqual(yield* codeOf(external(token)), "UNAUTHENTICATED")
      yield* sql`update users set status = 'active' where id = ${session.userId}`
      assert.strictEqual(yield* codeOf(external(token)), "OK")
      yield* sql`update external_tokens set expires_at = now() where id = ${id}`
      assert.strictEqual(yield* codeOf(external(token)), "UNAUTHENTICATED")
      yield* sql`update external_tokens set expires_at = null where id = ${id}`
      yield* tokens.remove(session, id)
      assert.strictEqual(yield* codeOf(external(token)), "UNAUTHENTICATED")
      assert.strictEqual(yield* codeOf(tokens.remove(session, id)), "NOT_FOUND")
    })
  )

  it.effect("an external token outlives the session it was made in, and cannot log its maker out", () =>
    Effect.gen(function* () {
      const { pair, session } = yield* enter("integrator")
      const { token } = yield* create(session, request("context.read"))
      const asToken = yield* external(token)
      assert.strictEqual(
        yield* codeOf((yield* Access).logout(asToken, { everywhere: true })),
        "ACCESS_DENIED"
      )
      assert.strictEqual(yield* codeOf(bearer(pair.accessToken)), "OK")
      yield* (yield* Access).logout(session, { everywhere: true })
      assert.strictEqual(yield* codeOf(external(token)), "OK")
    })
  )

  // contract §2: "A token made with an external token never ends later than that one, and is deleted with it."

  it.effect("a token made with an external token never ends later than its parent", () =>
    Effect.gen(function* () {
      const { session } = yield* enter("integrator")
      const parent = yield* create(session, { ...request("tokens.manage"), expiresAt: future })
      const asParent = yield* external(parent.token)
      for (const more of [{}, { expiresAt: future + 1_000 }, { expiresAt: future }]) {
        const child = yield* create(asParent, { ...request("tokens.manage"), ...more })
        assert.strictEqual(child.expiresAt, future)
        assert.deepStrictEqual(yield* expiryOf(child.token), yield* expiryOf(parent.token))
      }
      const earlier = yield* create(asParent, { ...request("tokens.manage"), expiresAt: future - 1_000 })
      assert.strictEqual(earlier.expiresAt, future - 1_000)
      const grandchild = yield* create(yield* external(earlier.token), request("tokens.manage"))
      assert.strictEqual(grandchild.expiresAt, future - 1_000)
    })
  )

  it.effect("deleting an external token deletes the tokens made with it at any depth, and no other", () =>
    Effect.gen(function* () {
      const tokens = yield* ExternalTokens
      const { session } = yield* enter("integrator")
      const [root, other] = [yield* makerOfTokens(session), yield* makerOfTokens(session)]
      const child = yield* makerOfTokens(yield* external(root.token))
      const grandchild = yield* makerOfTokens(yield* external(child.token))
      const running = yield* external(grandchild.token)
      yield* tokens.remove(session, root.id)
      for (const { token } of [root, child, grandchild])
        assert.strictEqual(yield* codeOf(external(token)), "UNAUTHENTICATED")
      assert.strictEqual(yield* codeOf(external(other.token)), "OK")
      assert.strictEqual(yield* codeOf(makerOfTokens(running)), "ACCESS_DENIED")
      assert.strictEqual((yield* tokens.list(session, { query: {}, names: [] })).total, 1)
      const sql = yield* SqlClient.SqlClient
      const entries = yield* sql`select entity_id from audit_log where instance_id = ${session.instanceId}
          and action = 'external_token.delete' order by entity_id::int8`
      assert.deepStrictEqual(
        entries.map((entry) => Object.values(entry)[0]),
        [root.id, child.id, grandchild.id].map(String)
      )
    })
  )

  it.effect("a token made while its parent is deleted does not outlive the parent", () =>
    Effect.gen(function* () {
      const tokens = yield* ExternalTokens
      const { session } = yield* enter("integrator")
      for (let round = 0; round < 10; round++) {
        const parent = yield* create(session, request("tokens.manage"))
        const asParent = yield* external(parent.token)
        const [child] = yield* Effect.all(
          [Effect.result(create(asParent, request("tokens.manage"))), tokens.remove(session, parent.id)],
          { concurrency: 2 }
        )
        if (Result.isSuccess(child))
          assert.strictEqual(yield* codeOf(external(child.success.token)), "UNAUTHENTICATED")
        assert.strictEqual((yield* tokens.list(session, { query: {}, names: [] })).total, 0)
      }
    })
  )

  it.effect("a user has at most 1,000 tokens that are neither deleted nor expired, also concurrently", () =>
    Effect.gen(function* () {
      const tokens = yield* ExternalTokens
      const sql = yield* SqlClient.SqlClient
      const { instanceId, session } = yield* enter("administrator")
      const { session: other } = yield* sessionOf((yield* makeUser(instanceId, ["administrator"])).login)
      const fill = (count: number, expiresAt: string | null = null) =>
        sql`insert into external_tokens (instance_id, user_id, name, prefix, hash, permissions, expires_at)
          select ${instanceId}, ${session.userId}, 'old', 'p', decode(md5(random()::text || n), 'hex'), '{chats.read}',
            ${expiresAt}::timestamptz from generate_series(1, ${count}) n`
      yield* fill(20, "2020-01-01T00:00:00Z")
      yield* fill(EXTERNAL_TOKENS_MAX - 2)
      const make = (by = session) => Effect.result(create(by, request("chats.read")))
      const made = yield* Effect.replicateEffect(make(), 8, { concurrency: "unbounded" })
      const refused = made.filter(Result.isFailure)
      assert.deepStrictEqual(
        refused.map(({ failure }) => failure.code),
        Array(6).fill("STATE_NOT_ALLOWED")
      )
      assert.isTrue(Result.isSuccess(yield* make(other)))
      for (const { success } of made.filter(Result.isSuccess)) yield* tokens.remove(session, success.id)
      assert.isTrue(Result.isSuccess(yield* make()))
    })
  )

  it.effect("tokens made with tokens are at most 16 deep", () =>
    Effect.gen(function* () {
      let by = (yield* enter("integrator")).session
      for (let depth = 0; depth <= 16; depth++)
        by = yield* external((yield* create(by, request("tokens.manage"))).token)
      assert.strictEqual(yield* codeOf(create(by, request("tokens.manage"))), "ACCESS_DENIED")
    })
  )

  it.effect("a token made by a token has only permissions of that token", () =>
    Effect.gen(function* () {
      const { session } = yield* enter("integrator")
      const { token } = yield* create(session, request("tokens.manage", "chats.read"))
      const asToken = yield* external(token)
      assert.strictEqual(yield* codeOf(create(asToken, request("context.read"))), "ACCESS_DENIED")
      assert.strictEqual(yield* codeOf(create(asToken, request("chats.read"))), "OK")
    })
  )

  // contract §1.3: "is shown once is null in a replay. Receipts never contain it."
  it.effect("making an external token twice under one key makes one and shows its secret once", () =>
    Effect.gen(function* () {
      const tokens = yield* ExternalTokens
      const { session } = yield* enter("integrator")
      const [first, second] = [
        yield* createOnce(session, request("chats.read"), "key"),
        yield* createOnce(session, request("chats.read"), "key")
      ]
      assert.deepStrictEqual([first.replayed, second.replayed], [false, true])
      assert.deepStrictEqual(second.answer, { ...first.answer, token: null })
      assert.strictEqual(yield* codeOf(external(first.answer.token)), "OK")
      assert.strictEqual((yield* tokens.list(session, { query: {}, names: [] })).total, 1)
      const other = createOnce(session, request("context.read"), "key")
      assert.strictEqual(yield* codeOf(other), "IDEMPOTENCY_KEY_REUSED")
      const sql = yield* SqlClient.SqlClient
      const kept = JSON.stringify(
        yield* sql`select answer from receipts where instance_id = ${session.instanceId}`
      )
      assert.include(kept, first.answer.prefix)
      assert.notInclude(kept, first.answer.token ?? "")
    })
  )

  it.effect("making an external token that has already expired is 400 for every caller", () =>
    Effect.gen(function* () {
      for (const role of ["integrator", "operator"] as const) {
        const { session } = yield* enter(role)
        const refusal = yield* Effect.flip(create(session, { ...request("context.read"), expiresAt: 0 }))
        assert.strictEqual(refusal.code, "INVALID_REQUEST")
        assert.deepInclude(refusal, { errors: [{ path: "expiresAt", message: "must lie in the future" }] })
      }
    })
  )

  it.effect("the list of tokens shows a token only what its maker sees, and never a secret", () =>
    Effect.gen(function* () {
      const tokens = yield* ExternalTokens
      const { instanceId, session } = yield* enter("integrator")
      const { session: other } = yield* sessionOf((yield* makeUser(instanceId, ["integrator"])).login)
      yield* create(other, request("context.read"))
      const made = yield* create(session, request("tokens.manage"))
      const { text, total } = yield* tokens.list(yield* external(made.token), { query: {}, names: [] })
      assert.strictEqual(total, 1)
      assert.include(text, made.prefix)
      assert.notInclude(text, made.token ?? "")
    })
  )
})
