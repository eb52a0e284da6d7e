import { assert, describe, it } from "@effect/vitest"
import { Client, credentialOf } from "@rapport/contract/Client.ts"
import { RateLimited, SearchUnavailable } from "@rapport/contract/Errors.ts"
import { QUERY_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { ask } from "./Asking.ts"

const problem = (status: number, encoded: Effect.Effect<unknown, unknown>) =>
  Effect.map(encoded, (body) => new Response(JSON.stringify(body), { status }))
const tooFast = problem(
  429,
  Schema.encodeEffect(RateLimited)(new RateLimited({ limit: { kind: "rate", retryAfterMs: 700 } }))
)
const unavailable = problem(
  503,
  Schema.encodeEffect(SearchUnavailable)(new SearchUnavailable({ reason: "timeout" }))
)
const pack = Effect.sync(
  () =>
    new Response(
      JSON.stringify({
        requestId: "r",
        scope: { entity: "client", id: 1 },
        generatedAt: "2026-11-21T12:00:00.000Z",
        sections: {},
        citations: [],
        coverage: {
          partial: true,
          reasons: ["pack_budget", "index_lag"],
          details: [],
          asOf: { database: "2026-11-21T12:00:00.000Z", index: null, indexLagMs: null }
        },
        budget: {
          tokens: { limit: 8000, used: 300, estimator: "e" },
          bytes: { limit: 65536, used: 1 },
          items: { appeals: 0, snippets: 0 },
          timeMs: { limit: 2000, used: 3 },
          candidates: { limit: 80, considered: 0 }
        },
        packHash: "sha256:0"
      }),
      { status: 200 }
    )
)

/** A service that returns these answers in order, and the sizes of the requests it received. */
const service = (answers: ReadonlyArray<Effect.Effect<Response, unknown>>) => {
  const requests: Array<number> = []
  const http = HttpClient.make((request) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? pack
    requests.push(request.body._tag === "Uint8Array" ? request.body.body.length : 0)
    return Effect.map(Effect.orDie(answer), (response) => HttpClientResponse.fromWeb(request, response))
  })
  const client = Client.layer("http://service", credentialOf(Redacted.make("token")))
  return { requests, layer: Layer.provide(client, Layer.succeed(HttpClient.HttpClient, http)) }
}
const asking = {
  scope: { entity: "client", id: 1 },
  targets: ["relevant_appeals"],
  query: "де рахунок"
} as const

const STEP_MILLIS = 100

/** The answer, and how long the caller waited. */
const answerOf = Effect.fnUntraced(function* (layer: Layer.Layer<Client>, query: string = asking.query) {
  const fiber = yield* Effect.forkChild(Effect.provide(ask({ ...asking, query }), layer))
  let waited = 0
  for (; fiber.pollUnsafe() === undefined; waited += STEP_MILLIS) {
    // A body is read outside the clock of the test.
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(STEP_MILLIS)
  }
  return { waited, ...(yield* Fiber.join(fiber)) }
})

describe("ask", () => {
  it.effect("returns the sizes of a pack, and the reasons of a partial pack except its budget", () =>
    Effect.gen(function* () {
      const { layer } = service([pack])
      const { appeals, bytes, reasons, tokens } = yield* answerOf(layer)
      assert.deepStrictEqual([appeals, tokens, reasons], [[], 170, ["index_lag"]])
      assert.isAbove(bytes, 400)
    })
  )

  it.effect("retries a request above a rate limit after the time of the service", () =>
    Effect.gen(function* () {
      const { requests, layer } = service([tooFast, tooFast, pack])
      const { tokens, waited } = yield* answerOf(layer)
      assert.deepStrictEqual([requests.length, tokens], [3, 170])
      assert.isAtLeast(waited, 1_400)
    })
  )

  it.effect("retries a request while a source is unavailable", () =>
    Effect.gen(function* () {
      const { requests, layer } = service([unavailable, pack])
      const { tokens, waited } = yield* answerOf(layer)
      assert.deepStrictEqual([requests.length, tokens], [2, 170])
      assert.isAtLeast(waited, 1_000)
    })
  )

  it.effect("reports a question as not answered after three attempts", () =>
    Effect.gen(function* () {
      const { requests, layer } = service([unavailable])
      const { appeals, reasons } = yield* answerOf(layer)
      assert.deepStrictEqual([requests.length, appeals, reasons], [3, [], ["not answered"]])
    })
  )

  it.effect("fails with any other refusal", () =>
    Effect.gen(function* () {
      const { layer } = service([Effect.succeed(new Response("{}", { status: 403 }))])
      const error = yield* Effect.flip(Effect.provide(ask(asking), layer))
      assert.strictEqual(error._tag, "NotAnswered")
    })
  )

  it.effect("cuts a query above its limit", () =>
    Effect.gen(function* () {
      const { requests, layer } = service([pack])
      yield* answerOf(layer, "ї".repeat(QUERY_POINTS_MAX))
      yield* answerOf(layer, "ї".repeat(3 * QUERY_POINTS_MAX))
      assert.strictEqual(requests[0], requests[1])
    })
  )
})
