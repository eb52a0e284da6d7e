import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createServer, type Server } from "node:http"
import { PostgresFixtures, PreparedFolder } from "./testing/PostgresFixtures.ts"
import { startProcess } from "./testing/ServerFixtures.ts"

const Spans = Schema.fromJsonString(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({
        scopeSpans: Schema.Array(
          Schema.Struct({
            spans: Schema.Array(
              Schema.Struct({
                name: Schema.String,
                traceId: Schema.String,
                attributes: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.Unknown }))
              })
            )
          })
        )
      })
    )
  })
)
const decodeSpans = Schema.decodeUnknownSync(Spans)

/** An OTLP/HTTP endpoint that keeps what it is sent: path → bodies. */
const collector = Effect.acquireRelease(
  Effect.callback<{
    readonly origin: string
    readonly received: Map<string, Array<string>>
    readonly server: Server
  }>((resume) => {
    const received = new Map<string, Array<string>>()
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => (body += text))
      request.on("end", () => {
        received.set(request.url ?? "", [...(received.get(request.url ?? "") ?? []), body])
        response.setHeader("content-type", "application/json").end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, received, server }))
    })
  }),
  ({ server }) => Effect.sync(() => server.close())
)

// docs/contract.md §11: traces, metrics and logs over OTLP when an endpoint is set.
describe("telemetry", () => {
  it.live(
    "exports traces of requests and statements, metrics and logs, all of them before the process ends",
    () =>
      Effect.gen(function* () {
        const { path: folder } = yield* PreparedFolder
        const { origin: endpoint, received } = yield* collector
        const started = yield* startProcess(["serve"], {
          PORT: "0",
          RAPPORT_DATA_DIR: folder,
          OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_SERVICE_NAME: "rapport-test"
        })
        const origin = yield* Effect.promise(() => started.ready())
        yield* Effect.promise(() =>
          fetch(`${origin}/health/ready`, { headers: { "x-request-id": "seen-in-traces" } })
        )
        for (const [name, value] of [
          ["x-auth-token", "rpx_told-to-nobody"],
          ["authorization", "Bearer told-to-nobody"]
        ] as const) {
          const headers = { [name]: value, "content-type": "application/json" }
          yield* Effect.promise(() => fetch(`${origin}/kw/mcp`, { method: "POST", headers, body: "{}" }))
        }
        started.signal("SIGTERM")
        assert.deepInclude(yield* Effect.promise(() => started.end), { code: 0 })

        assert.notInclude(JSON.stringify([...received.values()]), "told-to-nobody")
        assert.notInclude(started.stderr, "told-to-nobody")
        assert.includeMembers([...received.keys()], ["/v1/traces", "/v1/metrics", "/v1/logs"])
        const bodies = received.get("/v1/traces") ?? []
        assert.include(bodies.join(""), "rapport-test")
        const spans = bodies.flatMap((body) =>
          decodeSpans(body).resourceSpans.flatMap(({ scopeSpans }) =>
            scopeSpans.flatMap((scope) => scope.spans)
          )
        )
        const request = spans.find(({ attributes }) =>
          attributes.some(
            ({ key, value }) => key === "requestId" && JSON.stringify(value).includes("seen-in-traces")
          )
        )
        assert.isDefined(request)
        const statements = spans.filter(
          ({ attributes, traceId }) =>
            traceId === request.traceId && attributes.some(({ key }) => key === "db.system.name")
        )
        assert.strictEqual(statements.length, 2, "the two statements of the probe")
        assert.include((received.get("/v1/logs") ?? []).join(""), "telemetry is exported")
      }).pipe(Effect.provide(PostgresFixtures.smallFolder))
  )

  it.live("an endpoint that nobody answers disturbs nothing", () =>
    Effect.gen(function* () {
      const { path: folder } = yield* PreparedFolder
      const started = yield* startProcess(["serve"], {
        PORT: "0",
        RAPPORT_DATA_DIR: folder,
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9"
      })
      const origin = yield* Effect.promise(() => started.ready())
      const answer = yield* Effect.promise(() => fetch(`${origin}/health/ready`))
      assert.strictEqual(answer.status, 200)
      started.signal("SIGTERM")
      assert.deepInclude(yield* Effect.promise(() => started.end), { code: 0 })
    }).pipe(Effect.provide(PostgresFixtures.smallFolder))
  )
})
