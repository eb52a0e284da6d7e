// Searches of more records than a list counts, against a plain read of the table: words of any length, empty values, conditions that
// few and most records meet, and orders that go against them (contract §9.2).
import { assert, layer } from "@effect/vitest"
import { LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"

const RECORDS = LIST_TOTAL_MAX + 1_000
const LATE_FROM = RECORDS - 700
/** Records of a search that are compared: two pages. */
const SHOWN = 80
const fields = [
  { name: "text", type: "TEXT" },
  { name: "name", type: "STRING" },
  { name: "rank", type: "INTEGER" },
  { name: "flag", type: "BOOLEAN" },
  { name: "late", type: "BOOLEAN" },
  { name: "kept", type: "INTEGER" },
  { name: "note", type: "STRING" },
  { name: "few", type: "INTEGER" }
]
type Name = "text" | "name" | "rank" | "flag" | "late" | "kept" | "note" | "few"

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
  few: "case when n % 150 = 3 then n % 11 end",
  note: `case when n % 30 = 0 then (array['Щось','ґрунт','їжа','ёж','Note'])[1 + n % 7 % 5] || n % 4 end`
}

const is = (field: Name, op: string, value: unknown) => ({ field, op, value })

const filled = Effect.gen(function* () {
  const rest = yield* Rest
  const sql = yield* SqlClient.SqlClient
  const admin = yield* rest.user(yield* rest.instance, ["administrator"])
  const made = yield* rest.call(admin, "POST", "/custom-data/models", { name: "crowd", fields })
  assert.strictEqual(made.status, 201, made.text)
  const [model] = yield* sql<{
    readonly id: string
    readonly fields: ReadonlyArray<{ readonly id: number; readonly name: Name }>
  }>`select id::text as id, fields from custom_models where instance_id = ${admin.instanceId} and name = 'crowd'`
  const stored = model?.fields ?? []
  const values = stored.map(({ id, name }) => `'${id}', ${valueTexts[name]}`).join(", ")
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local statement_timeout = 0`
      yield* sql`insert into custom_records (instance_id, model_id, values)
        select ${admin.instanceId}, ${model?.id ?? "0"}::text::int8, jsonb_strip_nulls(jsonb_build_object(${sql.literal(values)}))
        from generate_series(1, ${RECORDS}::int4) n order by n`
      yield* sql`create table expected_rows as select record.id, ${sql.literal(
        stored.map(({ id, name }) => `record.values->>'${id}' as ${name}`).join(", ")
      )} from custom_records record`
    })
  )
  yield* sql`analyze custom_records, record_values`
  /** How many records meet a condition, and the first of them, as a plain read of their values by name gives them. */
  const plain = (where: string, order: string) =>
    Effect.map(
      sql<{
        readonly id: number
        readonly total: number
      }>`select shown.id::float8 as id, count(*) over ()::int4 as total
        from expected_rows shown where ${sql.literal(where)} order by ${sql.literal(order)} limit ${SHOWN}`,
      (rows) => ({ ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 })
    )
  /** Total and up to two pages of a search, as one list of ids. */
  const searchRecords = Effect.fnUntraced(function* (where: object, orders: ReadonlyArray<string>) {
    const ids: Array<number> = []
    let cursor: string | undefined
    let total = -1
    for (let page = 0; page < 2; page++) {
      const order = orders.map((one) => {
        const [field, direction = "asc"] = one.split(" ")
        return { field, direction }
      })
      const search = { where, order, limit: SHOWN / 2, ...(cursor === undefined ? {} : { cursor }) }
      const { body, status, text } = yield* rest.call(
        admin,
        "POST",
        "/custom-data/crowd/records/search",
        search
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
    const { ids, total } = yield* searchRecords(where, orders)
    assert.strictEqual(total, Math.min(wanted.total, LIST_TOTAL_MAX), what)
    assert.deepStrictEqual(ids, wanted.ids, what)
  })
  return { check }
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
  "& !",
  "5%",
  "%",
  "(",
  "нець 1",
  "межа",
  "ЗАМОВ",
  "voice",
  "нема такого",
  "ъ"
]
const quote = (word: string) => `'${word.replaceAll("'", "''")}'`
const contains = (field: Name, word: string) =>
  `coalesce(strpos(lower(${field}), lower(${quote(word)})) > 0, false)`

const uk = `collate "uk-x-icu"`

layer(RestFixtures, { timeout: "120 seconds" })("searches of many records", (it) => {
  it.effect(
    "searches of many records find and order them as a plain read of the table does",
    () =>
      Effect.gen(function* () {
        const { check } = yield* filled
        for (const word of words) {
          yield* check({ and: [is("text", "contains", word)] }, contains("text", word))
          yield* check(
            { or: [is("name", "contains", word), is("rank", "eq", 5)] },
            `${contains("name", word)} or rank = '5'`
          )
        }
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
        // Few and most records meet these; of the last more than a list counts.
        for (const [where, plainly] of [
          [{ and: [is("flag", "eq", true), is("rank", "gt", 900)] }, "flag = 'true' and rank::int8 > 900"],
          [
            { or: [is("late", "eq", true), is("text", "contains", "ЁЛ")] },
            `late = 'true' or ${contains("text", "ёл")}`
          ],
          [{ and: [is("rank", "gt", 300)] }, "rank::int8 > 300"],
          [{ and: [is("kept", "isNull", false), is("rank", "ne", 7)] }, "kept is not null and rank <> '7'"],
          [{ and: [is("late", "isNull", false)] }, "true"]
        ] as const) {
          yield* check(where, plainly, ["createdAt"], "id")
          for (const direction of ["asc", "desc"]) {
            yield* check(where, plainly, [`rank ${direction}`], `rank::int8 ${direction}, id ${direction}`)
            yield* check(where, plainly, [`name ${direction}`], `name ${uk} ${direction}, id ${direction}`)
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
            // Fewer have a value than two pages show.
            yield* check(
              where,
              plainly,
              [`few ${direction}`, "note desc"],
              `few::int8 ${direction} nulls last, note ${uk} desc nulls last, id desc`
            )
          }
        }
      }),
    90_000
  )
})
