// Sends every example of the OpenAPI document to the real service, as "Execute" on /api-docs does. It succeeds, or fails as
// documented (contract §1, "Documents").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exampleRequests } from "../../testing/ExampleRequests.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"

/** Examples that fail because they need a password, a token or an id that is made at run time. */
const failing: Readonly<Record<string, number>> = {
  // A refresh token and an invitation are generated secrets.
  refreshTokens: 401,
  acceptInvitation: 401,
  // A signature expires.
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
  // "Execute" must not remove a client of the demo.
  mergeClient: 404,
  eraseClient: 404,
  // No ticket has the same id in every demo.
  getTicket: 404,
  updateTicket: 404,
  listTicketMessages: 404,
  createTicketMessage: 404,
  // Earlier examples have cancelled the broadcast, which names its template.
  updateBroadcast: 409,
  deleteMessageTemplate: 409,
  // Criteria and checklists of assessments cannot be deleted, and a voided assessment has no new results.
  deleteCriterion: 409,
  deleteChecklist: 409,
  setAssessmentResult: 409,
  // The demo has these already: an ended chat, tickets of each status, a state of the client.
  createChatMessage: 409,
  setTicketStatuses: 409,
  setClientState: 409
}

/**
 * Creates before reads, and what ends things last. A record is changed while its version is that of its creation, and a model is
 * deleted after its records.
 */
const rank = (id: string, method: string): number => {
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
  const ordered = exampleRequests.toSorted(
    (a, b) => rank(a.operationId, a.method) - rank(b.operationId, b.method)
  )
  for (const { operationId, path, statuses, ...init } of ordered) {
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
