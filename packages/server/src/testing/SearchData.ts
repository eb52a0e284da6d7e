// Fills the PostgreSQL of a data folder with the demo and so many appeals: `pnpm bench search` starts the service there. A folder
// that was filled is left as it is.
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

/** The cluster of the folder, begun as one that is migrated and empty. */
const cluster = Layer.unwrap(
  Effect.gen(function* () {
    const { path: made } = yield* PreparedFolder
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
    copyTree(path.join(made, "postgres"), path.join(folder, "postgres"))
    return clusterLayer(folder)
  })
).pipe(Layer.provide(PostgresFixtures.migratedFolder))

const fill = Effect.gen(function* () {
  yield* seed({ kind: "demo", adminLogin: undefined, adminPassword: undefined, appeals: Number(appeals) })
}).pipe(
  Effect.provide(
    instancesLayer.pipe(
      Layer.provideMerge(Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer))),
      Layer.provide(cluster)
    )
  )
)

NodeRuntime.runMain(fill)
