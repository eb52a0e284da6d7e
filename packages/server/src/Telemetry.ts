// Logs on standard error, with an optional export of traces, metrics and logs over OTLP.
import { Effect, Layer, Logger, type LogLevel, References } from "effect"
import { Config, type Settings, withSettings } from "./Config.ts"
import { logLines } from "./start/LogLines.ts"
import { privateSpansLayer } from "./telemetry/TelemetryPrivacy.ts"

const levels: Record<Settings["logLevel"], LogLevel.LogLevel> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

/** LOG_LEVEL and LOG_FORMAT (contract §11). Logs go to standard error, because standard output is for results. */
export const loggingLayer = withSettings((settings) =>
  Layer.merge(
    Logger.layer([standardError(settings), Logger.tracerLogger]),
    Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel])
  )
)

const standardError = ({ logFormat }: Settings) => {
  const linesOf = logLines({ format: logFormat, isTerminal: process.stderr.isTTY })
  return Logger.make((record) => {
    const lines = linesOf(record)
    if (lines !== undefined) process.stderr.write(lines)
  })
}

/** Loads the exporter only with an endpoint. */
export const telemetryLayer: Layer.Layer<never, never, Config> = Layer.unwrap(
  Effect.gen(function* () {
    const { telemetry } = (yield* Config).settings
    if (telemetry === undefined) return Layer.succeed(References.TracerEnabled, false)
    const { exportLayer } = yield* Effect.promise(() => import("./telemetry/TelemetryExport.ts"))
    return Layer.effectDiscard(Effect.logInfo("telemetry is exported over OTLP")).pipe(
      Layer.provideMerge(privateSpansLayer),
      Layer.provideMerge(exportLayer(telemetry))
    )
  })
)
