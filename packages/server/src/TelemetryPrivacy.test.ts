import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { withoutPersonalData } from "./TelemetryPrivacy.ts"

describe("a span", () => {
  it.effect("takes no chat id, which is often a phone number", () =>
    Effect.gen(function* () {
      const tracer = withoutPersonalData(yield* Tracer.Tracer)
      const span = yield* Effect.provideService(Effect.makeSpan("request"), Tracer.Tracer, tracer)
      span.attribute("url.full", "http://127.0.0.1/kw/api/call_node/1/2/sms/+380501234567")
      span.attribute("url.path", "/kw/api/call_node/1/2/sms/%D0%BE%D0%BB/x")
      assert.deepStrictEqual(
        [...span.attributes.values()],
        ["http://127.0.0.1/kw/api/call_node/1/2/sms/:chat_id", "/kw/api/call_node/1/2/sms/:chat_id"]
      )
    })
  )

  it.effect("takes neither a query string nor who asked", () =>
    Effect.gen(function* () {
      const tracer = withoutPersonalData(yield* Tracer.Tracer)
      const span = yield* Effect.provideService(Effect.makeSpan("request"), Tracer.Tracer, tracer)
      for (const [name, value] of [
        ["url.full", "http://127.0.0.1/kw/api/v1/clients?q=olena@example.com"],
        ["url.path", "/kw/api/v1/clients"],
        ["url.query", "q=olena@example.com"],
        ["client.address", "10.0.0.7"],
        ["user_agent.original", "curl"],
        ["http.response.status_code", 200]
      ] as const) {
        span.attribute(name, value)
      }
      assert.deepStrictEqual(
        [...span.attributes],
        [
          ["url.full", "http://127.0.0.1/kw/api/v1/clients"],
          ["url.path", "/kw/api/v1/clients"],
          ["http.response.status_code", 200]
        ]
      )
    })
  )
})
