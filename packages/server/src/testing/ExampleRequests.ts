// The examples of the OpenAPI document as requests: what "Execute" on /api-docs sends.
import { expandedDocument } from "@rapport/contract/documents/OpenApiDocument.ts"
import { Schema } from "effect"

const Parameter = Schema.Struct({
  name: Schema.String,
  in: Schema.Literals(["path", "query", "header"]),
  example: Schema.optionalKey(Schema.Json)
})
const Operation = Schema.Struct({
  operationId: Schema.String,
  parameters: Schema.Array(Parameter),
  requestBody: Schema.optionalKey(
    Schema.Struct({ content: Schema.Record(Schema.String, Schema.Struct({ example: Schema.Json })) })
  ),
  responses: Schema.Record(Schema.String, Schema.Json)
})
const Document = Schema.Struct({
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Operation))
})
const { paths } = Schema.decodeUnknownSync(Document)(expandedDocument())

export interface ExampleRequest {
  readonly operationId: string
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Documented statuses. */
  readonly statuses: ReadonlySet<string>
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

const requestOf = (place: string, method: string, operation: typeof Operation.Type): ExampleRequest => {
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  let path = place
  for (const { example, in: where, name } of operation.parameters) {
    if (example === undefined) continue
    if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(textOf(example)))
    if (where === "query") query.set(name, textOf(example))
    if (where === "header") headers[name] = textOf(example)
  }
  const [media] = Object.entries(operation.requestBody?.content ?? {})
  if (media !== undefined) headers["content-type"] = media[0]
  // MCP requires both of every client.
  if (operation.operationId === "callTools") headers["accept"] = "application/json, text/event-stream"
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path: query.size === 0 ? path : `${path}?${query}`,
    headers,
    ...(media === undefined ? {} : { body: JSON.stringify(media[1].example) }),
    statuses: new Set(Object.keys(operation.responses))
  }
}

/** One of each operation. */
export const exampleRequests: ReadonlyArray<ExampleRequest> = Object.entries(paths).flatMap(
  ([place, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(place, method, operation))
)
