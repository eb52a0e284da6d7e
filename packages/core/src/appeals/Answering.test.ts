// contract §7: waitingSince, firstResponseAt, participation.
import { assert, it } from "@effect/vitest"
import { answering, participating, unanswered } from "./Answering.ts"

type Author = "client" | "operator" | "bot" | "system"
const after = (waits: boolean, ...messages: ReadonlyArray<readonly [Author, number]>) => {
  const { firstResponseAt, waitingSince } = messages.reduce(
    (before, [authorType, occurredAt]) => answering(before, { authorType, occurredAt }),
    unanswered({ waits, createdAt: 1 })
  )
  return [waitingSince, firstResponseAt]
}

it("a note of an operator answers nothing", () => {
  const asked = answering(unanswered({ waits: true, createdAt: 1 }), { authorType: "client", occurredAt: 5 })
  const noted = answering(asked, { authorType: "operator", occurredAt: 7, visibility: "internal" })
  assert.deepStrictEqual(noted, asked)
})

it.each<[string, boolean, ReadonlyArray<readonly [Author, number]>, ReadonlyArray<number | null>]>([
  ["a waiting incoming chat without messages waits since its creation", true, [], [1, null]],
  ["any other without messages waits for nothing", false, [], [null, null]],
  ["then since the client's first message", true, [["client", 5]], [5, null]],
  [
    "the earliest that no operator has answered",
    true,
    [
      ["client", 5],
      ["client", 6]
    ],
    [5, null]
  ],
  [
    "an operator answers all of them",
    true,
    [
      ["client", 5],
      ["operator", 7]
    ],
    [null, 7]
  ],
  [
    "the first response stays the first",
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
    "what comes after an answer waits anew",
    true,
    [
      ["client", 5],
      ["operator", 7],
      ["client", 8]
    ],
    [8, 7]
  ],
  [
    "bot and system messages answer nothing",
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
    "before the client wrote there is nothing to respond to",
    true,
    [
      ["operator", 2],
      ["client", 5]
    ],
    [5, null]
  ],
  [
    "and the operator's answer then is the first response",
    true,
    [
      ["operator", 2],
      ["client", 5],
      ["operator", 6]
    ],
    [null, 6]
  ]
])("answering times: %s", (_, waits, messages, expected) => {
  assert.deepStrictEqual(after(waits, ...messages), [...expected])
})

it("participation is recorded once for each user, in the order of their first part", () => {
  assert.deepStrictEqual(participating([3, 1], [null, 2, 3, 2]), [3, 1, 2])
})
