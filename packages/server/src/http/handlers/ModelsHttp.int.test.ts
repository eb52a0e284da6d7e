// Models of custom data over HTTP on a real PostgreSQL (contract §9.2).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as ClientDataStorePostgres from "../../postgres/clients/ClientDataStorePostgres.ts"
import { finishErasure, expectFaults, RestFixtures, member } from "../../testing/RestFixtures.ts"
import { field, models, toClient, world } from "../../testing/CustomDataFixtures.ts"

layer(RestFixtures, { excludeTestServices: true, timeout: "120 seconds" })("models", (it) => {
  it.effect("models named like an association target stay usable and can be deleted", () =>
    Effect.gen(function* () {
      const { admin, instance } = yield* world
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into custom_models (instance_id, name, fields) values (${instance}, 'client', '[]')`
      yield* admin.make(models, {
        name: "cards",
        fields: [field("holder", "ASSOCIATION", { target: "client" })]
      })
      const root = `${models}/client`
      const fields = [field("a", "STRING")]
      assert.strictEqual((yield* admin.patch(root, { expectedVersion: 1, fields })).body.version, 2)
      const record = yield* admin.make("/custom-data/client/records", { values: { a: "x" } })
      assert.strictEqual((yield* admin.remove(`/custom-data/client/records/${record.id}`)).status, 204)
      // A reference to the client with the same id is no reference to this record.
      const holder = (yield* admin.make("/clients", { name: "Олена" })).id
      yield* admin.make("/custom-data/cards/records", { values: { holder } })
      yield* sql`insert into custom_records (instance_id, model_id, id, values) overriding system value
          select instance_id, id, ${holder}, '{}' from custom_models where instance_id = ${instance} and name = 'client'`
      assert.strictEqual((yield* admin.remove(`/custom-data/client/records/${holder}`)).status, 204)
      assert.strictEqual((yield* admin.remove(root)).status, 204)
    })
  )

  it.effect("models named like clients keep no reference to an erased client", () =>
    Effect.gen(function* () {
      const { admin, instance } = yield* world
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into custom_models (instance_id, name, fields) values (${instance}, 'client', '[]')`
      yield* admin.patch(`${models}/client`, { expectedVersion: 1, fields: [toClient("of")] })
      yield* admin.make(models, { name: "cards", fields: [toClient("holder")] })
      const [erased, holder] = [
        (yield* admin.make("/clients", { name: "Олена" })).id,
        (yield* admin.make("/clients", { name: "Ольга" })).id
      ]
      yield* sql`insert into custom_records (instance_id, model_id, id, values) overriding system value
        select instance_id, id, ${holder}, '{}' from custom_models where instance_id = ${instance} and name = 'client'`
      const own = yield* admin.patch(`/custom-data/client/records/${holder}`, {
        expectedVersion: 1,
        values: { of: erased }
      })
      assert.strictEqual(own.status, 200, own.text)
      const card = yield* admin.make("/custom-data/cards/records", { values: { holder } })
      assert.strictEqual((yield* admin.post(`/clients/${erased}/erase`)).status, 202)
      yield* finishErasure(instance, erased)
      assert.strictEqual((yield* admin.get(`/custom-data/client/records/${holder}`)).status, 404)
      const kept = yield* admin.get(`/custom-data/cards/records/${card.id}`)
      assert.deepInclude(kept.body, { values: { holder }, version: 1 })
    }).pipe(Effect.provide(ClientDataStorePostgres.layerOf(0)))
  )

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
      assert.strictEqual(made.status, 201)
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
      assert.strictEqual((yield* admin.post(models, { name: "cards" })).body.code, "UNIQUE_CONFLICT")
      assert.strictEqual(
        (yield* admin.post(models, { name: "copies", fields: shown.fields })).body.errors[0].path,
        "fields[0].target"
      )
      // The returned fields can be sent back.
      const wider = [...shown.fields, field("b", "INTEGER")]
      const changed = yield* admin.patch(
        `${models}/cards`,
        { fields: wider, label: "Картки" },
        { "if-match": '"1"' }
      )
      assert.strictEqual(changed.status, 200, changed.text)
      assert.strictEqual(changed.body.version, 2)
      const stale = yield* admin.patch(`${models}/cards`, { label: "x", expectedVersion: 1 })
      assert.deepStrictEqual([stale.status, stale.body.currentVersion], [409, 2])
      const retyped = [field("a", "TEXT")]
      const never = yield* admin.patch(`${models}/cards`, { fields: retyped, expectedVersion: 2 })
      assert.deepStrictEqual([never.status, never.body.code], [409, "STATE_NOT_ALLOWED"])
      const record = yield* admin.make("/custom-data/cards/records", { values: { a: "x" } })
      assert.strictEqual((yield* admin.remove(`${models}/cards`)).body.code, "STATE_NOT_ALLOWED")
      assert.strictEqual((yield* admin.remove(`/custom-data/cards/records/${record.id}`)).status, 204)
      assert.strictEqual((yield* admin.remove(`/custom-data/cards/records/${record.id}`)).status, 404)
      assert.strictEqual((yield* admin.remove(`${models}/cards`)).status, 204)
      assert.strictEqual((yield* admin.remove(`${models}/cards`)).status, 404)
      assert.strictEqual((yield* admin.get("/custom-data/cards/records")).status, 404)
    })
  )

  it.effect("all faults of a model's fields are reported together", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const cases: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{ name: "models" }, ["name"]],
        ...["client", "user", "subject", "appeal"].map((name) => [{ name }, ["name"]] as const),
        [{ name: "Cards" }, ["name"]],
        [{ name: "c", fields: [field("id", "STRING")] }, ["fields[0].name"]],
        [{ name: "c", fields: [field("a", "STRING"), field("a", "TEXT")] }, ["fields[1].name"]],
        [{ name: "c", fields: [field("a", "ASSOCIATION")] }, ["fields[0].target"]],
        [{ name: "c", fields: [field("a", "ASSOCIATION", { target: "nowhere" })] }, ["fields[0].target"]],
        [{ name: "c", fields: [field("a", "STRING", { target: "client" })] }, ["fields[0].target"]],
        [{ name: "c", fields: [field("a", "STRING", { rules: { min: 1 } })] }, ["fields[0].rules.min"]],
        [{ name: "c", fields: [field("a", "DATE", { rules: { min: 1 } })] }, ["fields[0].rules.min"]],
        [
          { name: "c", fields: [field("a", "INTEGER", { rules: { min: 2, max: 1 } })] },
          ["fields[0].rules.max"]
        ],
        [
          { name: "c", fields: [field("a", "FLOAT", { rules: { pattern: "a" } })] },
          ["fields[0].rules.pattern"]
        ],
        [
          { name: "c", fields: [field("a", "TEXT", { rules: { pattern: "(?=a)" } })] },
          ["fields[0].rules.pattern"]
        ],
        [
          { name: "c", fields: [field("a", "TEXT", { rules: { pattern: "(a{900})" } })] },
          ["fields[0].rules.pattern"]
        ],
        [{ name: "c", fields: [field("a", "BOOLEAN", { rules: { enum: [1] } })] }, ["fields[0].rules.enum"]],
        [{ name: "c", fields: [field("a", "STRING", { rules: { enum: [1] } })] }, ["fields[0].rules.enum[0]"]]
      ]
      for (const [body, paths] of cases) {
        const answer = yield* admin.post(models, body)
        expectFaults(answer, paths, answer.text)
      }
    })
  )
})
