// One call of a tool, to services that answer, fail, hang or are not reached (contract §6).
import { assert, describe, it } from "@effect/vitest"
import { Client, credentialOf } from "@rapport/contract/Client.ts"
import { TOOL_ANSWER_GRACE_MILLIS } from "@rapport/contract/Limits.ts"
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
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
const clientOf = (answer: Answer) =>
  Client.layer("http://rapport.test", credentialOf(Redacted.make(TOKEN))).pipe(
    Layer.provide(
      Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) =>
          Effect.map(answer(request), (response) => HttpClientResponse.fromWeb(request, response))
        )
      )
    )
  )
const answerWith =
  (status: number, body: string): Answer =>
  () =>
    Effect.succeed(new Response(body, { status }))
const call = (answer: Answer, args: unknown = { client_id: 501 }) =>
  callTool(tool, args).pipe(Effect.provide(clientOf(answer)))
const failToConnect: Answer = (request) =>
  Effect.fail(
    new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
  )
/** A server at its own origin, and the headers of its requests. */
const startRecordingServer = Effect.fnUntraced(function* (answer: http.RequestListener) {
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
  it.effect.each([
    { code: "AMBIGUOUS", status: 409, detail: "several entities match", ids: [501, 502] },
    { code: "A_CODE_OF_A_LATER_VERSION", status: 400, detail: "something new" }
  ])("shows code, status, detail and ids of the problem %j", (problem) =>
    Effect.gen(function* () {
      const body = JSON.stringify({ ...problem, type: "urn:x", title: "t", requestId: "r", errors: [] })
      assert.deepStrictEqual(failure(yield* call(answerWith(problem.status, body))), problem)
    })
  )

  it.effect.each([
    [502, "<html>Bad gateway</html>"],
    [200, "<html>Welcome to the hotel</html>"],
    [200, "[]"],
    [500, '{"message":"no problem document"}']
  ] as const)("an answer %d %s that is not of the service is SEARCH_UNAVAILABLE", ([status, body]) =>
    Effect.gen(function* () {
      assert.deepInclude(failure(yield* call(answerWith(status, body))), {
        code: "SEARCH_UNAVAILABLE",
        status: 503
      })
    })
  )

  it.effect("if the service is not reached, the token is in no answer and in no log", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const recording = Logger.make(({ message, cause }) => void logged.push(message, cause))
      const result = yield* call(failToConnect).pipe(Effect.provide(Logger.layer([recording])))
      assert.deepInclude(failure(result), { code: "SEARCH_UNAVAILABLE", status: 503 })
      assert.notInclude(JSON.stringify(result), TOKEN)
      assert.isNotEmpty(logged)
      assert.notInclude(inspect(logged, { depth: 20, showHidden: true }), TOKEN)
    })
  )

  // `fetch` would send the header of an external token to another origin.
  it.live.each([301, 302, 307, 308])("a redirect %i does not send the token to another origin", (status) =>
    Effect.gen(function* () {
      const elsewhere = yield* startRecordingServer((_, response) => response.end("{}"))
      const service = yield* startRecordingServer((_, response) => {
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
})
