// Hostile receivers of webhooks, as real servers on loopback.
import { assert, it } from "@effect/vitest"
import { ATTEMPTS_INSTANCE_MAX } from "@rapport/core/delivery/Shares.ts"
import { Effect, Fiber, Schedule, Stream } from "effect"
import * as dns from "node:dns"
import * as fs from "node:fs"
import { createServer } from "node:net"
import * as path from "node:path"
import { listenOnLoopback } from "../testing/LoopbackServer.ts"
import { type Responder, receiver, neverAnswer } from "../testing/ReceiverFixtures.ts"
import { nameServer } from "../testing/NameServerFixtures.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"
import { makeCertificates } from "../testing/TlsFixtures.ts"
import { makeOutgoingHttp, type OutgoingSettings } from "./OutgoingHttp.ts"
import { publicLookup } from "./PublicLookup.ts"

/** The deadline of requests that wait for it. */
const SHORT_MILLIS = 400
/** Longer than a test may take. */
const LONG_MILLIS = 600_000

/** An answer arrives one turn of the event loop before its connection is pooled. */
const connectionKept = Effect.sleep(10)

/** The answer to a POST to this address, or its failure, and the duration. */
const postTo = (address: string, settings: Partial<OutgoingSettings> = {}) =>
  Effect.gen(function* () {
    const http = yield* makeOutgoingHttp({ allowPrivate: true, timeoutMillis: LONG_MILLIS, ...settings })
    const began = performance.now()
    const result = yield* Effect.result(
      http.post({ url: new URL(address), headers: { "content-type": "application/json" }, body: "{}" })
    )
    const millis = performance.now() - began
    return result._tag === "Success"
      ? { status: result.success.status, bytes: result.success.body.length, fault: undefined, millis }
      : { status: undefined, bytes: 0, fault: result.failure, millis }
  })

const answerWith =
  (status: number, headers: Record<string, string> = {}): Responder =>
  (_, response) => {
    response.writeHead(status, headers).end("answer")
  }

/** Writes for ever, as fast as it is read. */
const answerEndlessly: Responder = (_, response) => {
  response.writeHead(200)
  const write = () => {
    while (!response.destroyed && response.write("x".repeat(65_536))) continue
    if (!response.destroyed) response.once("drain", write)
  }
  write()
}

const sendOneByte: Responder = (_, response) => {
  response.writeHead(200)
  response.write("a")
}

// contract §8, `webhook`.

it.live("a request to a receiver returns the response and reuses the connection", () =>
  Effect.gen(function* () {
    const made = yield* receiver(answerWith(201))
    const http = yield* makeOutgoingHttp({ allowPrivate: true, timeoutMillis: LONG_MILLIS })
    for (const body of ["{}", '{"text":"привіт"}']) {
      assert.strictEqual((yield* http.post({ url: new URL(made.origin), headers: {}, body })).status, 201)
      yield* connectionKept
    }
    assert.deepStrictEqual(
      made.received.map(({ body }) => body),
      ["{}", '{"text":"привіт"}']
    )
    assert.strictEqual(made.connections(), 1)
  })
)

it.live("a request to a receiver follows no redirect", () =>
  Effect.gen(function* () {
    const inside = yield* receiver()
    for (const status of [301, 302, 307, 308]) {
      const outside = yield* receiver(answerWith(status, { location: inside.origin }))
      assert.strictEqual((yield* postTo(outside.origin)).status, status)
    }
    assert.isEmpty(inside.received)
  })
)

it.live("a request to a receiver opens no connection to a private address, literal or by name", () =>
  Effect.gen(function* () {
    const { connections, port } = yield* receiver()
    for (const host of [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "127.1",
      "0x7f.1",
      "[::ffff:127.0.0.1]",
      "0.0.0.0"
    ])
      assert.strictEqual(
        (yield* postTo(`http://${host}:${port}/`, { allowPrivate: false })).fault,
        "address_not_allowed",
        host
      )
    assert.strictEqual(connections(), 0)
    assert.strictEqual((yield* postTo(`http://localhost:${port}/`)).status, 204, "unless they are allowed")
  })
)

it.live("a request to a receiver opens no connection when any address of a name is private", () =>
  Effect.gen(function* () {
    const { connections, port } = yield* receiver()
    const names: Record<string, ReadonlyArray<string>> = {
      "private.example": ["127.0.0.1"],
      "both.example": ["8.8.8.8", "127.0.0.1"],
      "metadata.example": ["169.254.169.254"]
    }
    const { address } = yield* nameServer((name) => names[name] ?? [])
    const of = (name: string) =>
      postTo(`http://${name}:${port}/`, { allowPrivate: false, nameServers: [address] })
    for (const name of Object.keys(names))
      assert.strictEqual((yield* of(name)).fault, "address_not_allowed", name)
    assert.strictEqual((yield* of("nothing.example")).fault, "connection_failed")
    assert.strictEqual(connections(), 0)
  })
)

it.live("a request to a receiver resolves all addresses each time, none when one is private", () =>
  Effect.gen(function* () {
    let addresses = ["8.8.8.8", "8.8.4.4"]
    const { address } = yield* nameServer(() => addresses)
    const lookup = publicLookup([address])
    const found = Effect.promise(
      () =>
        new Promise((resolve) =>
          lookup("rebound.example", { all: true }, (error, given) => resolve(error ?? given))
        )
    )
    assert.deepStrictEqual(yield* found, [
      { address: "8.8.8.8", family: 4 },
      { address: "8.8.4.4", family: 4 }
    ])
    addresses = ["8.8.8.8", "10.0.0.1"]
    assert.include(yield* found, { code: "RAPPORT_ADDRESS_NOT_ALLOWED" })
  })
)

it.live("a silent name server delays no request to another name", () =>
  Effect.gen(function* () {
    const { address, queries } = yield* nameServer((name) =>
      name.startsWith("silent") ? undefined : ["127.0.0.1"]
    )
    const settings = { allowPrivate: false, nameServers: [address] }
    const waiting = yield* Effect.forkChild(
      Effect.forEach(
        Array.from({ length: ATTEMPTS_INSTANCE_MAX }, (_, i) => `http://silent${i}.example/`),
        (url) => postTo(url, settings),
        { concurrency: "unbounded" }
      )
    )
    while (new Set(queries).size < ATTEMPTS_INSTANCE_MAX) yield* Effect.sleep(5)
    const other = yield* postTo("http://other.example/", settings)
    assert.strictEqual(other.fault, "address_not_allowed")
    // Neither the lookups of the system, which are those of PostgreSQL, OpenSearch and Redis.
    yield* Effect.promise(() => dns.promises.lookup("localhost"))
    assert.isUndefined(waiting.pollUnsafe())
    for (const { fault } of yield* Fiber.join(waiting)) assert.strictEqual(fault, "timeout")
  })
)

it.live("a request to a receiver refuses an untrusted certificate or one for another name", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    makeCertificates(folder)
    const read = (name: string) => fs.readFileSync(path.join(folder, name), "utf8")
    const { origin, received } = yield* receiver(undefined, {
      cert: read("server.crt"),
      key: read("server.key")
    })
    const trusting = { certificates: read("ca.pem") }
    assert.strictEqual((yield* postTo(origin)).fault, "certificate_refused")
    const wrongName = origin.replace("127.0.0.1", "localhost")
    assert.strictEqual((yield* postTo(wrongName, trusting)).fault, "certificate_refused")
    assert.isEmpty(received)
    assert.strictEqual((yield* postTo(origin, trusting)).status, 204)
  })
)

it.live("a request to a receiver ends at its deadline, whichever part is slow, or after 64 KiB", () =>
  Effect.gen(function* () {
    const never = yield* receiver(neverAnswer)
    const before = yield* postTo(never.origin, { timeoutMillis: SHORT_MILLIS })
    assert.strictEqual(before.fault, "timeout")
    assert.isAtLeast(before.millis, SHORT_MILLIS - 20)
    // TLS that never begins: a plain server that says nothing.
    const handshake = yield* postTo(never.origin.replace("http:", "https:"), { timeoutMillis: SHORT_MILLIS })
    assert.include(["timeout", "connection_failed"], handshake.fault)
    const flood = yield* receiver(answerEndlessly)
    assert.deepInclude(yield* postTo(flood.origin), { status: 200, bytes: 65_536 })
    const drip = yield* receiver(sendOneByte)
    const waited = yield* postTo(drip.origin, { timeoutMillis: 3_000 })
    assert.deepInclude(waited, { status: 200, bytes: 1 })
  })
)

it.live("a request to a receiver fails where nobody listens or the response headers are too large", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* postTo("http://127.0.0.1:1/")).fault, "connection_failed")
    const large = yield* receiver(answerWith(200, { "x-large": "x".repeat(20_000) }))
    assert.strictEqual((yield* postTo(large.origin)).fault, "connection_failed")
  })
)

it.live("a cancelled request to a receiver closes its connection", () =>
  Effect.gen(function* () {
    const closed = Promise.withResolvers<void>()
    const made = yield* receiver((_, response) => void response.once("close", () => closed.resolve()))
    const http = yield* makeOutgoingHttp({ allowPrivate: true, timeoutMillis: 60_000 })
    const fiber = yield* Effect.forkChild(http.post({ url: new URL(made.origin), headers: {}, body: "{}" }))
    while (made.received.length === 0) yield* Effect.sleep(5)
    yield* Fiber.interrupt(fiber)
    yield* Effect.promise(() => closed.promise)
  })
)

const MEBIBYTE = 1024 * 1024

it.live("a request to a receiver reads a streamed body only as fast as the receiver, until the answer", () =>
  Effect.gen(function* () {
    let read = 0
    let isClosed = false
    const bytes = Stream.repeat(Stream.make(new Uint8Array(MEBIBYTE)), Schedule.recurs(63)).pipe(
      Stream.tap(() => Effect.sync(() => void read++)),
      Stream.ensuring(Effect.sync(() => void (isClosed = true)))
    )
    const disconnected = Promise.withResolvers<void>()
    const reading = Promise.withResolvers<void>()
    // Answers first, and reads the body only after `reading`.
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      socket.write("HTTP/1.1 400 Bad Request\r\ncontent-length: 9\r\n\r\ntoo large")
      socket.on("error", () => {}).once("close", () => disconnected.resolve())
      void reading.promise.then(() => socket.resume())
    })
    const port = yield* listenOnLoopback(server)
    const http = yield* makeOutgoingHttp({ allowPrivate: true, timeoutMillis: 60_000 })
    const url = new URL(`http://127.0.0.1:${port}`)
    const answer = yield* http.post({ url, headers: {}, body: { byteLength: 64 * MEBIBYTE, bytes } })
    assert.deepInclude(answer, { status: 400, body: "too large" })
    assert.isTrue(isClosed)
    reading.resolve()
    yield* Effect.promise(() => disconnected.promise)
    // The buffers of the sockets take less.
    assert.isBelow(read, 32)
  })
)

it.live("a request to a receiver is repeated once, and whole, when the kept connection was closed", () =>
  Effect.gen(function* () {
    const http = yield* makeOutgoingHttp({ allowPrivate: true, timeoutMillis: 10_000 })
    const bytes = Stream.make("При", "віт").pipe(Stream.map((text) => Buffer.from(text)))
    for (const body of ["Привіт", { byteLength: 12, bytes }]) {
      const made = yield* receiver((_, response, place) => {
        // The second request of the connection finds it gone.
        if (place === 1) response.destroy()
        else response.writeHead(204).end()
      })
      for (let i = 0; i < 2; i++) {
        const { status } = yield* http.post({ url: new URL(made.origin), headers: {}, body })
        assert.strictEqual(status, 204)
        yield* connectionKept
      }
      assert.deepStrictEqual(
        made.received.map(({ body }) => body),
        ["Привіт", "Привіт", "Привіт"]
      )
    }
    const { origin } = yield* receiver()
    const broken = Stream.concat(bytes, Stream.fail("file_unavailable" as const))
    const fault = yield* Effect.flip(
      http.post({ url: new URL(origin), headers: {}, body: { byteLength: 24, bytes: broken } })
    )
    assert.strictEqual(fault, "file_unavailable")
  })
)
