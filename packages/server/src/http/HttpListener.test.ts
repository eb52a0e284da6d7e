import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Layer } from "effect"
import { IpNetwork } from "effect/net"
import * as http from "node:http"
import { withTrustedTraces, makeServer } from "./HttpListener.ts"
import { NodeHttpServer } from "@effect/platform-node"
import { WaitedMillis } from "@rapport/core/context/read/ContextPlan.ts"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { GOOD, groundLayer, known, READ } from "../testing/HttpFixtures.ts"
import { routerConfig } from "./middleware/ResponseEnvelope.ts"

const networks = (text: string) => [Result.getOrThrow(IpNetwork.fromString(text))]

/** The trace headers that an application behind the listener is given. */
const seenWith = (trusted: ReadonlyArray<IpNetwork.IpNetwork>) =>
  Effect.promise(async () => {
    const server = withTrustedTraces(
      http.createServer((request, response) =>
        response.end(JSON.stringify([request.headers["traceparent"] ?? null, request.headers["b3"] ?? null]))
      ),
      trusted
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      headers: { traceparent: "00-a-b-01", b3: "0" }
    })
    const text = await answer.text()
    server.closeAllConnections()
    server.close()
    return text
  })

describe("the trace of a caller", () => {
  it.live("is taken over from a trusted proxy only", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* seenWith([]), "[null,null]")
      assert.strictEqual(yield* seenWith(networks("10.0.0.0/8")), "[null,null]")
      assert.strictEqual(yield* seenWith(networks("127.0.0.0/8")), '["00-a-b-01","0"]')
    })
  )
})

const QUEUED_MILLIS = 120

/** Every request waits for its turn, as behind the admission of a crowd. */
const queueing = (server: Server): Server => {
  server.on = new Proxy(server.on, {
    apply: (on, _, [event, listener]) =>
      Reflect.apply(on, server, [
        event,
        event === "request"
          ? (request: IncomingMessage, response: ServerResponse) =>
              setTimeout(() => listener(request, response), QUEUED_MILLIS)
          : listener
      ])
  })
  return server
}

describe("the deadline of a context read", () => {
  it.live("begins when the request arrives, not when its turn comes", () =>
    Effect.gen(function* () {
      let waitedMillis = 0
      const app = groundLayer({
        read: () =>
          Effect.map(WaitedMillis, (millis) => {
            waitedMillis = millis
            return HttpServerResponse.empty()
          })
      })
      const { address } = yield* Effect.provideContext(
        HttpServer.HttpServer,
        yield* Layer.build(
          HttpRouter.serve(app, { routerConfig, disableLogger: true, disableListenLog: true }).pipe(
            Layer.provideMerge(
              NodeHttpServer.layer(() => queueing(makeServer()), { host: "127.0.0.1", port: 0 })
            )
          )
        )
      )
      const port = "port" in address ? address.port : 0
      const answer = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}${READ}`, {
          method: "POST",
          headers: { "content-type": "application/json", connection: "close", ...known },
          body: JSON.stringify(GOOD)
        })
      )
      assert.strictEqual(answer.status, 204)
      // Timers of Node may run a millisecond early.
      assert.isAtLeast(waitedMillis, QUEUED_MILLIS - 2)
    }).pipe(Effect.scoped)
  )
})
