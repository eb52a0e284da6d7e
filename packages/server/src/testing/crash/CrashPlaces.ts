// Services for a crash test: two processes on a PostgreSQL that keeps running, or one with its embedded PostgreSQL.
import { Effect, Layer, type Scope } from "effect"
import * as path from "node:path"
import { type DatabaseClient, poolLayer } from "../../postgres/connection/Database.ts"
import { findPassword } from "../../postgres/connection/SocketPassword.ts"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "../PostgresFixtures.ts"
import {
  freePort,
  SharedDatabase,
  SharedDatabaseFixtures,
  unlimitedEnvironment
} from "../SharedDatabaseFixtures.ts"
import type { CrashPlan } from "./CrashRun.ts"

/** What to run, and a connection to its database. */
export interface CrashPlace {
  readonly plan: Pick<CrashPlan, "processes" | "dataDir">
  readonly layer: Layer.Layer<DatabaseClient, unknown>
}

/** Keeps all versions, because the audit counts every acknowledged version. */
const everything = { RAPPORT_STATE_VERSIONS: "0" }

/** Two processes on a PostgreSQL that keeps running: a cycle takes as long as a start of Node. */
export const sharedCrash: Effect.Effect<CrashPlace, unknown, Scope.Scope> = Effect.gen(function* () {
  const context = yield* Layer.build(SharedDatabaseFixtures.layer)
  const { environment } = yield* Effect.provide(SharedDatabase, context)
  const process = Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    return {
      port: yield* freePort,
      environment: { ...environment, ...everything, RAPPORT_DATA_DIR: dataDir }
    }
  })
  return {
    plan: { processes: [yield* process, yield* process] },
    layer: Layer.succeedContext(context)
  }
})

/** A service with its embedded PostgreSQL, which is durable and ends with the service. */
export const embeddedCrash: Effect.Effect<CrashPlace, unknown, Scope.Scope> = Effect.gen(function* () {
  const context = yield* Layer.build(PostgresFixtures.smallFolder)
  const { path: dataDir } = yield* Effect.provide(PreparedFolder, context)
  const cluster = path.join(dataDir, "postgres")
  const password = findPassword(cluster) ?? (yield* Effect.die("the prepared cluster has no password"))
  return {
    plan: {
      dataDir,
      processes: [
        {
          port: yield* freePort,
          environment: {
            ...unlimitedEnvironment,
            RAPPORT_SEED: "small",
            ...everything,
            RAPPORT_DATA_DIR: dataDir,
            LOG_FORMAT: "json"
          }
        }
      ]
    },
    // Connects at first use: after the cycles, while the service still runs.
    layer: poolLayer({ socketDir: cluster, password }, 2)
  }
})
