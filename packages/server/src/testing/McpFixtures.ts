// Requests of clients of each protocol version to the endpoint of the tools, and the parts of its answers.
import { assert } from "@effect/vitest"
import { type stubApp, known } from "./HttpFixtures.ts"

export const MCP = "/kw/mcp"
export const both = { accept: "application/json, text/event-stream" }

/** The envelope that a client of a protocol version sends around a message. */
interface Version {
  readonly headers: (method: string, name?: string) => Record<string, string>
  readonly params: object
}
export const modern: Version = {
  headers: (method, name) => ({
    ...both,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name })
  }),
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
}
export const of2025 = (version: string): Version => ({
  headers: () => ({ ...both, "mcp-protocol-version": version }),
  params: {}
})
export const versions: ReadonlyArray<readonly [string, Version]> = [
  ["2026-07-28", modern],
  ["2025-11-25", of2025("2025-11-25")],
  ["2025-06-18", of2025("2025-06-18")]
]

type App = ReturnType<typeof stubApp>

export const send = (
  app: App,
  version: Version,
  method: string,
  params: object = {},
  headers: object = {}
) => {
  const name = "name" in params ? String(params.name) : undefined
  return app.call("POST", MCP, {
    headers: { ...known, ...version.headers(method, name), ...headers },
    body: { jsonrpc: "2.0", id: 7, method, params: { ...version.params, ...params } }
  })
}
export const callTool = (app: App, version: Version, args: unknown, name = "get_client_context") =>
  send(app, version, "tools/call", { name, arguments: args })

export const json = async (response: Response) => {
  assert.strictEqual(response.headers.get("content-type"), "application/json")
  return JSON.parse(await response.text())
}
export const resultOf = async (response: Response) => {
  assert.strictEqual(response.status, 200)
  const answer = await json(response)
  assert.strictEqual(answer.id, 7)
  return answer.result
}
/** The one text of a failed call. */
export const failureOf = async (response: Response) => {
  const result = await resultOf(response)
  assert.isTrue(result.isError)
  assert.strictEqual(result.content.length, 1)
  assert.notProperty(result, "structuredContent")
  const failure = JSON.parse(result.content[0].text)
  assert.hasAllKeys(failure, ["code", "status", "detail"])
  return failure
}

/** Asserts a JSON-RPC error of the transport, and returns its message. */
export const expectRpcError = async (response: Response, status: number, code: number) => {
  assert.strictEqual(response.status, status)
  assert.strictEqual(response.headers.get("cache-control"), "no-store")
  assert.isNotNull(response.headers.get("ratelimit"))
  const message = await json(response)
  assert.strictEqual(message.error.code, code)
  return message
}
