// Words of any length, empty values and orders that go against each other, of more records than are read one by one, against a
// plain read of the table; and their indexes, built while they are asked (docs/contract.md §9.2).
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"
import { ColumnBytesMax } from "./columns/ModelColumns.ts"
import { buildRecordIndexes } from "./RecordIndexes.ts"
import { allValuesText } from "./ValueIndex.ts"

const RECORDS = 3_200
const LATE_FROM = 2_500
const fields = [
  { name: "text", type: "TEXT" },
  { name: "name", type: "STRING" },
  { name: "rank", type: "INTEGER" },
  { name: "flag", type: "BOOLEAN" },
  { name: "late", type: "BOOLEAN" },
  { name: "kept", type: "INTEGER" },
  { name: "note", type: "STRING" }
]
type Name = "text" | "name" | "rank" | "flag" | "late" | "kept" | "note"

/** The values of the n-th record, in SQL. One in 40 has a text of several thousand characters; seven have no `kept`. */
const valueTexts: Readonly<Record<Name, string>> = {
  text: `case when n % 40 = 5 then repeat('довгий рядок ', 120) || 'кінець ' || n % 3
    when n % 40 = 6 then repeat('рядок ', 110) || 'межа'
    when n % 97 = 1 then E'ціна ''а\\\\б'' | & ! : * ( 5%' when n % 211 = 1 then 'щ' when n % 307 = 1 then 'Їж'
    else concat_ws(' ', case when n % 5 <> 1 then 'Замовлення' end, case when n % 2 = 0 then 'invoice' end,
      case when n % 3 = 0 then 'ёлка' end, 'num' || n % 500) end`,
  name: `(array['рахунок','Їжак','ґанок','parcel','п''єса'])[1 + n % 5]`,
  rank: "n",
  flag: "n % 2 = 0",
  late: `n > ${LATE_FROM}`,
  kept: "case when n % 500 <> 499 or n % 3 = 0 then n % 7 end",
  note: `case when n % 30 = 0 then (array['Щось','ґрунт','їжа','ёж','Note'])[1 + n % 7 % 5] || n % 4 end`
}

const is = (field: Name, op: string, value: unknown) => ({ field, op, value })

const filled = Effect.gen(function* () {
  const rest = yield* Rest
  const sql = yield* SqlClient.SqlClient
  const admin = yield* rest.user(yield* rest.instance, ["administrator"])
  const made = yield* rest.call(admin, "POST", "/custom-data/models", { name: "crowd", fields })
  assert.strictEqual(made.status, 201, made.text)
  const values = fields
    .map(
      ({
        name
      }) => `(select field->>'id' from json_array_elements(model.fields) field where field->>'name' = '${name}'),
      ${valueTexts[name as Name]}`
    )
    .join(", ")
  yield* sql`insert into custom_records (instance_id, model_id, values)
    select model.instance_id, model.id, jsonb_strip_nulls(jsonb_build_object(${sql.literal(values)}))
    from custom_models model, generate_series(1, ${RECORDS}::int4) n where model.instance_id = ${admin.instanceId}
      and model.name = 'crowd' order by n`
  yield* sql`analyze custom_records`
  // The values are planned as an empty table, which they are not for long.
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local enable_nestloop = off`
      yield* sql`set local statement_timeout = 0`
      yield* sql`${sql.literal(allValuesText)}`
    })
  )
  yield* sql`analyze custom_values`
  yield* sql`create table crowd as select record.id, ${sql.literal(
    fields
      .map(
        ({ name }) => `record.values->>(select field->>'id' from json_array_elements(model.fields) field
          where field->>'name' = '${name}') as ${name}`
      )
      .join(", ")
  )} from custom_records record join custom_models model on model.instance_id = record.instance_id
      and model.id = record.model_id`
  /** Ids of the records that meet a condition, as a plain read of their values by name gives them. */
  const plain = (where: string, order: string) =>
    Effect.map(
      sql<{ readonly id: number }>`select shown.id::float8 as id from crowd shown
        where ${sql.literal(where)} order by ${sql.literal(order)}`,
      (rows) => rows.map(({ id }) => id)
    )
  /** Total and up to three pages of a search, as one list of ids. */
  const searched = Effect.fnUntraced(function* (where: object, orders: ReadonlyArray<string>) {
    const ids: Array<number> = []
    let cursor: string | undefined
    let total = -1
    for (let page = 0; page < 3; page++) {
      const order = orders.map((one) => {
        const [field, direction = "asc"] = one.split(" ")
        return { field, direction }
      })
      const asked = { where, order, limit: 40, ...(cursor === undefined ? {} : { cursor }) }
      const { body, status, text } = yield* rest.call(
        admin,
        "POST",
        "/custom-data/crowd/records/search",
        asked
      )
      assert.strictEqual(status, 200, text)
      total = body.total
      ids.push(...body.data.map((one: { id: number }) => one.id))
      if (!body.hasMore) break
      cursor = body.nextCursor
    }
    return { ids, total }
  })
  /** Compares a search with a plain read of the table: its total, and its first pages. */
  const check = Effect.fnUntraced(function* (
    where: object,
    plainly: string,
    orders = ["rank"],
    order = "rank::int8, id"
  ) {
    const wanted = yield* plain(plainly, order)
    const what = `${JSON.stringify(where)} ${orders.join()}`
    const { ids, total } = yield* searched(where, orders)
    assert.strictEqual(total, wanted.length, what)
    assert.deepStrictEqual(ids, wanted.slice(0, 120), what)
  })
  return { sql, check }
})

const words: ReadonlyArray<string> = [
  "щ",
  "Ї",
  "їж",
  "о",
  "7",
  "77",
  "ёл",
  "'",
  "\\",
  "'а\\б'",
  "|",
  "& !",
  ": *",
  "5%",
  "%",
  "(",
  "кі",
  "нець 1",
  "межа",
  "довгий",
  "ЗАМОВ",
  "voice",
  "нема такого",
  "нема",
  "num499",
  "ъ",
  "m1"
]
const quoted = (word: string) => `'${word.replaceAll("'", "''")}'`
const contains = (field: Name, word: string) =>
  `coalesce(strpos(lower(${field}), lower(${quoted(word)})) > 0, false)`

// By indexes alone: what columns find is compared in columns/ModelColumns.int.test.ts.
const indexesAlone = Layer.provide(RestFixtures, Layer.succeed(ColumnBytesMax, 0))

layer(indexesAlone, { timeout: "120 seconds" })("many records", (it) => {
  it.effect(
    "are found and ordered as a plain read of the table finds them, with and without their indexes",
    () =>
      Effect.gen(function* () {
        const { check, sql } = yield* filled
        const checkWords = Effect.gen(function* () {
          for (const word of words) {
            yield* check({ and: [is("text", "contains", word)] }, contains("text", word))
            yield* check(
              { or: [is("name", "contains", word), is("rank", "eq", 5)] },
              `${contains("name", word)} or rank = '5'`
            )
          }
        })
        yield* checkWords
        const [zam, inv, yol] = ["замов", "invoice", "ёл"]
        const all = `${contains("text", zam)} and ${contains("text", inv)} and ${contains("text", yol)}`
        const texts = [is("text", "contains", zam), is("text", "contains", inv), is("text", "contains", yol)]
        yield* check({ and: texts }, all)
        yield* check({ and: [...texts, is("flag", "eq", true)] }, `${all} and flag = 'true'`)
        yield* check(
          { and: [is("text", "contains", zam), is("name", "contains", "ж"), is("late", "eq", false)] },
          `${contains("text", zam)} and ${contains("name", "ж")} and late = 'false'`
        )
        yield* check(
          { and: [is("text", "contains", "75"), is("flag", "eq", false), is("rank", "gt", 100)] },
          `${contains("text", "75")} and flag = 'false' and rank::int8 > 100`
        )
        yield* check(
          {
            or: [{ and: [is("text", "contains", zam), is("flag", "eq", true)] }, is("text", "contains", "щ")]
          },
          `(${contains("text", zam)} and flag = 'true') or ${contains("text", "щ")}`
        )
        yield* check({ and: [is("kept", "isNull", true)] }, "kept is null")
        yield* check(
          { and: [is("kept", "isNull", true), is("flag", "eq", true)] },
          "kept is null and flag = 'true'"
        )
        yield* check({ or: [is("name", "isNull", true), is("kept", "isNull", true)] }, "kept is null")
        yield* check({ and: [is("rank", "isNull", true)] }, "false")
        // What passes comes last in the order of the page, of one field and of two.
        for (const [where, plainly] of [
          [{ and: [is("late", "eq", true)] }, "late = 'true'"],
          [{ and: [is("late", "eq", true), is("flag", "eq", true)] }, "late = 'true' and flag = 'true'"],
          [{ and: [is("flag", "eq", true)] }, "flag = 'true'"],
          [
            { and: [is("late", "eq", true), is("text", "contains", inv)] },
            `late = 'true' and ${contains("text", inv)}`
          ]
        ] as const) {
          yield* check(where, plainly, ["rank"], "rank::int8, id")
          yield* check(where, plainly, ["rank desc"], "rank::int8 desc, id desc")
          yield* check(where, plainly, ["late", "rank desc"], "late::boolean, rank::int8 desc, id desc")
          yield* check(where, plainly, ["late desc", "rank"], "late::boolean desc, rank::int8, id")
          yield* check(where, plainly, ["flag", "kept"], "flag::boolean, kept::int8 nulls last, id")
        }
        const indexes = Effect.map(
          sql<{ readonly name: string }>`select indexrelid::regclass::text as name from pg_index
            where indrelid = 'custom_values'::regclass and indisvalid order by 1`,
          (rows) => rows.map(({ name }) => name)
        )
        const built = yield* indexes
        yield* sql`drop index custom_values_letters, custom_values_numbers`
        yield* checkWords
        // As a database has them whose program ended in the middle of a build.
        yield* sql`update pg_index set indisvalid = false where indexrelid = 'custom_values_short_texts'::regclass`
        yield* sql`create index custom_values_grams on custom_values using gin (custom_grams(field_id, low)) where low is not null`
        yield* buildRecordIndexes
        assert.deepStrictEqual(yield* indexes, built)
        assert.include(built, "custom_values_letters")
        yield* checkWords
      }),
    90_000
  )
})

/** Searches, and how long apart, until columns of the model are read. */
const UNTIL_READ = 40
const uk = `collate "uk-x-icu"`

layer(RestFixtures, { timeout: "120 seconds", excludeTestServices: true })("what columns know", (it) => {
  it.effect(
    "is found in the order of a text as a plain read of the table finds it",
    () =>
      Effect.gen(function* () {
        const { check } = yield* filled
        const flag = is("flag", "eq", true)
        for (let n = 0; n < UNTIL_READ; n++)
          yield* Effect.andThen(check({ and: [flag] }, "flag = 'true'"), Effect.sleep("25 millis"))
        for (const [where, plainly] of [
          [{ and: [flag] }, "flag = 'true'"],
          [{ and: [is("rank", "lt", 1_500)] }, "rank::int8 < 1500"],
          [{ and: [flag, is("rank", "gt", 900)] }, "flag = 'true' and rank::int8 > 900"],
          [
            { or: [is("late", "eq", true), is("text", "contains", "ЁЛ")] },
            `late = 'true' or ${contains("text", "ёл")}`
          ]
        ] as const)
          for (const direction of ["asc", "desc"]) {
            yield* check(where, plainly, [`name ${direction}`], `name ${uk} ${direction}, id ${direction}`)
            // Fewer have a value than three pages show.
            yield* check(
              where,
              plainly,
              [`note ${direction}`],
              `note ${uk} ${direction} nulls last, id ${direction}`
            )
            yield* check(
              where,
              plainly,
              [`name ${direction}`, "rank"],
              `name ${uk} ${direction}, rank::int8, id`
            )
          }
      }),
    90_000
  )
})
