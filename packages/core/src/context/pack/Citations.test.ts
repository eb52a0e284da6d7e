// The size of an appeal's citation is measured before its snippets are chosen, when its hash is not known yet.
import { assert, describe, it } from "@effect/vitest"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { createHash } from "node:crypto"
import { citing } from "./Citations.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const citationOf = (sourceType: "appeal" | "action", text: string) =>
  JSON.stringify(
    citing(sha256)({ text }, "sections.evidence", {
      occurredAt: "2026-11-22T10:00:00.000Z",
      sourceId: "9006",
      sourceType,
      url: "/kw/api/v1/OpChatRooms/9006"
    }).citation
  ).replace('"action"', '"appeal"')

describe("the citation of an appeal whose snippets are not chosen yet", () => {
  it("has the length of every final citation, and at least its tokens", () => {
    const measured = citationOf("appeal", "")
    const tokens = countTokens(measured)
    for (let n = 0; n < 3_000; n++) {
      const real = citationOf("action", `${n} звернення`)
      assert.strictEqual(real.length, measured.length)
      assert.isAtMost(countTokens(real), tokens)
    }
  })
})
