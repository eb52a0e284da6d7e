import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { type Received, receiver } from "../testing/ReceiverFixtures.ts"
import { startService, untilSearchable } from "../testing/ServerFixtures.ts"

interface Attribute {
  readonly key: string
  readonly value: unknown
}
interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<Attribute>
}
interface Export {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}

/** Every span that a receiver was sent. */
const spansOf = (received: ReadonlyArray<Received>) =>
  bodiesAt(received, "/v1/traces").flatMap((body) => {
    const { resourceSpans }: Export = JSON.parse(body)
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  })

/** An OTLP/HTTP endpoint that keeps what it is sent. */
const collector = receiver(
  (_, response) => void response.setHeader("content-type", "application/json").end("{}")
)
const bodiesAt = (received: ReadonlyArray<Received>, path: string) =>
  received.filter(({ url }) => url === path).map(({ body }) => body)

// contract §11: traces, metrics and logs over OTLP when an endpoint is set.

it.live("telemetry exports all traces, metrics and logs before the process ends", () =>
  Effect.gen(function* () {
    const { path: folder } = yield* PreparedFolder
    const { origin: endpoint, received } = yield* collector
    const { call, process } = yield* startService({
      RAPPORT_DATA_DIR: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_SERVICE_NAME: "rapport-test"
    })
    yield* Effect.promise(() => call("/health/ready", { headers: { "x-request-id": "seen-in-traces" } }))
    // What callers search for stays private, and only a trusted proxy names a trace.
    const foreign = {
      traceparent: `00-${"f".repeat(32)}-${"e".repeat(16)}-01`,
      "user-agent": "told-to-nobody"
    }
    for (const path of ["/kw/api/v1/clients?q=told-to-nobody", "/health/ready?email=told-to-nobody"]) {
      yield* Effect.promise(() => call(path, { headers: foreign }))
    }
    for (const [name, value] of [
      ["x-auth-token", "rpx_told-to-nobody"],
      ["authorization", "Bearer told-to-nobody"]
    ] as const) {
      const headers = { [name]: value, "content-type": "application/json" }
      yield* Effect.promise(() => call("/kw/mcp", { method: "POST", headers, body: "{}" }))
    }
    assert.deepInclude(yield* process.stop(), { code: 0 })

    assert.notInclude(JSON.stringify(received), "told-to-nobody")
    assert.notInclude(process.stderr, "told-to-nobody")
    assert.includeMembers(
      received.map(({ url }) => url),
      ["/v1/traces", "/v1/metrics", "/v1/logs"]
    )
    const spans = spansOf(received)
    const traces = bodiesAt(received, "/v1/traces").join("")
    assert.include(traces, "rapport-test")
    assert.include(traces, "/kw/api/v1/clients")
    for (const word of ["f".repeat(32), "url.query", "client.address", "user_agent.original"]) {
      assert.notInclude(traces, word)
    }
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
    assert.include(bodiesAt(received, "/v1/logs").join(""), "telemetry is exported")
  }).pipe(Effect.provide(PostgresFixtures.smallFolder))
)

it.live("telemetry has one trace for a context read, and one for a projection batch", () =>
  Effect.gen(function* () {
    const { path: folder } = yield* PreparedFolder
    const { origin: endpoint, received } = yield* collector
    const service = yield* startService({
      RAPPORT_DATA_DIR: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json"
    })
    yield* untilSearchable(service)
    const written = yield* service.send({
      path: "/kw/api/v1/OpChatRooms",
      body: { clientId: 501, channel: "web" }
    })
    assert.strictEqual(written.status, 201, written.text)
    const read = {
      scope: { entity: "client", id: 501 },
      targets: ["relevant_appeals"],
      query: "роутер",
      allowPartial: true
    }
    const answered = yield* Effect.promise(() =>
      service.call("/kw/chatrooms/context/retrieve", {
        login: "administrator",
        method: "POST",
        headers: { "content-type": "application/json", "x-request-id": "the-read" },
        body: JSON.stringify(read)
      })
    )
    assert.strictEqual(answered.status, 200)
    // A projection polls every 250 ms at the latest.
    yield* Effect.sleep("2 seconds")
    assert.deepInclude(yield* service.process.stop(), { code: 0 })

    const spans = spansOf(received)
    const root = spans.find(({ attributes }) =>
      attributes.some(({ key, value }) => key === "requestId" && JSON.stringify(value).includes("the-read"))
    )
    assert.isDefined(root)
    const trace = spans.filter(({ traceId }) => traceId === root.traceId)
    const names = trace.map(({ name }) => name)
    for (const name of ["ContextReader.retrieve", "EvidenceIndex.search"]) assert.include(names, name)
    const ids = new Set(trace.map(({ spanId }) => spanId))
    for (const span of trace) {
      if (span.parentSpanId) assert.isTrue(ids.has(span.parentSpanId), `the parent of ${span.name}`)
    }
    assert.isTrue(spans.some(({ name }) => name === "EvidenceProjection.apply"))
  }).pipe(Effect.provide(PostgresFixtures.smallFolder))
)

it.live("a telemetry endpoint that does not answer disturbs nothing", () =>
  Effect.gen(function* () {
    const { path: folder } = yield* PreparedFolder
    const { call, process } = yield* startService({
      RAPPORT_DATA_DIR: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9"
    })
    assert.strictEqual((yield* Effect.promise(() => call("/health/ready"))).status, 200)
    assert.deepInclude(yield* process.stop(), { code: 0 })
  }).pipe(Effect.provide(PostgresFixtures.smallFolder))
)
