// Crowds are refused before they are authenticated, in the words and with the headers of the middleware (docs/contract.md §1.1, §10).
import { NodeHttpServer } from "@effect/platform-node"
import { afterAll, afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import type { Denial } from "@rapport/core/audit/Denials.ts"
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { once } from "node:events"
import * as net from "node:net"
import type { Recorded } from "../../metrics/RequestRecords.ts"
import { GOOD, groundParts, ME, problem, READ } from "../../testing/HttpFixtures.ts"
import { makeServer } from "../HttpListener.ts"
import { routerConfig } from "../middleware/ResponseEnvelope.ts"
import { Admission } from "./Admission.ts"

const authenticated: Array<string> = []
const denials: Array<Denial> = []
/** What was refused before Node parsed it. */
const recorded: Array<Recorded> = []
let gate = Promise.withResolvers<void>()
/** Reads that have begun. */
let begun = 0

const PER_MINUTE = 10

const serve = async () => {
  const { app, services } = groundParts({
    authenticated,
    denials,
    read: () =>
      Effect.as(
        Effect.promise(() => {
          begun++
          return gate.promise
        }),
        HttpServerResponse.empty()
      ),
    settings: {
      corsOrigins: ["https://desk.example"],
      limits: { ...TrafficDefaults, CONTEXT_READS_AT_ONCE: 2, CONTEXT_READS_PER_MINUTE: PER_MINUTE }
    }
  })
  const listener = Layer.unwrap(
    Effect.map(Admission, ({ guard }) =>
      NodeHttpServer.layer(() => guard(makeServer(), (one) => void recorded.push(one)), {
        host: "127.0.0.1",
        port: 0
      })
    )
  ).pipe(Layer.provide(Admission.layer))
  const scope = Scope.makeUnsafe()
  const layer = HttpRouter.serve(app, { routerConfig, disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(listener),
    Layer.provide(services)
  )
  const port = await Effect.runPromise(
    Effect.gen(function* () {
      const context = yield* Layer.buildWithScope(layer, scope)
      const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
      return "port" in address ? address.port : 0
    })
  )
  return { origin: `http://127.0.0.1:${port}`, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

const service = await serve()
afterAll(() => service.stop())
beforeEach(() => {
  authenticated.length = 0
  denials.length = 0
  recorded.length = 0
  begun = 0
  gate = Promise.withResolvers()
})

let users = 0
/** A principal that was never seen. */
const newUser = () => `user-${++users}`
/** One that was authenticated before. */
const newCaller = async () => {
  const token = newUser()
  await fetch(`${service.origin}${ME}`, { headers: { authorization: `Bearer ${token}` } })
  authenticated.length = 0
  return token
}
const read = (token: string, init: RequestInit = {}) =>
  fetch(`${service.origin}${READ}`, {
    ...init,
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...init.headers },
    body: JSON.stringify(GOOD)
  })
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** What an answer has in common with others of its kind. */
const common = (answer: string, id: string) =>
  answer
    .replaceAll(id, "ID")
    .replace(/r=\d;t=\d+/u, "r=N;t=N")
    .replace(/Date: .*/u, "Date: D")
    .split("\r\n")

describe("a crowd of one caller", () => {
  it("is refused beyond its places without being authenticated, as the middleware refuses", async () => {
    const token = await newCaller()
    const first = read(token)
    await until(() => begun === 1)
    const second = read(token)
    await until(() => begun === 2)
    assert.lengthOf(authenticated, 2)

    const third = await read(token, { headers: { "x-request-id": "mine", origin: "https://desk.example" } })
    assert.lengthOf(authenticated, 2, "a refusal is to cost no statement")
    assert.strictEqual(third.headers.get("retry-after"), "1")
    assert.strictEqual(third.headers.get("x-request-id"), "mine")
    assert.strictEqual(third.headers.get("cache-control"), "no-store")
    assert.strictEqual(third.headers.get("x-content-type-options"), "nosniff")
    assert.strictEqual(third.headers.get("access-control-allow-origin"), "https://desk.example")
    assert.strictEqual(third.headers.get("ratelimit-policy"), '"context-reads";q=10;w=60')
    assert.match(third.headers.get("ratelimit") ?? "", /^"context-reads";r=7;/u, "it counts all the same")
    const { limit } = await problem(third, 429, "RATE_LIMITED")
    assert.deepStrictEqual(limit, { kind: "concurrency", retryAfterMs: 1_000 })
    assert.deepInclude(denials[0], { reason: "rate_limited", operation: "retrieve" })

    const other = read(newUser())
    await until(() => begun === 3)
    gate.resolve()
    assert.deepStrictEqual(
      (await Promise.all([first, second, other])).map(({ status }) => status),
      [204, 204, 204]
    )
    assert.strictEqual((await read(token)).status, 204, "a place is free again with its answer")
  })

  it("is refused in the same words and headers before Node parses its requests", async () => {
    const token = await newCaller()
    const held = [read(token)]
    await until(() => begun === 1)
    held.push(read(token))
    await until(() => begun === 2)
    const socket = net.connect(Number(new URL(service.origin).port), "127.0.0.1").setEncoding("utf8")
    const body = JSON.stringify(GOOD)
    const ask = async (id: string) => {
      const headers = [
        `POST ${READ} HTTP/1.1`,
        "Host: rapport.example",
        `Authorization: Bearer ${token}`,
        "Origin: https://desk.example",
        "Content-Type: application/json",
        `X-Request-Id: ${id}`,
        `Content-Length: ${body.length}`
      ]
      socket.write(`${headers.join("\r\n")}\r\n\r\n${body}`)
      const [answer] = await once(socket, "data")
      return String(answer)
    }
    const byNode = await ask("first")
    await ask("second")
    assert.isEmpty(recorded, "a connection is looked at after a refusal, and only where all before is known")
    const early = await ask("other")
    assert.match(early, /^HTTP\/1\.1 429 Too Many Requests\r\n/u)
    assert.match(early, /\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/u)
    assert.deepStrictEqual(common(early, "other").toSorted(), common(byNode, "first").toSorted())
    assert.lengthOf(denials, 3)
    assert.lengthOf(recorded, 1)
    assert.deepInclude(recorded[0], {
      method: "POST",
      url: READ,
      status: 429,
      instance: 1,
      requestId: "other"
    })
    assert.strictEqual(recorded[0]?.bytes, early.length)

    gate.resolve()
    await Promise.all(held)
    assert.match(await ask("third"), /^HTTP\/1\.1 204 /u, "a place is free, so that Node parses it")
    socket.destroy()
  })

  it("whose minute is used up is refused without being authenticated; other routes are not", async () => {
    const token = newUser()
    gate.resolve()
    for (let n = 0; n < PER_MINUTE; n++) assert.strictEqual((await read(token)).status, 204)
    const said = await read(token)
    await problem(said, 429, "RATE_LIMITED")
    const before = authenticated.length
    const early = await read(token)
    assert.strictEqual(authenticated.length, before)
    assert.deepStrictEqual((await problem(early, 429, "RATE_LIMITED")).limit?.kind, "rate")
    assert.match(early.headers.get("ratelimit") ?? "", /^"context-reads";r=0;t=\d+$/u)
    for (const name of ["retry-after", "ratelimit-policy", "content-type", "cache-control"])
      assert.strictEqual(early.headers.get(name), said.headers.get(name), name)
    const me = await fetch(`${service.origin}${ME}`, { headers: { authorization: `Bearer ${token}` } })
    assert.match(me.headers.get("ratelimit-policy") ?? "", /^"rest"/u)
  })

  it("gets its places back when a caller leaves", async () => {
    const token = await newCaller()
    const leaving = new AbortController()
    const left = [1, 2].map((n) =>
      until(() => begun === n - 1).then(() => read(token, { signal: leaving.signal }).catch(() => undefined))
    )
    await until(() => begun === 2)
    assert.strictEqual((await read(token)).status, 429)
    leaving.abort()
    await Promise.all(left)
    gate.resolve()
    let status = 429
    for (let n = 0; n < 5 && status === 429; n++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      status = (await read(token)).status
    }
    assert.strictEqual(status, 204)
  })

  it("that is unknown is authenticated, each one", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => read("nobody")))
    for (const answer of answers) await problem(answer, 401, "UNAUTHENTICATED")
    assert.lengthOf(authenticated, 5)
  })

  it("is no reason to refuse what is not counted, or is answered before the caller is known", async () => {
    const token = await newCaller()
    const running = [read(token)]
    await until(() => begun === 1)
    running.push(read(token))
    await until(() => begun === 2)
    const headers = { authorization: `Bearer ${token}` }
    const call = async (method: string, path: string, more: Record<string, string> = {}) =>
      (await fetch(`${service.origin}${path}`, { method, headers: { ...headers, ...more } })).status
    assert.strictEqual(await call("GET", "/health/live"), 200)
    assert.strictEqual(await call("GET", READ), 405)
    assert.strictEqual(await call("POST", `${READ}/`), 404)
    assert.strictEqual(await call("POST", READ, { "x-auth-token": "token-1" }), 401)
    gate.resolve()
    await Promise.all(running)
  })
})

const connected = async () => {
  const socket = net.connect(Number(new URL(service.origin).port), "127.0.0.1")
  await once(socket, "connect")
  return socket.resume()
}
const askMe = (socket: net.Socket, token: string) =>
  socket.write(`GET ${ME} HTTP/1.1\r\nHost: rapport.example\r\nAuthorization: Bearer ${token}\r\n\r\n`)

describe("a caller who was quiet for some seconds", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("waits behind no crowd of strangers who come from the same proxy", async () => {
    const STRANGERS = 400
    const quiet = await newCaller()
    const { now } = performance
    vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + 10_000)
    const crowd = await Promise.all(Array.from({ length: STRANGERS }, connected))
    const last = await connected()
    for (const socket of crowd) askMe(socket, newUser())
    askMe(last, quiet)
    await until(() => authenticated.length === STRANGERS + 1)
    assert.isBelow(authenticated.indexOf(quiet), STRANGERS, "it came last")
    for (const socket of [...crowd, last]) socket.destroy()
  })
})
