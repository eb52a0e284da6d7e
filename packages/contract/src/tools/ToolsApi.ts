// The endpoint of the tools for agents (contract §6).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "../Authorization.ts"
import { AccessDenied, HeadersTooLarge, InternalError, RequestTimeout, SearchUnavailable } from "../Errors.ts"
import { operation } from "../documents/Operation.ts"
import { RateLimits } from "../http/RateLimits.ts"

const Id = Schema.Union([Schema.String, Schema.Int])
const version = Schema.Literal("2.0")

/** A request or notification of the protocol. The transport checks `params`. */
export const ToolMessage = Schema.Struct({
  jsonrpc: version,
  id: Schema.optionalKey(Id),
  method: Schema.String,
  params: Schema.optionalKey(Schema.Unknown)
}).annotate({
  identifier: "ToolMessage",
  description: "One JSON-RPC message of the Model Context Protocol",
  examples: [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_client_context", arguments: { client_id: 501, sections: ["properties"] } }
    }
  ]
})

/** The answer to a request: `result` or `error`. */
export const ToolAnswer = Schema.Struct({
  jsonrpc: version,
  id: Schema.NullOr(Id),
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(
    Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Unknown) })
  )
}).annotate({ identifier: "ToolAnswer", description: "The JSON-RPC answer to one request" })

const refusal = (description: string) => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/ToolAnswer" } } }
})

/** Answers of the transport. Others are problem documents. */
const ofTransport = {
  "202": { description: "The notification was accepted" },
  "400": refusal("Not JSON, not a JSON-RPC message, or wrong headers"),
  "404": refusal("Unknown method"),
  "406": refusal("Accept lacks a media type that the protocol requires"),
  "413": refusal("The body is above its limit"),
  "415": refusal("The body is not application/json"),
  "504": refusal("The exchange ended without an answer, such as a batch that cancels its own request")
}

const withTransport = OpenApi.annotations({
  transform: (spec) => ({ ...spec, responses: { ...Object(spec["responses"]), ...ofTransport } })
})

export class ToolsApi extends HttpApiGroup.make("tools")
  .add(
    HttpApiEndpoint.post("callTools", "/kw/mcp", {
      payload: ToolMessage,
      success: ToolAnswer,
      error: [AccessDenied, SearchUnavailable, RequestTimeout, HeadersTooLarge, InternalError]
    })
      .pipe(
        operation(
          "Call read-only tools for AI agents (MCP)",
          "The Model Context Protocol over Streamable HTTP, without sessions: versions 2026-07-28, 2025-11-25 and 2025-06-18. Four tools read context packs with the caller's own token and its limits: get_client_context, get_subject_context, get_operator_context, get_skill_group_context. Point a client of the protocol here; by hand, Accept may name application/json, text/event-stream or */*. A failed call is a result with isError; a foreign Origin is 403."
        )
      )
      .annotateMerge(withTransport)
  )
  .middleware(RateLimits)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Tools", description: "For AI agents, over the Model Context Protocol." })
  ) {}
