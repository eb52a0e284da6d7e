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

it.effect("the same externalMessageId with the same content, with or without occurredAt, is a replay", () =>
  Effect.gen(function* () {
    const { occurredAt: _, ...withoutTime } = request
    for (const one of [request, withoutTime]) {
      const found = yield* addedMessage(one, { _tag: "Known", message: before }, { refusal: null })
      assert.deepStrictEqual(found, { answer: before, replayed: true })
    }
  })
)

it.effect.each<readonly [string, Partial<SessionMessageRequest>, Partial<SessionMessage>]>([
  ["another role", { role: "operator" }, {}],
  ["another text", { content: "Де моє замовлення" }, {}],
  ["another time", { occurredAt: 1_790_000_000_001 }, {}],
  ["less metadata", { metadata: { a: 1 } }, {}],
  ["additional metadata", {}, { metadata: null }],
  ["another file", { attachments: ["01999999-0000-7000-8000-000000000002"] }, {}]
])("the same externalMessageId with %s is a conflict", ([, changed, stored]) =>
  Effect.gen(function* () {
    const known = { _tag: "Known", message: { ...before, ...stored } } as const
    const failed = yield* Effect.flip(addedMessage({ ...request, ...changed }, known, { refusal: null }))
    assert.strictEqual(failed._tag, "ExternalEventConflict")
  })
)
