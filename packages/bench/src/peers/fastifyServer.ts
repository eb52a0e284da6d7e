// The peer for comparison: Fastify and pg, with a schema for the body.
import { fastify } from "fastify"
import { makeLister } from "./HandList.ts"
import { makePlace, makeReader, wantedOf } from "./HandRead.ts"

const place = makePlace()
const read = makeReader(place)
const list = makeLister(place)
const app = fastify({ bodyLimit: 65_536 })
const body = {
  type: "object",
  required: ["scope"],
  additionalProperties: false,
  properties: {
    scope: {
      type: "object",
      required: ["entity", "id"],
      additionalProperties: false,
      properties: { entity: { const: "client" }, id: { type: "integer", minimum: 1 } }
    },
    actions: { type: "object" }
  }
}
app.post("/kw/chatrooms/context/retrieve", { schema: { body } }, async (request, reply) => {
  const answer = await read(request.headers.authorization, wantedOf(request.body))
  return reply
    .code(answer.status)
    .headers({ "content-type": "application/json", "cache-control": "no-store", "x-request-id": request.id })
    .send(answer.body)
})
const querystring = {
  type: "object",
  additionalProperties: false,
  properties: { limit: { type: "integer", minimum: 1, maximum: 100, default: 10 } }
}
app.get<{ Querystring: { limit: number } }>(
  "/kw/api/v1/OpChatRooms/list",
  { schema: { querystring } },
  async (request, reply) => {
    const answer = await list(request.headers.authorization, request.query.limit)
    return reply
      .code(answer.status)
      .headers({
        "content-type": "application/json",
        "cache-control": "no-store",
        "x-request-id": request.id
      })
      .send(answer.body)
  }
)
process.stdout.write(`ready ${await app.listen({ port: 0, host: "127.0.0.1" })}\n`)
