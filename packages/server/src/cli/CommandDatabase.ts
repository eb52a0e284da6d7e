// The database of a command: PostgreSQL in a data folder that is not in use, else that of the running service.
import { Context, Effect, Layer, Schedule } from "effect"
import { Config } from "../Config.ts"
import { DataFolder, DataFolderInUse } from "../files/DataFolder.ts"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres, findRunning } from "../postgres/connection/EmbeddedPostgres.ts"
import { pendingMigrations, refuseNewer } from "../postgres/schema/Migrations.ts"
import { requireSuitable } from "../postgres/schema/SuitableDatabase.ts"
import { CommandFailed } from "./Failure.ts"

/** Whether the command has locked the data folder, so that no running service indexes its writes. */
export const LocksDataFolder = Context.Reference<boolean>("@rapport/server/cli/LocksDataFolder", {
  defaultValue: () => false
})

/** Every command except serve works while a service runs (contract §11). */
export const commandDatabaseLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseCertificates, databaseUrl, dataDir } = (yield* Config).settings
    if (databaseUrl !== undefined)
      return commandLayer({ url: databaseUrl, certificates: databaseCertificates })
    const own = Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer)).pipe(
      Layer.provide(EmbeddedPostgres.layer({ connectionsMax: COMMAND_CONNECTIONS_MAX })),
      Layer.provide(DataFolder.layer(dataDir)),
      Layer.provideMerge(Layer.succeed(LocksDataFolder, true))
    )
    return Layer.catchTag(own, "DataFolderInUse", (inUse) =>
      Layer.unwrap(Effect.map(awaitRunning(dataDir, inUse), commandLayer))
    )
  })
)

const COMMAND_CONNECTIONS_MAX = 16

// The service that locked the folder may still be starting.
const awaitRunning = (dataDir: string, inUse: DataFolderInUse) =>
  Effect.suspend(() => {
    const running = findRunning(dataDir)
    return running === undefined ? Effect.fail(inUse) : Effect.succeed(running)
  }).pipe(Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 }))

/** Fails for a database of another program version. */
export const requireMigrated = Effect.gen(function* () {
  yield* requireSuitable
  yield* refuseNewer
  const pending = yield* pendingMigrations
  if (pending.length > 0) {
    return yield* new CommandFailed({
      message: `the database lacks ${pending.join(", ")}: run "rapport migrate" first`
    })
  }
})

/** Runs a command on a migrated database. */
export const onDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(requireMigrated, effect).pipe(Effect.provide(commandDatabaseLayer))

/** The same with further services. */
export const onDatabaseWith =
  <More, E1, R1>(layer: Layer.Layer<More, E1, R1>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    onDatabase(Effect.provide(effect, layer))
