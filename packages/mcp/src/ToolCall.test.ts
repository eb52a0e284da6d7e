// One call of a tool, to services that answer, fail, hang or are not reached (contract §6).
import { assert, describe, it } from "@effect/vitest"
import { Client, credentialOf } from "@rapport/contract/Client.ts"
import { TOOL_ANSWER_GRACE_MILLIS } from "@rapport/contract/Limits.ts"
import { Deferred, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  HttpClientError,
  type HttpClientRequest,
  HttpClientResponse
} from "effect/http"
import { TestClock } from "effect/testing"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { callTool } from "./ToolCall.ts"
import { type Tool, tools } from "./Tools.ts"

const TOKEN = "rpx_secret-token"
const [tool] = tools as [Tool]

type Answer = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<Response, HttpClientError.HttpClientError>

/** The client of a service with this answer. */
const clientOf = (answer: Answer, token = TOKEN) =>
  Client.layer("http://rapport.test", credentialOf(Redacted.make(token))).pipe(
    Layer.provide(
      Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) =>
          Effect.map(answer(request), (response) => HttpClientResponse.fromWeb(request, response))
        )
      )
    )
  )
const answering =
  (status: number, body: string): Answer =>
  () =>
    Effect.succeed(new Response(body, { status }))
const call = (answer: Answer, args: unknown = { client_id: 501 }) =>
  callTool(tool, args).pipe(Effect.provide(clientOf(answer)))
const unreachable: Answer = () => Effect.die("a request reached the service")
const gone: Answer = (request) =>
  Effect.fail(
    new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
  )
/** A server at its own origin, and the headers of its requests. */
const serving = Effect.fnUntraced(function* (answer: http.RequestListener) {
  const requests: Array<http.IncomingHttpHeaders> = []
  const server = http.createServer((request, response) => {
    requests.push(request.headers)
    answer(request, response)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  )
  return { requests, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})
const failure = ({ content, isError }: Effect.Success<ReturnType<typeof call>>) => {
  assert.isTrue(isError)
  return JSON.parse(content[0]?.text ?? "")
}

describe("ToolCall", () => {
  it.effect("reports each fault of the arguments once", () =>
    Effect.gen(function* () {
      const args = { client_id: 2 ** 53, top_k: 0, timeout_ms: 1, token_budget: 1, sections: [], zz: 1 }
      const { code, detail } = failure(yield* call(unreachable, args))
      assert.strictEqual(code, "INVALID_REQUEST")
      assert.deepStrictEqual(
        detail
          .split("; ")
          .map((fault: string) => fault.split(" ")[0])
          .toSorted(),
        Object.keys(args).toSorted()
      )
    })
  )

  it.effect("shows the ids of several matches", () =>
    Effect.gen(function* () {
      const problem = { code: "AMBIGUOUS", status: 409, detail: "several entities match", ids: [501, 502] }
      const body = JSON.stringify({ ...problem, type: "urn:x", requestId: "r" })
      assert.deepStrictEqual(failure(yield* call(answering(409, body), { phone: "067 1234567" })), problem)
    })
  )

  it.effect("requests Markdown by default and shows it unchanged", () =>
    Effect.gen(function* () {
      const accepted: Array<string | undefined> = []
      const body = "# client 501\n## State\n"
      const markdown: Answer = ({ headers }) => {
        accepted.push(headers["accept"])
        return Effect.succeed(
          new Response(body, { headers: { "content-type": "text/markdown; charset=utf-8" } })
        )
      }
      assert.deepStrictEqual(yield* call(markdown), { content: [{ type: "text", text: body }] })
      assert.deepStrictEqual(accepted, ["text/markdown"])
    })
  )

  it.effect("with format json shows the body unchanged, and again as data", () =>
    Effect.gen(function* () {
      const body = ' {"packHash":"sha256:1",  "sections":{}}'
      assert.deepStrictEqual(yield* call(answering(200, body), { client_id: 501, format: "json" }), {
        content: [{ type: "text", text: body }],
        structuredContent: { packHash: "sha256:1", sections: {} }
      })
    })
  )

  it.effect("sends the token in the header of its kind, and the request of the arguments", () =>
    Effect.gen(function* () {
      const requests: Array<HttpClientRequest.HttpClientRequest> = []
      const recording: Answer = (request) => {
        requests.push(request)
        return Effect.succeed(new Response("{}"))
      }
      yield* call(recording)
      yield* callTool(tool, { client_id: 1 }).pipe(Effect.provide(clientOf(recording, "a.b.c")))
      assert.deepStrictEqual(
        requests.map(({ headers, method, url }) => [
          method,
          url,
          headers["x-auth-token"],
          headers["authorization"]
        ]),
        [
          ["POST", "http://rapport.test/kw/chatrooms/context/retrieve", TOKEN, undefined],
          ["POST", "http://rapport.test/kw/chatrooms/context/retrieve", undefined, "Bearer a.b.c"]
        ]
      )
      const body = requests[0]?.body
      assert.strictEqual(body?._tag, "Uint8Array")
      if (body?._tag !== "Uint8Array") return
      assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(body.body)), {
        scope: { entity: "client", id: 501 },
        sections: ["state", "actions", "properties", "evidence"],
        allowPartial: true
      })
    })
  )

  it.effect.each([
    [401, "UNAUTHENTICATED", "a valid token is needed"],
    [403, "ACCESS_DENIED", "you may not do this"],
    [429, "RATE_LIMITED", "too many requests"],
    [503, "SEARCH_UNAVAILABLE", "a required source does not answer"],
    [400, "A_CODE_OF_A_LATER_VERSION", "something new"]
  ] as const)("a problem %d %s is shown by its code, status and detail", ([status, code, detail]) =>
    Effect.gen(function* () {
      const problem = JSON.stringify({
        type: "urn",
        title: "t",
        status,
        code,
        detail,
        requestId: "r",
        errors: []
      })
      assert.deepStrictEqual(failure(yield* call(answering(status, problem))), { code, status, detail })
    })
  )

  it.effect.each([
    [502, "<html>Bad gateway</html>"],
    [200, "<html>Welcome to the hotel</html>"],
    [200, "[]"],
    [500, '{"message":"no problem document"}']
  ] as const)("an answer %d %s that is not of the service is SEARCH_UNAVAILABLE", ([status, body]) =>
    Effect.gen(function* () {
      assert.deepInclude(failure(yield* call(answering(status, body))), {
        code: "SEARCH_UNAVAILABLE",
        status: 503
      })
    })
  )

  it.effect("if the service is not reached, the token is in no answer and in no log", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const recording = Logger.make(({ message, cause }) => void logged.push(message, cause))
      const result = yield* call(gone).pipe(Effect.provide(Logger.layer([recording])))
      assert.deepInclude(failure(result), { code: "SEARCH_UNAVAILABLE", status: 503 })
      assert.notInclude(JSON.stringify(result), TOKEN)
      assert.isNotEmpty(logged)
      assert.notInclude(inspect(logged, { depth: 20, showHidden: true }), TOKEN)
    })
  )

  // `fetch` would send the header of an external token to another origin.
  it.live.each([301, 302, 307, 308])("a redirect %i does not send the token to another origin", (status) =>
    Effect.gen(function* () {
      const elsewhere = yield* serving((_, response) => response.end("{}"))
      const service = yield* serving((_, response) => {
        response.writeHead(status, { location: elsewhere.origin }).end()
      })
      const client = Client.layer(service.origin, credentialOf(Redacted.make(TOKEN)))
      const result = yield* callTool(tool, { client_id: 501 }).pipe(
        Effect.provide(Layer.provide(client, FetchHttpClient.layer))
      )
      assert.deepInclude(failure(result), { code: "SEARCH_UNAVAILABLE", status: 503 })
      assert.strictEqual(service.requests[0]?.["x-auth-token"], TOKEN)
      assert.deepStrictEqual(elsewhere.requests, [])
    }).pipe(Effect.scoped)
  )

  it.effect("a call ends after timeout_ms and a grace if the service hangs", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(call(() => Effect.never, { client_id: 501, timeout_ms: 100 }))
      yield* TestClock.adjust(100 + TOOL_ANSWER_GRACE_MILLIS)
      assert.deepInclude(failure(yield* Fiber.join(fiber)), { code: "SEARCH_UNAVAILABLE", status: 503 })
    })
  )

  it.effect("interrupting a call interrupts the read", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const slow: Answer = () =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
        )
      const fiber = yield* Effect.forkChild(call(slow))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(ended)
    })
  )

  it.effect.each(["2026-02-01", "2026-03-01T00:00:00Z"])("an empty range from %s is refused", (from) =>
    Effect.gen(function* () {
      for (const one of tools) {
        const args = { [`${one.entity}_id`]: 1, from, to: "2026-02-01" }
        const result = yield* callTool(one, args).pipe(Effect.provide(clientOf(unreachable)))
        assert.deepStrictEqual(failure(result), {
          code: "INVALID_REQUEST",
          status: 400,
          detail: "to must be later than from"
        })
      }
    })
  )

  it.effect("invalid arguments are refused without a request to the service", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(failure(yield* call(unreachable, { client_id: 1, targets: ["x"] })), {
        code: "INVALID_REQUEST",
        status: 400,
        detail: "targets is unknown"
      })
    })
  )
})
