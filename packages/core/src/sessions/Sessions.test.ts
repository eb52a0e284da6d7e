// A repeated externalMessageId (contract §5).
import type { SessionMessage, SessionMessageRequest } from "@rapport/contract/sessions/SessionsApi.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { addedMessage } from "./Sessions.ts"

const before: SessionMessage = {
  id: "01999999-0000-7000-8000-000000000001",
  sessionId: "01999999-0000-7000-8000-000000000000",
  sequence: 7,
  role: "client",
  content: "Де моє замовлення?",
  attachments: [],
  externalMessageId: "m-1",
  metadata: { a: 1, b: [2] },
  occurredAt: 1_790_000_000_000,
  recordedAt: 1_790_000_000_500
}
const request: SessionMessageRequest = {
  role: "client",
  content: "Де моє замовлення?",
  externalMessageId: "m-1",
  metadata: { b: [2], a: 1 },
  occurredAt: 1_790_000_000_000
}

/** The outcome of a message with the external id of `before`. */
const repeat = (changed: Partial<SessionMessageRequest>, stored: SessionMessage = before) =>
  addedMessage({ ...request, ...changed }, { _tag: "Known", message: stored }, { refusal: null }).pipe(
    Effect.map(({ answer, replayed }) => (replayed ? answer.sequence : "added")),
    Effect.catch((error) => Effect.succeed(error._tag))
  )
const without = (name: "occurredAt" | "metadata"): SessionMessageRequest => {
  const { [name]: _, ...rest } = request
  return rest
}

it.effect("the same externalMessageId with the same content in any member order is a replay", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* repeat({}), 7)
  })
)

it.effect("the same externalMessageId without occurredAt is a replay", () =>
  Effect.gen(function* () {
    const found = yield* addedMessage(
      without("occurredAt"),
      { _tag: "Known", message: before },
      { refusal: null }
    )
    assert.deepStrictEqual(found, { answer: before, replayed: true })
  })
)

it.effect.each<readonly [string, Partial<SessionMessageRequest>]>([
  ["role", { role: "operator" }],
  ["text", { content: "Де моє замовлення" }],
  ["time", { occurredAt: 1_790_000_000_001 }],
  ["metadata", { metadata: { a: 1 } }],
  ["file", { attachments: ["01999999-0000-7000-8000-000000000002"] }]
])("the same externalMessageId with another %s is a conflict", ([, changed]) =>
  Effect.gen(function* () {
    assert.strictEqual(yield* repeat(changed), "ExternalEventConflict")
  })
)

it.effect("the same externalMessageId with additional metadata is a conflict", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* repeat({}, { ...before, metadata: null }), "ExternalEventConflict")
  })
)
