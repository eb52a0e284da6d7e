// The HTTP listener: socket deadlines, size limits, answers to malformed requests, and graceful shutdown.
import {
  ANSWER_TAKEN_MILLIS_MAX,
  BODY_READ_MILLIS_MAX,
  CONNECTION_IDLE_MILLIS_MAX,
  HEADER_BYTES_MAX,
  HEADER_READ_MILLIS_MAX
} from "@rapport/contract/Limits.ts"
import { isTrusted, withArrivals } from "./middleware/RequestOrigin.ts"
import { routerConfig } from "../config/RouterConfig.ts"
import { randomUUIDv7 } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { ListenOptions } from "node:net"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { IpNetwork } from "effect/net"

/** Open connections. The listener closes further ones. */
const CONNECTIONS_MAX = 8_192
/** How often the deadlines of connections are checked. */
const CONNECTION_CHECK_MILLIS = 1_000
/** How long a stop waits for the requests in flight. */
const DRAIN_MILLIS_MAX = 10_000
/** Requests that wait while the service starts behind its open port. Connections of further requests are closed. */
const EARLY_REQUESTS_MAX = 1_000

/** A silent connection is probed after this time. */
const CONNECTION_PROBED_MILLIS = 30_000

/** Node's parser refuses these before they become requests, so their answers are written here. */
const refusals: Readonly<
  Record<string, readonly [status: number, code: string, title: string, detail: string]>
> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "HEADERS_TOO_LARGE",
    "Headers too large",
    `the request line and headers are above ${HEADER_BYTES_MAX / 1024} KiB`
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "REQUEST_TIMEOUT", "Request timeout", "the request did not arrive in time"]
}
const malformed = [400, "INVALID_REQUEST", "Invalid request", "the request is malformed HTTP"] as const

/** A problem document for a malformed request. Its connection closes afterwards (contract §1.1). */
const refusal = (errorCode: string | undefined): string => {
  const [status, code, title, detail] = refusals[errorCode ?? ""] ?? malformed
  const requestId = randomUUIDv7()
  const body = JSON.stringify({
    type: `urn:rapport:error:${code}`,
    title,
    status,
    code,
    detail,
    requestId,
    ...(status === 400 ? { errors: [{ path: "", message: detail }] } : {})
  })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    `X-Request-Id: ${requestId}`,
    "X-Content-Type-Options: nosniff",
    "Connection: close",
    "",
    body
  ].join("\r\n")
}

/** Requests in flight by connection. */
class InFlight {
  readonly #byConnection = new WeakMap<Duplex, Set<ServerResponse>>()
  #count = 0

  get count(): number {
    return this.#count
  }

  /** `onAnswered` runs when the answer was sent or abandoned. */
  add({ socket }: IncomingMessage, response: ServerResponse, onAnswered: () => void): void {
    const answers = this.#byConnection.get(socket) ?? new Set()
    this.#byConnection.set(socket, answers.add(response))
    this.#count++
    response.on("close", () => {
      answers.delete(response)
      this.#count--
      onAnswered()
    })
  }

  /** Whether an answer is being written on the connection. */
  isAnswering(socket: Duplex): boolean {
    return [...(this.#byConnection.get(socket) ?? [])].some(({ headersSent }) => headersSent)
  }
}

const refuseMalformed = (inFlight: InFlight) => (error: NodeJS.ErrnoException, socket: Duplex) => {
  if (error.code === "ECONNRESET" || !socket.writable || inFlight.isAnswering(socket)) socket.destroy()
  else socket.end(refusal(error.code))
}

/**
 * A close waits for requests in flight only. Without this, one idle connection would block the stop for the whole drain, and requests
 * that still run then would get an empty 503 (contract §11).
 */
const drainOf = (server: Server, inFlight: InFlight, drainMillis: number): Effect.Effect<void> => {
  const closed = Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    server.close(() => resume(Effect.void))
    if (inFlight.count === 0) server.closeAllConnections()
  })
  return Effect.gen(function* () {
    const closing = yield* Effect.forkChild(closed, { startImmediately: true })
    yield* Effect.timeoutOption(Effect.interruptible(Fiber.join(closing)), drainMillis)
    server.closeAllConnections()
    yield* Fiber.join(closing)
  })
}

/**
 * The port opens before the application starts. Requests wait until it listens, because Node would never answer them.
 * The first attempt of a reconnecting client then succeeds.
 */
const queueUntilRunning = (server: Server, event: "request" | "checkContinue"): void => {
  const early: Array<readonly [IncomingMessage, ServerResponse]> = []
  const hold = (request: IncomingMessage, response: ServerResponse) => {
    if (early.length < EARLY_REQUESTS_MAX) early.push([request, response])
    else request.socket.destroy()
  }
  const joined = (name: string, handler: (request: IncomingMessage, response: ServerResponse) => void) => {
    if (name !== event) return
    server.off("newListener", joined).off(event, hold)
    queueMicrotask(() => {
      for (const [request, response] of early.splice(0)) handler(request, response)
    })
  }
  server.on(event, hold).on("newListener", joined)
}

interface Answer {
  readonly response: ServerResponse
  /** When it was first seen in flight. */
  since: number | undefined
}

/** Closes connections whose reader has not taken the answer `answerMillis` after its first byte, accurate to one second. */
const cutSlowReaders = (
  server: Server,
  answerMillis: number,
  checkMillis: number,
  now: () => number
): void => {
  const answers = new Set<Answer>()
  const watch = (_: IncomingMessage, response: ServerResponse) => {
    const answer: Answer = { response, since: undefined }
    answers.add(answer)
    response.on("close", () => answers.delete(answer))
  }
  const check = () => {
    const at = now()
    for (const answer of answers) {
      const { response, since } = answer
      if (!response.headersSent || response.writableFinished) continue
      if (since === undefined) answer.since = at
      else if (at - since >= answerMillis) response.socket?.destroy()
    }
  }
  server.on("request", watch).on("checkContinue", watch)
  const timer = setInterval(check, checkMillis).unref()
  server.on("close", () => clearInterval(timer))
}

/** Bounds of a listener; tests shorten them. */
export interface ListenerOptions {
  /** How long the close waits for the answers in flight. */
  readonly drainMillis?: number
  readonly headerMillis?: number
  readonly bodyMillis?: number
  readonly answerMillis?: number
  readonly connectionsMax?: number
  /** How often the deadlines are checked (contract §10). */
  readonly checkMillis?: number
}

/** A listener whose finalizer stops accepting, answers the requests in flight, and closes. */
export interface Listener {
  readonly server: Server
  readonly drain: Effect.Effect<void>
}

/** `prepare` adds event listeners that run before the application; a listener that is added later is treated as the application. */
export const makeListener = Effect.fnUntraced(function* (
  options: ListenerOptions = {},
  prepare: (server: Server) => Server = (server) => server
): Effect.fn.Return<Listener> {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const inFlight = new InFlight()
  const server = prepare(bareServer(options, inFlight, now))
  // Arrivals and destinations are noted before anything else runs.
  withArrivals(server, now)
  server.prependListener("request", toPath).prependListener("checkContinue", toPath)
  queueUntilRunning(server, "request")
  queueUntilRunning(server, "checkContinue")
  return { server, drain: drainOf(server, inFlight, options.drainMillis ?? DRAIN_MILLIS_MAX) }
})

/** Runs an application on a listener. The listener drains before the application stops. */
export const listenerLayer = <A, E, R>(
  app: Layer.Layer<A, E, R>,
  { drain, server }: Listener,
  options: ListenOptions
) =>
  Layer.effectDiscard(Effect.addFinalizer(() => drain)).pipe(
    Layer.provideMerge(HttpRouter.serve(app, { routerConfig, disableLogger: true, disableListenLog: true })),
    Layer.provideMerge(NodeHttpServer.layer(() => server, options))
  )

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/iu

/**
 * Rewrites an absolute request target to its path if it names the same host as the Host header. Other targets stay as sent and are refused
 * (contract §1, "Methods").
 */
const toPath = (request: IncomingMessage): void => {
  const [, host, path = ""] = ABSOLUTE.exec(request.url ?? "") ?? []
  if (host === undefined || host.toLowerCase() !== request.headers.host?.toLowerCase()) return
  request.url = path.startsWith("/") ? path : `/${path}`
}

const bareServer = (
  {
    answerMillis = ANSWER_TAKEN_MILLIS_MAX,
    bodyMillis = BODY_READ_MILLIS_MAX,
    checkMillis = CONNECTION_CHECK_MILLIS,
    connectionsMax = CONNECTIONS_MAX,
    headerMillis = HEADER_READ_MILLIS_MAX
  }: ListenerOptions,
  inFlight: InFlight,
  now: () => number
): Server => {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: headerMillis,
    requestTimeout: bodyMillis,
    connectionsCheckingInterval: checkMillis,
    keepAliveTimeout: CONNECTION_IDLE_MILLIS_MAX,
    // TCP keep-alive detects a peer that vanished.
    keepAlive: true,
    keepAliveInitialDelay: CONNECTION_PROBED_MILLIS,
    // With true, Node answers a missing Host with an empty 400 instead of a problem document.
    requireHostHeader: false,
    // Joins duplicate headers with a comma, so that the checked value is also the used value.
    joinDuplicateHeaders: true
  })
  // Node silently drops headers beyond 2000. The size limit bounds them already.
  server.maxHeadersCount = 0
  server.maxConnections = connectionsMax
  const count = (request: IncomingMessage, response: ServerResponse) =>
    inFlight.add(request, response, () => {
      if (!server.listening && inFlight.count === 0) server.closeAllConnections()
    })
  server.on("request", count).on("checkContinue", count)
  cutSlowReaders(server, answerMillis, checkMillis, now)
  const onClientError = refuseMalformed(inFlight)
  server.on("clientError", onClientError)
  server.on("connect", (_, socket) => onClientError(new Error("CONNECT"), socket))
  // Without this, Node answers an unknown expectation with an empty 417.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}

const headers = ["traceparent", "tracestate", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-sampled"]

/** Drops trace headers of untrusted callers before a request is handled. */
export const withTrustedTraces = (server: Server, trusted: ReadonlyArray<IpNetwork.IpNetwork>): Server => {
  const drop = (request: IncomingMessage) => {
    if (isTrusted(trusted, request.socket.remoteAddress ?? "")) return
    for (const name of headers) delete request.headers[name]
  }
  return server.prependListener("request", drop).prependListener("checkContinue", drop)
}
