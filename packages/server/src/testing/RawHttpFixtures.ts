// A listener of the service without its modules, and bytes that a test sends to it as they are.
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import { type ListenerOptions, makeListener, listenerLayer } from "../http/HttpListener.ts"
import { stubAppLayer, type StubAppOptions } from "./HttpFixtures.ts"

const unlimited = { ...TrafficDefaults, REST_PER_MINUTE: 1_000_000, CONTEXT_READS_PER_MINUTE: 1_000_000 }

/** A listener on a free port, and how to stop it. */
export const listen = async (options: StubAppOptions = {}, limits: ListenerOptions = {}) => {
  const app = stubAppLayer({ settings: { limits: unlimited }, ...options })
  const layer = Layer.unwrap(
    Effect.map(makeListener(limits), (listener) =>
      listenerLayer(app, listener, { host: "127.0.0.1", port: 0 })
    )
  )
  return await started(layer)
}

/** Builds a listener: its port, and how to stop it. */
const started = async <E>(layer: Layer.Layer<HttpServer.HttpServer, E>) => {
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
  /** Everything that came back. */
  readonly text: string
  readonly closedAfterMillis: number
}

/** Sends bytes as they are; resolves when the connection ends, or when `until` holds. */
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
