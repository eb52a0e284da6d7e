// A server with the tools, prompts and resources that the conformance runner requires, behind the product's own transport.
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from "@modelcontextprotocol/server"
import { type Answer, argumentsOf, codec, PIXEL, prompts, tools } from "./ConformanceTools.ts"

type Content = { mimeType: string; text: string } | { mimeType: string; blob: string }

const resources: Readonly<Record<string, Content>> = {
  "test://static-text": { mimeType: "text/plain", text: "the text of a resource" },
  "test://static-binary": { mimeType: "image/png", blob: PIXEL },
  "test://watched-resource": { mimeType: "text/plain", text: "the text of another resource" }
}

const read = (uri: string) => {
  const id = /^test:\/\/template\/([^/]+)\/data$/u.exec(uri)?.[1]
  const content =
    id === undefined ? resources[uri] : { mimeType: "application/json", text: JSON.stringify({ id }) }
  if (content === undefined) throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, ...content }] }
}

const found = <R>(table: Readonly<Record<string, Answer<R>>>, name: string): Answer<R> => {
  const answer = table[name]
  if (answer === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown: ${name}`)
  return answer
}

/** One for each request, or for each session of a client of the 2025 protocol. */
export const conformanceServer = (): Server => {
  const server = new Server(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} },
      requestState: { verify: codec.verify }
    }
  )
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `A tool of the conformance runner: ${name}`,
      inputSchema: { type: "object" as const }
    }))
  }))
  server.setRequestHandler("tools/call", async ({ params }, context) =>
    found(tools, params.name)(context, params.arguments ?? {})
  )
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.keys(prompts).map((name) => ({
      name,
      description: `A prompt of the conformance runner: ${name}`,
      arguments: (argumentsOf[name] ?? []).map((argument) => ({ name: argument, required: true }))
    }))
  }))
  server.setRequestHandler("prompts/get", async ({ params }, context) =>
    found(prompts, params.name)(context, params.arguments ?? {})
  )
  server.setRequestHandler("resources/list", () => ({
    resources: Object.keys(resources).map((uri) => ({ uri, name: uri }))
  }))
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }]
  }))
  server.setRequestHandler("resources/read", ({ params }) => read(params.uri))
  server.setRequestHandler("resources/subscribe", () => ({}))
  server.setRequestHandler("resources/unsubscribe", () => ({}))
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: [], total: 0, hasMore: false }
  }))
  return server
}
