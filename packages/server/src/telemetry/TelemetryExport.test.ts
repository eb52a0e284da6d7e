import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Logger, Redacted, References } from "effect"
import { createServer } from "node:http"
import { listenOnLoopback } from "../testing/LoopbackServer.ts"
import { exportLayer } from "./TelemetryExport.ts"

it.live("an export ends when its receiver wants it later, so that no telemetry is queued", () =>
  Effect.gen(function* () {
    const server = createServer((_, response) => response.writeHead(503, { "retry-after": "3600" }).end())
    const variables = Redacted.make({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${yield* listenOnLoopback(server)}`,
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_SERVICE_NAME: "rapport-test",
      OTEL_BSP_SCHEDULE_DELAY: "1"
    })
    const dropped = yield* Deferred.make<string>()
    const logger = Logger.make(({ cause, message }) =>
      Deferred.doneUnsafe(dropped, Exit.succeed(`${String(message)} ${String(cause)}`))
    )
    const line = yield* Effect.andThen(Effect.withSpan(Effect.void, "a span"), Deferred.await(dropped)).pipe(
      Effect.provide(exportLayer({ protocol: "http/json", variables })),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "Debug")
    )
    assert.include(line, "60 seconds")
  })
)
