// The OTLP exporters for Effect's spans, metrics and logs. Loaded only if an endpoint is set.
import { version } from "@rapport/contract/Version.ts"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { TelemetrySettings } from "../config/TelemetrySettings.ts"

const EXPORT_TIMEOUT_MILLIS = 3_000
/** How long the end of a service waits for its last export. */
const LAST_EXPORT_MILLIS_MAX = 2_000

/**
 * The exporters bound no request themselves. Telemetry that the receiver does not take in time is dropped, also after a Retry-After,
 * until which the exporters would queue everything. Both are defects, because the exporters would repeat a request that failed.
 */
const clientLayer = (timeoutMillis: number) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.transformResponse((response) =>
        response.pipe(
          Effect.timeoutOrElse({
            duration: timeoutMillis,
            orElse: () => Effect.die(new Error("the receiver of telemetry did not answer in time"))
          }),
          Effect.tap(({ headers, status }) =>
            status >= 400 && headers["retry-after"] !== undefined
              ? Effect.die(new Error(`the receiver of telemetry answered ${status} with Retry-After`))
              : Effect.void
          )
        )
      )
    )
  ).pipe(Layer.provide(FetchHttpClient.layer))

/** Exports spans, metrics and logs, and flushes them when the layer ends. */
export const exportLayer = ({ protocol, variables }: TelemetrySettings): Layer.Layer<never> => {
  const all = Redacted.value(variables)
  const clientOf = (signal: "TRACES" | "METRICS" | "LOGS", batchTimeout: string) =>
    clientLayer(
      Number(
        all[`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`] ??
          all["OTEL_EXPORTER_OTLP_TIMEOUT"] ??
          all[batchTimeout] ??
          EXPORT_TIMEOUT_MILLIS
      )
    )
  const resource = { serviceVersion: version }
  const exporting = Layer.mergeAll(
    Layer.provide(OtlpTracer.layerFromConfig({ resource }), clientOf("TRACES", "OTEL_BSP_EXPORT_TIMEOUT")),
    Layer.provide(
      OtlpMetrics.layerFromConfig({ resource }),
      clientOf("METRICS", "OTEL_METRIC_EXPORT_TIMEOUT")
    ),
    Layer.provide(OtlpLogger.layerFromConfig({ resource }), clientOf("LOGS", "OTEL_BLRP_EXPORT_TIMEOUT"))
  )
  return lastExportLayer.pipe(
    Layer.provideMerge(exporting),
    Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...all, ...NO_OWN_WAIT } })))
  )
}

/** Effect's exporters take these as timeouts of their last exports, one after the other. `lastExportLayer` flushes all in parallel. */
const NO_OWN_WAIT = {
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "0",
  OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "0",
  OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "0"
}

const lastExportLayer = Layer.effectDiscard(
  Effect.flatMap(OtlpExporter.Flusher, ({ flush }) =>
    Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(flush), LAST_EXPORT_MILLIS_MAX))
  )
)
