import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Statement } from "effect/sql"
import { sharedText, TEXTS_MAX } from "./Query.ts"

const sql = Statement.make(Effect.die("nothing is asked here"), PgClient.makeCompiler(), [], undefined)

interface Values {
  readonly instanceId: number
  readonly name: string
  readonly limit: number | null
}

const made = () => {
  const built: Array<string> = []
  const statement = sharedText<{ readonly table: string }, Values>(sql, ({ table }, bound) => {
    built.push(table)
    return sql`select ${bound.name} from ${sql.literal(table)} where a = ${bound.instanceId} or b = ${bound.instanceId}${
      bound.limit === null ? sql.literal("") : sql` limit ${bound.limit}`
    }`
  })
  return { built, compiled: (...given: Parameters<typeof statement>) => statement(...given).compile() }
}

describe("a shared text", () => {
  it("has one place for each value, in the order of their first use", () => {
    const { compiled } = made()
    assert.deepStrictEqual(compiled({ table: "clients" }, { limit: 5, instanceId: 1, name: "Їжак" }), [
      "select $1 from clients where a = $2 or b = $2 limit $3",
      ["Їжак", 1, 5]
    ])
  })

  it("is built once for a kind and the values that are there, and bound to those of each request", () => {
    const { built, compiled } = made()
    const first = compiled({ table: "clients" }, { instanceId: 1, name: "Олена", limit: 5 })
    const second = compiled({ table: "clients" }, { instanceId: 2, name: "Ёлка", limit: 6 })
    assert.strictEqual(second[0], first[0])
    assert.deepStrictEqual(second[1], ["Ёлка", 2, 6])
    assert.deepStrictEqual(built, ["clients"])
    const unlimited = compiled({ table: "clients" }, { instanceId: 3, name: "Ann", limit: null })
    assert.deepStrictEqual(unlimited, ["select $1 from clients where a = $2 or b = $2", ["Ann", 3]])
    compiled({ table: "users" }, { instanceId: 1, name: "Ann", limit: 5 })
    assert.deepStrictEqual(built, ["clients", "clients", "users"])
  })

  it("is kept again after more kinds than are kept at once", () => {
    const { built, compiled } = made()
    const given = { instanceId: 1, name: "Олена", limit: null }
    for (let n = 0; n < TEXTS_MAX; n++) compiled({ table: `kind${n}` }, given)
    for (let n = 0; n < 3; n++) compiled({ table: "clients" }, given)
    assert.strictEqual(built.length, TEXTS_MAX + 1)
    compiled({ table: `kind${TEXTS_MAX - 1}` }, given)
    assert.strictEqual(built.length, TEXTS_MAX + 1)
    compiled({ table: "kind0" }, given)
    assert.strictEqual(built.at(-1), "kind0", "the oldest went, and no more are kept than before")
  })

  it("holds no value of a request", () => {
    const statement = sharedText<object, Values>(sql, (_, bound) => sql`select ${bound.name}, ${"Олена"}`)
    assert.throws(() => statement({}, { instanceId: 1, name: "Ann", limit: null }), /others share/u)
  })
})
