// The OpenSearch client against an HTTP server of the test: credentials, certificates, faults and the circuit breaker.
import { assert, it } from "@effect/vitest"
import { OPENSEARCH_BREAKER_FAILURES } from "./CircuitBreaker.ts"
import { Effect, Redacted, Schema } from "effect"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { listenOnLoopback } from "../testing/LoopbackServer.ts"
import { settingsOf } from "../testing/OpenSearchFixtures.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { makeCertificates, tlsProxy } from "../testing/TlsFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { OpenSearch } from "./OpenSearch.ts"

/** The URL of an HTTP server that runs until the scope ends. */
const startServer = (handle: http.RequestListener) =>
  Effect.map(listenOnLoopback(http.createServer(handle)), (port) => `http://127.0.0.1:${port}`)

const respond =
  (status: number, body: string): http.RequestListener =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(body)
  }

const call = { method: "GET", path: "/x" } as const
const ask = Effect.flatMap(OpenSearch, (openSearch) =>
  openSearch.call(Schema.Struct({ ok: Schema.Boolean }), call)
)

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`

it.live("the OpenSearch client sends the credentials of the settings, or else those of the URL", () =>
  Effect.gen(function* () {
    const seen: Array<string | undefined> = []
    const url = yield* startServer((request, response) => {
      seen.push(request.headers.authorization)
      respond(200, '{"ok":true}')(request, response)
    })
    const given = { ...settingsOf(url), username: "reader", password: Redacted.make("pass:word") }
    yield* ask.pipe(Effect.provide(OpenSearch.layer(given)))
    yield* ask.pipe(
      Effect.provide(OpenSearch.layer(settingsOf(url.replace("http://", "http://writer:%D0%BF@"))))
    )
    yield* ask.pipe(Effect.provide(OpenSearch.layer(settingsOf(url))))
    assert.deepStrictEqual(seen, [basic("reader:pass:word"), basic("writer:п"), undefined])
  }).pipe(Effect.scoped)
)

it.live("the OpenSearch client accepts only a certificate that is trusted and names the host", () =>
  Effect.gen(function* () {
    const [trusted, untrusted] = [yield* temporaryFolder, yield* temporaryFolder]
    makeCertificates(trusted)
    makeCertificates(untrusted)
    const url = yield* startServer(respond(200, '{"ok":true}'))
    const port = yield* tlsProxy({
      certificate: fs.readFileSync(path.join(trusted, "server.crt"), "utf8"),
      key: fs.readFileSync(path.join(trusted, "server.key"), "utf8"),
      target: url,
      user: "rapport",
      password: "їжак"
    })
    const connectTo = (host: string, folder: string | undefined, password = "їжак") =>
      ask.pipe(
        Effect.provide(
          OpenSearch.layer({
            ...settingsOf(`https://${host}:${port}`),
            username: "rapport",
            password: Redacted.make(password),
            certificates:
              folder === undefined ? undefined : fs.readFileSync(path.join(folder, "ca.pem"), "utf8")
          }),
          { local: true }
        )
      )
    assert.deepStrictEqual(yield* connectTo("127.0.0.1", trusted), { ok: true })
    const refusals = [
      [connectTo("127.0.0.1", untrusted), "unavailable"],
      [connectTo("127.0.0.1", undefined), "unavailable"],
      // The certificate is for 127.0.0.1 only.
      [connectTo("localhost", trusted), "unavailable"],
      [connectTo("127.0.0.1", trusted, "guessed"), "refused"]
    ] as const
    for (const [refused, kind] of refusals) {
      const error = yield* Effect.flip(refused)
      assert.strictEqual(error.kind, kind)
    }
  }).pipe(Effect.scoped)
)

it.live(
  "the OpenSearch client closes the connection when the caller cancels, so that the engine cancels the search",
  () =>
    Effect.gen(function* () {
      let closed = 0
      const url = yield* startServer((request) => {
        request.socket.on("close", () => closed++)
      })
      yield* ask.pipe(Effect.timeoutOption("50 millis"), Effect.provide(OpenSearch.layer(settingsOf(url))))
      yield* eventually(
        Effect.sync(() => closed),
        (count) => count === 1
      )
    }).pipe(Effect.scoped)
)

it.live("the OpenSearch client stops after repeated failures and resumes when the engine is back", () =>
  Effect.gen(function* () {
    let requests = 0
    let isHealthy = false
    const url = yield* startServer((request, response) => {
      if (request.url === "/x") requests++
      respond(isHealthy ? 200 : 503, '{"ok":true}')(request, response)
    })
    yield* Effect.gen(function* () {
      for (let i = 0; i < OPENSEARCH_BREAKER_FAILURES + 20; i++) yield* Effect.flip(ask)
      assert.isBelow(requests, OPENSEARCH_BREAKER_FAILURES + 20)
      isHealthy = true
      yield* Effect.eventually(ask)
    }).pipe(Effect.provide(OpenSearch.layer(settingsOf(url))))
  }).pipe(Effect.scoped)
)
