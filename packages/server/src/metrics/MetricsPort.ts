// GET /metrics for Prometheus, on a separate port. Loaded only if RAPPORT_METRICS_PORT is set.
import { type Context, Effect, Layer, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { createServer, type Server } from "node:http"
import type { ConfigError } from "../config/ConfigError.ts"
import type { MetricsSettings } from "../config/MetricsSettings.ts"
import { listenError, originOf, type PortTaken } from "../start/Listening.ts"

/** Connections to the port of metrics. */
const METRICS_CONNECTIONS_MAX = 32
/** How long a request may take to arrive. */
const METRICS_REQUEST_MILLIS_MAX = 5_000

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

export const metricsPortLayer = (settings: MetricsSettings): Layer.Layer<never, PortTaken | ConfigError> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      const server = serverOf(() => prometheusText(context))
      yield* Effect.acquireRelease(listen(server, settings), () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : settings.port
      yield* Effect.logInfo(`metrics are at ${originOf(settings.host, port)}/metrics`)
    })
  )

/** Counters end with `_total` in Prometheus, but not in OTLP. */
const prometheusText = (context: Context.Context<never>): string => {
  const counters = new Set(
    Metric.snapshotUnsafe(context).flatMap(({ id, type }) => (type === "Counter" ? [id] : []))
  )
  return PrometheusMetrics.formatUnsafe(context, {
    metricNameMapper: (name) => (counters.has(name) ? `${name}_total` : name)
  })
}

const serverOf = (format: () => string): Server => {
  const server = createServer(
    { headersTimeout: METRICS_REQUEST_MILLIS_MAX, requestTimeout: METRICS_REQUEST_MILLIS_MAX },
    ({ method, url }, response) => {
      if (url !== "/metrics") response.writeHead(404).end()
      else if (method === "GET") response.writeHead(200, { "content-type": CONTENT_TYPE }).end(format())
      else response.writeHead(405, { allow: "GET" }).end()
    }
  )
  server.maxConnections = METRICS_CONNECTIONS_MAX
  return server
}

const listen = (server: Server, { host, port }: MetricsSettings) =>
  Effect.callback<void, PortTaken | ConfigError>((resume) => {
    server.once("error", (error) => resume(Effect.fail(listenError({ host, port }, error, metricsNames))))
    server.listen({ host, port }, () => resume(Effect.void))
  })

const metricsNames = { host: "RAPPORT_METRICS_HOST", port: "RAPPORT_METRICS_PORT" }
