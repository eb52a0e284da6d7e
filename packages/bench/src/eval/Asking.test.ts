import { assert, describe, it } from "@effect/vitest"
import { Client, credentialOf, retryLimited } from "@rapport/contract/Client.ts"
import { AccessDenied, IdempotencyInProgress, RateLimited } from "@rapport/contract/Errors.ts"
import { Clock, Effect, Fiber, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { ask } from "./Asking.ts"

describe("retryLimited", () => {
  it.effect("repeats a request after the time that the service returned", () =>
    Effect.gen(function* () {
      const refusals = [
        new RateLimited({ limit: { kind: "rate", retryAfterMs: 700 } }),
        new IdempotencyInProgress()
      ]
      const sentAt: Array<number> = []
      const request = Effect.gen(function* () {
        sentAt.push(yield* Clock.currentTimeMillis)
        const refusal = refusals.shift()
        if (refusal !== undefined) return yield* refusal
      })
      const fiber = yield* Effect.forkChild(retryLimited(request))
      yield* TestClock.adjust(5_000)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(sentAt, [0, 700, 1_700])
    })
  )

  it.effect("returns any other error of a request immediately", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(retryLimited(Effect.fail(new AccessDenied())))
      assert.strictEqual(error._tag, "AccessDenied")
    })
  )
})

it.live("ask fails after three answers 503", () =>
  Effect.gen(function* () {
    let requests = 0
    const http = HttpClient.make((request) =>
      Effect.sync(() => {
        requests++
        return HttpClientResponse.fromWeb(request, new Response("", { status: 503 }))
      })
    )
    const client = Layer.provide(
      Client.layer("http://service", credentialOf(Redacted.make("token"))),
      Layer.succeed(HttpClient.HttpClient, http)
    )
    const question = {
      scope: { entity: "client", id: 1 },
      targets: ["relevant_appeals"],
      query: "де рахунок"
    } as const
    const error = yield* Effect.flip(Effect.provide(ask(question), client))
    assert.deepStrictEqual([requests, error._tag], [3, "NotAnswered"])
  })
)
