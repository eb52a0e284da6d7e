// Several server processes on one PostgreSQL that outlives them.
import { Context, Effect, Layer, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { type DatabaseClient, poolLayer } from "../postgres/connection/Database.ts"
import { freePorts } from "./OpenSearchNode.ts"
import { clusterLayer, PostgresFixtures, PreparedFolder, temporaryFolder } from "./PostgresFixtures.ts"
import { startFlags, startService } from "./ServerFixtures.ts"

/** A port that is free now. */
export const freePort = Effect.map(
  Effect.promise(() => freePorts(1)),
  ([port = 0]) => port
)

/** Limits that no test reaches. */
export const unlimitedEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "CONTEXT_READS_PER_MINUTE",
    "CONTEXT_READS_AT_ONCE",
    "CONTEXT_READS_AT_ONCE_INSTANCE",
    "CONTEXT_WRITES_PER_MINUTE",
    "REST_PER_MINUTE",
    "REST_AT_ONCE",
    "REST_AT_ONCE_INSTANCE",
    "ANONYMOUS_PER_MINUTE"
  ].map((name) => [`RAPPORT_LIMIT_${name}`, "1000000"])
)

/** The small demo in a PostgreSQL that no server process owns, and the settings of a process that uses it. */
export class SharedDatabase extends Context.Service<
  SharedDatabase,
  { readonly url: string; readonly environment: Readonly<Record<string, string>> }
>()("@rapport/server/testing/SharedDatabase") {}

/** Settings of a cluster that also listens on loopback and trusts every client there. */
const overTcp = (folder: string, port: number): Readonly<Record<string, string>> => {
  const admitted = path.join(folder, "admitted.conf")
  fs.writeFileSync(admitted, "local all rapport scram-sha-256\nhost all all 127.0.0.1/32 trust\n")
  fs.chmodSync(admitted, 0o644)
  return { listen_addresses: "127.0.0.1", port: String(port), hba_file: admitted }
}

/** Starts the cluster of a folder, which is created if missing, and returns the URL of its database. */
const startCluster = Effect.fnUntraced(function* (folder: string) {
  const port = yield* freePort
  const settings = { fsync: "off", shared_buffers: "64MB", ...overTcp(folder, port) }
  yield* Layer.build(clusterLayer(folder, { connectionsMax: 64, settings }))
  return `postgres://rapport@127.0.0.1:${port}/postgres`
})

/** The URL of an empty database in a PostgreSQL that no server process owns. */
export const emptyDatabase = Effect.flatMap(temporaryFolder, startCluster)

const sharedLayer = Layer.effect(
  SharedDatabase,
  Effect.gen(function* () {
    const url = yield* startCluster((yield* PreparedFolder).path)
    return {
      url,
      environment: {
        ...unlimitedEnvironment,
        DATABASE_URL: url,
        RAPPORT_SEED: "small",
        RAPPORT_TOKEN_KEYS: Buffer.alloc(32, 7).toString("base64url"),
        LOG_FORMAT: "json"
      }
    }
  })
).pipe(Layer.provide(PostgresFixtures.smallFolder))

const clientLayer: Layer.Layer<DatabaseClient, unknown, SharedDatabase> = Layer.unwrap(
  Effect.map(SharedDatabase, ({ url }) => poolLayer({ url: Redacted.make(url) }, 4))
)

/** Starts one more process on the database, with its own data folder and further settings and flags of Node. */
export const startOnShared = Effect.fnUntraced(function* (
  more: Readonly<Record<string, string>> = {},
  ...flags: ReadonlyArray<string>
) {
  const { environment } = yield* SharedDatabase
  const settings = { ...environment, RAPPORT_DATA_DIR: yield* temporaryFolder, ...more }
  return yield* startService(settings, [...startFlags, ...flags])
})

/** For `layer(…)` of @effect/vitest with `{ excludeTestServices: true }`: the database and a connection to it. */
export const SharedDatabaseFixtures = { layer: clientLayer.pipe(Layer.provideMerge(sharedLayer)) }
