// The endpoint of the tools for agents, on the wire: what its transport says is the protocol's (contract §6).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "../Authorization.ts"
import { AccessDenied, HeadersTooLarge, InternalError, RequestTimeout, SearchUnavailable } from "../Errors.ts"
import { operation } from "../documents/Operation.ts"
import { RateLimits } from "../http/RateLimits.ts"

const Id = Schema.Union([Schema.String, Schema.Int])
const version = Schema.Literal("2.0")

/** A request or notification of the protocol; what `params` holds is judged by the transport. */
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

/** What the transport answers by itself; everything else is a problem document. */
const ofTransport = {
  "202": { description: "A notification was taken" },
  "400": refusal("Not JSON, no JSON-RPC message, or headers that do not fit it"),
  "404": refusal("A method that the protocol does not have"),
  "406": refusal("Accept leaves out a media type that the protocol demands"),
  "413": refusal("The body is above its limit"),
  "415": refusal("The body is not application/json"),
  "504": refusal("The message got no answer, as in a batch that cancels its own request")
}

const withTransport = OpenApi.annotations({
  transform: (spec) => ({ ...spec, responses: { ...Object(spec["responses"]), ...ofTransport } })
})

export class ToolsApi extends HttpApiGroup.make("tools")
  .add(
    HttpApiEndpoint.post("mcp", "/kw/mcp", {
      payload: ToolMessage,
      success: ToolAnswer,
      error: [AccessDenied, SearchUnavailable, RequestTimeout, HeadersTooLarge, InternalError]
    })
      .pipe(
        operation(
          "Read-only tools for AI agents (MCP)",
          "The Model Context Protocol over Streamable HTTP, without sessions: versions 2026-07-28, 2025-11-25 and 2025-06-18. Four tools read context packs with the caller's own token and its limits: get_client_context, get_subject_context, get_operator_context, get_skill_group_context. Point a client of the protocol here; by hand, Accept must name application/json and text/event-stream. A failed call is a result with isError; a foreign Origin is 403.",
          "callTools"
        )
      )
      .annotateMerge(withTransport)
  )
  .middleware(RateLimits)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Tools", description: "For AI agents, over the Model Context Protocol." })
  ) {}
