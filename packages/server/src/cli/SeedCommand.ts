// `rapport seed`: fills an empty database by RAPPORT_SEED and does not change any other.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Config } from "../Config.ts"
import { migrate } from "../postgres/schema/Migrations.ts"
import { addDemoFile } from "../seed/DemoFile.ts"
import { seed } from "../seed/SeedLoader.ts"
import { fileStorageLayer } from "../wiring/FileStorages.ts"
import { commandDatabaseLayer, LocksDataFolder } from "./CommandDatabase.ts"
import { instancesLayer } from "../wiring/Instances.ts"
import { print } from "./Output.ts"

export const seedCommand = Command.make("seed", {}, () =>
  Effect.gen(function* () {
    const { settings } = yield* Config
    const { adminLogin, adminPassword, seed: kind } = settings
    yield* migrate
    const seeded = yield* seed({ kind, adminLogin, adminPassword })
    if (seeded.made && seeded.kind !== "empty") yield* Effect.provide(addDemoFile, fileStorageLayer(settings))
    // A running service indexes the data itself.
    const indexes = settings.openSearch !== undefined || (yield* LocksDataFolder)
    if (seeded.made && seeded.kind !== "empty" && indexes) {
      // Loaded here, so that other commands do not load two search engines.
      const { awaitIndexed, searchLayer } = yield* Effect.promise(() => import("../wiring/Search.ts"))
      yield* Effect.provide(awaitIndexed, searchLayer(settings))
    }
    const text = seeded.made
      ? `the database is seeded: ${seeded.kind}`
      : `the database was seeded before (${seeded.kind}) and is not changed`
    yield* print(seeded, text)
  }).pipe(Effect.provide(instancesLayer), Effect.provide(commandDatabaseLayer))
).pipe(
  Command.withDescription("Fill an empty database by RAPPORT_SEED (demo, small or empty)"),
  Command.withExamples([
    { command: "RAPPORT_SEED=small rapport seed", description: "A hundredth of the demo data" }
  ])
)
