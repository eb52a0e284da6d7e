// A plain request is answered beside the framework as the framework would answer it (docs/contract.md §1).
import { NodeHttpServer } from "@effect/platform-node"
import { afterAll, assert, beforeEach, describe, it } from "@effect/vitest"
import { ContextApi } from "@rapport/contract/context/ContextApi.ts"
import { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { AccessDenied, SearchUnavailable } from "@rapport/contract/Errors.ts"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import type { Denial } from "@rapport/core/audit/Denials.ts"
import { currentOrigin } from "@rapport/core/audit/AuditLog.ts"
import { CurrentTenant } from "@rapport/core/traffic/FairPermits.ts"
import { Effect, Layer, References } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { connect } from "node:net"
import { setTimeout } from "node:timers/promises"
import { GOOD, groundParts, READ } from "../../testing/HttpFixtures.ts"
import { head, media, raw, shown, started, token } from "../../testing/RawHttpFixtures.ts"
import { Admission } from "../admission/Admission.ts"
import { makeServer } from "../HttpListener.ts"
import { routerConfig } from "../middleware/ResponseEnvelope.ts"
import { LeanPath, LeanRoutes, plain } from "./LeanPath.ts"

const PER_MINUTE = 1_000
const denials: Array<Denial> = []
/** Which way each read came. */
const ways: Array<"lean" | "general"> = []
let hasEnded = false
const interrupted: Array<true> = []
/** What every read comes to, whichever way it came. */
let outcome: Effect.Effect<void, AccessDenied | SearchUnavailable> = Effect.void

const answered = (way: "lean" | "general", request: ContextRequest) =>
  Effect.gen(function* () {
    ways.push(way)
    yield* Effect.onInterrupt(outcome, () => Effect.sync(() => void interrupted.push(true)))
    const { address } = yield* currentOrigin
    return JSON.stringify({ request, address, tenant: yield* CurrentTenant })
  })

const serve = async () => {
  const { app, services } = groundParts({
    denials,
    hasEnded: () => hasEnded,
    read: (request) =>
      Effect.map(answered("general", request), (text) =>
        HttpServerResponse.text(text, { contentType: "application/json" })
      ),
    settings: {
      corsOrigins: ["https://desk.example"],
      limits: { ...TrafficDefaults, CONTEXT_READS_PER_MINUTE: PER_MINUTE }
    }
  })
  const adding = Layer.effectDiscard(
    Effect.map(LeanRoutes, (routes) =>
      routes.add(ContextApi.endpoints.retrieve, {
        ...plain,
        payload: ContextRequest,
        answer: (_, { payload }) =>
          Effect.map(answered("lean", payload), (text) => ({
            status: 200,
            headers: { "content-type": "application/json" },
            text
          }))
      })
    )
  )
  const listener = Layer.unwrap(
    Effect.gen(function* () {
      const { guard } = yield* Admission
      const { before } = yield* LeanPath
      return NodeHttpServer.layer(() => guard(makeServer(), before), { host: "127.0.0.1", port: 0 })
    })
  ).pipe(Layer.provide([Admission.layer, LeanPath.layer]), Layer.provide(LeanRoutes.layer))
  const whole = Layer.merge(app, adding.pipe(Layer.provide(LeanRoutes.layer)))
  const layer = HttpRouter.serve(whole, { routerConfig, disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(listener),
    Layer.provide(services),
    // Spans are made by the framework alone.
    Layer.provide(Layer.succeed(References.TracerEnabled, false))
  )
  return await started(layer)
}

const { port, stop } = await serve()
afterAll(stop)
beforeEach(() => {
  denials.length = 0
  ways.length = 0
  hasEnded = false
  interrupted.length = 0
  outcome = Effect.void
})

const body = JSON.stringify(GOOD)
const length = `Content-Length: ${body.length}`
const close = "Connection: close"
/** The same request: plain, or with its body in chunks. */
const requests = (...lines: ReadonlyArray<string>) =>
  ({
    lean: `${head("POST", READ, media, close, length, ...lines)}${body}`,
    general: `${head("POST", READ, media, close, "Transfer-Encoding: chunked", ...lines)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  }) as const

const both = async (...lines: ReadonlyArray<string>) => {
  const sent = requests(...lines)
  const [lean, general] = [await raw(port, sent.lean), await raw(port, sent.general)]
  assert.deepStrictEqual(shown(lean.text), shown(general.text))
  return shown(lean.text)
}
const left = (text: string) => Number(/^ratelimit: .*r=(\d+)/imu.exec(text)?.[1])

describe("a plain read", () => {
  it.each([
    ["by itself", []],
    ["of an origin that may read it", ["Origin: https://desk.example"]],
    ["of another origin", ["Origin: https://elsewhere.example"]],
    ["with an id of its own", ["X-Request-Id: 17"]],
    ["that takes Markdown", ["Accept: application/json;q=0.5"]]
  ])("has the headers and the content of any other: %s", async (_, lines) => {
    const { content, hasQuota, status } = await both(token, ...lines)
    assert.strictEqual(status, "HTTP/1.1 200 OK")
    assert.isTrue(hasQuota)
    assert.deepStrictEqual(JSON.parse(content), {
      request: GOOD,
      address: "127.0.0.1",
      tenant: "instance/1"
    })
    assert.deepStrictEqual(ways, ["lean", "general"])
  })

  it.each([
    ["is denied", new AccessDenied(), "access_denied"],
    ["finds a source away", new SearchUnavailable({ reason: "timeout" }), undefined]
  ])("that %s is answered in the same words, and noted once", async (_, error, reason) => {
    outcome = Effect.fail(error)
    const { hasQuota } = await both(token)
    assert.isTrue(hasQuota)
    assert.deepStrictEqual(ways, ["lean", "general"])
    assert.deepStrictEqual(
      denials.map((denial) => denial.reason),
      reason === undefined ? [] : [reason, reason]
    )
  })

  it("that meets a bug is 500, and nothing leaks", async () => {
    outcome = Effect.die(new Error("select secret from hosts"))
    const { content, status } = await both(token)
    assert.strictEqual(status, "HTTP/1.1 500 Internal Server Error")
    assert.notInclude(content, "secret")
  })

  it("that is interrupted by the service is answered all the same", async () => {
    outcome = Effect.interrupt
    const { text } = await raw(port, requests(token).lean)
    assert.match(text, /^HTTP\/1\.1 503 /u)
  })

  it.each([
    ["without a token", []],
    ["with a token that ended", [token]]
  ])("is refused %s, without a quota", async (_, lines) => {
    hasEnded = true
    const { hasQuota, status } = await both(...lines)
    assert.strictEqual(status, "HTTP/1.1 401 Unauthorized")
    assert.isFalse(hasQuota)
    assert.isEmpty(ways)
    assert.lengthOf(denials, 2)
  })

  it("counts once", async () => {
    const mine = "Authorization: Bearer user-77"
    const first = await raw(port, requests(mine).lean)
    const second = await raw(port, requests(mine).lean)
    assert.isAtMost(left(second.text) - left(first.text), 0)
    assert.isAtLeast(left(second.text) - left(first.text), -1)
    assert.deepStrictEqual(ways, ["lean", "lean"])
  })

  it("is one of many on its connection", async () => {
    const one = `${head("POST", READ, token, media, length)}${body}`
    const { text } = await raw(port, `${one}${one}${requests(token).lean}`)
    assert.lengthOf(text.match(/HTTP\/1\.1 200 OK/gu) ?? [], 3)
    assert.deepStrictEqual(ways, ["lean", "lean", "lean"])
  })

  it("is given up when its caller goes", async () => {
    outcome = Effect.never
    const socket = connect(port, "127.0.0.1").on("error", () => undefined)
    socket.write(requests(token).lean)
    while (ways.length === 0) await setTimeout(5)
    socket.destroy()
    while (interrupted.length === 0) await setTimeout(5)
    assert.deepStrictEqual(ways, ["lean"])
  })
})

const sent = (path: string, content: string, ...lines: ReadonlyArray<string>) =>
  `${head("POST", path, close, token, `Content-Length: ${Buffer.byteLength(content)}`, ...lines)}${content}`

describe("what is not plain is left to the framework as it came", () => {
  it.each([
    ["a query", `${READ}?a=1`, body, [media], 400],
    ["no media type", READ, body, [], 415],
    ["another media type", READ, body, ["Content-Type: text/plain"], 415],
    ["an answer that there is not", READ, body, [media, "Accept: text/html"], 406],
    ["no JSON", READ, "{", [media], 400],
    ["a name twice", READ, '{"scope":1,"scope":2}', [media], 400],
    ["another shape", READ, '{"scope":{"entity":"client"}}', [media], 400],
    ["a member that is unknown", READ, '{"scope":{"entity":"client","id":5},"more":1}', [media], 400],
    ["both tokens", READ, body, [media, "X-Auth-Token: token-1"], 401],
    ["a body of 70 KB", READ, body.padEnd(70_000), [media], 200]
  ])("%s", async (_, path, content, lines, status) => {
    const { text } = await raw(port, sent(path, content, ...lines))
    assert.match(text, new RegExp(`^HTTP/1.1 ${status} `, "u"))
    assert.deepStrictEqual(ways, status === 200 ? ["general"] : [])
  })

  it("a body that comes late, and in pieces", async () => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    const closed = new Promise((resolve) => socket.on("close", resolve))
    socket.on("data", (chunk) => (text += chunk.toString("latin1")))
    for (const part of [head("POST", READ, token, media, close, length), body.slice(0, 9), body.slice(9)]) {
      socket.write(part)
      await setTimeout(30)
    }
    await closed
    assert.match(text, /^HTTP\/1\.1 200 OK/u)
    assert.lengthOf(ways, 1)
  })
})
