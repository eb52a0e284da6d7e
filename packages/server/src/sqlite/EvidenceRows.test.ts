// Rows and words of the full text index: what belongs to one scope is found in that scope alone.
import { assert, describe, it } from "@effect/vitest"
import { wordForms } from "@rapport/core/search/text/Words.ts"
import { appeal } from "@rapport/core/testing/EvidenceFixtures.ts"
import { anyOf, indexedWords, positionOf, refOf, rowAt, scopesOf, scopeToken } from "./EvidenceRows.ts"

const document = appeal({ documentId: 1, clientId: 7, subjectId: 5, operatorIds: [9, 9, 12] })
const indexed = new Set(indexedWords(scopesOf(3, document), wordForms("Доставка завтра")).split(" "))

/** Whether one of the words of an expression is in the text. */
const isFound = (expression: string): boolean =>
  Array.from(expression.matchAll(/"([^"]+)"/gu), ([, word]) => word ?? "").some((word) => indexed.has(word))

describe("the rows of texts", () => {
  it("tell appeal and position, those of newer appeals behind those of older ones", () => {
    const last = rowAt(12, 5_000)
    assert.deepStrictEqual([refOf(last), positionOf(last)], [12, 5_000])
    assert.isBelow(last, rowAt(13, 0))
    assert.isTrue(Number.isSafeInteger(rowAt(2 ** 39, 5_000)))
  })
})

describe("the words of a text", () => {
  it("are found in its subject and by its operators, and nowhere else", () => {
    const [stem = ""] = wordForms("доставка").map((word) => word.stem)
    const inScope = (scope: string) => isFound(anyOf([scope], [stem], false))
    assert.isTrue(inScope(scopeToken.subject(3, 5)))
    assert.isTrue(inScope(scopeToken.participant(3, 12)))
    for (const other of [
      scopeToken.subject(3, 50),
      scopeToken.subject(3, null),
      scopeToken.subject(33, 5),
      scopeToken.participant(3, 5),
      scopeToken.participant(3, 1)
    ])
      assert.isFalse(inScope(other), other)
  })

  it("are found by their family only where that is asked for", () => {
    const [kin = ""] = wordForms("доставити").map((word) => word.stem)
    const subject = scopeToken.subject(3, 5)
    assert.isFalse(isFound(anyOf([subject], [kin], false)))
    assert.isTrue(isFound(anyOf([subject], [kin], true)))
  })

  it("name the client as a word of its own", () => {
    assert.isTrue(indexed.has(scopeToken.client(3, 7)))
    assert.isFalse(indexed.has(scopeToken.client(3, 71)))
  })
})
