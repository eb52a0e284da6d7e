import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "./PostgresFixtures.ts"

layer(PostgresFixtures.migrated)("PostgresFixtures.migrated", (it) => {
  it.effect("holds all tables and no rows, under the tests' clock", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select count(*)::int4 as n from appeals`, [{ n: 0 }])
    })
  )
})
