// Lists as one statement: the order of texts, warnings, totals and the size of a page (contract §1.2).
import { assert, layer } from "@effect/vitest"
import { type Collection } from "@rapport/contract/lists/Collection.ts"
import { PAGE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import type { Position } from "@rapport/core/lists/Cursors.ts"
import {
  type ListOrder,
  type ListRequest,
  type ListRows,
  recordsOf
} from "@rapport/core/lists/ListRequest.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { listRequest } from "../../testing/ListRequests.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import type { Column } from "./Columns.ts"
import { listRows, type TableList } from "./ListQuery.ts"

const collection: Collection = {
  name: "samples",
  fields: { id: "id", t: "text", createdAt: "time" },
  members: ["id", "n", "t", "createdAt"],
  includes: [],
  searched: true
}
const columns: Readonly<Record<string, Column>> = {
  id: { sql: "s.id", required: true },
  n: { sql: "s.n" },
  t: { sql: "s.t" },
  createdAt: { sql: "s.created_at", time: true, required: true }
}
const idsOf = (page: ListRows): ReadonlyArray<unknown> => recordsOf(page).map((record) => record["id"])

const byText = (direction: "asc" | "desc"): ReadonlyArray<ListOrder> => [
  { field: "t", direction },
  { field: "id", direction }
]

const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table if exists samples`
  yield* sql`create table samples (id int8 primary key, n int4, t text, created_at timestamptz(3) not null default now())`
  const list: TableList = {
    collection,
    common: null,
    from: sql.literal("samples s"),
    listed: { name: "s", joined: "" },
    where: sql.literal("true"),
    columns,
    searched: "array[s.t]",
    messageCount: "s.n"
  }
  return { sql, list }
})

layer(PostgresFixtures.migrated)("listRows", (it) => {
  it.effect("lists order text as people sort it, and equality respects case", () =>
    Effect.gen(function* () {
      const { list, sql } = yield* table
      // The alphabets of the three languages in one list: г ґ д, е є ж, и і ї й; ё next to е, ы after ъ; accented letters next to Latin ones.
      const sorted =
        `гора,Гуцул,Ґудзик,ґудзик 2,дім,ева,Ева,ёж,ежик,Ёлка,Єва,єнот,жук,Иван,игра,Іван,Ївга,їжак,йод,щука,ъ,ыть,ьо,
        Эмма,эхо,юла,яблуко,abc,ABD,éclair,Łukasz,zebra,Zoë`
          .split(",")
          .map((name) => name.trim())
      // In an order that has nothing to do with it; places follow the name, ids the row.
      const shuffled = sorted.toSorted((a, b) => (a < b ? 1 : -1))
      yield* sql`insert into samples (id, t) select place, name
        from unnest(${shuffled}::text[]) with ordinality as given (name, place)`
      const walk = Effect.fnUntraced(function* (direction: "asc" | "desc") {
        const seen: Array<unknown> = []
        let after: Position | null = null
        for (let pages = 0; pages < 100; pages++) {
          const next: Effect.Success<ReturnType<typeof listRows>> = yield* listRows(
            sql,
            list,
            listRequest({ orders: byText(direction), limit: 4, after })
          )
          seen.push(...recordsOf(next).map((record) => record["t"]))
          if (!next.more) break
          after = next.last
        }
        return seen
      })
      assert.deepStrictEqual(yield* walk("asc"), sorted)
      assert.deepStrictEqual(yield* walk("desc"), sorted.toReversed())
      const same = yield* listRows(
        sql,
        list,
        listRequest({ filters: [{ field: "t", operator: "eq", value: "ґудзик" }] })
      )
      assert.deepStrictEqual(idsOf(same), [])
      const found = yield* listRows(sql, list, listRequest({ search: "ҐУДЗИК 2" }))
      assert.deepStrictEqual(
        recordsOf(found).map((record) => record["t"]),
        ["ґудзик 2"]
      )
    })
  )

  it.effect("lists keep id and warnings when fields are chosen, and count to 10,000 and one", () =>
    Effect.gen(function* () {
      const { list, sql } = yield* table
      yield* sql`insert into samples (id, n)
        select i, case i when 1 then 1000 when 2 then 1001 when 3 then 5000 when 4 then 5001 end
        from generate_series(1, 10002) i`
      const page = yield* listRows(sql, list, listRequest({ limit: 3, fields: ["t"] }))
      assert.deepStrictEqual(recordsOf(page)[0], { id: 1, t: null })
      assert.deepStrictEqual(page.warnings, [
        { code: "POSSIBLE_DELAY", appealId: 2, messageCount: 1001 },
        { code: "POSSIBLE_DELAY", appealId: 3, messageCount: 5000 }
      ])
      const last = yield* listRows(sql, list, listRequest({ limit: 1, offset: 3 }))
      assert.deepStrictEqual(last.warnings, [
        { code: "SEARCH_COVERAGE_INCOMPLETE", appealId: 4, messageCount: 5001 }
      ])
      assert.strictEqual(page.counted, 10_001)
    })
  )

  it.effect("a list page ends before 1 MiB with at least one record, and pages cover all records", () =>
    Effect.gen(function* () {
      const { list, sql } = yield* table
      const lengths = [2_000_000, 300_000, 300_000, 300_000, 700_000, 1, 1_200_000, 20]
      for (const [i, length] of lengths.entries())
        yield* sql`insert into samples (id, t)
          values (${i + 1}, repeat(${["a", "ї", '"'][i % 3]}::text, ${Math.floor(length / 2)}::int4))`
      const met: Array<unknown> = []
      let after: ListRequest["after"] = null
      for (;;) {
        const page: ListRows = yield* listRows(sql, list, listRequest({ after }))
        assert.isNotEmpty(page.records)
        const body = new TextEncoder().encode(page.records)
        if (recordsOf(page).length > 1) assert.isAtMost(body.byteLength, PAGE_BYTES_MAX - 8_192)
        met.push(...idsOf(page))
        if (!page.more) break
        after = page.last
      }
      assert.deepStrictEqual(
        met,
        lengths.map((_, i) => i + 1)
      )
    })
  )
})
