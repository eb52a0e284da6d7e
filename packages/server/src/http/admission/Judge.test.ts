// Who is refused: whose places are taken, each counted for itself, or whose minute is used up.
import { assert, describe, it } from "@effect/vitest"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import { countedRoutes, makeJudge } from "./Admission.ts"
import { Callers } from "../middleware/RateLimitsHttp.ts"
import { anySession } from "@rapport/core/testing/SessionFixtures.ts"

const session = (userId: number, instanceId = 1) => anySession({ instanceId, userId })
const read = countedRoutes()("POST", "/kw/chatrooms/context/retrieve") ?? assert.fail("no such route")

const made = () => {
  const callers = new Callers(() => 0)
  const limits = { ...TrafficDefaults, CONTEXT_READS_AT_ONCE: 2, CONTEXT_READS_AT_ONCE_INSTANCE: 3 }
  return { callers, judge: makeJudge(limits, callers) }
}

describe("a request of a known caller", () => {
  it("is refused while the places of the caller are taken, whatever others ask", () => {
    const { judge } = made()
    const gives = [judge.take(read, session(1)), judge.take(read, session(1))]
    assert.isDefined(judge.refusal(read, session(1)))
    assert.isUndefined(judge.refusal(read, session(2)))
    gives[0]?.()
    gives[0]?.()
    assert.isUndefined(judge.refusal(read, session(1)))
    judge.take(read, session(1))
    assert.isDefined(
      judge.refusal(read, session(1)),
      "places that were given back twice are more than there are"
    )
  })

  it("is refused while the places of its tenant are taken, and not for those of another", () => {
    const { judge } = made()
    for (const userId of [1, 2, 3]) judge.take(read, session(userId))
    assert.isDefined(judge.refusal(read, session(4)))
    assert.isUndefined(judge.refusal(read, session(4, 2)))
  })

  it("is refused while its minute is used up", () => {
    const { callers, judge } = made()
    const quota = { limit: 1, remaining: 0, wholeAfterMillis: 60_000, retryAfterMillis: 100 }
    callers.noteUsedUp(read.policy, "1/user/1", quota)
    assert.deepStrictEqual(judge.refusal(read, session(1))?.usedUp, quota)
    assert.isUndefined(judge.refusal(read, session(2)))
    assert.isTrue(judge.mayRefuse)
  })

  it("may be refused from the last place that is taken until one is free again", () => {
    const { judge } = made()
    assert.isFalse(judge.mayRefuse)
    const first = judge.take(read, session(1))
    assert.isFalse(judge.mayRefuse)
    const second = judge.take(read, session(1))
    assert.isTrue(judge.mayRefuse)
    judge.take(read, session(2))
    second()
    assert.isFalse(judge.mayRefuse)
    const third = judge.take(read, session(3))
    assert.isTrue(judge.mayRefuse, "the tenant has no place left")
    third()
    first()
    assert.isFalse(judge.mayRefuse)
  })
})
