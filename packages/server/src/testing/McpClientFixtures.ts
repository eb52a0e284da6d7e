// Clients of the tools, over HTTP and stdio: two official SDKs and three versions of the protocol.
import { assert } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as StdioClientTransport1 } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as StreamableHTTPClientTransport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { ContextPack } from "@rapport/contract/context/ContextPack.ts"
import { Effect, Schema } from "effect"
import * as path from "node:path"
import { RunningServer } from "./ServerFixtures.ts"

export const info = { name: "test", version: "1" }
export const names = [
  "get_client_context",
  "get_subject_context",
  "get_operator_context",
  "get_skill_group_context"
]
export const programs = {
  "rapport mcp": [path.resolve(import.meta.dirname, "../main.ts"), "mcp"],
  "rapport-mcp": [path.resolve(import.meta.dirname, "../../../mcp/src/main.ts")]
} as const

/** The methods that all clients have. */
export interface AnyClient {
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>
  readonly callTool: (params: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>
  readonly close: () => Promise<void>
}

export interface ReachedServer {
  readonly origin: string
  readonly token: string
}
export type Connect = (reached: ReachedServer) => Promise<AnyClient>

const requestOptionsOf = (token: string) => ({
  requestInit: {
    headers: token.includes(".") ? { authorization: `Bearer ${token}` } : { "x-auth-token": token }
  }
})
export const overHttp =
  (mode: "auto" | "legacy" | { readonly pin: string }): Connect =>
  async ({ origin, token }) => {
    const client = new Client(info, { versionNegotiation: { mode } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${origin}/kw/mcp`), requestOptionsOf(token))
    )
    return client
  }
const program = (args: ReadonlyArray<string>, { origin, token }: ReachedServer) => ({
  command: process.execPath,
  args: [...args],
  env: { PATH: "/usr/bin:/bin", HOME: "/tmp", RAPPORT_URL: origin, RAPPORT_TOKEN: token },
  stderr: "ignore" as const
})
export const overStdio =
  (mode: "auto" | "legacy", args: ReadonlyArray<string>): Connect =>
  async (reached) => {
    const client = new Client(info, { versionNegotiation: { mode } })
    await client.connect(new StdioClientTransport(program(args, reached)))
    return client
  }
// The older SDK is compiled without exactOptionalPropertyTypes, so its transports do not match its own Transport type.
const connected1 = async (transport: StdioClientTransport1 | StreamableHTTPClientTransport1) => {
  const client = new Client1(info)
  await client.connect(transport as Transport)
  return client
}

export const clients: ReadonlyArray<readonly [string, Connect]> = [
  ["client 2.x, HTTP, 2026-07-28", overHttp({ pin: "2026-07-28" })],
  ["client 2.x, HTTP, negotiating", overHttp("auto")],
  ["client 2.x, HTTP, 2025", overHttp("legacy")],
  [
    "sdk 1.x, HTTP",
    ({ origin, token }) =>
      connected1(new StreamableHTTPClientTransport1(new URL(`${origin}/kw/mcp`), requestOptionsOf(token)))
  ],
  ["client 2.x, rapport mcp, negotiating", overStdio("auto", programs["rapport mcp"])],
  ["client 2.x, rapport-mcp, negotiating", overStdio("auto", programs["rapport-mcp"])],
  ["client 2.x, rapport-mcp, 2025", overStdio("legacy", programs["rapport-mcp"])],
  [
    "sdk 1.x, rapport-mcp",
    (reached) => connected1(new StdioClientTransport1(program(programs["rapport-mcp"], reached)))
  ]
]

export const decodePack = Schema.decodeUnknownPromise(ContextPack, { onExcessProperty: "error" })
const Result = Schema.Struct({
  isError: Schema.optionalKey(Schema.Boolean),
  structuredContent: Schema.optionalKey(Schema.Unknown),
  content: Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }))
})
const decodeResult = Schema.decodeUnknownPromise(Result)

export const call = async (client: AnyClient, name: string, args: Record<string, unknown>) => {
  const result = await decodeResult(await client.callTool({ name, arguments: args }))
  return { ...result, text: result.content[0]?.text ?? "" }
}
export const failureOf = async (client: AnyClient, name: string, args: Record<string, unknown>) => {
  const { isError, text } = await call(client, name, args)
  assert.isTrue(isError, text)
  return JSON.parse(text)
}

export const withClient = <A>(
  connect: Connect,
  login: string,
  use: (client: AnyClient, reached: ReachedServer) => Promise<A>
) =>
  Effect.gen(function* () {
    const { origin, tokenOf } = yield* RunningServer
    return yield* Effect.promise(async () => {
      const reached = { origin, token: await tokenOf(login) }
      const client = await connect(reached)
      try {
        return await use(client, reached)
      } finally {
        await client.close()
      }
    })
  })
