// Bounded POST requests to receivers of tenants, without private addresses (contract §8).
// Node's client runs `lookup` for every connection, so the checked address is the connected one (DNS rebinding).
import type { Attempt } from "@rapport/core/delivery/Connector.ts"
import { ATTEMPTS_MAX } from "@rapport/core/delivery/Shares.ts"
import { isPublicAddress } from "@rapport/core/delivery/PublicAddress.ts"
import { literalAddress } from "@rapport/core/delivery/WebhookUrl.ts"
import { Effect, type Scope, Stream } from "effect"
import * as dns from "node:dns"
import * as http from "node:http"
import * as https from "node:https"
import { publicLookup } from "./PublicLookup.ts"

/** Bytes of an answer that are read; the rest is dropped (contract §8). */
const ANSWER_BYTES_MAX = 64 * 1024
const ANSWER_HEADER_BYTES_MAX = 16 * 1024
const IDLE_CONNECTIONS_OF_HOST_MAX = 32
const IDLE_CONNECTION_MILLIS_MAX = 10_000

export interface OutgoingSettings {
  readonly allowPrivate: boolean
  /** Limits the whole exchange: lookup, connection, TLS, answer. */
  readonly timeoutMillis: number
  /** PEM certificates in addition to those of the system; for tests. */
  readonly certificates?: string
  /** Name servers instead of those of the system, as `address:port`; for tests. */
  readonly nameServers?: ReadonlyArray<string>
}

export interface OutgoingRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | StreamedBody
}

/** A body that is read while it is sent. Each attempt reads it from its beginning. */
interface StreamedBody {
  readonly byteLength: number
  readonly bytes: Stream.Stream<Uint8Array, "file_missing" | "file_unavailable">
}

/** `body` has at most ANSWER_BYTES_MAX, and may be incomplete after the timeout. */
export interface OutgoingAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

/** Contains no part of the URL. */
type OutgoingFault =
  | "address_not_allowed"
  | "timeout"
  | "certificate_refused"
  | "connection_failed"
  | "file_missing"
  | "file_unavailable"

export interface OutgoingHttp {
  /** Redirects are an answer like any other. Interruption closes the connection. */
  readonly post: (request: OutgoingRequest) => Effect.Effect<OutgoingAnswer, OutgoingFault>
}

/** The outcome of an attempt without an answer. */
export const attemptAfter = (fault: OutgoingFault): Attempt => ({
  _tag: "Refused",
  reason: fault,
  isFinal: fault === "file_missing",
  hasAnswered: false
})

/** Connections live as long as the scope. */
export const makeOutgoingHttp = (
  settings: OutgoingSettings
): Effect.Effect<OutgoingHttp, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => agentsOf(settings)),
      (agents) =>
        Effect.sync(() => {
          agents.plain.destroy()
          agents.secure.destroy()
        })
    ),
    (agents) => ({
      post: (request) =>
        Effect.suspend(() => {
          const literal = literalAddress(request.url)
          // Node does not call `lookup` for a literal address.
          return literal !== undefined && !settings.allowPrivate && !isPublicAddress(literal)
            ? Effect.fail<OutgoingFault>("address_not_allowed")
            : exchange(agents, settings, request).pipe(
                Effect.catchIf(
                  (fault) => fault === "stale_connection",
                  () => exchange(singleUseAgents(settings), settings, request)
                ),
                Effect.mapError((fault) => (fault === "stale_connection" ? "connection_failed" : fault))
              )
        })
    })
  )

interface Agents {
  readonly plain: http.Agent
  readonly secure: https.Agent
}

const agentsOf = (settings: OutgoingSettings): Agents =>
  agentsWith(settings, {
    keepAlive: true,
    // No attempt waits for a connection, because hanging ones may belong to another tenant.
    maxSockets: ATTEMPTS_MAX,
    maxFreeSockets: IDLE_CONNECTIONS_OF_HOST_MAX,
    timeout: IDLE_CONNECTION_MILLIS_MAX
  })

/** A new connection for a retry, because the receiver may have closed an idle one. */
const singleUseAgents = (settings: OutgoingSettings): Agents => agentsWith(settings, { keepAlive: false })

const agentsWith = (
  { allowPrivate, certificates, nameServers }: OutgoingSettings,
  agentOptions: http.AgentOptions
): Agents => {
  const options = { ...agentOptions, ...(allowPrivate ? {} : { lookup: publicLookup(nameServers) }) }
  return {
    plain: new http.Agent(options),
    secure: new https.Agent({ ...options, ...(certificates === undefined ? {} : { ca: certificates }) })
  }
}

const exchange = (
  { plain, secure }: Agents,
  { timeoutMillis }: OutgoingSettings,
  { body, headers, url }: OutgoingRequest
): Effect.Effect<OutgoingAnswer, OutgoingFault | "stale_connection"> =>
  Effect.suspend(() => {
    const isSecure = url.protocol === "https:"
    const byteLength = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength
    const request = (isSecure ? https : http).request(url, {
      method: "POST",
      agent: isSecure ? secure : plain,
      headers: { ...headers, "content-length": String(byteLength) },
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX
    })
    return Effect.raceFirst(
      answerTo(request, timeoutMillis),
      Effect.andThen(send(request, body), Effect.never)
    ).pipe(
      // An answer may come before the end of a streamed body.
      Effect.ensuring(Effect.sync(() => void (request.writableEnded || request.destroy())))
    )
  })

const send = (request: http.ClientRequest, body: string | StreamedBody) =>
  typeof body === "string"
    ? Effect.sync(() => void request.end(body))
    : Stream.runForEach(body.bytes, (chunk) =>
        Effect.callback<void>((resume) => void request.write(chunk, () => resume(Effect.void)))
      ).pipe(Effect.andThen(Effect.sync(() => void request.end())))

const answerTo = (request: http.ClientRequest, timeoutMillis: number) =>
  Effect.callback<OutgoingAnswer, OutgoingFault | "stale_connection">((resume) => {
    let answered: (() => void) | undefined
    const deadline = setTimeout(() => {
      // If the answer has begun, its status counts without the rest of the body.
      if (answered !== undefined) answered()
      else done(Effect.fail("timeout"))
      request.destroy()
    }, timeoutMillis)
    const done = (result: Effect.Effect<OutgoingAnswer, OutgoingFault | "stale_connection">) => {
      clearTimeout(deadline)
      resume(result)
    }
    request.on("error", (error) =>
      done(Effect.fail(request.reusedSocket && isLost(error) ? "stale_connection" : faultOf(error)))
    )
    request.on("response", (response) => {
      answered = readAnswer(response, request, (answer) => done(Effect.succeed(answer)))
    })
    return Effect.sync(() => {
      clearTimeout(deadline)
      request.destroy()
    })
  })

/** Reads the body up to ANSWER_BYTES_MAX. The returned function ends reading immediately. */
const readAnswer = (
  response: http.IncomingMessage,
  request: http.ClientRequest,
  done: (answer: OutgoingAnswer) => void
): (() => void) => {
  const chunks: Array<Buffer> = []
  let size = 0
  const finish = () => {
    const body = Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString("utf8")
    done({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], body })
  }
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size < ANSWER_BYTES_MAX) return
    finish()
    request.destroy()
  })
  response.on("end", finish)
  // The status of an incomplete answer counts.
  response.on("error", finish)
  return finish
}

const codeOf = (error: Error): string => String(Reflect.get(error, "code") ?? "")
const isLost = (error: Error): boolean => codeOf(error) === "ECONNRESET" || codeOf(error) === "EPIPE"

const faultOf = (error: Error): OutgoingFault => {
  const code = codeOf(error)
  if (code === "RAPPORT_ADDRESS_NOT_ALLOWED") return "address_not_allowed"
  if (code === "ETIMEDOUT" || code === "ESOCKETTIMEDOUT" || code === dns.TIMEOUT) return "timeout"
  return /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/u.test(code) ? "certificate_refused" : "connection_failed"
}
