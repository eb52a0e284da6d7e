// Streamable HTTP without sessions: one exchange per POST, clients of 2026 and of 2025 side by side (docs/contract.md §6).
import { BODY_BYTES_MAX, TOOL_LISTENERS_MAX } from "@rapport/contract/Limits.ts"
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  readRequestBody,
  type Server,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"

export interface Endpoint {
  /** Answers one POST whose caller is known; `serverOf` makes the server of this exchange. Aborting the request cancels it. */
  readonly fetch: (request: Request, serverOf: () => Server) => Promise<Response>
  /** Ends every exchange that still runs. */
  readonly close: () => Promise<void>
}

export const makeEndpoint = (): Endpoint => {
  const servers = new WeakMap<Request, () => Server>()
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const serverOf = requestInfo === undefined ? undefined : servers.get(requestInfo)
      if (serverOf === undefined) throw new Error("a request without a server")
      return serverOf()
    },
    { legacy: "reject", maxRequestBodySize: BODY_BYTES_MAX, maxSubscriptions: TOOL_LISTENERS_MAX }
  )
  return {
    close: modern.close,
    fetch: async (request, serverOf) => {
      const parsedBody = await bodyOf(request)
      if (parsedBody instanceof Response) return parsedBody
      if (await isLegacyRequest(request, parsedBody)) return legacy(request, parsedBody, serverOf())
      servers.set(request, serverOf)
      return modern.fetch(request, { parsedBody })
    }
  }
}

/** The SDK by itself answers clients of 2025 with an event stream; this transport answers with application/json. */
const legacy = async (request: Request, parsedBody: unknown, server: Server): Promise<Response> => {
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

/** The body is read once for both eras; what is no JSON is answered here, as the protocol names it. */
const bodyOf = async (request: Request): Promise<unknown> => {
  if (!isJsonContentType(request.headers.get("content-type")))
    return refusal(415, -32_000, "Unsupported Media Type: Content-Type must be application/json")
  const body = await readRequestBody(request, BODY_BYTES_MAX)
  if (body.tooLarge)
    return refusal(413, -32_000, `Payload Too Large: the body must not exceed ${BODY_BYTES_MAX} bytes`)
  try {
    const parsed: unknown = JSON.parse(body.text)
    return parsed
  } catch {
    return refusal(400, -32_700, "Parse error: the body is not valid JSON")
  }
}

const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })
