// The part of a long text that is read: contract §3.2, "long texts".
import { assert, layer } from "@effect/vitest"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { textQueryOf } from "@rapport/core/search/text/TextQuery.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { textWindow } from "./TextWindow.ts"

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ text: Schema.String, before: Schema.Boolean, after: Schema.Boolean })])
)
const POINTS = 2_000

const read = (text: string, query: string | null) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const starts = query === null ? [] : textQueryOf(query).starts
    const rows =
      yield* sql`select part.text, part.cut_before as before, part.cut_after as after from (select ${text}::text as text) t,
        lateral (${textWindow("t.text", { points: POINTS, lead: 500, starts })}) part`
    return (yield* decode(rows))[0]
  })

const filler = "слово word слово 😀 ".repeat(600)

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "60 seconds" })(
  "a text as it is read from PostgreSQL",
  (it) => {
    it.effect("a text window shows a text up to its limit in code points and cuts longer ones", () =>
      Effect.gen(function* () {
        for (const letter of ["a", "ї", "語", "😀"])
          for (const query of [null, "refund"]) {
            assert.deepStrictEqual(yield* read(letter.repeat(POINTS), query), {
              text: letter.repeat(POINTS),
              before: false,
              after: false
            })
            assert.deepStrictEqual(yield* read(letter.repeat(POINTS + 1), query), {
              text: letter.repeat(POINTS),
              before: false,
              after: true
            })
          }
      })
    )

    it.effect("a text window of a long text shows the words of the query, in three languages", () =>
      Effect.gen(function* () {
        for (const [query, written] of [
          ["повернення коштів", "Коли буде ПОВЕРНЕННЯ кошти?"],
          ["п'ятниця", "Доставка в п’ятницю"],
          ["картці", "оплата Карткою"],
          ["возвраты", "Где возврат за елку?"],
          ["ёлка ґанок", "Под елкой"],
          ["рахунок", "Де мої рахунки?"],
          ["refunds", "Where is my REFUND?"],
          ["bought", "Can I BUY it again?"]
        ] as const) {
          const found = yield* read(`${filler}${written}${filler}`, query)
          assert.deepInclude(found, { before: true, after: true })
          assert.include(found.text, written)
          assert.strictEqual(pointsOf(found.text), POINTS)
        }
      })
    )

    it.effect("a text window shows the end of a long text when the words are there", () =>
      Effect.gen(function* () {
        const found = yield* read(`${filler}refund`, "refund")
        assert.deepInclude(found, { before: true, after: false })
        assert.isTrue(found.text.endsWith("refund"))
      })
    )

    it.effect("a text window prefers the part with more words of the query", () =>
      Effect.gen(function* () {
        const found = yield* read(`${filler}refund${filler}parcel and refund${filler}`, "refund parcel")
        assert.include(found.text, "parcel and refund")
      })
    )

    it.effect("a text window shows the beginning when no word is found or one is there", () =>
      Effect.gen(function* () {
        const text = `refund ${filler}refund ${filler}`
        for (const query of ["нічого", "refund"])
          assert.isTrue(text.startsWith((yield* read(text, query)).text))
      })
    )
  }
)
