import { assert, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { HttpMiddleware, HttpServerRequest } from "effect/http"
import { spanNamesLayer, withoutPersonalData } from "./TelemetryPrivacy.ts"

it.effect("a span contains no path, where a chat id is often a phone number", () =>
  Effect.gen(function* () {
    const tracer = withoutPersonalData(yield* Tracer.Tracer)
    const span = yield* Effect.provideService(Effect.makeSpan("request"), Tracer.Tracer, tracer)
    span.attribute("url.full", "http://127.0.0.1/kw/api/call_node/1/2/sms/+380501234567")
    span.attribute("url.path", "/kw/api/%63all_node/1/2/sms/+380501234567")
    assert.strictEqual(span.attributes.size, 0)
  })
)

it.effect("a request's span is named by its route", () =>
  Effect.gen(function* () {
    const nameOf = yield* HttpMiddleware.SpanNameGenerator
    const name = (method: string, path: string) =>
      nameOf(HttpServerRequest.fromWeb(new Request(`http://x${path}`, { method })))
    assert.strictEqual(name("GET", "/kw/api/v1/clients/501?q=a"), "GET /kw/api/v1/clients/:id")
    for (const path of [
      "/kw/api/call_node/1/2/sms/+380501234567",
      "/kw/api/%63all_node/1/2/sms/380501234567"
    ])
      assert.strictEqual(
        name("POST", path),
        "POST /kw/api/call_node/:bot_id/:node_id/:channel/:chat_id",
        path
      )
    assert.strictEqual(name("HEAD", "/kw/api/v1/clients/501"), "HEAD /kw/api/v1/clients/:id")
    for (const path of [
      "/nothing/380501234567",
      "/kw/api/v1/clients/1;x",
      "/kw//api/v1/clients",
      "/kw/api/v1/clients/%zz"
    ])
      assert.strictEqual(name("GET", path), "GET none", path)
    assert.strictEqual(name("DELETE", "/kw/chatrooms/context/retrieve"), "DELETE none")
  }).pipe(Effect.provide(spanNamesLayer))
)
