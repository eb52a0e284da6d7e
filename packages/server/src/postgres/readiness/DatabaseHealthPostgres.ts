// The readiness probe of PostgreSQL: two statements.
import { DatabaseHealth } from "@rapport/core/readiness/DatabaseHealth.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { pendingMigrations } from "../schema/Migrations.ts"
import { orUnavailable, storeLayer } from "../sql/Query.ts"

export const layer = storeLayer(DatabaseHealth)((sql) => ({
  isMigrated: pendingMigrations.pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.map((pending) => pending.length === 0),
    orUnavailable
  )
}))
