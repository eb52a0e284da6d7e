import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { conversationsOf } from "./ConversationFile.ts"

const turns = [
  { id: "D1:1", speaker: "Олена", text: "Не прийшов рахунок" },
  { id: "D1:2", speaker: "Іван", text: "Зараз надішлю", caption: "a photo of an invoice" },
  { id: "D1:3", speaker: "Олена", text: "", caption: "a screenshot" },
  { id: "D1:4", speaker: "Олена", text: "  " }
]
const valid = {
  conversation: 26,
  speakers: ["Олена", "Іван"],
  sessions: [{ number: 1, at: "1:56 pm on 8 May, 2023", turns }],
  questions: [{ question: "Що не прийшло?", category: 4, evidence: ["D1:1"] }]
}
const read = (file: unknown) =>
  Effect.runSync(Effect.result(conversationsOf("set.json", JSON.stringify(file))))
const set = (file: unknown) => {
  const result = read(file)
  if (result._tag === "Failure") throw result.failure
  return result.success
}
const faults = (file: unknown) => {
  const result = read(file)
  return result._tag === "Failure" ? result.failure.message : ""
}
const evidenceOf = (evidence: unknown) =>
  set([{ ...valid, questions: [{ ...valid.questions[0], evidence }] }]).conversations[0]?.questions[0]
    ?.evidence

describe("the JSON form of a data set (docs/retrieval-figures.md)", () => {
  it("is conversations with sessions, turns and questions", () => {
    const { conversations, skipped } = set([valid])
    assert.strictEqual(skipped, 0)
    assert.deepInclude(conversations[0], { name: "26", client: "Олена" })
    assert.strictEqual(conversations[0]?.sessions[0]?.atMillis, Date.UTC(2023, 4, 8, 13, 56))
    assert.deepStrictEqual(conversations[0]?.questions, [
      { text: "Що не прийшло?", category: "4 single-hop", evidence: ["D1:1"] }
    ])
  })

  it("adds captions as a line of the text, and drops a turn without text", () => {
    assert.deepStrictEqual(
      set([valid]).conversations[0]?.sessions[0]?.turns.map(({ text }) => text),
      ["Не прийшов рахунок", "Зараз надішлю\n[a photo of an invoice]", "[a screenshot]"]
    )
  })

  it("removes characters that the service does not store", () => {
    const odd = [
      { id: "D1:1", speaker: "Олена", text: "раху\u0000нок \uD800" },
      { id: "D1:2", speaker: "Олена", text: "\u0000" }
    ]
    assert.deepStrictEqual(
      set([{ ...valid, sessions: [{ ...valid.sessions[0], turns: odd }] }]).conversations[0]?.sessions[0]
        ?.turns,
      [{ id: "D1:1", speaker: "Олена", text: "рахунок \uFFFD" }]
    )
  })

  it.each([
    ["a list", ["D1:1", "D1:2"], ["D1:1", "D1:2"]],
    ["one text with semicolons", "D1:1; D1:2", ["D1:1", "D1:2"]],
    ["an entry with several ids", ["D1:1 D1:2", "D1:3"], ["D1:1", "D1:2", "D1:3"]],
    ["a repeated turn", ["D1:1", "D1:1"], ["D1:1"]],
    ["other case and leading zeros", ["d1:01"], ["D1:1"]],
    ["a turn with text and a turn without", ["D1:4", "D1:2"], ["D1:2"]],
    ["an existing turn and an unknown turn", ["D1:1", "D9:9"], ["D1:1"]]
  ])("accepts evidence as %s", (_, evidence, expected) =>
    assert.deepStrictEqual(evidenceOf(evidence), expected)
  )

  it.each([
    ["without evidence", { question: "?" }],
    ["whose evidence is unknown turns", { question: "?", evidence: ["D9:9", ""] }]
  ])("skips and counts a question %s", (_, question) => {
    const { conversations, skipped } = set([{ ...valid, questions: [question, ...valid.questions] }])
    assert.strictEqual(skipped, 1)
    assert.strictEqual(conversations[0]?.questions.length, 1)
  })

  it("reports all faults together, each with its path", () => {
    const [session] = valid.sessions
    assert.strictEqual(
      faults([
        { ...valid, sessions: [{ ...session, at: "soon" }], questions: [{ category: 1, evidence: "D1:1" }] }
      ]),
      "set.json: [0].sessions[0].at must be a time, such as 2023-05-08T13:56:00Z or 1:56 pm on 8 May, 2023; [0].questions[0].question is required"
    )
  })

  it("refuses a repeated id of a turn, because evidence refers to it", () => {
    assert.include(
      faults([{ ...valid, sessions: [...valid.sessions, ...valid.sessions] }]),
      "[0].sessions[1].turns[0].id must be unique in its conversation: D1:1"
    )
  })
})
