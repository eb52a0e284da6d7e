// contract §7: waitingSince, firstResponseAt, participation.
import { assert, it } from "@effect/vitest"
import { answeringAfter, addParticipants, initialAnswering } from "./Answering.ts"

type Author = "client" | "operator" | "bot" | "system"
const after = (waits: boolean, ...messages: ReadonlyArray<readonly [Author, number]>) => {
  const { firstResponseAt, waitingSince } = messages.reduce(
    (before, [authorType, occurredAt]) => answeringAfter(before, { authorType, occurredAt }),
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

it.each<[string, boolean, ReadonlyArray<readonly [Author, number]>, ReadonlyArray<number | null>]>([
  ["an incoming chat without messages waits since its creation", true, [], [1, null]],
  ["an outgoing chat without messages does not wait", false, [], [null, null]],
  ["a chat waits since the first message of the client", true, [["client", 5]], [5, null]],
  [
    "later messages of the client do not restart the waiting",
    true,
    [
      ["client", 5],
      ["client", 6]
    ],
    [5, null]
  ],
  [
    "an operator's message ends the waiting",
    true,
    [
      ["client", 5],
      ["operator", 7]
    ],
    [null, 7]
  ],
  [
    "later messages of operators do not change firstResponseAt",
    true,
    [
      ["client", 5],
      ["operator", 7],
      ["client", 8],
      ["operator", 9]
    ],
    [null, 7]
  ],
  [
    "a message after an answer starts the waiting again",
    true,
    [
      ["client", 5],
      ["operator", 7],
      ["client", 8]
    ],
    [8, 7]
  ],
  [
    "messages of bots and of the system do not count as answers",
    true,
    [
      ["bot", 2],
      ["client", 5],
      ["bot", 6],
      ["system", 7]
    ],
    [5, null]
  ],
  [
    "an operator's message before the client's is not a response",
    true,
    [
      ["operator", 2],
      ["client", 5]
    ],
    [5, null]
  ],
  [
    "the first response is the first message of an operator after the client's",
    true,
    [
      ["operator", 2],
      ["client", 5],
      ["operator", 6]
    ],
    [null, 6]
  ]
])("%s", (_, waits, messages, expected) => {
  assert.deepStrictEqual(after(waits, ...messages), [...expected])
})

it("each operator is listed once, in the order of their first message", () => {
  assert.deepStrictEqual(addParticipants([3, 1], [null, 2, 3, 2]), [3, 1, 2])
})
