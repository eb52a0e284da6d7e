// The letters that the index of texts holds, against a plain statement of what they are, and that they are entered beside the
// writes that bring them.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"

const TEXTS = [
  "",
  "ї",
  "їж",
  "їжа",
  "їжак",
  "їжаки",
  "подъезд ёлка",
  "new\nline\tand a 'quote' \\ back",
  "a\u0001b \u0001\u0001 c",
  "\u0001",
  "😀𝔘 e\u0301 é",
  "12:ab 12: 12",
  "& | ! ( ) : * . ... \\1 \\&",
  "рахунок доставка invoice замовлення № 5",
  "довгий ".repeat(142),
  "довгий ".repeat(143)
]
/** In one field, then in another, with names of other lengths. */
const FIELDS = [1, 12, 4_000_000_000]

const live = { excludeTestServices: true, timeout: "120 seconds" } as const

layer(RestFixtures, live)("letters of texts", (it) => {
  it.effect(
    "are each three that follow one another, the last two and the last one, with the field's id",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const field of FIELDS)
          for (const text of TEXTS) {
            const [row] = yield* sql<{
              readonly letters: ReadonlyArray<string>
            }>`select tsvector_to_array(custom_letters(${String(field)}::text::int8, ${text}::text)) as letters`
            const points = [...text]
            const plain =
              points.length > 1_000
                ? [`${field}*`]
                : points.map((_, place) => `${field}:${points.slice(place, place + 3).join("")}`)
            assert.sameMembers([...(row?.letters ?? [])], [...new Set(plain)], text)
          }
      })
  )

  it.effect("are entered into their index soon after a write, beside it", () =>
    Effect.gen(function* () {
      const rest = yield* Rest
      const sql = yield* SqlClient.SqlClient
      const admin = yield* rest.user(yield* rest.instance, ["administrator"])
      const fields = [
        { name: "key", type: "STRING", unique: true },
        { name: "text", type: "TEXT" }
      ]
      yield* rest.call(admin, "POST", "/custom-data/models", { name: "things", fields })
      const listed = Effect.map(
        sql<{
          readonly pages: number
        }>`select gin_clean_pending_list('custom_values_letters')::float8 as pages`,
        ([row]) => row?.pages
      )
      const upsert = (text: string) =>
        rest.call(admin, "POST", "/custom-data/things/records/upsert", {
          keyField: "key",
          records: Array.from({ length: 20 }, (_, n) => ({ values: { key: `K-${n}`, text: `${text} ${n}` } }))
        })
      for (const text of ["новий запис", "другой текст"]) {
        assert.strictEqual((yield* upsert(text)).status, 200)
        yield* Effect.sleep("2 seconds")
        assert.strictEqual(yield* listed, 0)
      }
      // What this test asks for is the list itself.
      yield* sql`insert into custom_values (instance_id, field_id, model_id, record_id, txt, low) values (1, 999, 999, 1, 'a', 'a')`
      assert.isAbove((yield* listed) ?? 0, 0)
    })
  )
})
