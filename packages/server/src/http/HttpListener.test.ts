import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Result } from "effect"
import { IpNetwork } from "effect/net"
import * as http from "node:http"
import { subscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { dropForeignTraces, makeListener, listenerLayer } from "./HttpListener.ts"
import { WaitedMillis } from "@rapport/core/context/read/ContextPlan.ts"
import { HttpServerResponse } from "effect/http"
import { GOOD, stubAppLayer, known, READ } from "../testing/HttpFixtures.ts"
import { listenOnLoopback } from "../testing/LoopbackServer.ts"

const networks = (text: string) => [Result.getOrThrow(IpNetwork.fromString(text))]

/** The trace headers that an application behind the listener is given. */
const propagatedWith = Effect.fnUntraced(function* (trusted: ReadonlyArray<IpNetwork.IpNetwork>) {
  const drop = dropForeignTraces(trusted)
  const server = http.createServer((request, response) => {
    drop(request, response)
    response.end(JSON.stringify([request.headers["traceparent"] ?? null, request.headers["b3"] ?? null]))
  })
  const port = yield* listenOnLoopback(server)
  const headers = { traceparent: "00-a-b-01", b3: "0" }
  return yield* Effect.promise(async () => (await fetch(`http://127.0.0.1:${port}/`, { headers })).text())
})

it.live("a caller's trace id is accepted only from a trusted proxy", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* propagatedWith([]), "[null,null]")
    assert.strictEqual(yield* propagatedWith(networks("10.0.0.0/8")), "[null,null]")
    assert.strictEqual(yield* propagatedWith(networks("127.0.0.0/8")), '["00-a-b-01","0"]')
  })
)

it.live("the deadline of a context read begins when the request arrives", () =>
  Effect.gen(function* () {
    let waitedMillis = 0
    let now = 1_000
    const clock: Clock.Clock = {
      ...Clock.Clock.defaultValue(),
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now)
    }
    const listener = yield* Effect.provideService(makeListener(), Clock.Clock, clock)
    const opened = Promise.withResolvers<void>()
    const app = stubAppLayer({
      read: () =>
        Effect.map(WaitedMillis, (millis) => {
          waitedMillis = millis
          return HttpServerResponse.empty()
        })
    }).pipe(
      Layer.provide(Layer.effectDiscard(Effect.promise(() => opened.promise))),
      Layer.provide(Layer.succeed(Clock.Clock, clock))
    )
    const listening = once(listener.server, "listening")
    // A listener of the server itself would be taken for the application.
    const arrived = new Promise((resolve) => subscribe("http.server.request.start", resolve))
    const serving = yield* Effect.forkScoped(
      Layer.build(listenerLayer(app, listener, { host: "127.0.0.1", port: 0 }))
    )
    yield* Effect.promise(async () => {
      await listening
      const address = listener.server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const answer = fetch(`http://127.0.0.1:${port}${READ}`, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close", ...known },
        body: JSON.stringify(GOOD)
      })
      await arrived
      now += 120
      opened.resolve()
      assert.strictEqual((await answer).status, 204)
    })
    assert.strictEqual(waitedMillis, 120)
    yield* Fiber.join(serving)
  }).pipe(Effect.scoped)
)
