// The peer for comparison: Fastify and pg, with schemas for the body and the query.
import { fastify } from "fastify"
import { listChats } from "./HandList.ts"
import { readClient } from "./HandRead.ts"

const app = fastify({ bodyLimit: 65_536 })
app.addHook("onRequest", async (request, reply) => {
  reply.headers({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-request-id": request.id
  })
})

const positive = { type: "integer", minimum: 1 }
const body = {
  type: "object",
  required: ["scope"],
  additionalProperties: false,
  properties: {
    scope: {
      type: "object",
      required: ["entity", "id"],
      additionalProperties: false,
      properties: { entity: { const: "client" }, id: positive }
    },
    actions: { type: "object" }
  }
}
app.post<{ Body: { scope: { id: number }; actions?: object } }>(
  "/kw/chatrooms/context/retrieve",
  { schema: { body } },
  ({ body, headers }) => readClient(headers.authorization, body.scope.id, body.actions !== undefined)
)

const querystring = {
  type: "object",
  additionalProperties: false,
  properties: { limit: { ...positive, maximum: 100, default: 10 } }
}
app.get<{ Querystring: { limit: number } }>(
  "/kw/api/v1/OpChatRooms/list",
  { schema: { querystring } },
  ({ headers, query }) => listChats(headers.authorization, query.limit)
)
process.stdout.write(`ready ${await app.listen({ port: 0, host: "127.0.0.1" })}\n`)
