// A listener of the app without a database, and raw bytes that a test sends to it.
import { Clock, Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import { type ListenerOptions, makeListener, listenerLayer } from "../http/HttpListener.ts"
import { stubAppLayer, type StubAppOptions, unlimited } from "./HttpFixtures.ts"

/** Starts a listener on a free port. */
export const listen = async (options: StubAppOptions = {}, limits: ListenerOptions = {}) => {
  const app = stubAppLayer({ settings: { limits: unlimited }, ...options })
  const layer = Layer.unwrap(
    Effect.map(makeListener(limits), (listener) =>
      listenerLayer(app, listener, { host: "127.0.0.1", port: 0 })
    )
  ).pipe(Layer.provide(Layer.succeed(Clock.Clock, options.clock ?? Clock.Clock.defaultValue())))
  const scope = Scope.makeUnsafe()
  const port = await Effect.runPromise(
    Effect.gen(function* () {
      const context = yield* Layer.buildWithScope(layer, scope)
      const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
      return "port" in address ? address.port : 0
    })
  )
  return { port, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

export interface Exchange {
  /** All bytes of the answer. */
  readonly text: string
  readonly closedAfterMillis: number
}

/** Sends bytes, and `drip` every 500 ms; resolves when the connection ends, or when `until` returns true. */
export const raw = (
  port: number,
  data: string | Uint8Array,
  until?: (text: string) => boolean,
  drip?: string
) =>
  new Promise<Exchange>((resolve) => {
    const began = performance.now()
    let text = ""
    const socket = connect(port, "127.0.0.1")
    const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), 500)
    const done = () => {
      clearInterval(dripping)
      socket.destroy()
      resolve({ text, closedAfterMillis: performance.now() - began })
    }
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      if (until?.(text) === true) done()
    })
    socket.on("close", done)
    socket.on("error", () => undefined)
    socket.write(data)
  })

export const head = (method: string, path: string, ...lines: ReadonlyArray<string>) =>
  `${[`${method} ${path} HTTP/1.1`, "Host: x", ...lines].join("\r\n")}\r\n\r\n`
export const token = "Authorization: Bearer user-1"
export const media = "Content-Type: application/json"
