// Expressions for the full text index: what they find.
import { familyIn, familyOf } from "@rapport/core/search/text/Terms.ts"
import { stem, wordForms } from "@rapport/core/search/text/Words.ts"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { DatabaseSync } from "node:sqlite"
import { rowOf } from "./EvidenceFiles.ts"
import { anyOf, bothOf, indexedWords } from "./EvidenceRows.ts"

const scopes = ["1s1", "1s2", "1u7"]
/** Of one word and of one family, of neither though they begin alike, too short for a family, and not only letters. */
const words =
  "рахунок рахунки рахункова доставка доставлено йшов йти adoption adopting party parties partial went go ok 2026ab дім".split(
    " "
  )
const stems = [...new Set(words.map((word) => stem(word)))]

const text = fc.record({ scopes: fc.subarray(scopes), words: fc.subarray(words) })
const texts = fc.array(text, { maxLength: 30 })
type Text = typeof text extends fc.Arbitrary<infer T> ? T : never

/** Rows that an expression finds among texts that are indexed as ever. */
const indexOf = (texts: ReadonlyArray<Text>) => {
  const file = new DatabaseSync(":memory:")
  file.exec("create virtual table texts using fts5 (words, content='', detail=none, tokenize='ascii')")
  const insert = file.prepare("insert into texts (words) values (?)")
  for (const { scopes, words } of texts)
    insert.run(indexedWords(["1c1", ...scopes], wordForms(words.join(" "))))
  const search = file.prepare("select rowid from texts where texts match ? order by rowid")
  search.setReturnArrays(true)
  return (expression: string) => search.all(expression).map((row) => Number(rowOf(row)[0]))
}

describe("expressions", () => {
  it("of a word and its family find what has the stem or a word of the family in one of the scopes, and nothing else", () => {
    fc.assert(
      fc.property(texts, fc.subarray(scopes, { minLength: 1 }), (texts, asked) => {
        const found = indexOf(texts)
        for (const one of stems) {
          const family = familyOf(one)
          const holds = ({ scopes, words }: Text): boolean =>
            scopes.some((scope) => asked.includes(scope)) &&
            wordForms(words.join(" ")).some(
              (word) => word.stem === one || (family !== undefined && familyIn(word) === family)
            )
          assert.deepStrictEqual(
            found(anyOf(asked, [one], true)),
            texts.flatMap((text, at) => (holds(text) ? [at + 1] : []))
          )
        }
      }),
      { numRuns: 50 }
    )
  })

  it("of two words find what the one and the other find, though each scope is asked by itself", () => {
    fc.assert(
      fc.property(texts, fc.subarray(scopes, { minLength: 1 }), (texts, asked) => {
        const found = indexOf(texts)
        for (const first of stems)
          for (const second of stems)
            assert.deepStrictEqual(
              found(bothOf(asked, first, second)),
              found(`${anyOf(asked, [first], true)} AND ${anyOf(asked, [second], true)}`)
            )
      }),
      { numRuns: 50 }
    )
  })
})
