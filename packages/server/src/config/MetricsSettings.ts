// The address of the metrics for Prometheus: RAPPORT_METRICS_PORT, RAPPORT_METRICS_HOST.
import type { EnvironmentReader } from "./EnvironmentReader.ts"

export type MetricsSettings = NonNullable<ReturnType<typeof metricsSettingsOf>>

/** Undefined without a port: then there is no listener. */
export const metricsSettingsOf = (read: EnvironmentReader) => {
  const host = read.host("RAPPORT_METRICS_HOST")
  const port = read.optionalInteger("RAPPORT_METRICS_PORT", { minimum: 0, maximum: 65_535 })
  return port === undefined ? undefined : { host, port }
}
