// The four tools on the low-level Server of the SDK, which lets the service word wrong arguments itself.
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
import { type Effect, Option, Schema } from "effect"
import { callTool, type ToolResult } from "./ToolCall.ts"
import { annotations, instructions, tools } from "./Tools.ts"

/** Newest first (contract §6). */
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

const listCaching = { ttlMs: TOOL_LIST_KEPT_MILLIS, cacheScope: "public" } as const

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
        cacheHints: { "tools/list": listCaching, "server/discover": listCaching }
      }
    )
    this.#run = run
    this.setRequestHandler("tools/list", () => ({ tools: listed }))
    this.setRequestHandler("tools/call", refuseDirectCall)
  }

  /** The SDK does not validate tool arguments: a fault is a tool result. Other wrong params are error −32602. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method === "tools/call") return (request, { mcpReq }) => this.#call(request, mcpReq.signal)
    const wrapped = super._wrapHandler(method, handler)
    return (request, context) => wrapped(request, context).catch(invalidParams)
  }

  async #call({ params }: JSONRPCRequest, signal: AbortSignal): Promise<ToolResult> {
    const name = params?.["name"]
    if (typeof name !== "string")
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid params: name must be a string")
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
    return this.#run(callTool(tool, params?.["arguments"]), signal)
  }
}

/** The message of the error that the SDK throws for a request that does not fit its schema. */
const Issues = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
      message: Schema.String
    })
  )
)
const issuesIn = Schema.decodeUnknownOption(Issues)

/** The SDK would answer a request that does not fit its schema with −32603 and a dump of its issues. */
const invalidParams = (error: unknown): never => {
  const issues = error instanceof Error ? issuesIn(error.message) : Option.none()
  if (Option.isNone(issues)) throw error
  const faults = issues.value.map(({ message, path }) => {
    const member = path.filter((part) => part !== "params").join(".")
    return `${member === "" ? "params" : member}: ${message.replace("Invalid input: ", "")}`
  })
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: ${faults.join("; ")}`)
}

const refuseDirectCall = (): CallToolResult => {
  throw new Error("tools/call is handled in _wrapHandler")
}
