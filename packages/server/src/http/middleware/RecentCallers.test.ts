// What is remembered of callers: never for long, never more than one may refuse by.
import { assert, describe, it } from "@effect/vitest"
import { policies } from "@rapport/contract/http/RateLimits.ts"
import { Callers, credentialOf } from "./RateLimitsHttp.ts"
import { anySession } from "@rapport/core/testing/SessionFixtures.ts"

const session = anySession({ userId: 7 })
const headers = { authorization: "Bearer one" }

describe("callers that were authenticated a moment ago", () => {
  it("are trusted, every two seconds one request is not, and after a minute none is known", () => {
    let now = 0
    const callers = new Callers(() => now)
    assert.isUndefined(callers.find(headers))
    callers.note(headers, session)
    now = 1_999
    assert.deepStrictEqual(callers.find(headers), { session, isTrusted: true })
    now = 2_000
    assert.deepStrictEqual(callers.find(headers), { session, isTrusted: false })
    assert.deepStrictEqual(
      callers.find(headers),
      { session, isTrusted: true },
      "the others of a crowd are refused meanwhile"
    )
    now = 59_999
    assert.deepStrictEqual(callers.find(headers), { session, isTrusted: false })
    now = 62_000
    assert.isUndefined(callers.find(headers))
    assert.isUndefined(callers.find(headers))
  })

  it("are looked up without taking the request that goes unknown from those that are judged in full", () => {
    let now = 0
    const callers = new Callers(() => now)
    assert.isUndefined(callers.peek(headers))
    callers.note(headers, session)
    now = 1_999
    assert.strictEqual(callers.peek(headers), session)
    now = 2_000
    for (let n = 0; n < 3; n++) assert.isUndefined(callers.peek(headers))
    assert.isFalse(callers.find(headers)?.isTrusted)
    assert.strictEqual(callers.peek(headers), session)
  })

  it("are forgotten with the first 401", () => {
    const callers = new Callers(() => 0)
    callers.note(headers, session)
    callers.forget(headers)
    assert.isUndefined(callers.find(headers))
  })

  it("are distinguished by scheme and token", () => {
    assert.notStrictEqual(credentialOf(headers), credentialOf({ "x-auth-token": "Bearer one" }))
    assert.notStrictEqual(credentialOf(headers), credentialOf({ authorization: "Bearer two" }))
    assert.notStrictEqual(credentialOf(headers), credentialOf({ ...headers, "x-auth-token": "one" }))
    assert.isUndefined(credentialOf({}))
    assert.notInclude(credentialOf(headers), "one")
  })

  it("a minute that is used up ends when its quota says so, for its policy alone", () => {
    let now = 0
    const callers = new Callers(() => now)
    const quota = { limit: 600, remaining: 0, wholeAfterMillis: 60_000, retryAfterMillis: 100 }
    callers.noteUsedUp(policies.rest, "1/user/7", quota)
    assert.isUndefined(callers.findUsedUp(policies.contextRead, session))
    assert.isTrue(callers.isAnyUsedUp)
    now = 40
    assert.deepStrictEqual(callers.findUsedUp(policies.rest, session), {
      ...quota,
      wholeAfterMillis: 59_960,
      retryAfterMillis: 60
    })
    now = 100
    assert.isUndefined(callers.findUsedUp(policies.rest, session))
    assert.isFalse(callers.isAnyUsedUp)
  })
})
