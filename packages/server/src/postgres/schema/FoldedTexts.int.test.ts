// `fold_text` and `foldedText` give the same: contract §1.2.
import { assert, layer } from "@effect/vitest"
import { foldedText } from "@rapport/core/lists/FoldedText.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ folded: Schema.String })))

const fold = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select fold_text(sent.text) as folded
    from unnest(${texts}::text[]) with ordinality sent(text, place) order by place`
  return (yield* decode(rows)).map((row) => row.folded)
})

/** Letters, marks and signs of Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic, in the contexts that change their lower case. */
const words = Array.from({ length: 0x2c00 }, (_, code) => code)
  .filter((code) => code < 0x600 || code >= 0x1e00)
  .map((code) => String.fromCodePoint(code))
  .filter((letter) => /^[^\p{C}]$/u.test(letter))
  .flatMap((letter) => [letter, `а${letter}`, `${letter}\u0308я`, `${letter.normalize("NFD")}Σ`])

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })("fold_text", (it) => {
  it.effect("fold_text equals foldedText for each letter and its combinations", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* fold(words), words.map(foldedText))
    })
  )
})
