// Instances with custom data for tests of models and records.
import { assert } from "@effect/vitest"
import type { ModelField } from "@rapport/contract/records/Model.ts"
import { Effect } from "effect"
import * as fc from "fast-check"
import { newInstance, pathsOf } from "./RestFixtures.ts"

export const models = "/custom-data/models"

export const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const refused = Effect.fnUntraced(function* (path: string, values: object, paths: ReadonlyArray<string>) {
    const answer = yield* admin.post(path, { values })
    assert.strictEqual(answer.status, 400, `${JSON.stringify(values)} ${answer.text}`)
    assert.deepStrictEqual(pathsOf(answer).toSorted(), paths.toSorted())
  })
  return { rest, instance, admin, refused }
})

export const field = (name: string, type: ModelField["type"], more: object = {}) => ({ name, type, ...more })
/** An upsert of values, each as its text. */
export const upsertOf = (records: ReadonlyArray<string>, keyField = "code") =>
  `{"keyField":"${keyField}","records":[${records.map((one) => `{"values":${one}}`).join(",")}]}`
/** The values of the records in an answer, each as its text. */
export const valuesIn = (text: string) =>
  [...text.matchAll(/"values":(\{.*?\}),"version"/gsu)].map(([, one]) => String(one))
export const maybe = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: null, freq: 3 })
export const everyType = [
  field("code", "STRING", { required: true, unique: true }),
  field("note", "TEXT"),
  field("amount", "INTEGER"),
  field("rate", "FLOAT"),
  field("paid", "BOOLEAN"),
  field("due", "DATE"),
  field("seenAt", "DATETIME"),
  field("client", "ASSOCIATION", { target: "client" })
]
