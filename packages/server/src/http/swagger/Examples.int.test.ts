// Every example of the document is sent as it stands, to the real service, as somebody does who presses "Execute" on
// /api-docs: it succeeds, or fails as the document says (contract §1, "Documents").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exampleRequests } from "../../testing/ExampleRequests.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"

/**
 * What an example cannot know makes these fail: a password, a token or an id that is made at run time. Whatever else fails is a
 * fault of the example.
 */
const failing: Readonly<Record<string, number>> = {
  // A refresh token and an invitation are secrets of the moment.
  refreshTokens: 401,
  acceptInvitation: 401,
  // A signature is of the moment.
  receiveInbound: 401,
  getLinkedFile: 404,
  // No message has the file.
  getFile: 404,
  // Messages of the demo have other ids in every demo.
  updateChatMessage: 404,
  deleteChatMessage: 404,
  updateTicketMessage: 404,
  deleteTicketMessage: 404,
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
  createTicketMessage: 404,
  // The examples before it have cancelled the broadcast, which names its template.
  updateBroadcast: 409,
  deleteMessageTemplate: 409,
  // What assessments name stays, and one that was voided is judged no more.
  deleteCriterion: 409,
  deleteChecklist: 409,
  setAssessmentResult: 409,
  // The demo has these already: an ended chat, tickets of each status, a state of the client.
  createChatMessage: 409,
  setTicketStatuses: 409,
  setClientState: 409
}

/**
 * Creates before reads, so that what is created can be read; what ends things last. A record is changed while it is as it was
 * made, and a model goes after its records.
 */
const turn = (id: string, method: string): number => {
  if (id === "updateCustomRecord") return 0.05
  if (id === "upsertCustomRecords") return 0.1
  if (id === "deleteCustomModel") return 1
  if (id === "logout") return 9
  if (/block|close|merge/iu.test(id)) return 3 + (id.startsWith("un") ? 1 : 0)
  return ["POST", "PUT", "GET", "PATCH", "DELETE"].indexOf(method) / 5
}

const sendAll = Effect.gen(function* () {
  const { call } = yield* RunningServer
  const found: Record<string, string> = {}
  const inTurn = exampleRequests.toSorted(
    (a, b) => turn(a.operationId, a.method) - turn(b.operationId, b.method)
  )
  for (const { operationId, path, statuses, ...init } of inTurn) {
    const answer = yield* Effect.promise(() => call(path, { ...init, login: "administrator" }))
    const text = yield* Effect.promise(() => answer.text())
    const expected = failing[operationId]
    const isRight = expected === undefined ? answer.status < 300 : answer.status === expected
    if (!isRight || !statuses.has(String(answer.status)))
      found[`${operationId}: ${init.method} ${path}`] = `${answer.status} ${text.slice(0, 300)}`
  }
  return found
})

layer(ServerFixtures.running(), { excludeTestServices: true })((it) => {
  it.effect(
    "the examples of the document are accepted by their routes",
    () => Effect.map(sendAll, (found) => assert.deepStrictEqual(found, {})),
    120_000
  )
})
