// The socket side of HTTP with raw bytes, by contract §1.1 (408, 431, malformed HTTP), §10 (deadlines) and §11 (draining).
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { BODY_BYTES_MAX, TrafficDefaults } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { subscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect } from "node:net"
import { GOOD, ME, READ } from "../testing/HttpFixtures.ts"
import { type Exchange, head, listen, media, raw, token } from "../testing/RawHttpFixtures.ts"
import { makeListener } from "./HttpListener.ts"

const statusOf = ({ text }: Exchange) => Number(/^HTTP\/1\.1 (\d+)/u.exec(text)?.[1] ?? 0)
const isAnswered = (text: string) => /\r\n\r\n[\s\S]*\}$/u.test(text)

const assertProblem = (exchange: Exchange, status: number, code: string) => {
  assert.strictEqual(statusOf(exchange), status, exchange.text)
  assert.match(exchange.text, /content-type: application\/problem\+json/iu)
  assert.match(exchange.text, /cache-control: no-store/iu)
  const id = /x-request-id: (\S+)/iu.exec(exchange.text)?.[1]
  const body = JSON.parse(exchange.text.slice(exchange.text.indexOf("\r\n\r\n") + 4))
  assert.deepInclude(body, { status, code, requestId: id, type: `urn:rapport:error:${code}` })
}

const chunkedRequest = (size: number) => {
  const body = JSON.stringify(GOOD).padEnd(size, " ")
  const chunk = 16 * 1024
  const chunks = Array.from({ length: Math.ceil(size / chunk) }, (_, i) =>
    body.slice(i * chunk, (i + 1) * chunk)
  )
  const written = chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("")
  return `${head("POST", READ, token, media, "Transfer-Encoding: chunked")}${written}0\r\n\r\n`
}

let port = 0
let stop = () => Promise.resolve()
beforeAll(async () => {
  ;({ port, stop } = await listen())
})
afterAll(() => stop())

const lengths = (first: string, second: string) => head("POST", READ, first, second)

describe("malformed HTTP is a problem document, and then the connection closes", () => {
  it.each([
    ["no HTTP", "hello\r\n\r\n"],
    ["no host", `GET ${ME} HTTP/1.1\r\n\r\n`],
    ["two hosts", head("GET", ME, "Host: y")],
    ["a space before the colon", head("GET", ME, "X-A : 1")],
    ["a folded header", head("GET", ME, "X-A: 1\r\n 2")],
    ["a NUL in a header", head("GET", ME, "X-A: a\0b")],
    ["a bare line feed", `GET ${ME} HTTP/1.1\nHost: x\n\n`],
    ["length and chunks", `${lengths("Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n`],
    ["two lengths", `${lengths("Content-Length: 2", "Content-Length: 3")}{} `],
    ["an unknown transfer coding", `${head("POST", READ, "Transfer-Encoding: cow")}{}`],
    ["a raw space in the path", `GET ${ME} x HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["CONNECT", `CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      "a broken chunk",
      `${head("POST", READ, token, media, "Transfer-Encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`
    ]
  ])("malformed HTTP gets a problem document and its connection is closed: %s", async (_, data) => {
    const exchange = await raw(port, `${data}${head("GET", "/health/live")}`)
    assertProblem(exchange, 400, "INVALID_REQUEST")
    assert.strictEqual(
      exchange.text.split("HTTP/1.1 ").length,
      2,
      "one answer, and nothing of the next request"
    )
  })
})

describe("sizes", () => {
  it.each([
    ["a header", head("GET", ME, `X-Filler: ${"x".repeat(17 * 1024)}`)],
    ["an address", head("GET", `${ME}?x=${"y".repeat(17 * 1024)}`)],
    ["4000 headers", head("GET", ME, ...Array.from({ length: 4000 }, (_, i) => `X-${i}: 1`))]
  ])("%s above 16 KiB is 431", async (_, data) => {
    assertProblem(await raw(port, data), 431, "HEADERS_TOO_LARGE")
  })
  it("a header below 16 KiB is read", async () => {
    const filler = `X-Filler: ${"x".repeat(12 * 1024)}`
    const exchange = await raw(port, head("GET", "/health/live", "Connection: close", filler))
    assert.strictEqual(statusOf(exchange), 200)
  })
  it("a length far above the limit is 413 before the body comes", async () => {
    const data = head("POST", READ, token, media, "Content-Length: 10000000000")
    assertProblem(await raw(port, data), 413, "PAYLOAD_TOO_LARGE")
  })
  it("a request with Expect is answered with 413, or with 100", async () => {
    const expect = "Expect: 100-continue"
    const long = head("POST", READ, token, media, "Content-Length: 10000000", expect)
    assertProblem(await raw(port, long), 413, "PAYLOAD_TOO_LARGE")
    const body = JSON.stringify(GOOD)
    const short = head("POST", READ, token, media, `Content-Length: ${body.length}`, expect)
    const fine = await raw(port, `${short}${body}`, isAnswered)
    assert.match(fine.text, /^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 200 /u)
  })
  it("a body in chunks above the limit is 413, below it is taken", async () => {
    assertProblem(await raw(port, chunkedRequest(BODY_BYTES_MAX + 1)), 413, "PAYLOAD_TOO_LARGE")
    assert.strictEqual(statusOf(await raw(port, chunkedRequest(BODY_BYTES_MAX), isAnswered)), 200)
  })
})

describe("requests on one connection", () => {
  it("pipelined requests of one connection are answered in order", async () => {
    const { text } = await raw(
      port,
      head("GET", "/health/live", "X-Request-Id: one") +
        head("GET", "/nowhere", "X-Request-Id: two", "Connection: close")
    )
    assert.deepStrictEqual(
      [...text.matchAll(/x-request-id: (\w+)/giu)].map(([, id]) => id),
      ["one", "two"]
    )
    assert.deepStrictEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status]) => status),
      ["200", "404"]
    )
  })
  it.each(["/health/live", "/health/live?"])(
    "an absolute target is treated like its path: %s",
    async (path) => {
      for (const target of [`http://x${path}`, `HTTP://X${path}`, `https://x${path}`]) {
        const exchange = await raw(port, head("GET", target, "Connection: close"))
        assert.strictEqual(statusOf(exchange), 200, target)
      }
    }
  )
  it("an absolute target is counted and refused like a path", async () => {
    const one = await listen({ settings: { limits: { ...TrafficDefaults, REST_PER_MINUTE: 1 } } })
    const call = () => raw(one.port, head("GET", `http://x${ME}`, token, "Connection: close"))
    assert.strictEqual(statusOf(await call()), 503)
    assertProblem(await call(), 429, "RATE_LIMITED")
    await one.stop()
  })
  it.each([
    "http://y/health/live",
    "http://x:81/health/live",
    "http://a@x/health/live",
    "ftp://x/health/live"
  ])("an absolute target of another host than Host is refused: %s", async (target) => {
    assertProblem(await raw(port, head("GET", target)), 400, "INVALID_REQUEST")
  })
  it.each(["/health/live;x=1", "/health/live#x", "/health;x/live"])(
    "a raw ; or # in a path is another route: %s",
    async (path) => {
      assertProblem(await raw(port, head("GET", path, "Connection: close")), 404, "NOT_FOUND")
    }
  )
  it.each([
    "/health/../health/live",
    "/health/./live",
    "/health/live/..;/live",
    "/api-docs/../../../etc/passwd"
  ])("a request for %s is not another route", async (path) => {
    assertProblem(await raw(port, head("GET", path, "Connection: close")), 404, "NOT_FOUND")
  })
})

const readBody = JSON.stringify(GOOD)
const readRequest = `${head("POST", READ, token, media, `Content-Length: ${readBody.length}`)}${readBody}`

const large = () =>
  Effect.succeed(HttpServerResponse.text("x".repeat(32 * 1024 * 1024), { contentType: "application/json" }))

/** Pauses reading for this time; the number of bytes when the connection ends. */
const readBytes = (port: number, paused: number) =>
  new Promise<number>((resolve) => {
    let bytes = 0
    const socket = connect(port, "127.0.0.1", () => socket.write(readRequest))
    socket.on("error", () => undefined)
    socket.pause()
    setTimeout(() => socket.resume(), paused)
    socket.on("data", (chunk) => {
      bytes += chunk.length
      if (bytes > 32 * 1024 * 1024) socket.end()
    })
    socket.on("close", () => resolve(bytes))
  })

describe("slow and silent peers (contract §10)", () => {
  it("a response that its reader does not take ends its connection, a slow but timely one arrives", async () => {
    const short = await listen({ read: large }, { answerMillis: 1_000, checkMillis: 100 })
    const long = await listen({ read: large }, { answerMillis: 60_000, checkMillis: 100 })
    const [never, inTime] = await Promise.all([readBytes(short.port, 3_000), readBytes(long.port, 3_000)])
    assert.isBelow(never, 32 * 1024 * 1024)
    assert.isAbove(inTime, 32 * 1024 * 1024)
    await short.stop()
    await long.stop()
  })

  it("connections above the bound are closed, and accepted again when one ends", async () => {
    const one = await listen({}, { connectionsMax: 3 })
    const silent = Array.from({ length: 3 }, () => connect(one.port, "127.0.0.1"))
    await Promise.all(silent.map((socket) => once(socket, "connect")))
    const live = () => raw(one.port, head("GET", "/health/live", "Connection: close"))
    assert.strictEqual((await live()).text, "")
    silent[0]?.destroy()
    let answer = await live()
    while (answer.text === "") answer = await live()
    assert.strictEqual(statusOf(answer), 200)
    for (const socket of silent) socket.destroy()
    await one.stop()
  })

  it("a peer that closes its sending side is answered, then its connection is closed", async () => {
    const text = await new Promise<string>((resolve) => {
      let received = ""
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () =>
        socket.end(head("GET", "/health/live"))
      )
      socket.on("data", (chunk) => (received += chunk.toString("latin1")))
      socket.on("end", () => resolve(received))
    })
    assert.match(text, /^HTTP\/1\.1 200 /u)
  })

  it("every response forbids content sniffing, also for malformed requests", async () => {
    const close = "Connection: close"
    const requests = [
      head("GET", "/health/live", close),
      head("GET", "/nothing", close),
      head("PUT", ME, close),
      head("OPTIONS", ME, close),
      head("GET", "/swagger.json", close),
      "hello\r\n\r\n",
      head("GET", ME, `X-A: ${"a".repeat(20_000)}`)
    ]
    for (const data of requests)
      assert.match((await raw(port, data)).text, /\r\nx-content-type-options: nosniff\r\n/iu, data)
  })
})

describe("closing", () => {
  it("closing with only idle connections ends immediately", async () => {
    // A drain would exceed the timeout of the test.
    const one = await listen({}, { drainMillis: 600_000 })
    const idle = raw(one.port, head("GET", "/health/live"))
    const silent = raw(one.port, "")
    await raw(one.port, head("GET", "/health/live", "Connection: close"))
    await one.stop()
    assert.strictEqual(statusOf(await idle), 200)
    await silent
  })
  it("closing answers the requests in flight first", async () => {
    const started = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const one = await listen({
      read: () =>
        Effect.as(
          Effect.promise(() => (started.resolve(), mayEnd.promise)),
          HttpServerResponse.text("done", { contentType: "application/json" })
        )
    })
    const running = raw(one.port, readRequest)
    await started.promise
    const stopped = one.stop()
    mayEnd.resolve()
    assert.match((await running).text, /^HTTP\/1\.1 200 [\s\S]*done$/u)
    await stopped
  })
  it("closing interrupts handlers that still run at the end of the drain", async () => {
    const started = Promise.withResolvers<void>()
    const interrupted = Promise.withResolvers<void>()
    const one = await listen(
      {
        read: () =>
          Effect.andThen(
            Effect.sync(() => started.resolve()),
            Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.resolve()))
          )
      },
      { drainMillis: 500 }
    )
    const running = raw(one.port, readRequest)
    await started.promise
    await one.stop()
    assert.strictEqual((await running).text, "")
    await interrupted.promise
  })
})

const serve = (_: IncomingMessage, response: ServerResponse) => void response.end("served")

describe("a request before the service is joined behind its open port (contract §11)", () => {
  it.each([[""], ["Expect: 100-continue\r\n"]])(
    "a request before the service is ready waits for it and is answered: %j",
    async (expectation) => {
      const { server } = await Effect.runPromise(makeListener())
      // A listener on the server itself would count as a request in flight.
      const started = new Promise((resolve) => subscribe("http.server.request.start", resolve))
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const exchange = raw(port, `GET / HTTP/1.1\r\nHost: x\r\n${expectation}\r\n`, (text) =>
        text.endsWith("served")
      )
      await started
      server.on("request", serve).on("checkContinue", serve)
      assert.strictEqual(statusOf(await exchange), 200)
      const next = await raw(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", (text) => text.endsWith("served"))
      assert.strictEqual(statusOf(next), 200)
      const closed = once(server, "close")
      server.close()
      await closed
    }
  )
})
