// Short citations of actions and sessions (contract §3.5).
import { assert, it } from "@effect/vitest"
import { marksFor } from "./Marks.ts"

const actionIds = ["0199-b", "0199-a", "0199-b"]
const sessions = [
  { sessionId: "0199-y", messageIds: ["0199-3", "0199-2"] },
  { sessionId: "0199-x", messageIds: [] },
  { sessionId: "0199-y", messageIds: ["0199-1", "0199-2"] }
]

it("numbers each action, session and message of a session once, the oldest id first", () => {
  const marks = marksFor({ actionIds, sessions })
  assert.deepStrictEqual(["0199-a", "0199-b"].map(marks.action), ["a1", "a2"])
  assert.deepStrictEqual(["0199-x", "0199-y"].map(marks.session), ["s1", "s2"])
  assert.deepStrictEqual(["0199-1", "0199-2", "0199-3"].map(marks.message), ["s2.1", "s2.2", "s2.3"])
})

it("keeps the marks of a pack when newer sources are appended", () => {
  const marks = marksFor({
    actionIds: ["0199-c", ...actionIds],
    sessions: [
      { sessionId: "0199-z", messageIds: ["0199-5"] },
      { sessionId: "0199-y", messageIds: ["0199-4"] },
      ...sessions
    ]
  })
  assert.deepStrictEqual(["0199-a", "0199-b"].map(marks.action), ["a1", "a2"])
  assert.deepStrictEqual(["0199-x", "0199-y"].map(marks.session), ["s1", "s2"])
  assert.deepStrictEqual(["0199-1", "0199-2", "0199-3"].map(marks.message), ["s2.1", "s2.2", "s2.3"])
})
