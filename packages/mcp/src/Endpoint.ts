// Streamable HTTP without sessions: one exchange per POST, for protocol versions of 2025 and 2026 (contract §6).
import { BODY_BYTES_MAX, TOOL_BATCH_MESSAGES_MAX, TOOL_LISTENERS_MAX } from "@rapport/contract/Limits.ts"
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"

/** The text of a body, or the fault of its JSON; undefined above BODY_BYTES_MAX. */
export type BodyText = { readonly text: string } | { readonly fault: string } | undefined

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** A JSON body that is not refused as a whole. */
export interface JsonMessage {
  readonly json: unknown
  /** Characters of its text. */
  readonly length: number
}

/** One POST of an authenticated caller. */
export interface Exchange {
  /** Accept includes one of `mediaTypes`. */
  readonly headers: RequestHeaders
  readonly message: JsonMessage
  /** Cancels running calls, for example when the client disconnects. */
  readonly signal: AbortSignal
  /** Makes the server of this exchange. */
  readonly serverOf: () => Server
}

export interface Endpoint {
  /** The answer is JSON, nothing (202), or an event stream. */
  readonly answer: (exchange: Exchange) => Promise<Response>
  /** Ends every exchange that still runs. */
  readonly close: () => Promise<void>
}

/** The protocol version without batches. The SDK reads the version from each message, not from the header. */
const BATCHLESS = "2026-07-28"

export const makeEndpoint = (): Endpoint => {
  const servers = new WeakMap<Request, () => Server>()
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const serverOf = requestInfo === undefined ? undefined : servers.get(requestInfo)
      if (serverOf === undefined) throw new Error("a request without a server")
      return serverOf()
    },
    { legacy: "reject", maxSubscriptions: TOOL_LISTENERS_MAX }
  )
  return {
    close: modern.close,
    answer: async (exchange) => {
      const { json } = exchange.message
      await yieldIfLong(exchange)
      const request = requestOf(exchange)
      const isLegacy = await isLegacyRequest(request, json)
      await yieldIfLong(exchange)
      if (isLegacy) return withoutSession(request, json, exchange.serverOf)
      servers.set(request, exchange.serverOf)
      return modern.fetch(request, { parsedBody: json })
    }
  }
}

/** The message of a body, or the refusal of a body that is not strict JSON or of an invalid batch. */
export const messageOf = (headers: RequestHeaders, body: BodyText): JsonMessage | Response => {
  if (body === undefined)
    return refusal(413, -32_000, `Payload Too Large: the body must not exceed ${BODY_BYTES_MAX} bytes`)
  if ("fault" in body) return refusal(400, -32_700, `Parse error: the body ${body.fault}`)
  const json: unknown = JSON.parse(body.text)
  const fault = Array.isArray(json) ? batchFault(headers, json) : undefined
  return fault === undefined ? { json, length: body.text.length } : refusal(400, -32_600, fault)
}

const batchFault = (headers: RequestHeaders, batch: ReadonlyArray<unknown>): string | undefined => {
  if (headers["mcp-protocol-version"] === BATCHLESS)
    return `Bad Request: version ${BATCHLESS} of the protocol has no batches`
  if (batch.length > TOOL_BATCH_MESSAGES_MAX)
    return `Invalid Request: a batch has at most ${TOOL_BATCH_MESSAGES_MAX} messages`
  // Two requests with the same id would get one answer, and the caller could not match it.
  const repeated = repeatedId(batch)
  return repeated === undefined
    ? undefined
    : `Invalid Request: two requests of the batch have the id ${repeated}`
}

/** Characters of a body that the SDK may need milliseconds to validate, which it does twice. */
const LONG_CHARACTERS = 32 * 1024

/** Lets other exchanges run between two steps of a long one; throws if its client has disconnected. */
const yieldIfLong = async ({ message, signal }: Exchange): Promise<void> => {
  if (message.length <= LONG_CHARACTERS) return
  await new Promise((resolve) => setImmediate(resolve))
  signal.throwIfAborted()
}

/** The first id, as JSON, that two requests of a batch share. */
const repeatedId = (batch: ReadonlyArray<unknown>): string | undefined => {
  const seen = new Set<unknown>()
  for (const message of batch) {
    if (typeof message !== "object" || message === null || !("method" in message && "id" in message)) continue
    if (seen.has(message.id)) return JSON.stringify(message.id)
    seen.add(message.id)
  }
  return undefined
}

/** Answers clients of 2025 in one exchange without a session. The SDK's default is an event stream; this transport answers with application/json. */
const withoutSession = async (
  request: Request,
  parsedBody: unknown,
  serverOf: () => Server
): Promise<Response> => {
  const server = serverOf()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const close = () => void server.close()
  await server.connect(transport)
  request.signal.addEventListener("abort", close, { once: true })
  try {
    return await transport.handleRequest(request, { parsedBody })
  } finally {
    request.signal.removeEventListener("abort", close)
    close()
  }
}

/** A JSON-RPC error about a request as a whole. */
const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })

/** The media types of the protocol; the first is that of an answer to one request. */
export const mediaTypes = ["application/json", "text/event-stream"]

/** The SDK reads headers and signal from it; the body is passed parsed. */
const requestOf = ({ headers, signal }: Exchange): Request => {
  const sdkHeaders = new Headers()
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sdkHeaders.set(name, value)
  // The SDK requires both media types. One of them, or no Accept header, is enough for an answer in JSON.
  sdkHeaders.set("accept", mediaTypes.join(", "))
  return new Request("http://rapport.invalid/kw/mcp", { method: "POST", headers: sdkHeaders, signal })
}
