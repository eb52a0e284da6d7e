import { assert, describe, it } from "@effect/vitest"
import { conversationFigures } from "./ConversationFigures.ts"
import { report, type Results } from "./Report.ts"
import { utteranceFigures } from "./UtteranceFigures.ts"

const answer = {
  appeals: [],
  millis: 12.34,
  bytes: 2_000,
  tokens: 800,
  facts: 9,
  isWhole: true,
  reasons: []
}
const base = { at: "2026-11-21T12:00:00.000Z", commit: "abc1234", concurrency: 2 }
const utterances: Results = {
  ...base,
  dataset: "banking77-train.csv",
  results: [
    {
      engine: "sqlite",
      seconds: 9,
      figures: utteranceFigures([
        { relevant: [true], answer },
        { relevant: [false, true], answer }
      ])
    }
  ]
}
const conversations: Results = {
  ...base,
  dataset: "other <&> set.json",
  results: [
    {
      engine: "opensearch",
      seconds: 9,
      figures: conversationFigures(
        [
          {
            category: "when",
            gold: new Set([1]),
            ranking: answer,
            usual: answer,
            snippetHit: 0,
            packs: [{ form: "markdown", tokenBudget: 2_000, pack: { ...answer, tokens: 250 }, hit: 1 }],
            same: { json: answer, markdown: { ...answer, tokens: 200 } }
          }
        ],
        2
      )
    }
  ]
}

describe("the report", () => {
  it("has a row for each engine", () => {
    const lines = report(utterances).split("\n")
    assert.match(
      lines[0] ?? "",
      /^banking77-train\.csv, 2026-11-21, commit abc1234, 2 in parallel, sqlite in 9 s$/u
    )
    assert.include(lines, "| **sqlite** |         2 | .500 |  .750 |")
  })

  it("has every category, and the number of questions that were not sent", () => {
    const text = report(conversations)
    assert.match(text, /^\| opensearch: when \| +1 \| \.000 \|/mu)
    assert.match(text, /^opensearch: 2 questions without evidence were not sent$/mu)
    assert.match(text, /^\| opensearch \| markdown \| +2000 \| \.000 \| +1\.000 \| +250 \|/mu)
    assert.match(text, /^\| opensearch \| +1 \| +\.250 \| +0 \|$/mu)
  })

  it("has tables with lines of equal length", () => {
    for (const table of report(utterances).split("\n\n").slice(1))
      assert.strictEqual(new Set(table.split("\n").map(({ length }) => length)).size, 1)
  })
})
