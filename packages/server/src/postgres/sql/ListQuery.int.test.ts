// Any list as one statement, against a plain evaluation of the same rows in memory: contract §1.2.
import { assert, layer } from "@effect/vitest"
import {
  type Collection,
  operatorsOf,
  orderedFields,
  type Operator,
  type Value
} from "@rapport/contract/lists/Collection.ts"
import { PAGE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { Position } from "@rapport/core/lists/Cursors.ts"
import { foldedText } from "@rapport/core/lists/FoldedText.ts"
import {
  type ListFilter,
  type ListOrder,
  type ListRequest,
  type ListRows,
  recordsOf
} from "@rapport/core/lists/ListRequest.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { type Column, listRows, type TableList } from "./ListQuery.ts"

const words = ["low", "normal", "high"]
const collection: Collection = {
  name: "samples",
  fields: {
    id: { kind: "id" },
    n: { kind: "integer" },
    x: { kind: "number" },
    at: { kind: "time" },
    createdAt: { kind: "time" },
    d: { kind: "date" },
    t: { kind: "text" },
    u: { kind: "uuid" },
    b: { kind: "boolean" },
    e: { kind: { values: words } },
    ids: { kind: "ids" },
    ts: { kind: "texts" },
    es: { kind: { values: words, several: true } }
  },
  members: ["id", "n", "x", "at", "createdAt", "d", "t", "u", "b", "e", "ids", "ts", "es"],
  includes: [],
  searched: true
}
const columns: Readonly<Record<string, Column>> = Object.fromEntries(
  collection.members.map((name) => [
    name,
    {
      sql: name === "createdAt" ? "s.created_at" : `s.${name}`,
      ...(name === "at" || name === "createdAt" ? { time: true } : {}),
      ...(name === "id" || name === "createdAt" ? { required: true } : {})
    }
  ])
)

/** Times as epoch milliseconds. */
interface Sample {
  readonly id: number
  readonly n: number | null
  readonly x: number | null
  readonly at: number | null
  readonly createdAt: number
  readonly d: string | null
  readonly t: string | null
  readonly u: string | null
  readonly b: boolean | null
  readonly e: string | null
  readonly ids: ReadonlyArray<number>
  readonly ts: ReadonlyArray<string>
  readonly es: ReadonlyArray<string>
}
const base = Date.UTC(2026, 0, 1)
const texts = [
  "Ґанок",
  "ґанок",
  "100%_a",
  "a\\b",
  "o'neil",
  "O\u2019Neil",
  "\u0406\u0308жак",
  "Οδός",
  "Їжак",
  "abc",
  "ABC",
  "два слова",
  "%",
  "_"
]
const uuids = [1, 2, 3].map((i) => `01990000-0000-7000-8000-00000000000${i}`)
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
const day = fc.integer({ min: 1, max: 5 }).map((i) => `2026-01-0${i}`)
const moment = fc.integer({ min: 0, max: 4 }).map((i) => base + i * 1_001)
const sample: fc.Arbitrary<Omit<Sample, "id">> = fc.record({
  n: maybe(fc.integer({ min: 0, max: 3 })),
  x: maybe(fc.constantFrom(-1.5, 0, 0.25, 1e15)),
  at: maybe(moment),
  createdAt: moment,
  d: maybe(day),
  t: maybe(fc.constantFrom(...texts)),
  u: maybe(fc.constantFrom(...uuids)),
  b: maybe(fc.boolean()),
  e: maybe(fc.constantFrom(...words)),
  ids: fc.subarray([1, 2, 2 ** 40]),
  ts: fc.subarray(["один", "two"]),
  es: fc.subarray(words)
})

const valueOf: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  id: fc.constantFrom(1, 2, 30, 2 ** 53 - 1),
  n: fc.integer({ min: 0, max: 4 }),
  x: fc.constantFrom(-1.5, 0, 0.25, 1e15),
  at: moment,
  createdAt: moment,
  d: day,
  t: fc.constantFrom(...texts, "А", "a", "b", "ЇЖ", "ї", "ґ", "\\", "'", "\u02bcn", "ΔΌΣ"),
  u: fc.constantFrom(...uuids),
  b: fc.boolean(),
  e: fc.constantFrom(...words),
  ids: fc.constantFrom(1, 2, 3, 2 ** 40),
  ts: fc.constantFrom("один", "two", "three"),
  es: fc.constantFrom(...words)
}
const filter: fc.Arbitrary<ListFilter> = fc.constantFrom(...Object.keys(collection.fields)).chain((name) => {
  const field = collection.fields[name] ?? { kind: "id" }
  const value = valueOf[name] ?? fc.constant(1)
  return fc.constantFrom(...operatorsOf(field)).chain((operator): fc.Arbitrary<ListFilter> => {
    const values: fc.Arbitrary<Value | ReadonlyArray<Value>> =
      operator === "isNull"
        ? fc.boolean()
        : operator === "in" || operator === "nin"
          ? fc.array(value, { minLength: 1, maxLength: 3 })
          : value
    return values.map((chosen) => ({ field: name, operator, value: chosen }))
  })
})
const orders: fc.Arbitrary<ReadonlyArray<ListOrder>> = fc
  .uniqueArray(
    fc.record({
      field: fc.constantFrom(...orderedFields(collection).filter((name) => name !== "id" && name !== "t")),
      direction: fc.constantFrom("asc" as const, "desc" as const)
    }),
    { maxLength: 3, selector: ({ field }) => field }
  )
  .map((some) => [...some, { field: "id", direction: some.at(-1)?.direction ?? "desc" }])

const comparable = (v: unknown): number | string | boolean =>
  typeof v === "number" || typeof v === "string" || typeof v === "boolean" ? v : ""

/** The plain meaning of a filter. */
const passes = (row: Sample, { field, operator, value }: ListFilter): boolean => {
  const got = new Map<string, unknown>(Object.entries(row)).get(field)
  const wanted: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  const has = Array.isArray(got) ? wanted.some((w) => got.includes(w)) : wanted.includes(got)
  const is = (op: Operator): boolean => {
    const [a, b] = [comparable(got), comparable(value)]
    switch (op) {
      case "gt":
        return a > b
      case "gte":
        return a >= b
      case "lt":
        return a < b
      case "lte":
        return a <= b
      case "contains":
        return foldedText(String(a)).includes(foldedText(String(b)))
      default:
        return foldedText(String(a)).startsWith(foldedText(String(b)))
    }
  }
  switch (operator) {
    case "eq":
    case "in":
      return got !== null && has
    case "ne":
    case "nin":
      return got === null || !has
    case "isNull":
      return (got === null || (Array.isArray(got) && got.length === 0)) === value
    default:
      return got !== null && is(operator)
  }
}

const arranged = (rows: ReadonlyArray<Sample>, by: ReadonlyArray<ListOrder>): ReadonlyArray<number> => {
  const key = (row: Sample, field: string): number | string | boolean | null => {
    const got = new Map<string, unknown>(Object.entries(row)).get(field)
    return got === null ? null : field === "e" ? words.indexOf(String(got)) : comparable(got)
  }
  return rows
    .toSorted((a, b) => {
      for (const { direction, field } of by) {
        const [x, y] = [key(a, field), key(b, field)]
        if (x === y) continue
        if (x === null || y === null) return x === null ? 1 : -1
        return x < y === (direction === "asc") ? -1 : 1
      }
      return 0
    })
    .map(({ id }) => id)
}

const request = (more: Partial<ListRequest>): ListRequest => ({
  filters: [],
  orders: [{ field: "id", direction: "asc" }],
  limit: 100,
  offset: 0,
  after: null,
  fields: null,
  includes: [],
  search: null,
  purpose: "test",
  ...more
})
const idsOf = (page: ListRows): ReadonlyArray<unknown> => recordsOf(page).map((record) => record["id"])

const byText = (direction: "asc" | "desc"): ReadonlyArray<ListOrder> => [
  { field: "t", direction },
  { field: "id", direction }
]

const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table if exists samples`
  yield* sql`create table samples (id int8 primary key, n int4, x float8, at timestamptz(3), created_at timestamptz(3) not null,
    d date, t text, u uuid, b boolean, e text, ids int8[] not null, ts text[] not null,
    es text[] not null default '{}')`
  const insert = (rows: ReadonlyArray<Sample>) =>
    sql`insert into samples select * from json_populate_recordset(null::samples, ${JSON.stringify(
      rows.map(({ at, createdAt, es, ids, ts, ...row }) => ({
        ...row,
        at: at === null ? null : isoOf(at),
        created_at: isoOf(createdAt),
        ids: `{${ids.join(",")}}`,
        ts: `{${ts.map((t) => JSON.stringify(t)).join(",")}}`,
        es: `{${es.join(",")}}`
      }))
    )}::text::json)`
  const list: TableList = {
    collection,
    common: null,
    from: sql.literal("samples s"),
    listed: { name: "s", joined: "" },
    where: sql.literal("true"),
    columns,
    searched: ["s.t"],
    messageCount: "s.n"
  }
  return { sql, insert, list }
})

layer(PostgresFixtures.migrated)("listRows", (it) => {
  it.effect(
    "random filters and orders give what a plain evaluation of the same rows gives, page by page",
    () =>
      Effect.gen(function* () {
        const { insert, list, sql } = yield* table
        const [made] = fc.sample(fc.array(sample, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed: 7 })
        const rows = (made ?? []).map((row, i): Sample => ({ id: i + 1, ...row }))
        yield* insert(rows)
        const asked = fc.sample(
          fc.record({
            filters: fc.array(filter, { maxLength: 2 }),
            orders,
            limit: fc.integer({ min: 1, max: 25 })
          }),
          { numRuns: 400, seed: 11 }
        )
        for (const { filters, limit, orders: by } of asked) {
          const wanted = arranged(
            rows.filter((row) => filters.every((f) => passes(row, f))),
            by
          )
          const what = JSON.stringify({ filters, by, limit })
          const offset = Math.floor(wanted.length / 3)
          const page = yield* listRows(sql, list, request({ filters, orders: by, limit, offset }))
          assert.deepStrictEqual(idsOf(page), [...wanted].slice(offset, offset + limit), what)
          assert.strictEqual(page.more, wanted.length > offset + limit, what)
          assert.strictEqual(page.counted, wanted.length, what)
          const walked: Array<unknown> = []
          let after: Position | null = null
          for (let pages = 0; pages < 100; pages++) {
            const next: Effect.Success<ReturnType<typeof listRows>> = yield* listRows(
              sql,
              list,
              request({ filters, orders: by, limit, after })
            )
            walked.push(...idsOf(next))
            if (!next.more) break
            after = next.last
          }
          assert.deepStrictEqual(walked, [...wanted], what)
        }
      })
  )

  it.effect("text is ordered as people sort it, and equality minds the case", () =>
    Effect.gen(function* () {
      const { insert, list, sql } = yield* table
      const row = {
        n: null,
        x: null,
        at: null,
        createdAt: base,
        d: null,
        u: null,
        b: null,
        e: null,
        ids: [],
        ts: [],
        es: []
      }
      // The alphabets of the three languages in one list: г ґ д, е є ж, и і ї й; ё beside е, ы after ъ; accents beside Latin.
      const sorted = [
        [
          "гора",
          "Гуцул",
          "Ґудзик",
          "ґудзик 2",
          "дім",
          "ева",
          "Ева",
          "ёж",
          "ежик",
          "Ёлка",
          "Єва",
          "єнот",
          "жук",
          "Иван"
        ],
        ["игра", "Іван", "Ївга", "їжак", "йод", "щука", "ъ", "ыть", "ьо", "Эмма", "эхо", "юла", "яблуко"],
        ["abc", "ABD", "éclair", "Łukasz", "zebra", "Zoë"]
      ].flat()
      // In an order that has nothing to do with it; places follow the name, ids the row.
      const shuffled = sorted.toSorted((a, b) => (a < b ? 1 : -1))
      yield* insert(shuffled.map((t, i) => ({ ...row, t, id: i + 1 })))
      const walk = Effect.fnUntraced(function* (direction: "asc" | "desc") {
        const seen: Array<unknown> = []
        let after: Position | null = null
        for (let pages = 0; pages < 100; pages++) {
          const next: Effect.Success<ReturnType<typeof listRows>> = yield* listRows(
            sql,
            list,
            request({ orders: byText(direction), limit: 4, after })
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
        request({ filters: [{ field: "t", operator: "eq", value: "ґудзик" }] })
      )
      assert.deepStrictEqual(idsOf(same), [])
      const found = yield* listRows(sql, list, request({ search: "ҐУДЗИК 2" }))
      assert.deepStrictEqual(
        recordsOf(found).map((record) => record["t"]),
        ["ґудзик 2"]
      )
    })
  )

  it.effect("a keyset walk neither repeats nor hides a row while others are inserted", () =>
    Effect.gen(function* () {
      const { insert, list, sql } = yield* table
      const [made] = fc.sample(fc.array(sample, { minLength: 40, maxLength: 40 }), { numRuns: 1, seed: 3 })
      const first = (made ?? []).map((row, i): Sample => ({ id: i * 10, ...row }))
      yield* insert(first)
      for (const by of [
        [{ field: "createdAt", direction: "desc" as const }],
        [
          { field: "e", direction: "asc" as const },
          { field: "at", direction: "desc" as const }
        ]
      ]) {
        const all = [...by, { field: "id", direction: by.at(-1)?.direction ?? "desc" }]
        const seen: Array<unknown> = []
        let after: Position | null = null
        for (let pages = 0; pages < 100; pages++) {
          const next: Effect.Success<ReturnType<typeof listRows>> = yield* listRows(
            sql,
            list,
            request({ orders: all, limit: 3, after })
          )
          seen.push(...idsOf(next))
          if (!next.more) break
          after = next.last
          const [more] = fc.sample(sample, { numRuns: 1, seed: pages })
          const id = 10_000 * all.length + pages
          if (pages < 15 && more !== undefined) yield* insert([{ ...more, id }])
        }
        assert.strictEqual(new Set(seen).size, seen.length, "no row twice")
        assert.isTrue(
          first.every(({ id }) => seen.includes(id)),
          "no row missed"
        )
      }
    })
  )

  it.effect("fields keep id and hide no warning; totals are counted to 10,000 and one more", () =>
    Effect.gen(function* () {
      const { list, sql } = yield* table
      yield* sql`insert into samples (id, n, created_at, ids, ts)
        select i, case i when 1 then 1000 when 2 then 1001 when 3 then 5000 when 4 then 5001 end, now(), '{}', '{}'
        from generate_series(1, 10002) i`
      const page = yield* listRows(sql, list, request({ limit: 3, fields: ["t"] }))
      assert.deepStrictEqual(recordsOf(page)[0], { id: 1, t: null })
      assert.deepStrictEqual(page.warnings, [
        { code: "POSSIBLE_DELAY", appealId: 2, messageCount: 1001 },
        { code: "POSSIBLE_DELAY", appealId: 3, messageCount: 5000 }
      ])
      const last = yield* listRows(sql, list, request({ limit: 1, offset: 3 }))
      assert.deepStrictEqual(last.warnings, [
        { code: "SEARCH_COVERAGE_INCOMPLETE", appealId: 4, messageCount: 5001 }
      ])
      assert.strictEqual(page.counted, 10_001)
    })
  )

  it.effect(
    "a page ends before its body exceeds 1 MiB, has one record at least, and the walk meets every one once",
    () =>
      Effect.gen(function* () {
        const { list, sql } = yield* table
        const lengths = [2_000_000, 300_000, 300_000, 300_000, 700_000, 1, 1_200_000, 20]
        for (const [i, length] of lengths.entries())
          yield* sql`insert into samples (id, t, created_at, ids, ts)
          values (${i + 1}, repeat(${["a", "ї", '"'][i % 3]}::text, ${Math.floor(length / 2)}::int4), now(), '{}', '{}')`
        const met: Array<unknown> = []
        let after: ListRequest["after"] = null
        for (;;) {
          const page: ListRows = yield* listRows(sql, list, request({ after }))
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
