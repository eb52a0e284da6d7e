// Models of custom data over HTTP on a real PostgreSQL (contract §9.2).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectFaults, expectStatus, member, RestFixtures } from "../../testing/RestFixtures.ts"
import { field, models, world } from "../../testing/CustomDataFixtures.ts"

layer(RestFixtures, { excludeTestServices: true, timeout: "120 seconds" })("models", (it) => {
  it.effect("models may have fields named like members of a record", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const fields = [field("model", "STRING"), field("values", "STRING")]
      yield* admin.make(models, { name: "routers", fields })
      const root = "/custom-data/routers/records"
      const record = yield* admin.make(root, { values: { model: "AX3", values: "many" } })
      yield* admin.make(root, { values: { model: null, values: null } })
      assert.strictEqual(record.model, "routers")
      const where = { and: [{ field: "model", op: "eq", value: "AX3" }] }
      for (const answer of [
        yield* admin.get(`${root}?filter[model]=AX3&order[values]=asc`),
        yield* admin.post(`${root}/search`, { where, order: [{ field: "values", direction: "desc" }] })
      ])
        assert.deepStrictEqual(answer.body.data, [record], answer.text)
    })
  )

  it.effect("models are created, read, listed, changed and deleted by name", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const made = yield* admin.post(models, { name: "cards", fields: [field("a", "STRING")] })
      expectStatus(made, 201)
      assert.strictEqual(made.headers.get("location"), "/kw/api/v1/custom-data/models/cards")
      assert.strictEqual(made.headers.get("etag"), '"1"')
      const shown = {
        name: "cards",
        label: null,
        fields: [{ name: "a", type: "STRING", required: false, unique: false, rules: {}, target: null }],
        version: 1
      }
      assert.deepStrictEqual(made.body, shown)
      assert.deepStrictEqual(yield* admin.read(`${models}/cards`), shown)
      yield* admin.make(models, { name: "boxes" })
      assert.deepStrictEqual((yield* admin.read(models)).data.map(member("name")), ["boxes", "cards"])
      assert.deepStrictEqual((yield* admin.read(`${models}?filter[name]=cards`)).data, [shown])
      expectStatus(yield* admin.post(models, { name: "cards" }), 409, "UNIQUE_CONFLICT")
      expectFaults(yield* admin.post(models, { name: "copies", fields: shown.fields }), ["fields[0].target"])
      // The returned fields can be sent back.
      const wider = { fields: [...shown.fields, field("b", "INTEGER")], label: "Картки" }
      const changed = yield* admin.patch(`${models}/cards`, wider, { "if-match": '"1"' })
      expectStatus(changed, 200)
      assert.strictEqual(changed.body.version, 2)
      const retyped = yield* admin.change(`${models}/cards`, { fields: [field("a", "TEXT")] })
      expectStatus(retyped, 409, "STATE_NOT_ALLOWED")
      const records = "/custom-data/cards/records"
      const record = `${records}/${yield* admin.makeId(records, { values: { a: "x" } })}`
      expectStatus(yield* admin.remove(`${models}/cards`), 409, "STATE_NOT_ALLOWED")
      for (const path of [record, `${models}/cards`]) expectStatus(yield* admin.remove(path), 204)
      expectStatus(yield* admin.get(records), 404)
    })
  )

  it.effect("all faults of a model's fields are reported together", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      for (const name of ["models", "client", "user", "subject", "appeal", "Cards"])
        expectFaults(yield* admin.post(models, { name }), ["name"], name)
      const twice = [field("a", "STRING"), field("a", "TEXT")]
      expectFaults(yield* admin.post(models, { name: "c", fields: twice }), ["fields[1].name"])
      for (const [fieldOf, path] of [
        [field("id", "STRING"), "name"],
        [field("a", "ASSOCIATION"), "target"],
        [field("a", "ASSOCIATION", { target: "nowhere" }), "target"],
        [field("a", "STRING", { target: "client" }), "target"],
        [field("a", "STRING", { rules: { min: 1 } }), "rules.min"],
        [field("a", "DATE", { rules: { min: 1 } }), "rules.min"],
        [field("a", "INTEGER", { rules: { min: 2, max: 1 } }), "rules.max"],
        [field("a", "FLOAT", { rules: { pattern: "a" } }), "rules.pattern"],
        [field("a", "TEXT", { rules: { pattern: "(?=a)" } }), "rules.pattern"],
        [field("a", "TEXT", { rules: { pattern: "(a{900})" } }), "rules.pattern"],
        [field("a", "BOOLEAN", { rules: { enum: [1] } }), "rules.enum"],
        [field("a", "STRING", { rules: { enum: [1] } }), "rules.enum[0]"]
      ] as const)
        expectFaults(yield* admin.post(models, { name: "c", fields: [fieldOf] }), [`fields[0].${path}`])
    })
  )
})
