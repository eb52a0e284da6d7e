// What waits for its turn before the application waits on the caller's time (docs/contract.md §3.4).
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { WaitedMillis } from "@rapport/core/context/read/Deadlines.ts"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { GOOD, groundLayer, known, READ } from "../testing/HttpFixtures.ts"
import { makeServer } from "./HttpListener.ts"
import { routerConfig } from "./middleware/ResponseEnvelope.ts"

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
