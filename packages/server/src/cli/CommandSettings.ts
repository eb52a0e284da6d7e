// The start of every command: reads its settings, warns of unknown names, configures logging.
import { Effect, Layer } from "effect"
import { type ConfigError } from "../config/ConfigError.ts"
import { Config } from "../Config.ts"
import { loggingLayer } from "../Telemetry.ts"

const layer = loggingLayer.pipe(Layer.provideMerge(Config.layer))

/** Runs a command with the settings of its environment. Only now are they read, so that --help always works. */
export const withSettings = <A, E, R>(
  command: Effect.Effect<A, E, R>
): Effect.Effect<A, E | ConfigError, Exclude<R, Config>> =>
  Effect.gen(function* () {
    const { warnings } = yield* Config
    yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
    return yield* command
  }).pipe(Effect.provide(layer))
