// A service on a PostgreSQL with all its durability, for scripts that measure: both are ended with the scope.
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { DataFolder } from "../packages/server/src/DataFolder.ts"
import { poolLayer } from "../packages/server/src/postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../packages/server/src/postgres/connection/EmbeddedPostgres.ts"
import { overTcp, temporaryFolder } from "../packages/server/src/testing/PostgresFixtures.ts"
import { startProcess } from "../packages/server/src/testing/ServerFixtures.ts"
import { freePort, unlimitedEnvironment } from "../packages/server/src/testing/SharedDatabaseFixtures.ts"
import { tokenOf } from "../packages/server/src/testing/WriterFixtures.ts"

/** `settings` are those of PostgreSQL beside its address; `folder` is its data folder. */
export const measuredService = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>> = {}) {
  const [folder, data] = [yield* temporaryFolder, yield* temporaryFolder]
  const port = yield* freePort
  yield* Layer.build(
    EmbeddedPostgres.layer({
      connectionsMax: 100,
      settings: { ...overTcp(folder, port), ...settings }
    }).pipe(Layer.provide(DataFolder.layer(folder)))
  )
  const url = `postgres://rapport@127.0.0.1:${port}/postgres`
  const process = yield* startProcess(["serve"], {
    ...unlimitedEnvironment,
    DATABASE_URL: url,
    RAPPORT_SEED: "small",
    RAPPORT_TOKEN_KEYS: Buffer.alloc(32, 7).toString("base64url"),
    RAPPORT_DATA_DIR: data,
    PORT: "0",
    LOG_LEVEL: "error"
  })
  const origin = yield* Effect.promise(() => process.ready())
  const token = yield* Effect.promise(() => tokenOf(origin, "administrator"))
  const sql = yield* Effect.provide(
    SqlClient.SqlClient,
    yield* Layer.build(poolLayer({ url: Redacted.make(url) }, 2))
  )
  return { folder, url, origin, token, sql }
})
