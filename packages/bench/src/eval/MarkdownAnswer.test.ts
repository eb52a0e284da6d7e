import { assert, describe, it } from "@effect/vitest"
import { markdownAnswer } from "./MarkdownAnswer.ts"

const pack = `# client 501
## Properties
- Name: "Олена" 2026-10-01 09:30 【name】
## Evidence
### chat closed, via telegram, 2026-10-02 14:05 to 15:20, 9 messages, relevant 【9006】
- client 14:06: "Двічі \\"списали\\"\\n- x 1: \\u3010" 【480123】
- operator 2026-10-03 14:06: "Так" 【480124】
- operator note 14:07: cut "двічі списали" cut 【480125v2】
### ticket new, number 7, title Роутер, 2026-10-02 14:05, 0 messages, relevant 【9007】
- client 14:05: "Роутер" 【ticket】
## Missing
- evidence: 10 appeals left out to fit (pack_budget)
- state: could not be read now (source_unavailable: database_unavailable)
`

describe("markdownAnswer", () => {
  it("returns the appeals by rank with all messages, also notes, cut and edited ones, the number of facts and the reasons", () => {
    assert.deepStrictEqual(markdownAnswer(pack), {
      appeals: [
        {
          appealId: 9006,
          snippets: [
            { messageId: 480123, text: 'Двічі "списали"\n- x 1: 【' },
            { messageId: 480124, text: "Так" },
            { messageId: 480125, text: "двічі списали" }
          ]
        },
        { appealId: 9007, snippets: [] }
      ],
      facts: 7,
      reasons: ["pack_budget", "source_unavailable"]
    })
  })
})
