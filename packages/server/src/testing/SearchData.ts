// Fills a data folder for `pnpm bench search` with the demo and a number of appeals.
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { seed } from "../seed/SeedLoader.ts"
import { instancesLayer } from "../wiring/Instances.ts"
import { clusterLayer, copyTree, PostgresFixtures, PreparedFolder } from "./PostgresFixtures.ts"

const [folder = "", appeals = ""] = process.argv.slice(2)

/** Only reads are measured, so writes need no durability. */
const settings = { fsync: "off", max_wal_size: "8GB", maintenance_work_mem: "512MB" }

/** The cluster of the folder: a copy of an empty one with all tables. */
const cluster = Layer.unwrap(
  Effect.map(PreparedFolder, ({ path: made }) => {
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
    copyTree(path.join(made, "postgres"), path.join(folder, "postgres"))
    return clusterLayer(folder, { connectionsMax: 16, settings })
  })
).pipe(Layer.provide(PostgresFixtures.migratedFolder))

NodeRuntime.runMain(
  Effect.provide(
    seed({ kind: "demo", adminLogin: undefined, adminPassword: undefined, appeals: Number(appeals) }),
    instancesLayer.pipe(
      Layer.provideMerge(Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer))),
      Layer.provide(cluster)
    )
  )
)
