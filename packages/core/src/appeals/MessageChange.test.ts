// Who may edit and delete messages (contract §7, "Editing and deleting").
import { assert, it } from "@effect/vitest"
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import { Effect, Result } from "effect"
import { anySession } from "../testing/SessionFixtures.ts"
import { deletedMessage, editedMessage } from "./MessageChange.ts"

const message: AppealMessage = {
  id: 7,
  appealId: 3,
  sequence: 1,
  authorType: "operator",
  authorId: 1,
  text: "Рахунок 4411",
  occurredAt: 5,
  recordedAt: 5,
  externalMessageId: null,
  delivery: "sent",
  visibility: "public",
  attachments: [],
  version: 2,
  editedAt: null,
  deletedAt: null
}
const queued: AppealMessage = { ...message, delivery: "queued" }
const author = anySession({ userId: 1, roles: ["operator"] })
const colleague = anySession({ userId: 2, roles: ["operator"] })
const supervisor = anySession({ userId: 3, roles: ["supervisor"] })
const copilot = anySession({
  userId: 3,
  roles: ["supervisor"],
  sessionId: null,
  tokenId: 5,
  seesAsUser: true
})
const change = { expectedVersion: 2, now: 9, text: "Рахунок 4412" }

const outcomeOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isFailure(result) ? result.failure._tag : result.success
  )

it.effect.each([
  ["by its author", author, message, { ...message, text: change.text, version: 3, editedAt: 9 }],
  ["by a supervisor", supervisor, message, { ...message, text: change.text, version: 3, editedAt: 9 }],
  ["by a colleague", colleague, message, "AccessDenied"],
  ["by a token that acts as a supervisor", copilot, message, "AccessDenied"],
  ["by the user with the id of a client", author, { ...message, authorType: "client" }, "AccessDenied"],
  ["of a client by a supervisor", supervisor, { ...message, authorType: "client" }, "StateNotAllowed"],
  ["of a bot by a supervisor", supervisor, { ...message, authorType: "bot" }, "StateNotAllowed"],
  ["of another version", author, { ...message, version: 3 }, "VersionConflict"],
  ["with the same text", author, { ...message, text: change.text }, null],
  ["before it was sent", author, queued, { ...queued, text: change.text, version: 3, editedAt: 9 }],
  ["while it is being sent", author, queued, "StateNotAllowed", true],
  ["after its deletion", author, { ...message, deletedAt: 8 }, "StateNotAllowed"]
] as const)(
  "an edit of a message %s is allowed or refused as in the contract",
  ([, session, found, expected, isBeingSent = false]) =>
    Effect.gen(function* () {
      const edited = editedMessage(session, found, { ...change, isBeingSent })
      assert.deepStrictEqual(yield* outcomeOf(edited), expected)
    })
)

it.effect.each([
  ["by its author", author, message, { ...message, text: "", version: 3, deletedAt: 9 }],
  ["by a colleague", colleague, message, "AccessDenied"],
  [
    "of a client by a supervisor",
    supervisor,
    { ...message, authorType: "client" },
    { ...message, authorType: "client", text: "", version: 3, deletedAt: 9 }
  ],
  ["before it was sent", author, queued, { ...queued, text: "", version: 3, deletedAt: 9 }],
  ["while it is being sent", author, queued, "StateNotAllowed", true],
  ["a second time", author, { ...message, deletedAt: 8 }, "NotFound"]
] as const)(
  "a deletion of a message %s is allowed or refused as in the contract",
  ([, session, found, expected, isBeingSent = false]) =>
    Effect.gen(function* () {
      const deleted = deletedMessage(session, found, { now: 9, isBeingSent })
      assert.deepStrictEqual(yield* outcomeOf(deleted), expected)
    })
)
