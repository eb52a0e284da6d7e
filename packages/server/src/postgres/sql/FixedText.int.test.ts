// Texts that are built once, on a real PostgreSQL: values change, and what is calculated from one is refused.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { fixedText } from "./FixedText.ts"

layer(PostgresFixtures.migrated, { excludeTestServices: true, timeout: "120 seconds" })("fixedText", (it) => {
  it.effect("binds other values to the same text; constants stay", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statement = fixedText(
        [
          { id: -1, name: "one" },
          { id: -2, name: "other" }
        ],
        (sql, { id, name }) =>
          sql`select ${name}::text || ${"!"}::text as name, ${id}::int4 + ${id}::int4 as twice`
      )
      assert.deepStrictEqual(yield* statement(sql, { id: 4, name: "Олена" }), [{ name: "Олена!", twice: 8 }])
      assert.deepStrictEqual(yield* statement(sql, { id: -1, name: "other" }), [
        { name: "other!", twice: -2 }
      ])
      const texts = [statement(sql, { id: 1, name: "a" }), statement(sql, { id: 2, name: "b" })]
      assert.strictEqual(texts[0]?.compile()[0], texts[1]?.compile()[0])
    })
  )

  it.effect("refuses a statement that calculates with a value, or whose text depends on one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const standIns = [{ id: -1 }, { id: -2 }] as const
      const calculated = fixedText<{ readonly id: number }>(
        standIns,
        (sql, { id }) => sql`select ${id + 1}::int4`
      )
      assert.throws(() => calculated(sql, { id: 4 }), /calculated/u)
      const written = fixedText<{ readonly id: number }>(standIns, (sql, { id }) =>
        id === -1 ? sql`select ${id}::int4` : sql`select 1, ${id}::int4`
      )
      assert.throws(() => written(sql, { id: 4 }), /depends/u)
    })
  )
})
