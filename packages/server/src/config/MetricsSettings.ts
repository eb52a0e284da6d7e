// The address of the metrics for Prometheus: RAPPORT_METRICS_PORT, RAPPORT_METRICS_HOST.
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import { hostOf } from "./Host.ts"

export type MetricsSettings = NonNullable<ReturnType<typeof metricsSettingsOf>>

/** Undefined without a port: then there is no listener. */
export const metricsSettingsOf = (read: EnvironmentReader) => {
  const host = hostOf(read, "RAPPORT_METRICS_HOST")
  const port = read.optionalInteger("RAPPORT_METRICS_PORT", { minimum: 0, maximum: 65_535 })
  return port === undefined ? undefined : { host, port }
}
