// The standard OpenTelemetry variables, validated, for the exporters.
import { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

export interface TelemetrySettings {
  readonly protocol: (typeof protocols)[number]
  /** The exporters read these instead of the environment; headers may contain secrets. */
  readonly variables: Redacted.Redacted<Readonly<Record<string, string>>>
}

const protocols = ["http/protobuf", "http/json"] as const
const signals = ["TRACES", "METRICS", "LOGS"] as const
const TEMPORALITY = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
const integers = { minimum: 0, maximum: 2_147_483_647 }

/** Undefined without an endpoint, or when OTEL_SDK_DISABLED is true (contract §11: off by default). */
export const readTelemetry = (read: EnvironmentReader): TelemetrySettings | undefined => {
  const variables: Record<string, string> = {}
  const keep = (name: string, value: string | undefined) => {
    if (value !== undefined) variables[name] = value
  }
  const url = (name: string) => {
    const value = read.url(name, ["http", "https"])
    keep(name, value && Redacted.value(value))
  }
  const headers = (name: string) => {
    const value = read.secret(name)
    // The exporters take white space as part of a name.
    keep(name, value && Redacted.value(value).replaceAll(/\s*,\s*/gu, ","))
  }
  const integer = (name: string) => {
    if (read.text(name) !== undefined) keep(name, String(read.integer(name, integers, 0)))
  }
  const choice = (name: string, options: ReadonlyArray<string>) => {
    if (read.text(name) !== undefined) keep(name, read.choice(name, options, options[0] ?? ""))
  }

  for (const prefix of ["OTEL_EXPORTER_OTLP", ...signals.map((signal) => `OTEL_EXPORTER_OTLP_${signal}`)]) {
    url(`${prefix}_ENDPOINT`)
    headers(`${prefix}_HEADERS`)
    choice(`${prefix}_COMPRESSION`, ["none", "gzip"])
    integer(`${prefix}_TIMEOUT`)
  }
  const endpoints = Object.keys(variables).filter((name) => name.endsWith("_ENDPOINT"))
  for (const signal of signals) {
    // The default of the standard, which the exporters do not apply themselves.
    keep(`OTEL_${signal}_EXPORTER`, read.choice(`OTEL_${signal}_EXPORTER`, ["otlp", "none"], "otlp"))
  }
  for (const queue of ["BSP", "BLRP"]) {
    integer(`OTEL_${queue}_SCHEDULE_DELAY`)
    integer(`OTEL_${queue}_EXPORT_TIMEOUT`)
    integer(`OTEL_${queue}_MAX_EXPORT_BATCH_SIZE`)
  }
  integer("OTEL_METRIC_EXPORT_INTERVAL")
  integer("OTEL_METRIC_EXPORT_TIMEOUT")
  choice(TEMPORALITY, ["cumulative", "delta", "lowmemory"])
  // The exporter has no mode with less memory.
  if (variables[TEMPORALITY] === "lowmemory") variables[TEMPORALITY] = "cumulative"
  keep("OTEL_SERVICE_NAME", read.text("OTEL_SERVICE_NAME") ?? "rapport")
  keep("OTEL_RESOURCE_ATTRIBUTES", read.text("OTEL_RESOURCE_ATTRIBUTES"))
  const protocol = read.choice("OTEL_EXPORTER_OTLP_PROTOCOL", protocols, "http/protobuf")
  const disabled = read.boolean("OTEL_SDK_DISABLED", false)
  if (endpoints.length > 0 && !disabled)
    return { protocol, variables: Redacted.make(variables, { label: "OTEL" }) }
  // Settings of disabled telemetry would add a dozen lines to the printout.
  for (const name of read.shown.keys()) if (name.startsWith("OTEL_")) read.shown.delete(name)
  return undefined
}
