// What the service tells about itself: logs on standard error, and traces, metrics and logs over OTLP when asked for.
import { version } from "@rapport/contract/Api.ts"
import { ConfigProvider, Effect, Layer, Logger, type LogLevel, Redacted, References } from "effect"
import { Config, type Settings } from "./Config.ts"

const levels: Record<Settings["logLevel"], LogLevel.LogLevel> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

/** LOG_LEVEL and LOG_FORMAT (docs/contract.md §11): standard output belongs to results, so logs take standard error. */
export const loggingLayer: Layer.Layer<never, never, Config> = Layer.unwrap(
  Effect.map(Config, ({ settings }) =>
    Layer.mergeAll(
      Logger.layer([
        settings.logFormat === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty(),
        Logger.tracerLogger
      ]),
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel])
    )
  )
)

/** Exports when an endpoint is set; without one nothing of it is even loaded, and no span is made. */
export const telemetryLayer: Layer.Layer<never, never, Config> = Layer.unwrap(
  Effect.gen(function* () {
    const { telemetry } = (yield* Config).settings
    if (telemetry === undefined) return Layer.succeed(References.TracerEnabled, false)
    const { Otlp, OtlpSerialization } = yield* Effect.promise(() => import("effect/observability"))
    const { FetchHttpClient } = yield* Effect.promise(() => import("effect/http"))
    return Layer.effectDiscard(Effect.logInfo("telemetry is exported over OTLP")).pipe(
      Layer.provideMerge(Otlp.layerFromConfig({ resource: { serviceVersion: version } })),
      Layer.provide(
        telemetry.protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
      ),
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(
        ConfigProvider.layer(ConfigProvider.fromEnv({ env: Redacted.value(telemetry.variables) }))
      )
    )
  })
)
