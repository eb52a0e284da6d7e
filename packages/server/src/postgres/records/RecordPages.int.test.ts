// Pages of records against a plain sort of all of them: every type, both directions, wide and narrow conditions, ties and missing
// values (contract §9.2).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"

const RECORDS = 1_400
const words = ["ґанок", "гора", "Яблуко", "яблуко", "ёлка", "ель", "order", "Order", "", "їжак", "zebra"]
const fields = [
  { name: "key", type: "STRING", unique: true },
  { name: "word", type: "STRING" },
  { name: "text", type: "TEXT" },
  { name: "whole", type: "INTEGER" },
  { name: "part", type: "FLOAT" },
  { name: "flag", type: "BOOLEAN" },
  { name: "day", type: "DATE" },
  { name: "moment", type: "DATETIME" }
]
const valuesOf = (n: number) => {
  const spread = (n * 7_919) % 1_009
  const word = words[spread % words.length] ?? ""
  return {
    key: `k${n}`,
    ...(spread % 7 === 0 ? {} : { word: word === "" ? "-" : word }),
    ...(spread % 5 === 0 ? {} : { text: `${"довгий текст ".repeat(20)}${word} ${spread % 40}` }),
    ...(spread % 11 === 0 ? {} : { whole: (spread % 60) - 30 }),
    part: spread / 8,
    flag: spread % 10 === 0,
    ...(spread % 3 === 0 ? {} : { day: `2026-0${1 + (spread % 9)}-1${spread % 10}` }),
    moment: new Date(Date.UTC(2026, 0, 1) + spread * 3_600_000).toISOString()
  }
}
/** How a plain sort orders and filters, in SQL, by the names of the fields. */
const columns: Readonly<Record<string, string>> = {
  word: `v->>'word' collate "uk-x-icu"`,
  text: `left(v->>'text', 255) collate "uk-x-icu"`,
  whole: `(v->>'whole')::int8`,
  part: `(v->>'part')::float8`,
  flag: `(v->>'flag')::boolean`,
  day: `(v->>'day')::date`,
  moment: `(v->>'moment')::timestamptz`
}
const conditions: ReadonlyArray<readonly [query: string, where: string]> = [
  ["", "true"],
  ["filter[flag]=false", `not ${columns["flag"]}`],
  ["filter[flag]=true&filter[part][gte]=20", `${columns["flag"]} and ${columns["part"]} >= 20`],
  ["filter[word][ne]=гора", `${columns["word"]} is distinct from 'гора'`],
  ["filter[whole][isNull]=true", `${columns["whole"]} is null`],
  ["filter[word][contains]=ЯБЛ", `strpos(lower(v->>'word'), 'ябл') > 0`]
]
const textConditions: typeof conditions = [
  ["filter[word][startsWith]=Ор", `starts_with(lower(v->>'word'), 'ор')`],
  ["filter[text][contains]=НОК 1", `strpos(lower(v->>'text'), 'нок 1') > 0`],
  ["filter[text][eq]=нема", "false"]
]
/** Orders by several fields: few share a value of the first, or very many; the second may be empty. */
const severalOrders: ReadonlyArray<ReadonlyArray<readonly [field: string, direction: string]>> = [
  [
    ["flag", "asc"],
    ["part", "desc"]
  ],
  [
    ["flag", "asc"],
    ["word", "asc"]
  ],
  [
    ["flag", "desc"],
    ["moment", "asc"]
  ],
  [
    ["word", "asc"],
    ["part", "desc"]
  ],
  [
    ["day", "desc"],
    ["whole", "asc"]
  ],
  [
    ["part", "asc"],
    ["createdAt", "desc"]
  ],
  [
    ["word", "desc"],
    ["flag", "asc"],
    ["text", "asc"]
  ]
]

const is = (field: string, op: string, value: unknown) => ({ field, op, value })

layer(RestFixtures, { timeout: "240 seconds" })("pages of records", (it) => {
  it.effect(
    "have the order and the total of a plain sort, page after page",
    () =>
      Effect.gen(function* () {
        const rest = yield* Rest
        const sql = yield* SqlClient.SqlClient
        const admin = yield* rest.user(yield* rest.instance, ["administrator"])
        const made = yield* rest.call(admin, "POST", "/custom-data/models", { name: "things", fields })
        assert.strictEqual(made.status, 201, made.text)
        for (let n = 0; n < RECORDS; n += 100) {
          const records = Array.from({ length: 100 }, (_, i) => ({ values: valuesOf(n + i) }))
          const put = yield* rest.call(admin, "POST", "/custom-data/things/records/upsert", {
            keyField: "key",
            records
          })
          assert.strictEqual(put.status, 200, put.text)
        }
        yield* sql`analyze custom_records, record_values`
        const shown = yield* sql<{
          readonly id: number
          readonly v: unknown
        }>`select r.id::float8 as id, r.created_at as at, (select jsonb_object_agg(f->>'name',
            r.values->(f->>'id')) from json_array_elements(m.fields) f where r.values ? (f->>'id')) as v
          from custom_records r join custom_models m on m.instance_id = r.instance_id and m.id = r.model_id
          where m.name = 'things' and r.instance_id = ${admin.instanceId}`
        const plain = (column: string, direction: string, where: string) =>
          sql<{ readonly id: number }>`select (row->>'id')::float8 as id
            from jsonb_array_elements(${JSON.stringify(shown)}::text::jsonb) row, lateral (select row->'v' as v) v
            where ${sql.literal(where)} order by ${sql.literal(`${column} ${direction} nulls last, (row->>'id')::int8 ${direction}`)}`
        for (const [field, column] of Object.entries(columns))
          for (const direction of ["asc", "desc"])
            for (const [query, where] of field === "part" ? [...conditions, ...textConditions] : conditions) {
              const wanted = (yield* plain(column, direction, where)).map(({ id }) => id)
              const path = `/custom-data/things/records?order[${field}]=${direction}&${query}`
              const first = yield* rest.call(admin, "GET", `${path}&limit=40`.replace("&&", "&"))
              assert.strictEqual(first.status, 200, first.text)
              const idsOf = (answer: typeof first) => {
                assert.strictEqual(answer.status, 200, `${path} ${answer.text}`)
                return answer.body.data.map((one: { id: number }) => one.id)
              }
              assert.deepStrictEqual(idsOf(first), wanted.slice(0, 40), path)
              assert.strictEqual(first.body.total, wanted.length, path)
              if (!first.body.hasMore) continue
              const next = yield* rest.call(
                admin,
                "GET",
                `${path}&limit=60&cursor=${first.body.nextCursor}`.replace("&&", "&")
              )
              assert.deepStrictEqual(idsOf(next), wanted.slice(40, 100), path)
              const far = yield* rest.call(admin, "GET", `${path}&limit=50&offset=300`.replace("&&", "&"))
              assert.deepStrictEqual(idsOf(far), wanted.slice(300, 350), path)
            }
        const orderOf = (orders: (typeof severalOrders)[number]) =>
          orders
            .map(
              ([field, direction]) =>
                `${columns[field] ?? "(row->>'at')::timestamptz"} ${direction} nulls last`
            )
            .join(", ")
        for (const orders of severalOrders)
          for (const [query, where] of conditions.slice(0, 2)) {
            const last = orders.at(-1)?.[1]
            const wanted = (yield* sql<{ readonly id: number }>`select (row->>'id')::float8 as id
              from jsonb_array_elements(${JSON.stringify(shown)}::text::jsonb) row, lateral (select row->'v' as v) v
              where ${sql.literal(where)} order by ${sql.literal(`${orderOf(orders)}, (row->>'id')::int8 ${last}`)}`).map(
              ({ id }) => id
            )
            const asked = orders.map(([field, direction]) => `order[${field}]=${direction}`).join("&")
            const path = `/custom-data/things/records?${asked}${query === "" ? "" : `&${query}`}&limit=60`
            const found: Array<number> = []
            let next = ""
            // Past the end of the 140 whose flag is true, and of those that very many share.
            for (let pages = 0; pages < 3; pages++) {
              const page = yield* rest.call(admin, "GET", `${path}${next}`)
              assert.strictEqual(page.status, 200, page.text)
              found.push(...page.body.data.map((one: { id: number }) => one.id))
              if (!page.body.hasMore) break
              next = `&cursor=${page.body.nextCursor}`
            }
            assert.deepStrictEqual(found, wanted.slice(0, found.length), path)
            assert.strictEqual(found.length, Math.min(180, wanted.length), path)
          }
        // Texts longer than an index holds in one row, and searches of two letters.
        const long = `${"слово ".repeat(400)}Їжачок у кінці`
        const put = yield* rest.call(admin, "POST", "/custom-data/things/records", {
          values: { key: "long", text: long }
        })
        assert.strictEqual(put.status, 201, put.text)
        for (const [value, total] of [
          ["їЖАЧОК У", 1],
          ["ЇЖ", 0],
          ["нема такого", 0]
        ] as const) {
          const answer = yield* rest.call(admin, "POST", "/custom-data/things/records/search", {
            where: { or: [is("text", "contains", value), is("key", "eq", "нема")] }
          })
          const others = yield* plain("1", "asc", `strpos(lower(v->>'text'), lower('${value}')) > 0`)
          assert.strictEqual(
            answer.body.total,
            others.length + (total === 0 && value !== "ЇЖ" ? 0 : 1),
            value
          )
        }
        const search = (where: object) =>
          Effect.map(
            rest.call(admin, "POST", "/custom-data/things/records/search", { where, limit: 100 }),
            ({ body }) => body.total as number
          )
        const count = (where: string) => Effect.map(plain("1", "asc", where), (rows) => rows.length)
        assert.strictEqual(yield* search({ or: [is("key", "eq", "k1"), is("key", "in", ["k2", "k3"])] }), 3)
        assert.strictEqual(
          yield* search({ or: [is("key", "eq", "k1"), is("word", "startsWith", "ґ")] }),
          yield* count(`v->>'key' = 'k1' or starts_with(v->>'word', 'ґ')`)
        )
        assert.strictEqual(
          yield* search({
            and: [{ or: [is("whole", "lt", -20), is("whole", "gt", 20)] }, is("flag", "eq", true)]
          }),
          yield* count(`(${columns["whole"]} < -20 or ${columns["whole"]} > 20) and ${columns["flag"]}`)
        )
        // Wide conditions that few records meet together, that none does, and that come late in the order.
        const late = "2026-02-01T00:00:00.000Z"
        for (const [where, plainly] of [
          [
            { and: [is("flag", "eq", false), is("part", "gte", 60)] },
            `not ${columns["flag"]} and ${columns["part"]} >= 60`
          ],
          [
            { and: [is("part", "lt", 60), is("part", "gte", 60)] },
            `${columns["part"]} < 60 and ${columns["part"]} >= 60`
          ],
          [
            {
              and: [is("word", "contains", "о"), { or: [is("whole", "gt", 0), is("word", "isNull", false)] }]
            },
            `strpos(lower(v->>'word'), 'о') > 0 and (coalesce(${columns["whole"]} > 0, false) or v->>'word' is not null)`
          ],
          [{ and: [is("moment", "gte", late)] }, `${columns["moment"]} >= '${late}'`],
          [
            { and: [is("whole", "ne", 7), is("text", "contains", "ДОВГ")] },
            `${columns["whole"]} is distinct from 7 and strpos(lower(v->>'text'), 'довг') > 0`
          ]
        ] as const)
          for (const [field, direction] of [
            ["moment", "asc"],
            ["part", "desc"],
            ["createdAt", "asc"],
            ["createdAt", "desc"]
          ] as const) {
            const column = columns[field] ?? "(row->>'at')::timestamptz"
            const wanted = (yield* plain(column, direction, plainly)).map(({ id }) => id)
            const order = [{ field, direction }]
            const what = `${JSON.stringify(where)} ${field} ${direction}`
            const first = yield* rest.call(admin, "POST", "/custom-data/things/records/search", {
              where,
              order,
              limit: 30
            })
            assert.strictEqual(first.status, 200, first.text)
            const ids = (answer: typeof first) => answer.body.data.map((one: { id: number }) => one.id)
            assert.deepStrictEqual(ids(first), wanted.slice(0, 30), what)
            assert.strictEqual(first.body.total, wanted.length, what)
            if (!first.body.hasMore) continue
            const cursor = first.body.nextCursor
            const next = yield* rest.call(admin, "POST", "/custom-data/things/records/search", {
              where,
              order,
              limit: 30,
              cursor
            })
            assert.deepStrictEqual(ids(next), wanted.slice(30, 60), what)
          }
        // Far on by an offset, to the end and past it.
        const everyId = (direction: string) =>
          sql<{ readonly id: number }>`select id::float8 as id from custom_records
            where instance_id = ${admin.instanceId}
            order by ${sql.literal(`created_at ${direction}, id ${direction}`)}`
        for (const offset of [700, RECORDS - 3, 5_000])
          for (const direction of ["asc", "desc"]) {
            const wanted = (yield* everyId(direction)).map(({ id }) => id)
            const path = `/custom-data/things/records?order[createdAt]=${direction}&limit=5&offset=${offset}`
            const far = yield* rest.call(admin, "GET", path)
            assert.strictEqual(far.status, 200, far.text)
            assert.deepStrictEqual(
              far.body.data.map((one: { id: number }) => one.id),
              wanted.slice(offset, offset + 5),
              path
            )
            assert.strictEqual(far.body.hasMore, wanted.length > offset + 5, path)
          }
      }),
    240_000
  )
})
