// The socket side of HTTP: deadlines, sizes, malformed requests, trace ids that are not trusted, and a close that ends with the last
// answer.
import {
  ANSWER_TAKEN_MILLIS_MAX,
  BODY_READ_MILLIS_MAX,
  CONNECTION_IDLE_MILLIS_MAX,
  HEADER_BYTES_MAX,
  HEADER_READ_MILLIS_MAX
} from "@rapport/contract/Limits.ts"
import {
  CONNECTION_CHECK_MILLIS,
  CONNECTIONS_MAX,
  DRAIN_MILLIS_MAX,
  EARLY_REQUESTS_MAX
} from "./HttpLimits.ts"
import { LinkedList } from "@rapport/core/traffic/LinkedList.ts"
import { withArrivals } from "./middleware/RequestOrigin.ts"
import { randomUUIDv7 } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** How long a connection is silent before the system probes whether its peer is still there. */
const CONNECTION_PROBED_MILLIS = 30_000

/** What the parser of Node refuses never becomes a request; it is answered by hand, in the same words as everything else. */
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

/** The answer to what is no request: a problem document, after which the connection closes (docs/contract.md §1.1). */
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

/** The answer that Node is writing on the connection, where there is one. */
const answering = (socket: Duplex): boolean => {
  const message: unknown = Reflect.get(socket, "_httpMessage")
  return typeof message === "object" && message !== null && Reflect.get(message, "headersSent") === true
}

const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable || answering(socket)) {
    socket.destroy()
    return
  }
  socket.end(refusal(error.code))
}

/**
 * Closing ends with the last answer: without this, one kept-alive or silent connection holds the stop for the whole drain, and
 * what still runs then is answered with an empty 503 instead of being cut (docs/contract.md §11).
 */
const endWithLastAnswer = (server: Server, drainMillis: number): void => {
  let inFlight = 0
  const settle = () => {
    if (!server.listening && inFlight === 0) server.closeAllConnections()
  }
  const count = (_: IncomingMessage, response: ServerResponse) => {
    inFlight++
    response.on("close", () => {
      inFlight--
      settle()
    })
  }
  server.on("request", count).on("checkContinue", count)
  const close = server.close.bind(server)
  server.close = (done) => {
    close(done)
    settle()
    setTimeout(() => server.closeAllConnections(), drainMillis).unref()
    return server
  }
}

/**
 * The port opens before the application is joined behind it; what comes between waits, for Node would let it wait for ever.
 * So a client that came back to a service which starts again is answered by the first attempt that connects.
 */
const holdUntilServed = (server: Server, event: "request" | "checkContinue"): void => {
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
  /** When it was first seen to be on its way. */
  since: number | undefined
}

/**
 * Closes the connections of answers that their readers do not take: `answerMillis` after the first byte was sent, to a
 * second, whatever is left of it is given up.
 */
const cutSlowReaders = (server: Server, answerMillis: number, checkMillis: number): void => {
  const answers = new LinkedList<Answer>()
  const watch = (_: IncomingMessage, response: ServerResponse) => {
    const answer = answers.add({ response, since: undefined })
    response.on("close", () => answers.remove(answer))
  }
  const check = () => {
    const now = performance.now()
    for (const answer of answers) {
      const { response, since } = answer
      if (!response.headersSent || response.writableFinished) continue
      if (since === undefined) answer.since = now
      else if (now - since >= answerMillis) response.socket?.destroy()
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
  /** How often the deadlines are checked (docs/contract.md §10). */
  readonly checkMillis?: number
}

/** `prepare` adds what listens before the application: what is added later is taken for it. */
export const makeServer = (
  options: ListenerOptions = {},
  prepare: (server: Server) => Server = (server) => server
): Server => {
  const server = prepare(bareServer(options))
  holdUntilServed(server, "request")
  holdUntilServed(server, "checkContinue")
  return server
}

const bareServer = ({
  answerMillis = ANSWER_TAKEN_MILLIS_MAX,
  bodyMillis = BODY_READ_MILLIS_MAX,
  checkMillis = CONNECTION_CHECK_MILLIS,
  connectionsMax = CONNECTIONS_MAX,
  drainMillis = DRAIN_MILLIS_MAX,
  headerMillis = HEADER_READ_MILLIS_MAX
}: ListenerOptions): Server => {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: headerMillis,
    requestTimeout: bodyMillis,
    connectionsCheckingInterval: checkMillis,
    keepAliveTimeout: CONNECTION_IDLE_MILLIS_MAX,
    // A peer that vanished without a word is found out by probes of the system.
    keepAlive: true,
    keepAliveInitialDelay: CONNECTION_PROBED_MILLIS,
    // With true, Node answers a missing Host with an empty 400; the envelope answers it in our words.
    requireHostHeader: false,
    // Two headers of one name become one with a comma, so that the one that is checked is the one that is used.
    joinDuplicateHeaders: true
  })
  // Node silently drops headers beyond 2000; the size above bounds them anyway.
  server.maxHeadersCount = 0
  server.maxConnections = connectionsMax
  withArrivals(server)
  endWithLastAnswer(server, drainMillis)
  cutSlowReaders(server, answerMillis, checkMillis)
  server.on("clientError", onClientError)
  server.on("connect", (_, socket) => onClientError(new Error("CONNECT"), socket))
  // Else Node answers an unknown expectation with an empty 417.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}

const headers = ["traceparent", "tracestate", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-sampled"]

const isTrusted = (address: string | undefined, trusted: ReadonlyArray<IpNetwork.IpNetwork>): boolean => {
  if (trusted.length === 0) return false
  const ip = NetAddress.ipFromString((address ?? "").replace(/^::ffff:(?=\d+\.)/iu, ""))
  return Result.isSuccess(ip) && trusted.some((network) => IpNetwork.contains(network, ip.success))
}

/** The listener, set to drop such headers of all other callers before a request is handled. */
export const withTrustedTraces = (server: Server, trusted: ReadonlyArray<IpNetwork.IpNetwork>): Server => {
  const drop = (request: IncomingMessage) => {
    if (isTrusted(request.socket.remoteAddress, trusted)) return
    for (const name of headers) delete request.headers[name]
  }
  return server.prependListener("request", drop).prependListener("checkContinue", drop)
}
