// Streamable HTTP without sessions: one exchange per POST, clients of 2026 and of 2025 side by side (docs/contract.md §6).
import { BODY_BYTES_MAX, TOOL_LISTENERS_MAX } from "@rapport/contract/Limits.ts"
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"

/** A body: its text, or what is wrong with its JSON; undefined where it is above BODY_BYTES_MAX. */
export type Body = { readonly text: string } | { readonly fault: string } | undefined

/** One POST of an authenticated caller. */
export interface Exchange {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Body
  /** Cancels what runs, such as when the client has gone. */
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

/** The version of the protocol that has no batches; the SDK knows it by what each message says, not by the header. */
const BATCHLESS = "2026-07-28"

/** Answers clients of 2025; the body is parsed. */
export type AnswerLegacy = (
  request: Request,
  parsedBody: unknown,
  serverOf: () => Server
) => Promise<Response>

export const makeEndpoint = (answerLegacy: AnswerLegacy): Endpoint => {
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
      const parsedBody = bodyOf(exchange)
      if (parsedBody instanceof Response) return parsedBody
      await turnIfLong(exchange)
      if (Array.isArray(parsedBody) && exchange.headers["mcp-protocol-version"] === BATCHLESS)
        return refusal(400, -32_600, `Bad Request: version ${BATCHLESS} of the protocol has no batches`)
      const repeated = Array.isArray(parsedBody) ? repeatedId(parsedBody) : undefined
      // Its requests would share one answer, and whose it is nobody could tell.
      if (repeated !== undefined)
        return refusal(400, -32_600, `Invalid Request: two requests of the batch have the id ${repeated}`)
      const request = requestOf(exchange)
      const isLegacy = await isLegacyRequest(request, parsedBody)
      await turnIfLong(exchange)
      if (isLegacy) return answerLegacy(request, parsedBody, exchange.serverOf)
      servers.set(request, exchange.serverOf)
      return modern.fetch(request, { parsedBody })
    }
  }
}

/** Characters of a body that takes the SDK some milliseconds to judge if it is full of members; it judges such a body twice. */
const LONG_CHARACTERS = 32 * 1024

/** A turn for other exchanges between two steps of a long one, which ends here if its client has gone meanwhile. */
const turnIfLong = async ({ body, signal }: Exchange): Promise<void> => {
  if (body === undefined || "fault" in body || body.text.length <= LONG_CHARACTERS) return
  await new Promise((resolve) => setImmediate(resolve))
  signal.throwIfAborted()
}

/** An id, as JSON, that more than one request of a batch has. */
const repeatedId = (batch: ReadonlyArray<unknown>): string | undefined => {
  const seen = new Set<unknown>()
  for (const message of batch) {
    if (typeof message !== "object" || message === null || !("method" in message && "id" in message)) continue
    if (seen.has(message.id)) return JSON.stringify(message.id)
    seen.add(message.id)
  }
  return undefined
}

/** One exchange, no session. The SDK by itself would answer with an event stream; this transport answers with application/json. */
export const withoutSession: AnswerLegacy = async (request, parsedBody, serverOf) => {
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

/** The body is parsed once for both eras; what is no strict JSON is answered here, as the protocol names it. */
const bodyOf = ({ headers, body }: Exchange): unknown => {
  if (!isJsonContentType(headers["content-type"] ?? null))
    return refusal(415, -32_000, "Unsupported Media Type: Content-Type must be application/json")
  if (body === undefined)
    return refusal(413, -32_000, `Payload Too Large: the body must not exceed ${BODY_BYTES_MAX} bytes`)
  if ("fault" in body) return refusal(400, -32_700, `Parse error: the body ${body.fault}`)
  const parsed: unknown = JSON.parse(body.text)
  return parsed
}

const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })

/** The SDK reads its headers and its signal; the body it gets parsed. */
const requestOf = ({ headers, signal }: Exchange): Request => {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) given.set(name, value)
  return new Request("http://rapport.invalid/kw/mcp", { method: "POST", headers: given, signal })
}
