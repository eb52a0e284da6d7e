import { assert, layer } from "@effect/vitest"
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { callerOf, propertyVisible } from "../postgres/sql/Visibility.ts"
import { AccessFixtures, codeOf, external } from "../testing/AccessFixtures.ts"

const { enter, makeUser, sessionOf } = AccessFixtures

const create = (session: AuthorizedSession, actsAs: number, ...permissions: ReadonlyArray<Permission>) =>
  Effect.flatMap(ExternalTokens, (tokens) =>
    Effect.map(tokens.create(session, { name: "copilot", permissions, actsAs }, null), ({ answer }) => answer)
  )

/** Which of these lists of roles shows its property to the session. */
const shownProperties = (session: AuthorizedSession, lists: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`with ${callerOf(session)}
      select d.visible_to::text as list from caller u, unnest(${lists}::text[]) as given(list),
        lateral (select given.list::text[] as visible_to) d where ${propertyVisible} order by 1`
    return rows.map((row) => row["list"])
  })

// contract §2, "actsAs"
layer(AccessFixtures.layer)("external tokens that act as a user", (it) => {
  it.effect("returns a session with the groups, roles and id of the user", () =>
    Effect.gen(function* () {
      const { instanceId, session } = yield* enter("administrator")
      const operator = yield* makeUser(instanceId, ["operator"])
      const own = (yield* sessionOf(operator.login)).session
      const made = yield* create(session, operator.id, "context.read", "chats.read")
      assert.strictEqual(made.actsAs, operator.id)
      assert.strictEqual(made.userId, session.userId)
      const found = yield* external(made.token)
      const expected = { ...own, tokenId: made.id, sessionId: null, permissions: found.permissions }
      assert.deepStrictEqual(found, expected)
      assert.deepStrictEqual([...found.permissions], ["context.read", "chats.read"])
    })
  )

  it.effect("limits permissions to what both the maker and the user hold at the time of the request", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { instanceId, session } = yield* enter("administrator")
      const user = yield* makeUser(instanceId, ["supervisor"])
      const made = yield* create(session, user.id, "clients.read", "statistics.read", "chats.read")
      yield* sql`update users set roles = '{operator}' where id = ${user.id}`
      assert.deepStrictEqual([...(yield* external(made.token)).permissions], ["chats.read"])
      yield* sql`update users set roles = '{supervisor, administrator}' where id = ${user.id}`
      const auditor = yield* create(session, user.id, "audit.read", "chats.read")
      yield* sql`update users set roles = '{integrator}' where id = ${session.userId}`
      assert.deepStrictEqual([...(yield* external(auditor.token)).permissions], ["chats.read"])
    })
  )

  it.effect("shows a property to a token only if its maker may see it, administrators exempt", () =>
    Effect.gen(function* () {
      const lists = ["{}", "{operator}", "{supervisor,integrator,operator}", "{supervisor}"]
      for (const [maker, expected] of [
        ["administrator", ["{operator}", "{supervisor,integrator,operator}", "{}"]],
        ["integrator", ["{supervisor,integrator,operator}", "{}"]]
      ] as const) {
        const { instanceId, session } = yield* enter(maker)
        const operator = yield* makeUser(instanceId, ["operator"])
        const { token } = yield* create(session, operator.id, "context.read")
        const shown = yield* shownProperties(yield* external(token), lists)
        assert.deepStrictEqual(shown.toSorted(), [...expected].toSorted(), maker)
      }
    })
  )

  it.effect(
    "answers 401 while the user or the maker is blocked, also to a request that is already running",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { instanceId, session } = yield* enter("administrator")
        const operator = yield* makeUser(instanceId, ["operator"])
        const { token } = yield* create(session, operator.id, "context.read")
        const running = yield* external(token)
        for (const id of [operator.id, session.userId]) {
          yield* sql`update users set status = 'blocked' where id = ${id}`
          assert.strictEqual(yield* codeOf(external(token)), "UNAUTHENTICATED")
          assert.deepStrictEqual(yield* shownProperties(running, ["{}"]), [])
          yield* sql`update users set status = 'active' where id = ${id}`
          assert.strictEqual(yield* codeOf(external(token)), "OK")
        }
      })
  )

  it.effect(
    "refuses a user of another instance, a user who is not active, and permissions that nobody may pass on",
    () =>
      Effect.gen(function* () {
        const { instanceId, session } = yield* enter("administrator")
        const stranger = (yield* enter("operator")).user
        const operator = yield* makeUser(instanceId, ["operator"])
        const blocked = yield* makeUser(instanceId, ["operator"], "blocked")
        const invited = yield* makeUser(instanceId, ["operator"], "invited")
        for (const id of [stranger.id, blocked.id, invited.id, 2_147_483_647])
          assert.strictEqual(yield* codeOf(create(session, id, "context.read")), "INVALID_REQUEST")
        assert.strictEqual(yield* codeOf(create(session, operator.id, "audit.read")), "ACCESS_DENIED")
        const administrator = yield* makeUser(instanceId, ["administrator"])
        assert.strictEqual(
          yield* codeOf(create(session, administrator.id, "tokens.manage")),
          "INVALID_REQUEST"
        )
      })
  )
})
