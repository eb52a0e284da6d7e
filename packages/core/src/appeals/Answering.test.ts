// contract §7: waitingSince, firstResponseAt, participation.
import { assert, it } from "@effect/vitest"
import { answeringAfter, addParticipants, initialAnswering } from "./Answering.ts"

type Author = "client" | "operator" | "bot" | "system"
/** waitingSince and firstResponseAt of a chat created at 1, after messages such as `client 5, operator 7`. */
const after = (waits: boolean, messages: string) => {
  const { firstResponseAt, waitingSince } = messages
    .split(", ")
    .filter(Boolean)
    .reduce(
      (before, message) => {
        const [authorType, occurredAt] = message.split(" ")
        return answeringAfter(before, { authorType: authorType as Author, occurredAt: Number(occurredAt) })
      },
      initialAnswering({ waits, createdAt: 1 })
    )
  return [waitingSince, firstResponseAt]
}

it("an internal note does not count as an answer", () => {
  const waiting = answeringAfter(initialAnswering({ waits: true, createdAt: 1 }), {
    authorType: "client",
    occurredAt: 5
  })
  const noted = answeringAfter(waiting, { authorType: "operator", occurredAt: 7, visibility: "internal" })
  assert.deepStrictEqual(noted, waiting)
})

it("an outgoing chat without messages does not wait", () => {
  assert.deepStrictEqual(after(false, ""), [null, null])
})

it.each<[string, messages: string, expected: ReadonlyArray<number | null>]>([
  ["a chat without messages waits since its creation", "", [1, null]],
  ["a chat waits since the first message of the client", "client 5", [5, null]],
  ["later messages of the client do not restart the waiting", "client 5, client 6", [5, null]],
  ["an operator's message ends the waiting", "client 5, operator 7", [null, 7]],
  [
    "later messages of operators do not change firstResponseAt",
    "client 5, operator 7, client 8, operator 9",
    [null, 7]
  ],
  ["a message after an answer starts the waiting again", "client 5, operator 7, client 8", [8, 7]],
  [
    "messages of bots and of the system do not count as answers",
    "bot 2, client 5, bot 6, system 7",
    [5, null]
  ],
  ["an operator's message before the client's is not a response", "operator 2, client 5", [5, null]],
  [
    "the first response is the first message of an operator after the client's",
    "operator 2, client 5, operator 6",
    [null, 6]
  ]
])("%s", (_, messages, expected) => {
  assert.deepStrictEqual(after(true, messages), [...expected])
})

it("each operator is listed once, in the order of their first message", () => {
  assert.deepStrictEqual(addParticipants([3, 1], [null, 2, 3, 2]), [3, 1, 2])
})
