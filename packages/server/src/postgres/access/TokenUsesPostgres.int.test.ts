import { assert, layer } from "@effect/vitest"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccessFixtures } from "../../testing/AccessFixtures.ts"

// contract §2: "lastUsedAt is the last use, to the minute"
layer(AccessFixtures.layer, { excludeTestServices: true })("the last use of an external token", (it) => {
  it.effect("the last use of an external token is written at most once a minute", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tokens = yield* ExternalTokens
      const authenticator = yield* Authenticator
      const { session } = yield* AccessFixtures.enter("integrator")
      const made = (yield* tokens.create(session, { name: "CRM", permissions: ["chats.read"] }, null)).answer
      assert.isNull(made.lastUsedAt)
      const use = Effect.replicateEffect(authenticator.external(made.token ?? ""), 50)
      const shown = Effect.map(
        tokens.list(session, { query: {}, names: [] }),
        ({ text }) => JSON.parse(text).data[0]?.lastUsedAt
      )
      const version = Effect.map(
        sql`select xmin::text as version from external_tokens where id = ${made.id}`,
        (rows) => JSON.stringify(rows)
      )
      assert.isNull(yield* shown)
      const before = yield* Clock.currentTimeMillis
      yield* use
      while ((yield* shown) === null) yield* Effect.sleep("50 millis")
      const minute = Math.floor(before / 60_000) * 60_000
      const at = Date.parse(String(yield* shown))
      assert.isTrue(at === minute || at === minute + 60_000)

      const written = yield* version
      yield* use
      yield* Effect.sleep("1500 millis")
      if ((yield* Clock.currentTimeMillis) < at + 60_000) assert.strictEqual(yield* version, written)

      // A failed write is repeated.
      const unlucky = (yield* tokens.create(session, { name: "CRM", permissions: ["chats.read"] }, null))
        .answer
      const refuse = sql`alter table external_tokens add constraint refused check (last_used_at is null or id <> ${sql.literal(String(unlucky.id))})`
      yield* refuse
      yield* authenticator.external(unlucky.token ?? "")
      yield* Effect.sleep("1500 millis")
      assert.isNull(yield* shown)
      yield* sql`alter table external_tokens drop constraint refused`
      while ((yield* shown) === null) yield* Effect.sleep("50 millis")

      // A later minute that another process wrote stays.
      const other = (yield* tokens.create(session, { name: "CRM", permissions: ["chats.read"] }, null)).answer
      yield* sql`update external_tokens set last_used_at = '2100-01-01T00:00:00Z' where id = ${other.id}`
      yield* authenticator.external(other.token ?? "")
      yield* Effect.sleep("1500 millis")
      assert.strictEqual(yield* shown, "2100-01-01T00:00:00.000Z")
    })
  )
})
