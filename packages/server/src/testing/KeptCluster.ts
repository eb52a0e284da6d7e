// The cluster of a measurement: a scratch one, or one in a folder that is filled once and measured again.
import { Effect, Layer, type Scope } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { clusterIn, copyTree, PostgresFixtures, PreparedFolder, temporaryFolder } from "./PostgresFixtures.ts"

/** The memory of the product, where other tests take less. */
const asServed = { connectionsMax: 64, settings: { fsync: "off" } }

/** The cluster of the folder, made as an empty one where there is none; of no folder a scratch one. */
export const keptLayer = (folder: string) =>
  keptIn(
    folder === "" ? Effect.map(temporaryFolder, (made) => path.join(made, "kept")) : Effect.succeed(folder)
  )

const keptIn = (place: Effect.Effect<string, never, Scope.Scope>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const folder = yield* place
      if (!fs.existsSync(path.join(folder, "postgres"))) {
        const { path: made } = yield* PreparedFolder
        fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
        copyTree(path.join(made, "postgres"), path.join(folder, "postgres"))
      }
      return clusterIn(folder, asServed)
    })
  ).pipe(Layer.provide(PostgresFixtures.migratedFolder))
