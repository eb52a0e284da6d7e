// The readiness probe of PostgreSQL: two statements.
import { DatabaseHealth } from "@rapport/core/readiness/DatabaseHealth.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { pendingMigrations } from "../schema/Migrations.ts"
import { orUnavailable } from "../sql/Query.ts"

export const layer: Layer.Layer<DatabaseHealth, never, SqlClient.SqlClient> = Layer.effect(
  DatabaseHealth,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    isMigrated: pendingMigrations.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.map((pending) => pending.length === 0),
      orUnavailable
    )
  }))
)
