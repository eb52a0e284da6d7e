// The OTLP exporters for Effect's spans, metrics and logs. Loaded only if an endpoint is set.
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { OTLPLogExporter as LogsJson } from "@opentelemetry/exporter-logs-otlp-http"
import { OTLPLogExporter as LogsProtobuf } from "@opentelemetry/exporter-logs-otlp-proto"
import { OTLPMetricExporter as MetricsJson } from "@opentelemetry/exporter-metrics-otlp-http"
import { OTLPMetricExporter as MetricsProtobuf } from "@opentelemetry/exporter-metrics-otlp-proto"
import { OTLPTraceExporter as TracesJson } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as TracesProtobuf } from "@opentelemetry/exporter-trace-otlp-proto"
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base"
import { BatchLogRecordProcessor } from "@opentelemetry/sdk-logs"
import { PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { version } from "@rapport/contract/Version.ts"
import { Effect, Layer, Redacted } from "effect"
import type { TelemetrySettings } from "../config/TelemetrySettings.ts"

type Signal = "TRACES" | "METRICS" | "LOGS"

const EXPORT_INTERVAL_MILLIS = 10_000
const EXPORT_TIMEOUT_MILLIS = 3_000
/** How long a thread waits for its last export; a service ends three threads, one after the other. */
const LAST_EXPORT_MILLIS_MAX = 700
/** The timeout of the rest of the shutdown, after that wait. */
const SHUTDOWN_MILLIS_MAX = 50

/** `name=value` pairs separated by commas, percent-encoded, as the standard writes headers and resource attributes. */
const keyValues = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (text ?? "").split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]]
    })
  )

/** The exporter options of one signal; undefined if it is switched off or has no endpoint. */
const exportOf = (variables: Readonly<Record<string, string>>, signal: Signal) => {
  if (variables[`OTEL_${signal}_EXPORTER`] === "none") return undefined
  const own = (name: string) =>
    variables[`OTEL_EXPORTER_OTLP_${signal}_${name}`] ?? variables[`OTEL_EXPORTER_OTLP_${name}`]
  const base = variables["OTEL_EXPORTER_OTLP_ENDPOINT"]
  const url =
    variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ??
    (base && `${base.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`)
  if (url === undefined) return undefined
  return {
    url,
    headers: keyValues(own("HEADERS")),
    timeoutMillis: Number(own("TIMEOUT") ?? EXPORT_TIMEOUT_MILLIS),
    ...(own("COMPRESSION") === "gzip" ? { compression: CompressionAlgorithm.GZIP } : {})
  }
}

/** Drops what cannot be exported, so that an unavailable receiver never fails the shutdown. */
const lossy = <Items, Exporter extends Exports<Items>>(exporter: Exporter & Exports<Items>): Exporter => {
  const send = exporter.export.bind(exporter)
  exporter.export = (items, done) => send(items, () => done({ code: EXPORTED }))
  return exporter
}

interface Exports<Items> {
  export: (items: Items, done: (result: { code: number }) => void) => void
}

const EXPORTED = 0

const batchesOf = (variables: Readonly<Record<string, string>>, queue: "BSP" | "BLRP") => {
  const number = (name: string) => {
    const value = variables[`OTEL_${queue}_${name}`]
    return value === undefined ? undefined : Number(value)
  }
  const defined = {
    scheduledDelayMillis: number("SCHEDULE_DELAY"),
    exportTimeoutMillis: number("EXPORT_TIMEOUT"),
    maxExportBatchSize: number("MAX_EXPORT_BATCH_SIZE")
  }
  return Object.fromEntries(Object.entries(defined).filter(([, value]) => value !== undefined))
}

/** Exports spans, metrics and logs of the thread named `thread`, and flushes them when the layer ends. */
export const exportLayer = (
  { protocol, variables }: TelemetrySettings,
  thread: string
): Layer.Layer<never> => {
  const all = Redacted.value(variables)
  const json = protocol === "http/json"
  const traces = exportOf(all, "TRACES")
  const metrics = exportOf(all, "METRICS")
  const logs = exportOf(all, "LOGS")
  const interval = Number(all["OTEL_METRIC_EXPORT_INTERVAL"] ?? EXPORT_INTERVAL_MILLIS)
  const timeout = Number(all["OTEL_METRIC_EXPORT_TIMEOUT"] ?? EXPORT_TIMEOUT_MILLIS)
  const spanProcessor =
    traces &&
    new BatchSpanProcessor(
      lossy(json ? new TracesJson(traces) : new TracesProtobuf(traces)),
      batchesOf(all, "BSP")
    )
  const metricReader =
    metrics &&
    new PeriodicExportingMetricReader({
      exporter: lossy(json ? new MetricsJson(metrics) : new MetricsProtobuf(metrics)),
      exportIntervalMillis: interval,
      exportTimeoutMillis: Math.min(interval, timeout)
    })
  const logRecordProcessor =
    logs &&
    new BatchLogRecordProcessor({
      exporter: lossy(json ? new LogsJson(logs) : new LogsProtobuf(logs)),
      ...batchesOf(all, "BLRP")
    })
  const sdk = NodeSdk.layer(() => ({
    resource: {
      serviceName: all["OTEL_SERVICE_NAME"] ?? "rapport",
      serviceVersion: version,
      attributes: { ...keyValues(all["OTEL_RESOURCE_ATTRIBUTES"]), "thread.name": thread }
    },
    metricTemporality:
      all["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"] === "delta" ? "delta" : "cumulative",
    loggerMergeWithExisting: true,
    shutdownTimeout: SHUTDOWN_MILLIS_MAX,
    ...(spanProcessor && { spanProcessor }),
    ...(metricReader && { metricReader }),
    ...(logRecordProcessor && { logRecordProcessor })
  }))
  const exporting = [spanProcessor, metricReader, logRecordProcessor].filter((one) => one !== undefined)
  return Layer.provideMerge(lastExportLayer(exporting), sdk)
}

/** Flushes all signals in parallel; the layers of the SDK would do so one after the other. */
const lastExportLayer = (exporting: ReadonlyArray<{ readonly shutdown: () => Promise<void> }>) =>
  Layer.effectDiscard(
    Effect.addFinalizer(() =>
      Effect.promise(() => {
        const late = new Promise((resolve) => setTimeout(resolve, LAST_EXPORT_MILLIS_MAX).unref())
        return Promise.race([Promise.allSettled(exporting.map((one) => one.shutdown())), late])
      })
    )
  )
