import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "./PostgresFixtures.ts"

const appeals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select count(*)::int4 as n, count(*) filter (where id between 9001 and 9005)::int4 as fixed from appeals`
})

layer(PostgresFixtures.migrated)("PostgresFixtures.migrated", (it) => {
  it.effect("holds all tables and no rows, under the tests' clock", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* appeals, [{ n: 0, fixed: 0 }])
    })
  )
})

layer(PostgresFixtures.small)("PostgresFixtures.small", (it) => {
  it.effect("holds the small demo with its fixed appeals", () =>
    Effect.gen(function* () {
      const [found] = yield* appeals
      assert.deepInclude(found, { fixed: 5 })
    })
  )
})
