// The HTTP listener: socket deadlines, size limits, answers to malformed requests, and graceful shutdown.
import { HeadersTooLarge, type InvalidRequest, RequestTimeout } from "@rapport/contract/Errors.ts"
import {
  ANSWER_TAKEN_MILLIS_MAX,
  BODY_READ_MILLIS_MAX,
  CONNECTION_IDLE_MILLIS_MAX,
  HEADER_BYTES_MAX,
  HEADER_READ_MILLIS_MAX
} from "@rapport/contract/Limits.ts"
import { isTrusted, noteArrival } from "./middleware/RequestOrigin.ts"
import { unreadable } from "./middleware/SchemaErrors.ts"
import { routerConfig } from "../config/RouterConfig.ts"
import { randomUUIDv7 } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { ListenOptions } from "node:net"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Effect, Layer } from "effect"
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
const refusedBy = (errorCode: string | undefined): HeadersTooLarge | RequestTimeout | InvalidRequest => {
  if (errorCode === "HPE_HEADER_OVERFLOW") return new HeadersTooLarge()
  return errorCode === "ERR_HTTP_REQUEST_TIMEOUT"
    ? new RequestTimeout()
    : unreadable("the request is malformed HTTP")
}

/** A problem document for a malformed request. Its connection closes afterwards (contract §1.1). */
const refusal = (errorCode: string | undefined): string => {
  const refused = refusedBy(errorCode)
  const { code, detail, status, title, type } = refused
  const requestId = randomUUIDv7()
  const errors = "errors" in refused ? refused.errors : undefined
  const body = JSON.stringify({ type, title, status, code, detail, requestId, errors })
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

/** Runs before the application for every request. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

const onRequests = (server: Server, listener: RequestListener) =>
  server.on("request", listener).on("checkContinue", listener)

/** The answers in flight, and when each was first seen with its headers sent. */
type InFlight = Map<ServerResponse, number | undefined>

const trackAnswers =
  (server: Server, inFlight: InFlight): RequestListener =>
  (_, response) => {
    inFlight.set(response, undefined)
    // `close` follows when the answer was sent or abandoned.
    response.on("close", () => {
      inFlight.delete(response)
      if (!server.listening && inFlight.size === 0) server.closeAllConnections()
    })
  }

const refuseMalformed = (inFlight: InFlight) => (error: NodeJS.ErrnoException, socket: Duplex) => {
  const isAnswering = [...inFlight.keys()].some(
    ({ headersSent, req }) => headersSent && req.socket === socket
  )
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering) socket.destroy()
  else socket.end(refusal(error.code))
}

/**
 * A close waits for requests in flight only. Without this, one idle connection would block the stop for the whole drain, and requests
 * that still run then would get an empty 503 (contract §11).
 */
const drainOf = (server: Server, inFlight: InFlight, drainMillis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (!server.listening) return resume(Effect.void)
    const late = setTimeout(() => server.closeAllConnections(), drainMillis)
    server.close(() => {
      clearTimeout(late)
      resume(Effect.void)
    })
    if (inFlight.size === 0) server.closeAllConnections()
  })

/**
 * The port opens before the application starts. Requests wait until it listens, because Node would never answer them.
 * The first attempt of a reconnecting client then succeeds.
 */
const queueUntilRunning = (server: Server, event: "request" | "checkContinue"): void => {
  const early: Array<readonly [IncomingMessage, ServerResponse]> = []
  const hold: RequestListener = (request, response) => {
    if (early.length < EARLY_REQUESTS_MAX) early.push([request, response])
    else request.socket.destroy()
  }
  const onHandler = (name: string, handler: RequestListener) => {
    if (name !== event) return
    server.off("newListener", onHandler).off(event, hold)
    queueMicrotask(() => {
      for (const [request, response] of early.splice(0)) handler(request, response)
    })
  }
  server.on(event, hold).on("newListener", onHandler)
}

/** Closes connections whose reader has not taken the answer `answerMillis` after its first byte, accurate to one second. */
const cutSlowReaders = (
  server: Server,
  inFlight: InFlight,
  { answerMillis, checkMillis }: Pick<Required<ListenerOptions>, "answerMillis" | "checkMillis">,
  now: () => number
): void => {
  const check = () => {
    const at = now()
    for (const [response, since] of inFlight) {
      if (!response.headersSent || response.writableFinished) continue
      if (since === undefined) inFlight.set(response, at)
      else if (at - since >= answerMillis) response.socket?.destroy()
    }
  }
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

/** `before` runs before the application; a listener that is added to the server later is treated as the application. */
export const makeListener = Effect.fnUntraced(function* (
  options: ListenerOptions = {},
  before: ReadonlyArray<RequestListener> = []
): Effect.fn.Return<Listener> {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const inFlight: InFlight = new Map()
  const server = bareServer(options, inFlight, now)
  const listeners = [toPath, noteArrival(now), trackAnswers(server, inFlight), ...before]
  onRequests(server, (request, response) => {
    for (const listener of listeners) listener(request, response)
  })
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
  cutSlowReaders(server, inFlight, { answerMillis, checkMillis }, now)
  const onClientError = refuseMalformed(inFlight)
  server.on("clientError", onClientError)
  server.on("connect", (_, socket) => onClientError(new Error("CONNECT"), socket))
  // Without this, Node answers an unknown expectation with an empty 417.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}

const traceHeaders = ["traceparent", "tracestate", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-sampled"]

/** Drops trace headers of untrusted callers. */
export const dropForeignTraces =
  (trusted: ReadonlyArray<IpNetwork.IpNetwork>): RequestListener =>
  ({ headers, socket }) => {
    if (isTrusted(trusted, socket.remoteAddress ?? "")) return
    for (const name of traceHeaders) delete headers[name]
  }
