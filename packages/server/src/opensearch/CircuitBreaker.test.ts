import { assert, describe, it } from "@effect/vitest"
import { OPENSEARCH_BREAKER_FAILURES, OPENSEARCH_PROBE_MILLIS } from "./OpenSearchLimits.ts"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeCircuitBreaker } from "./CircuitBreaker.ts"
import { OpenSearchFault, unavailable } from "./OpenSearchFault.ts"
import { retryWrite, retrySearch } from "./Retries.ts"

const away = new OpenSearchFault({ kind: "unavailable", status: 0, detail: "connect ECONNREFUSED" })

const broken = Effect.gen(function* () {
  let sent = 0
  let answers = false
  const call = Effect.suspend(() => {
    sent++
    return answers ? Effect.succeed("here") : Effect.fail(away)
  })
  const breaker = yield* makeCircuitBreaker(call)
  for (let i = 0; i < OPENSEARCH_BREAKER_FAILURES; i++) yield* Effect.flip(breaker.guard(call))
  return {
    guarded: breaker.guard(call),
    sent: () => sent,
    comesBack: () => {
      answers = true
    }
  }
})

describe("the circuit breaker", () => {
  it.effect("once open, fails searches and writes at once: nothing is sent and nothing waits", () =>
    Effect.gen(function* () {
      const { guarded, sent } = yield* broken
      const [before, begun] = [sent(), yield* Clock.currentTimeMillis]
      // Under a stopped clock a retry that waits would never end.
      const fault = yield* Effect.flip(retrySearch(guarded))
      assert.strictEqual((yield* Effect.flip(retryWrite(guarded))).kind, "open")
      assert.deepStrictEqual(
        [fault.kind, unavailable(fault).reason, sent() - before, (yield* Clock.currentTimeMillis) - begun],
        ["open", "search_index_unavailable", 0, 0]
      )
    })
  )

  it.effect("lets calls through again after a probe that was answered", () =>
    Effect.gen(function* () {
      const { comesBack, guarded, sent } = yield* broken
      yield* TestClock.adjust(3 * OPENSEARCH_PROBE_MILLIS)
      assert.strictEqual((yield* Effect.flip(guarded)).kind, "open")
      assert.isAtLeast(sent(), OPENSEARCH_BREAKER_FAILURES + 3)
      comesBack()
      yield* TestClock.adjust(OPENSEARCH_PROBE_MILLIS)
      assert.strictEqual(yield* guarded, "here")
    })
  )
})
