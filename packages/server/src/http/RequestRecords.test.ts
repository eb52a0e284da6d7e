import { assert, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import * as http from "node:http"
import { listenOnLoopback } from "../testing/LoopbackServer.ts"
import { makeRecords } from "./RequestRecords.ts"

/** `method route status` of each series → how often. */
const counts = Effect.map(Metric.snapshot, (series) =>
  Object.fromEntries(
    series.flatMap((one) =>
      one.type === "Histogram" && one.id === "rapport.http.duration_seconds"
        ? [[Object.values(one.attributes ?? {}).join(" "), one.state.count]]
        : []
    )
  )
)
const inFlight = Effect.map(Metric.snapshot, (series) =>
  series.flatMap((one) =>
    one.type === "Gauge" && one.id === "rapport.http.in_flight" ? [one.state.value] : []
  )
)

it.live("a request is counted when its response was taken, and as 499 when its caller left", () =>
  Effect.gen(function* () {
    const arrived = Promise.withResolvers<void>()
    const server = http.createServer((request, response) => {
      if (request.url?.startsWith("/health/live?") === true) response.end("{}")
      else arrived.resolve()
    })
    server.prependListener("request", yield* makeRecords({ accessLog: false }))
    const port = yield* listenOnLoopback(server)
    yield* Effect.promise(async () => {
      for (let i = 0; i < 3; i++) await (await fetch(`http://127.0.0.1:${port}/health/live?who=olena`)).text()
    })
    const waiting = http.get({ port, host: "127.0.0.1", path: "/health/ready", agent: false })
    waiting.on("error", () => undefined)
    yield* Effect.promise(() => arrived.promise)
    assert.deepStrictEqual(yield* inFlight, [1])
    waiting.destroy()
    while ((yield* inFlight)[0] !== 0) yield* Effect.sleep("5 millis")
    assert.deepStrictEqual(yield* counts, {
      "GET /health/live 200": 3,
      "GET /health/ready 499": 1
    })
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
)
