import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { recordsOf, utterancesOf } from "./UtteranceFile.ts"

const read = (text: string) => Effect.runSync(Effect.result(utterancesOf("set.csv", text)))
const set = (text: string) => {
  const result = read(text)
  if (result._tag === "Failure") throw result.failure
  return result.success
}
const refusal = (text: string) => {
  const result = read(text)
  return result._tag === "Failure" ? result.failure.message : ""
}

describe("the CSV form of a data set (docs/retrieval-figures.md)", () => {
  it("uses every fifth row as a question, and stores the others", () => {
    const rows = Array.from({ length: 11 }, (_, row) => `text ${row},intent`).join("\n")
    const { questions, stored } = set(`text,category\n${rows}\n`)
    assert.deepStrictEqual(
      questions.map(({ row }) => row),
      [0, 5, 10]
    )
    assert.deepStrictEqual(
      stored.map(({ row }) => row),
      [1, 2, 3, 4, 6, 7, 8, 9]
    )
  })

  it("finds columns by name, in any order and among others", () => {
    const { questions } = set('\uFEFFid,Category,text\r\n1,billing,"не прийшов, знову"\r\n2,billing,b\r\n')
    assert.deepStrictEqual(questions, [{ row: 0, text: "не прийшов, знову", intent: "billing" }])
  })

  it.each([
    ["quoted commas", 'a,"b,c"', ["a", "b,c"]],
    ["doubled quotes", 'a,"say ""hi"""', ["a", 'say "hi"']],
    ["quoted line ends", 'a,"b\r\nc"', ["a", "b\r\nc"]],
    ["an empty field at the end", "a,", ["a", ""]],
    ["a quote inside a field", '5" screen,b', ['5" screen', "b"]]
  ])("parses %s as in RFC 4180", (_, line, fields) =>
    assert.deepStrictEqual(recordsOf(line), [{ line: 1, fields }])
  )

  it("counts empty lines and quoted line ends in the line numbers of errors", () => {
    assert.strictEqual(
      refusal('text,category\n"a\nb",x\n\nonly\n,x\n'),
      "set.csv: line 5 must hold a text and a category; line 6 must hold a text and a category"
    )
  })

  it.each([
    ["a missing column", "text,label\na,b\n", "set.csv: line 1 must name the columns category"],
    ["an empty file", "", "set.csv: line 1 must name the columns text, category"],
    ["nothing to store", "text,category\na,b\n", "set.csv: the file must have at least two data rows"]
  ])("refuses %s", (_, text, expected) => assert.strictEqual(refusal(text), expected))
})
