// Records every answered request as a metric, and as a line of the access log if that is enabled.
import { Clock, Effect, Metric, Queue } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { registerMetric } from "../telemetry/MetricRegistration.ts"
import { namesOf } from "./middleware/RequestOrigin.ts"
import { NO_ROUTE, routeOf } from "../telemetry/RouteTemplates.ts"

/** Lines of the access log in the queue. Further lines are dropped. */
const ACCESS_LINES_WAITING_MAX = 10_000

/** An answered request, as a line of the access log. It has no path, query string, address or personal data. */
interface AccessLine {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly instance: number | null
  /** Null for a request without a route. */
  readonly requestId: string | null
}

/** The caller disconnected before it took the answer. */
const STATUS_GONE = 499

/** One metric per combination: `withAttributes` would merge, sort and join the attributes for each value. */
const durationsOf = (attributes: Metric.Metric.AttributeSet) =>
  Metric.histogram("rapport.http.duration_seconds", {
    description: "from the headers of a request to the last byte of its answer, by route and status",
    boundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    attributes
  })
const inFlight = Metric.gauge("rapport.http.in_flight", {
  description: "requests that are not answered yet"
})

/** Records the requests that the returned listener receives, until the scope closes. */
export const makeRecords = Effect.fnUntraced(function* ({ accessLog }: { readonly accessLog: boolean }) {
  const context = yield* Effect.context<never>()
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000
  const write = accessLog ? yield* accessLines : undefined
  const series = new Map<string, Metric.Histogram<number>>()
  const seriesOf = (method: string, route: string, status: number) => {
    const key = `${status} ${method} ${route}`
    const known = series.get(key)
    if (known !== undefined) return known
    const made = durationsOf({ method, route, status: String(status) })
    series.set(key, made)
    return made
  }
  let open = 0
  yield* registerMetric(inFlight, context, () => ({ value: open }))

  const recordRequest = (
    request: IncomingMessage,
    response: ServerResponse,
    begunAt: number,
    sent: number
  ) => {
    open--
    const millis = now() - begunAt
    const status = response.writableFinished ? response.statusCode : STATUS_GONE
    const route = routeOf(request.method, request.url)
    // Without a route the method is an arbitrary word of the caller.
    const method = route === NO_ROUTE ? NO_ROUTE : (request.method ?? NO_ROUTE)
    seriesOf(method, route, status).updateUnsafe(millis / 1_000, context)
    const bytes = (request.socket.bytesWritten ?? sent) - sent
    write?.({ method, route, status, ms: Math.round(millis * 10) / 10, bytes, ...namesOf(request) })
  }
  return (request: IncomingMessage, response: ServerResponse) => {
    open++
    const begunAt = now()
    const sent = request.socket.bytesWritten
    response.once("close", () => recordRequest(request, response, begunAt, sent))
  }
})

/** Writes lines at the pace of the logger. Lines that do not fit the queue are counted and dropped. */
const accessLines = Effect.gen(function* () {
  const lines = yield* Queue.dropping<AccessLine>(ACCESS_LINES_WAITING_MAX)
  let lost = 0
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        for (const line of yield* Queue.takeAll(lines)) yield* Effect.logInfo("request", line)
        if (lost === 0) return
        const left = lost
        lost = 0
        yield* Effect.logWarning(`${left} lines of the access log were left out: requests come too fast`)
      })
    )
  )
  return (line: AccessLine) => {
    if (!Queue.offerUnsafe(lines, line)) lost++
  }
})
