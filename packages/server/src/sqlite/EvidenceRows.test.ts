// Expressions for the full text index: what they find.
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { DatabaseSync } from "node:sqlite"
import { rowOf } from "./EvidenceFile.ts"
import { anyOf, bothOf } from "./EvidenceRows.ts"

const scopes = ["1s1", "1s2", "1u7"]
const stems = ["рахун", "рахунок", "доставк", "ok"]

/** A text is in some scopes, and each word that it holds carries all of them, as `indexedWords` writes it. */
const text = fc.record({
  scopes: fc.subarray(scopes),
  stems: fc.subarray(stems),
  families: fc.subarray(stems)
})

it("texts with both words are those with the one and the other, though each scope is asked by itself", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), fc.subarray(scopes, { minLength: 1 }), (texts, asked) => {
      const file = new DatabaseSync(":memory:")
      file.exec("create virtual table texts using fts5 (words, content='', detail=none, tokenize='ascii')")
      const insert = file.prepare("insert into texts (words) values (?)")
      for (const { families, scopes, stems } of texts)
        insert.run(
          scopes
            .flatMap((scope) => [
              ...stems.map((stem) => `${scope}w${stem}`),
              ...families.map((family) => `${scope}f${family.slice(0, 5)}`)
            ])
            .join(" ")
        )
      const search = file.prepare("select rowid from texts where texts match ? order by rowid")
      search.setReturnArrays(true)
      const found = (expression: string) => search.all(expression).map((row) => Number(rowOf(row)[0]))
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
