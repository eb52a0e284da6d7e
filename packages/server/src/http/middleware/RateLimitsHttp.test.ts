// Rates and concurrency over real bytes, by contract §1.1 and §10.
import { afterAll, assert, it } from "@effect/vitest"
import { TrafficDefaults, type TrafficLimits } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import {
  GOOD,
  json,
  stoppedClock,
  stubApp,
  ME,
  problem,
  READ,
  unlimited,
  type Read
} from "../../testing/HttpFixtures.ts"

const app = stubApp({ settings: { limits: unlimited } })
afterAll(app.dispose)

const limits = {
  ...TrafficDefaults,
  CONTEXT_READS_PER_MINUTE: 3,
  CONTEXT_READS_AT_ONCE: 2,
  CONTEXT_READS_AT_ONCE_INSTANCE: 3
}
const appWith = (more: Partial<TrafficLimits>) => stubApp({ settings: { limits: { ...limits, ...more } } })
const user = (id: number) => ({ authorization: `Bearer user-${id}` })

it("a principal above its rate gets 429, failed requests count, and other principals are unaffected", async () => {
  const one = stubApp({ clock: stoppedClock, settings: { limits } })
  const read = (id: number, body: unknown = GOOD) => one.call("POST", READ, { headers: user(id), body })
  const first = await read(1)
  assert.strictEqual(first.headers.get("ratelimit-policy"), '"context-reads";q=3;w=60')
  assert.strictEqual(first.headers.get("ratelimit"), '"context-reads";r=2;t=20')
  const failed = await read(1, {})
  assert.strictEqual(failed.headers.get("ratelimit"), '"context-reads";r=1;t=40')
  await problem(failed, 400, "INVALID_REQUEST")
  assert.strictEqual((await read(1)).headers.get("ratelimit"), '"context-reads";r=0;t=60')
  const refused = await read(1)
  assert.strictEqual(refused.headers.get("ratelimit"), '"context-reads";r=0;t=60')
  assert.strictEqual(refused.headers.get("retry-after"), "20")
  const { limit } = await problem(refused, 429, "RATE_LIMITED")
  assert.strictEqual(limit?.kind, "rate")
  assert.strictEqual(limit?.retryAfterMs, 20_000)
  assert.strictEqual((await read(2)).status, 200)
  const readiness = await one.call("GET", "/kw/context/readiness", { headers: user(1) })
  assert.strictEqual(readiness.headers.get("ratelimit-policy"), '"rest";q=600;w=60')
  await one.dispose()
})

it.each([
  ["context reads", "POST", READ],
  ["calls of nodes, whose answers have a result", "POST", "/kw/api/call_node"],
  ["other routes", "GET", ME]
])("refuses %s with the same answer before the session is read and after it", async (_, method, path) => {
  const used = { ...limits, CONTEXT_READS_PER_MINUTE: 1, REST_PER_MINUTE: 1, CALLS_PER_MINUTE: 1 }
  const authenticated: Array<string> = []
  const one = stubApp({ authenticated, clock: stoppedClock, settings: { limits: used } })
  const answer = async (headers: Record<string, string>) => {
    const response = await one.call(method, path, { headers: { ...headers, "x-request-id": "one" } })
    const body: unknown = await response.json()
    return { status: response.status, headers: Object.fromEntries(response.headers), body }
  }
  await answer(user(1))
  const early = await answer(user(1))
  assert.strictEqual(early.status, 429)
  assert.deepStrictEqual(authenticated, ["user-1"], "only the first request was authenticated")
  // The same principal, by a token whose caller is not cached.
  assert.deepStrictEqual(await answer({ "x-auth-token": "token-1" }), early)
  await one.dispose()
})

/** An application whose reads, and requests of the current user, stay in flight until `release`. */
const makeWaitingApp = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Effect.promise(() => promise)
  const more = { CONTEXT_READS_PER_MINUTE: 100, REST_AT_ONCE: 2, REST_AT_ONCE_INSTANCE: 3 }
  const one = stubApp({
    read: () => Effect.as(waiting, HttpServerResponse.empty()),
    beforeMe: waiting,
    settings: { limits: { ...limits, ...more } }
  })
  return { one, release: resolve }
}
const callRead = (one: typeof app, id: number) => one.call("POST", READ, { headers: user(id), body: GOOD })
const callMe = (one: typeof app, id: number) => one.call("GET", ME, { headers: user(id) })

it.each([
  ["context reads", callRead, 204],
  ["other requests", callMe, 503]
] as const)(
  "%s above the concurrency of a principal or instance are refused, never queued",
  async (_, call, status) => {
    const { one, release } = makeWaitingApp()
    await one.call("GET", "/health/live")
    const running = [call(one, 1), call(one, 1)]
    const overPrincipal = await call(one, 1)
    assert.strictEqual(overPrincipal.headers.get("retry-after"), "1")
    assert.deepStrictEqual((await problem(overPrincipal, 429, "RATE_LIMITED")).limit, {
      kind: "concurrency",
      retryAfterMs: 1000
    })
    running.push(call(one, 2))
    await problem(await call(one, 3), 429, "RATE_LIMITED")
    release()
    for (const answer of await Promise.all(running)) assert.strictEqual(answer.status, status)
    assert.strictEqual((await call(one, 1)).status, status)
    await one.dispose()
  }
)

it("context writes share the concurrency of other requests, context reads have their own", async () => {
  const { one, release } = makeWaitingApp()
  await one.call("GET", "/health/live")
  const running = [callMe(one, 1), callMe(one, 1)]
  assert.strictEqual((await callMe(one, 1)).headers.get("ratelimit"), '"rest";r=597;t=1')
  const write = await one.call("POST", "/kw/context/sessions", { headers: user(1), body: {} })
  await problem(write, 429, "RATE_LIMITED")
  running.push(callRead(one, 1))
  release()
  assert.deepStrictEqual(
    (await Promise.all(running)).map(({ status }) => status),
    [503, 503, 204]
  )
  await one.dispose()
})

const chats = "/kw/api/v1/OpChatRooms"
// All of them are refused for their shape, so that nothing has to be created.
const post = (one: typeof app, body: string) =>
  one.call("POST", chats, { headers: { ...user(1), "content-type": "application/json" }, body })
const policyOf = async (body: string) => (await post(app, body)).headers.get("ratelimit-policy")

it("a create that may contain a history counts as an import when its body has one, however written", async () => {
  for (const body of ['{"messages":1}', '{"m\\u0065ssages":1}', '{"status":1}', '{"x":[],"createdAt":1}'])
    assert.include(await policyOf(body), "appeal-imports", body)
  for (const body of ['{"x":{"messages":1}}', '{"channel":"\\u0430"}', '{"tags":["messages"]}', "{"])
    assert.include(await policyOf(body), '"rest"', body)
})

it("a create that may contain a history is counted before its body is read", async () => {
  const one = stubApp({ settings: { limits: { ...unlimited, APPEAL_IMPORTS_PER_MINUTE: 1 } } })
  assert.strictEqual((await post(one, '{"messages":1}')).status, 400)
  const refused = await post(one, `{"messages":[${"0,".repeat(3_000_000)}0]}`)
  await problem(refused, 429, "RATE_LIMITED")
  assert.include(refused.headers.get("ratelimit-policy"), "appeal-imports")
  await one.dispose()
})

it("a caller without quota is refused before its body is read; a large body counts for each MiB", async () => {
  const one = appWith({ CONTEXT_WRITES_PER_MINUTE: 9 })
  const send = (length: number) => {
    let read = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        read++
        controller.enqueue(new TextEncoder().encode("{".padEnd(1024)))
        if (read > length / 1024) controller.close()
      }
    })
    const headers = {
      ...user(1),
      "content-type": "application/json",
      "content-length": String(length),
      "idempotency-key": "k"
    }
    return { answer: one.stream("POST", "/kw/context/import-batches", headers, body), wasRead: () => read }
  }
  const first = await send(6 * 1024 * 1024).answer
  assert.strictEqual(first.headers.get("ratelimit"), '"context-writes";r=3;t=40')
  await send(3 * 1024 * 1024).answer
  const last = send(1024 * 1024)
  assert.strictEqual((await problem(await last.answer, 429, "RATE_LIMITED")).limit?.kind, "rate")
  // The stream pulls one chunk before it is read.
  assert.isAtMost(last.wasRead(), 1)
  await one.dispose()
})

it("an import batch counts once for every 25 items that it begins, and writes nothing above the limit", async () => {
  const [one, two] = [appWith({ CONTEXT_WRITES_PER_MINUTE: 12 }), appWith({ CONTEXT_WRITES_PER_MINUTE: 3 })]
  const send = (items: number, of = one) =>
    of.call("POST", "/kw/context/import-batches", {
      headers: { ...user(1), "idempotency-key": `batch-${items}` },
      body: {
        source: "crm",
        items: Array.from({ length: items }, (_, n) => ({ kind: "session", externalId: `${n}`, data: {} }))
      }
    })
  // The stub imports nothing: the test reads only the count.
  for (const [items, left] of [
    [1, 11],
    [25, 10],
    [26, 8],
    [100, 4],
    [100, 0]
  ] as const)
    assert.include((await send(items)).headers.get("ratelimit") ?? "", `;r=${left};`)
  assert.strictEqual((await problem(await send(1), 429, "RATE_LIMITED")).limit?.kind, "rate")
  assert.strictEqual((await send(75, two)).headers.get("ratelimit"), '"context-writes";r=0;t=60')
  const later = await send(75, two)
  await problem(later, 429, "RATE_LIMITED")
  assert.isNotNull(later.headers.get("retry-after"))
  await one.dispose()
  await two.dispose()
})

it("an address has few inbound requests whose body has not arrived, so that they take little memory", async () => {
  const one = appWith({ LOGINS_CONCURRENT_ADDRESS: 2 })
  const proof = { "webhook-id": "m", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA" }
  const send = () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    return { answer: one.stream("POST", "/kw/api/inbound/1/web", { ...proof, ...json }, readable), writable }
  }
  const slow = [send(), send()]
  const refused = await send().answer
  assert.strictEqual(refused.headers.get("retry-after"), "1")
  assert.strictEqual((await problem(refused, 429, "RATE_LIMITED")).limit?.kind, "concurrency")
  for (const { answer, writable } of slow) {
    await writable.close()
    await problem(await answer, 401, "UNAUTHENTICATED")
  }
  const last = send()
  await last.writable.close()
  await problem(await last.answer, 401, "UNAUTHENTICATED")
  await one.dispose()
})

it("open routes send no rate limit headers", async () => {
  assert.isNull((await app.call("GET", "/health/live")).headers.get("ratelimit"))
})

it("a flooding tenant executes few requests while another is active, and the other never waits", async () => {
  const begun: Array<number> = []
  const gates: Array<() => void> = []
  const read: Read = ({ scope }) =>
    Effect.as(
      Effect.promise(() => {
        begun.push(scope.id ?? 0)
        return new Promise<void>((resolve) => gates.push(resolve))
      }),
      HttpServerResponse.empty()
    )
  const one = stubApp({
    read,
    settings: {
      limits: { ...unlimited, CONTEXT_READS_AT_ONCE: 100, CONTEXT_READS_AT_ONCE_INSTANCE: 100 }
    },
    present: (session) => ({ ...session, instanceId: session.userId }),
    clock: stoppedClock
  })
  const call = (id: number) =>
    one.call("POST", READ, { headers: user(id), body: { scope: { entity: "skill_group", id } } })
  await one.call("GET", "/health/live")
  const other = call(2)
  await waitUntil(() => begun.length === 1)
  const flood = Array.from({ length: 20 }, () => call(1))
  await waitUntil(() => begun.length === 3)
  const second = call(2)
  await waitUntil(() => begun.length === 4)
  assert.deepStrictEqual(begun, [2, 1, 1, 2])
  for (let n = 0; n < 22; n++) {
    await waitUntil(() => gates.length > n)
    gates[n]?.()
  }
  for (const answer of [other, second, ...flood]) assert.strictEqual((await answer).status, 204)
  await one.dispose()
})

const waitUntil = async (isSettled: () => boolean): Promise<void> => {
  for (let n = 0; n < 2_000 && !isSettled(); n++) await new Promise((resolve) => setImmediate(resolve))
  assert.isTrue(isSettled())
}
