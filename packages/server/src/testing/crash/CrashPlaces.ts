// Where a crash test runs: a service beside a PostgreSQL that stays, or one with a PostgreSQL of its own.
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

/** What to run, and the connection by which the database is audited. */
export interface CrashPlace {
  readonly plan: Pick<CrashPlan, "processes" | "dataDir">
  readonly layer: Layer.Layer<DatabaseClient, unknown>
}

/** The audit counts every version that was ever acknowledged. */
const everything = { RAPPORT_STATE_VERSIONS: "0" }

/** Two processes on a PostgreSQL that outlives them: a cycle takes as long as a start of Node. */
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

/** The service runs its own PostgreSQL with all its durability, and takes it down with itself. */
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
    // Connects when it is first used: after the cycles, while the service still runs.
    layer: poolLayer({ socketDir: cluster, password }, 2)
  }
})
