// Records have narrow rows of exactly their values, however they were changed.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Rest, RestFixtures } from "../../testing/RestFixtures.ts"
import { allValuesText } from "./ValueIndex.ts"

const models = "/custom-data/models"
const records = "/custom-data/cards/records"
const fields = [
  { name: "code", type: "STRING", required: true, unique: true },
  { name: "note", type: "TEXT" },
  { name: "amount", type: "INTEGER", unique: true },
  { name: "paid", type: "BOOLEAN" },
  { name: "seenAt", type: "DATETIME" },
  { name: "gone", type: "STRING" }
]

layer(RestFixtures, { excludeTestServices: true })("narrow rows", (it) => {
  it.effect("are those of the values, after changes, emptied values and a field that went", () =>
    Effect.gen(function* () {
      const rest = yield* Rest
      const sql = yield* SqlClient.SqlClient
      const instance = yield* rest.instance
      const admin = yield* rest.user(instance, ["administrator"])
      const call = Effect.fnUntraced(function* (method: string, path: string, body: object) {
        const answer = yield* rest.call(admin, method, path, body)
        assert.isBelow(answer.status, 300, answer.text)
        return answer.body
      })
      const upsert = Effect.fnUntraced(function* (...given: ReadonlyArray<object>) {
        const asked = { keyField: "code", records: given.map((values) => ({ values })) }
        const { records: answered } = yield* call("POST", `${records}/upsert`, asked)
        for (const record of answered)
          assert.deepStrictEqual((yield* rest.call(admin, "GET", `${records}/${record.id}`)).body, record)
        return answered
      })
      const rows = sql`select record_id, field_id, txt, low, num, uniq from custom_values
        where instance_id = ${instance} order by record_id, field_id`
      /** Those that are there, and those that would be written if there were none. */
      const both = sql.withTransaction(
        Effect.gen(function* () {
          const kept = yield* rows
          yield* sql`delete from custom_values where instance_id = ${instance}`
          yield* sql`${sql.literal(allValuesText)}`
          return [kept, yield* rows]
        })
      )
      yield* call("POST", models, { name: "cards", fields })
      const full = { note: "Їжак", amount: 1, paid: true, seenAt: "2026-01-01T00:00:00Z", gone: "x" }
      const [first] = yield* upsert({ code: "А", ...full }, { code: "Б" }, { code: "В", note: "нема" })
      yield* upsert({ code: "Б", ...full, amount: 2 }, { code: "А", note: "ІНШЕ", paid: null, amount: 1 })
      yield* upsert({ code: "А", amount: null }, { code: "Г", amount: 1 }, { code: "В", note: "нема" })
      yield* call("PATCH", `${models}/cards`, { fields: fields.slice(0, -1), expectedVersion: 1 })
      yield* upsert({ code: "Б", paid: false })
      yield* call("PATCH", `${records}/${first.id}`, {
        values: { code: "Ґ", note: null },
        expectedVersion: 3
      })
      const [kept, meant] = yield* both
      assert.deepStrictEqual(kept, meant)
    })
  )
})
