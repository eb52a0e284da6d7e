import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { requireMigrated } from "../../cli/CommandDatabase.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { migrate } from "./Migrations.ts"

// docs/contract.md §12: "a program refuses a database with migrations that it does not know".
layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "a database that a later version has migrated",
  (it) => {
    it.effect("is refused by name, by serve and by every command, and changed by none", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* migrate, [])
        yield* requireMigrated
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into migrations (migration_id, name) values (9000, 'of_tomorrow')`
        for (const error of [yield* Effect.flip(migrate), yield* Effect.flip(requireMigrated)]) {
          assert.strictEqual(error._tag, "DatabaseNewer")
          assert.include(error.message, "9000_of_tomorrow")
          assert.notInclude(error.message, "\n")
        }
      })
    )
  }
)
