// `record_values` holds exactly the values of the records, and texts are compared whatever their Unicode form
// (contract §1.2, §9.2).
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"
import { rowsOf } from "../sql/Query.ts"

const records = "/custom-data/cards/records"
const fields = [
  { name: "code", type: "STRING", required: true, unique: true },
  { name: "note", type: "TEXT" },
  { name: "amount", type: "INTEGER", unique: true },
  { name: "paid", type: "BOOLEAN" },
  { name: "day", type: "DATE" },
  { name: "seenAt", type: "DATETIME" },
  { name: "gone", type: "STRING" }
]
const different = rowsOf(Schema.Struct({ row: Schema.Json }))

const prepared = Effect.gen(function* () {
  const rest = yield* Rest
  const admin = yield* rest.user(yield* rest.instance, ["administrator"])
  const call = Effect.fnUntraced(function* (status: number, method: string, path: string, body: object) {
    const answer = yield* rest.call(admin, method, path, body)
    assert.strictEqual(answer.status, status, answer.text)
    return answer.body
  })
  const findCodes = Effect.fnUntraced(function* (field: string, op: string, value: unknown) {
    const where = { and: [{ field, op, value }] }
    const { data } = yield* call(200, "POST", `${records}/search`, {
      where,
      order: [{ field: "code", direction: "asc" }]
    })
    return data.map((one: { values: { code: string } }) => one.values.code)
  })
  yield* call(201, "POST", "/custom-data/models", { name: "cards", fields })
  return { call, findCodes, instanceId: admin.instanceId }
})

layer(RestFixtures, { excludeTestServices: true, timeout: "60 seconds" })("values of records", (it) => {
  it.effect("values of records are indexed after changes, emptied values and removed fields", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call, instanceId } = yield* prepared
      const upsert = (...given: ReadonlyArray<object>) =>
        call(200, "POST", `${records}/upsert`, {
          keyField: "code",
          records: given.map((values) => ({ values }))
        })
      const full = {
        note: "Їжак",
        amount: 1,
        paid: true,
        day: "2026-02-03",
        seenAt: "2026-01-01T00:00:00Z",
        gone: "x"
      }
      const {
        records: [first]
      } = yield* upsert({ code: "А", ...full }, { code: "Б" }, { code: "В", note: "нема" })
      yield* upsert(
        { code: "Б", ...full, amount: 2, day: "2026-02-04" },
        { code: "А", note: "ІНШЕ", paid: null, amount: 1 }
      )
      yield* upsert({ code: "А", amount: null }, { code: "Г", amount: 1 }, { code: "В", note: "нема" })
      const kept = fields
        .filter(({ name }) => name !== "gone")
        .map((one) => ({ ...one, unique: one.unique ?? one.name === "day" }))
      yield* call(200, "PATCH", "/custom-data/models/cards", { fields: kept, expectedVersion: 1 })
      yield* upsert({ code: "Б", paid: false })
      yield* call(200, "PATCH", `${records}/${first.id}`, {
        values: { code: "Ґ", note: null },
        expectedVersion: 3
      })
      yield* call(409, "POST", records, { values: { code: "Д", day: "2026-02-03" } })
      const {
        records: [last]
      } = yield* upsert({ code: "Е", amount: 7 })
      yield* call(204, "DELETE", `${records}/${last.id}`, {})
      const stored = sql.literal(
        "instance_id, model_id, record_id, field_id, text, folded, number, unique_key"
      )
      const meant = sql`select record.instance_id, record.model_id, record.id as record_id, typed.*
        from custom_records record join custom_models model on model.instance_id = record.instance_id
          and model.id = record.model_id, record_value_rows(record.values, model.fields) typed
        where record.instance_id = ${instanceId}`
      const indexed = sql`select ${stored} from record_values where instance_id = ${instanceId} and field_id in
        (select (field->>'id')::int8 from custom_models, json_array_elements(fields) field)`
      for (const [one, other] of [
        [meant, indexed],
        [indexed, meant]
      ] as const)
        assert.deepStrictEqual(
          yield* different.all(
            sql`select row_to_json(difference) as row from (${one} except ${other}) difference`
          ),
          []
        )
      assert.strictEqual((yield* indexed).length, 13)
    })
  )

  it.effect("values of records are compared ignoring case, Unicode form and apostrophes", () =>
    Effect.gen(function* () {
      const { call, findCodes } = yield* prepared
      const make = (status: number, values: object) => call(status, "POST", records, { values })
      yield* make(201, { code: "Ї\u0301", note: "П\u2019ЯТЬ \u0407жаків, ΟΔΟΣ 100%_\\" })
      const note = "Cafe\u0301 O'Neil"
      assert.deepInclude((yield* make(201, { code: "2", note })).values, { note })
      for (const [op, value, codes] of [
        ["contains", "п'ять \u0456\u0308жак", ["Ї\u0301"]],
        ["startsWith", "п\u02bcять", ["Ї\u0301"]],
        ["contains", "οδος", ["Ї\u0301"]],
        ["contains", "δοσ", ["Ї\u0301"]],
        ["contains", "100%_\\", ["Ї\u0301"]],
        ["contains", "1%", []],
        ["contains", "_", ["Ї\u0301"]],
        ["startsWith", "%", []],
        ["contains", "CAF\u00c9", ["2"]],
        ["contains", "o\u2019n", ["2"]],
        ["eq", "Caf\u00e9 O'Neil", ["2"]],
        ["in", ["Caf\u00e9 O'Neil"], ["2"]],
        ["eq", "caf\u00e9 O'Neil", []],
        ["ne", "Caf\u00e9 O'Neil", ["Ї\u0301"]]
      ] as const)
        assert.deepStrictEqual(yield* findCodes("note", op, value), codes, `${op} ${String(value)}`)
      yield* make(409, { code: "\u0406\u0308\u0301" })
      const upserted = yield* call(200, "POST", `${records}/upsert`, {
        keyField: "code",
        records: [{ values: { code: "\u0406\u0308\u0301", paid: true } }]
      })
      assert.deepStrictEqual([upserted.created, upserted.updated], [0, 1])
    })
  )

  it.effect("values of records are compared completely when their first 255 characters are equal", () =>
    Effect.gen(function* () {
      const { call, findCodes } = yield* prepared
      const long = "ї".repeat(300)
      for (const [code, note] of [
        ["1", `${long}а`],
        ["2", `${long}б`],
        ["3", "ї".repeat(255)]
      ])
        yield* call(201, "POST", records, { values: { code, note } })
      assert.deepStrictEqual(yield* findCodes("note", "eq", `${long}б`), ["2"])
      assert.deepStrictEqual(yield* findCodes("note", "nin", [`${long}б`, "ї".repeat(255)]), ["1"])
      assert.deepStrictEqual(yield* findCodes("note", "eq", "ї".repeat(255)), ["3"])
    })
  )
})
