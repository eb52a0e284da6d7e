// Every example of the document is sent as it stands, to the real service, as somebody does who presses "Execute" on
// /api-docs: it succeeds, or fails as the document says (docs/contract.md §1, "Documents").
import { assert, describe, layer } from "@effect/vitest"
import { expandedDocument } from "@rapport/contract/documents/OpenApiDocument.ts"
import { Effect, Schema } from "effect"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"

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

/**
 * What an example cannot know makes these fail: a password, a token or an id that is made at run time. Whatever else fails is a
 * fault of the example.
 */
const failing: Readonly<Record<string, number>> = {
  // A refresh token and an invitation are secrets of the moment.
  refresh: 401,
  acceptInvitation: 401,
  // A signature is of the moment.
  receiveInbound: 401,
  // Sessions and batches have ids that are made at run time.
  getSession: 404,
  listSessionMessages: 404,
  addSessionMessage: 404,
  setWorkingContext: 404,
  closeSession: 404,
  getImportBatch: 404,
  getCall: 404,
  // Whoever presses it shall not lose a client of the demo.
  mergeClient: 404,
  eraseClient: 404,
  // No ticket has the same id in every demo.
  getTicket: 404,
  updateTicket: 404,
  listTicketMessages: 404,
  postTicketMessage: 404,
  // The examples before it have cancelled the broadcast, which names its template.
  updateBroadcast: 409,
  deleteTemplate: 409,
  // What assessments name stays, and one that was voided is judged no more.
  deleteCriterion: 409,
  deleteChecklist: 409,
  setResult: 409,
  // The demo has these already: an ended chat, tickets of each status, a state of the client.
  postChatMessage: 409,
  setTicketStatuses: 409,
  putClientState: 409
}

const examples = Object.entries(paths).flatMap(([place, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ place, method: method.toUpperCase(), operation }))
)
const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

/**
 * Creates before reads, so that what is created can be read; what ends things last. A record is changed while it is as it was
 * made, and a model goes after its records.
 */
const turn = (id: string, method: string): number => {
  if (id === "updateRecord") return 0.05
  if (id === "upsertRecords") return 0.1
  if (id === "deleteModel") return 1
  if (id === "logout") return 9
  if (/block|close|merge/iu.test(id)) return 3 + (id.startsWith("un") ? 1 : 0)
  return ["POST", "PUT", "GET", "PATCH", "DELETE"].indexOf(method) / 5
}

const sendAll = Effect.gen(function* () {
  const { call, tokenOf } = yield* RunningServer
  const token = yield* Effect.promise(() => tokenOf("administrator"))
  const found: Record<string, string> = {}
  const inTurn = examples.toSorted(
    (a, b) => turn(a.operation.operationId, a.method) - turn(b.operation.operationId, b.method)
  )
  for (const { method, operation, place } of inTurn) {
    const query = new URLSearchParams()
    const headers = new Headers({ authorization: `Bearer ${token}` })
    let path = place
    for (const { example, in: where, name } of operation.parameters) {
      if (example === undefined) continue
      if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(textOf(example)))
      if (where === "query") query.set(name, textOf(example))
      if (where === "header") headers.set(name, textOf(example))
    }
    const [media] = Object.entries(operation.requestBody?.content ?? {})
    if (media !== undefined) headers.set("content-type", media[0])
    // The protocol of the tools demands both of every client.
    if (operation.operationId === "callTools") headers.set("accept", "application/json, text/event-stream")
    const init = media === undefined ? { method } : { method, body: JSON.stringify(media[1].example) }
    const search = query.size === 0 ? "" : `?${query}`
    const answer = yield* Effect.promise(() => call(`${path}${search}`, { ...init, headers }))
    const text = yield* Effect.promise(() => answer.text())
    const { operationId, responses } = operation
    const expected = failing[operationId]
    const isRight = expected === undefined ? answer.status < 300 : answer.status === expected
    if (!isRight || responses[String(answer.status)] === undefined)
      found[`${operationId}: ${method} ${path}${search}`] = `${answer.status} ${text.slice(0, 300)}`
  }
  return found
})

describe("the examples of the document", () => {
  layer(ServerFixtures.running(), { excludeTestServices: true })((it) => {
    it.effect(
      "are taken as they stand",
      () => Effect.map(sendAll, (found) => assert.deepStrictEqual(found, {})),
      120_000
    )
  })
})
