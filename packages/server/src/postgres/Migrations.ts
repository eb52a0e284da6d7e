// The migrations in order; each runs once, in the migrator's transaction, whoever of several processes comes first.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { primary } from "./migrations/0001_primary.ts"

const run = (statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  })

export const migrations = {
  "0001_primary": run(primary)
}
