// The four tools as the official SDK serves them: the low-level Server, so that wrong arguments are reported in our words.
import { version } from "@rapport/contract/Version.ts"
import type { Client } from "@rapport/contract/Client.ts"
import { TOOL_LIST_KEPT_MILLIS } from "@rapport/contract/Limits.ts"
import {
  type CallToolResult,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext
} from "@modelcontextprotocol/server"
import type { Effect } from "effect"
import { callTool, type ToolResult } from "./ToolCall.ts"
import { annotations, instructions, tools } from "./Tools.ts"

export type { Server }

/** Newest first (docs/contract.md §6). */
export const protocolVersions = ["2026-07-28", "2025-11-25", "2025-06-18"]

/** Runs a call for the caller of this server; an abort interrupts it. */
export type RunTool = (
  call: Effect.Effect<ToolResult, never, Client>,
  signal: AbortSignal
) => Promise<ToolResult>

const listed = tools.map(({ description, inputSchema, name, title }) => ({
  name,
  title,
  description,
  inputSchema,
  annotations
}))

const kept = { ttlMs: TOOL_LIST_KEPT_MILLIS, cacheScope: "public" } as const

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/** One per exchange over HTTP, one per connection over stdio. */
export class ToolServer extends Server {
  readonly #run: RunTool

  constructor(run: RunTool) {
    super(
      { name: "rapport", title: "Rapport", version },
      {
        capabilities: { tools: {} },
        instructions,
        supportedProtocolVersions: protocolVersions,
        cacheHints: { "tools/list": kept, "server/discover": kept }
      }
    )
    this.#run = run
    this.setRequestHandler("tools/list", () => ({ tools: listed }))
    this.setRequestHandler("tools/call", unreached)
  }

  /** The SDK would answer arguments of a wrong shape with a JSON-RPC error, so it does not get to see them. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    return method === "tools/call"
      ? (request, { mcpReq }) => this.#call(request, mcpReq.signal)
      : super._wrapHandler(method, handler)
  }

  async #call({ params }: JSONRPCRequest, signal: AbortSignal): Promise<ToolResult> {
    const tool = tools.find(({ name }) => name === params?.["name"])
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${String(params?.["name"])}`)
    return this.#run(callTool(tool, params?.["arguments"]), signal)
  }
}

const unreached = (): CallToolResult => {
  throw new Error("tools/call is wrapped")
}
