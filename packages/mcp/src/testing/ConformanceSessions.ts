// Sessions of the 2025 protocol, which the product has not: the runner's scenarios with server-to-client requests need them.
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import { randomUUID } from "node:crypto"
import type { AnswerLegacy } from "../Endpoint.ts"

/** For `makeEndpoint`: one server per session. */
export const withSessions = (): AnswerLegacy => {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request, parsedBody, serverOf) => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "")
    if (known !== undefined) return known.handleRequest(request, { parsedBody })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport)
    })
    await serverOf().connect(transport)
    return transport.handleRequest(request, { parsedBody })
  }
}
