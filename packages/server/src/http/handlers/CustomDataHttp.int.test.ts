// Models and records of custom data over HTTP on a real PostgreSQL: rules, uniqueness with concurrent writers, upserts, files,
// and lists and searches against a model (contract §9, §9.2).
import { assert, layer } from "@effect/vitest"
import { operatorsOf } from "@rapport/contract/lists/Collection.ts"
import { recordsOf } from "@rapport/contract/records/CustomRecord.ts"
import type { ModelField } from "@rapport/contract/records/Model.ts"
import { sentBackJson } from "@rapport/core/json/SentBackJson.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import * as ClientDataStorePostgres from "../../postgres/clients/ClientDataStorePostgres.ts"
import { arbitraryQuery, expectedRows, queryOf, type Row } from "../../testing/ListModel.ts"
import {
  finishErasure,
  expectFaults,
  newInstance,
  pathsOf,
  RestFixtures,
  type Answer,
  member
} from "../../testing/RestFixtures.ts"

const models = "/custom-data/models"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const refused = Effect.fnUntraced(function* (path: string, values: object, paths: ReadonlyArray<string>) {
    const answer = yield* admin.post(path, { values })
    assert.strictEqual(answer.status, 400, `${JSON.stringify(values)} ${answer.text}`)
    assert.deepStrictEqual(pathsOf(answer).toSorted(), paths.toSorted())
  })
  return { rest, instance, admin, refused }
})

const field = (name: string, type: ModelField["type"], more: object = {}) => ({ name, type, ...more })
const toClient = (name: string) => field(name, "ASSOCIATION", { target: "client" })
/** An upsert of values, each as its text. */
const upsertOf = (records: ReadonlyArray<string>, keyField = "code") =>
  `{"keyField":"${keyField}","records":[${records.map((one) => `{"values":${one}}`).join(",")}]}`
/** The values of the records in an answer, each as its text. */
const valuesIn = (text: string) =>
  [...text.matchAll(/"values":(\{.*?\}),"version"/gsu)].map(([, one]) => String(one))
const maybe = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: null, freq: 3 })
const everyType = [
  field("code", "STRING", { required: true, unique: true }),
  field("note", "TEXT"),
  field("amount", "INTEGER"),
  field("rate", "FLOAT"),
  field("paid", "BOOLEAN"),
  field("due", "DATE"),
  field("seenAt", "DATETIME"),
  field("client", "ASSOCIATION", { target: "client" })
]

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

layer(RestFixtures, { excludeTestServices: true, timeout: "240 seconds" })("records", (it) => {
  it.effect("records store every field, enforce types and rules, and report all violations together", () =>
    Effect.gen(function* () {
      const { admin, refused } = yield* world
      yield* admin.make(models, {
        name: "things",
        fields: [
          field("code", "STRING", {
            required: true,
            rules: { pattern: "^[A-ZА-ЯҐЄІЇ]+$", minLength: 2, maxLength: 4 }
          }),
          field("amount", "INTEGER", { rules: { min: -5, max: 5 } }),
          field("rate", "FLOAT", { rules: { enum: [0.5, 1] } }),
          field("due", "DATE", { rules: { min: "2026-01-01", max: "2026-12-31" } }),
          field("at", "DATETIME", { rules: { min: "2026-01-01T00:00:00+02:00" } }),
          field("kind", "STRING", { rules: { enum: ["а", "b"] } }),
          field("ok", "BOOLEAN")
        ]
      })
      const records = "/custom-data/things/records"
      const made = yield* admin.make(records, {
        values: { code: "ҐЄІ", amount: -5, rate: 0.5, at: "2026-03-01T10:00:00+02:00", ok: false }
      })
      assert.deepStrictEqual(made.values, {
        code: "ҐЄІ",
        amount: -5,
        rate: 0.5,
        due: null,
        at: "2026-03-01T08:00:00.000Z",
        kind: null,
        ok: false
      })
      assert.deepStrictEqual(Object.keys(made), [
        "id",
        "model",
        "values",
        "version",
        "createdAt",
        "updatedAt"
      ])
      assert.strictEqual(made.model, "things")
      yield* refused(records, {}, ["values.code"])
      yield* refused(
        records,
        {
          code: "abcde",
          amount: 6,
          rate: 2,
          due: "2025-12-31",
          at: "2025-12-31T21:59:59Z",
          kind: "c",
          ok: 1,
          x: 1
        },
        ["code", "amount", "rate", "due", "at", "kind", "ok", "x"].map((name) => `values.${name}`)
      )
      yield* refused(records, { code: "A" }, ["values.code"])
      yield* refused(records, { code: "AB", due: "2026-02-30" }, ["values.due"])
      yield* refused(records, { code: "AB", amount: 1.5 }, ["values.amount"])
      const path = `${records}/${made.id}`
      const emptied = yield* admin.patch(path, { values: { rate: null }, expectedVersion: 1 })
      assert.deepStrictEqual(
        [emptied.body.values.rate, emptied.body.values.code, emptied.body.version],
        [null, "ҐЄІ", 2]
      )
      assert.strictEqual(
        (yield* admin.patch(path, { values: { ok: true }, expectedVersion: 1 })).body.currentVersion,
        2
      )
      assert.strictEqual(
        (yield* admin.patch(path, { values: { code: null }, expectedVersion: 2 })).status,
        400
      )
      assert.strictEqual(
        (yield* admin.patch(path, { values: { ok: true } }, { "if-match": '"2"' })).body.version,
        3
      )
    })
  )

  it.effect("records can be sent back as they were returned, whatever their values", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const client = (yield* admin.make("/clients", { name: "Олена" })).id
      const edges = [2 ** 53, -(2 ** 53), 1e16, -123_456_789_012_345_680_000, 1e21, 1.5e300, 1e-7, 5e-324]
      const rates = fc.oneof(fc.constantFrom(...edges), fc.double({ noNaN: true, noDefaultInfinity: true }))
      const times = fc.date({
        noInvalidDate: true,
        min: new Date("0001-01-01"),
        max: new Date("9999-12-31")
      })
      const values = fc.record({
        note: maybe(fc.string({ unit: "grapheme", maxLength: 40 })),
        amount: maybe(fc.maxSafeInteger()),
        rate: maybe(rates),
        paid: maybe(fc.boolean()),
        due: maybe(times.map((time) => time.toISOString().slice(0, 10))),
        seenAt: maybe(times.map((time) => time.toISOString())),
        client: maybe(fc.constant(client))
      })

      yield* admin.make(models, { name: "returned", fields: everyType })
      const records = "/custom-data/returned/records"
      const samples = fc
        .sample(values, { numRuns: 100, seed: 3 })
        .map((sample, i) => ({ code: `c${i}`, ...sample }))
      const given = samples.map((sample, i) => ({
        ...sample,
        rate: i < edges.length ? edges[i] : sample.rate
      }))
      const made = yield* admin.post(`${records}/upsert`, upsertOf(given.map(sentBackJson)))
      assert.deepInclude(made.body, { created: 100, updated: 0 }, made.text)
      const { id } = made.body.records[2]
      const one = yield* admin.get(`${records}/${id}`)
      assert.deepInclude(one.body.values, given[2])
      const patched = yield* admin.patch(
        `${records}/${id}`,
        `{"expectedVersion":1,"values":${valuesIn(one.text)[0]}}`
      )
      assert.deepInclude(patched.body, { version: 1, values: one.body.values }, patched.text)
      for (const { text } of [
        made,
        one,
        patched,
        yield* admin.get(`${records}?limit=100`),
        yield* admin.post(`${records}/search`, { limit: 100 }),
        yield* admin.get(`${records}/export?format=ndjson`)
      ]) {
        const again = yield* admin.post(`${records}/upsert`, upsertOf(valuesIn(text)))
        assert.strictEqual(again.status, 200, again.text)
        for (const { values, version } of again.body.records) {
          const before = given.find(({ code }) => code === values.code)
          assert.deepStrictEqual({ ...values, rate: values.rate }, { ...before, rate: before?.rate ?? null })
          assert.strictEqual(version, 1)
        }
      }

      // Numbers of rules and keys can be sent back too.
      const fields = [
        field("rate", "FLOAT", { required: true, unique: true, rules: { max: 1e300, min: -1e20 } })
      ]
      const model = yield* admin.post("/custom-data/models", sentBackJson({ name: "keyed", fields }))
      assert.strictEqual(model.status, 201, model.text)
      for (const { text } of [model, yield* admin.get(`${models}/keyed`)]) {
        const sentBack = text.replace(/"name":"keyed",/u, "").replace(`,"version":1`, `,"expectedVersion":1`)
        const again = yield* admin.patch(`${models}/keyed`, sentBack)
        assert.deepInclude(again.body, { version: 1 }, again.text)
      }
      const listed = (yield* admin.get(`${models}?filter[name]=keyed`)).text
      assert.include(listed, '"min":-1e+20')
      const keys = upsertOf(
        edges.filter((edge) => edge > -1e20 && edge <= 1e300).map((rate) => sentBackJson({ rate })),
        "rate"
      )
      assert.strictEqual((yield* admin.post("/custom-data/keyed/records/upsert", keys)).status, 200)
      const repeated = yield* admin.post("/custom-data/keyed/records/upsert", keys)
      assert.deepInclude(repeated.body, { created: 0 }, repeated.text)
    })
  )

  it.effect("records store texts up to their length in characters", () =>
    Effect.gen(function* () {
      const { admin, refused } = yield* world
      yield* admin.make(models, { name: "texts", fields: [field("short", "STRING"), field("long", "TEXT")] })
      const records = "/custom-data/texts/records"
      const fitting = { short: "😀".repeat(255), long: "їж".repeat(5_000) }
      assert.deepStrictEqual((yield* admin.make(records, { values: fitting })).values, fitting)
      yield* refused(records, { short: "ё".repeat(256), long: "x".repeat(10_001) }, [
        "values.short",
        "values.long"
      ])
    })
  )

  it.effect("records reference only visible records, and a referenced record cannot be deleted", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* world
      const foreigner = yield* rest.user(yield* rest.instance, ["administrator"])
      const operator = yield* rest.user(instance, ["operator"])
      const client = (yield* admin.make("/clients", { name: "Олена" })).id
      const alien = (yield* foreigner.make("/clients", { name: "Чужа" })).id
      const busy = (yield* admin.make("/OpChatRooms", {
        clientId: client,
        channel: "web",
        operatorId: admin.id
      })).id
      yield* admin.make(models, {
        name: "links",
        fields: [
          field("client", "ASSOCIATION", { target: "client" }),
          field("user", "ASSOCIATION", { target: "user" }),
          field("appeal", "ASSOCIATION", { target: "appeal" }),
          field("parent", "ASSOCIATION", { target: "links" })
        ]
      })
      const records = "/custom-data/links/records"
      const bad = yield* admin.post(records, {
        values: { client: alien, user: foreigner.id, appeal: 9e15, parent: 1 }
      })
      assert.deepStrictEqual(
        pathsOf(bad).toSorted(),
        ["appeal", "client", "parent", "user"].map((name) => `values.${name}`)
      )
      const hidden = yield* operator.post(records, { values: { appeal: busy } })
      assert.deepStrictEqual(pathsOf(hidden), ["values.appeal"])
      const first = yield* admin.make(records, { values: { client, user: admin.id, appeal: busy } })
      const second = yield* admin.make(records, { values: { parent: first.id } })
      const named = yield* admin.remove(`${records}/${first.id}`)
      assert.deepStrictEqual([named.status, named.body.code], [409, "STATE_NOT_ALLOWED"])
      assert.strictEqual((yield* admin.remove(`${records}/${second.id}`)).status, 204)
      assert.strictEqual((yield* admin.remove(`${records}/${first.id}`)).status, 204)
    })
  )

  it.effect("records keep unique values apart, also with concurrent writers, ignoring case and null", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      yield* admin.make(models, {
        name: "codes",
        fields: [field("code", "STRING", { unique: true }), field("n", "INTEGER")]
      })
      const records = "/custom-data/codes/records"
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => admin.post(records, { values: { code: "Код" } })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [
        201,
        ...Array.from({ length: 49 }, () => 409)
      ])
      for (const { body, status } of answers)
        if (status === 409)
          assert.deepStrictEqual([body.code, body.detail], ["UNIQUE_CONFLICT", "values.code is in use"])
      yield* admin.make(records, { values: { code: "код" } })
      yield* admin.make(records, { values: { n: 1 } })
      const other = yield* admin.make(records, { values: { n: 1 } })
      assert.strictEqual((yield* admin.read(records)).total, 4)
      const taken = yield* admin.patch(`${records}/${other.id}`, {
        values: { code: "Код" },
        expectedVersion: 1
      })
      assert.strictEqual(taken.body.code, "UNIQUE_CONFLICT")
      const fields = [field("code", "STRING", { unique: true }), field("n", "INTEGER", { unique: true })]
      const twice = yield* admin.patch(`${models}/codes`, { fields, expectedVersion: 1 })
      assert.strictEqual(twice.body.code, "UNIQUE_CONFLICT")
      yield* admin.patch(`${records}/${other.id}`, { values: { n: 2 }, expectedVersion: 1 })
      assert.strictEqual((yield* admin.patch(`${models}/codes`, { fields, expectedVersion: 1 })).status, 200)
      assert.strictEqual((yield* admin.post(records, { values: { n: 2 } })).body.code, "UNIQUE_CONFLICT")
    })
  )

  it.effect("an upsert by a unique field writes all records or none", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      yield* admin.make(models, {
        name: "stock",
        fields: [...everyType.slice(0, 3), field("mark", "STRING", { unique: true })]
      })
      const upsert = "/custom-data/stock/records/upsert"
      const send = (records: ReadonlyArray<object>, keyField = "code") =>
        admin.post(upsert, { keyField, records: records.map((values) => ({ values })) })
      const first = yield* send([{ code: "a", amount: 1 }, { code: "b" }])
      assert.deepStrictEqual([first.status, first.body.created, first.body.updated], [200, 2, 0], first.text)
      const second = yield* send([{ code: "c" }, { code: "a", note: "x" }])
      assert.deepStrictEqual([second.body.created, second.body.updated], [1, 1])
      assert.deepStrictEqual(second.body.records.map(member("values")), [
        { code: "c", note: null, amount: null, mark: null },
        { code: "a", note: "x", amount: 1, mark: null }
      ])
      const faults = yield* send([
        { code: "d", amount: "1" },
        { code: "d" },
        { note: "x" },
        { code: "e", no: 1 }
      ])
      assert.deepStrictEqual(pathsOf(faults).toSorted(), [
        "records[0].values.amount",
        "records[1].values.code",
        "records[2].values.code",
        "records[3].values.no"
      ])
      assert.deepStrictEqual(pathsOf(yield* send([{ code: "d" }], "amount")), ["keyField"])
      assert.strictEqual(
        (yield* send([
          { code: "f", mark: "m" },
          { code: "g", mark: "m" }
        ])).body.code,
        "UNIQUE_CONFLICT"
      )
      assert.strictEqual((yield* admin.read("/custom-data/stock/records")).total, 3)
      assert.strictEqual(
        (yield* send(Array.from({ length: 101 }, (_, i) => ({ code: `x${i}` })))).status,
        400
      )
      const racing = yield* Effect.all(
        Array.from({ length: 20 }, () => send([{ code: "r1" }, { code: "r2" }])),
        { concurrency: "unbounded" }
      )
      assert.isTrue(racing.every(({ status }) => status === 200))
      assert.isTrue(racing.every(({ body }) => body.records.every(({ version }: Row) => version === 1)))
      const apart = yield* Effect.all(
        Array.from({ length: 8 }, (_, i) =>
          send(Array.from({ length: 20 }, (__, j) => ({ code: `s${(j * 7 + i) % 20}`, amount: i })))
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(apart.map(({ status }) => status))], [200])
      assert.strictEqual(apart.flatMap(({ body }) => Array(body.created).fill(1)).length, 20)
      assert.strictEqual(
        (yield* admin.read("/custom-data/stock/records?filter[code][startsWith]=r")).total,
        2
      )
    })
  )

  it.effect("filters, orders, cursors, searches and exports of records match a plain evaluation", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const client = (yield* admin.make("/clients", { name: "Олена" })).id
      yield* admin.make(models, { name: "rows", fields: everyType })
      const records = "/custom-data/rows/records"
      const texts = fc.constantFrom(
        "Гарантія",
        "ґанок",
        "сайт",
        "=1+1",
        "-x",
        'a "b", c',
        "Їжак",
        "+380",
        "@me",
        "ёж"
      )
      const values = fc.record({
        note: maybe(texts),
        amount: maybe(fc.integer({ min: -3, max: 3 })),
        rate: maybe(fc.constantFrom(-1.5, 0, 0.25, 2)),
        paid: maybe(fc.boolean()),
        due: maybe(fc.constantFrom("2026-01-31", "2026-02-28", "2025-12-01")),
        seenAt: maybe(fc.constantFrom("2026-01-31T00:00:00.000Z", "2026-01-30T23:59:59.999Z")),
        client: maybe(fc.constant(client))
      })
      const samples = fc.sample(values, { numRuns: 60, seed: 7 })
      yield* admin.post(`${records}/upsert`, {
        keyField: "code",
        records: samples.map((sample, i) => ({ values: { code: `c${i}`, ...sample } }))
      })
      const { data } = yield* admin.read(`${records}?limit=100`)
      assert.lengthOf(data, 60)
      const flat: ReadonlyArray<Row> = data.map(({ values: shown, ...record }: Row) => ({
        ...record,
        ...(shown as object)
      }))
      const fields = (yield* admin.read(`${models}/rows`)).fields
      const collection = recordsOf(1, fields)
      const queries = fc.sample(arbitraryQuery(collection, flat), { numRuns: 60, seed: 11 })
      for (const one of queries) {
        const wanted = expectedRows(flat, one, collection).map(({ id }) => id)
        const query = queryOf(one, collection)
        const page = yield* admin.get(`${records}?${query}`)
        assert.strictEqual(page.status, 200, page.text)
        const what = decodeURIComponent(query.toString())
        assert.deepStrictEqual(page.body.data.map(member("id")), wanted, what)
        assert.strictEqual(page.body.total, wanted.length, what)
        // The same pages by cursor.
        const walked: Array<unknown> = []
        query.set("limit", "7")
        for (let cursor: string | null = ""; cursor !== null;) {
          if (cursor !== "") query.set("cursor", cursor)
          const next: Answer = yield* admin.get(`${records}?${query}`)
          assert.strictEqual(next.status, 200, next.text)
          walked.push(...next.body.data.map(member("id")))
          cursor = next.body.nextCursor
        }
        assert.deepStrictEqual(walked, wanted, `${what} by cursor`)
        // The file has the same records in the same order.
        for (const name of ["limit", "cursor"]) query.delete(name)
        const file = yield* admin.get(`${records}/export?format=csv&${query}`, {
          accept: "text/csv"
        })
        assert.strictEqual(file.status, 200, file.text)
        assert.deepStrictEqual(
          file.text
            .split("\r\n")
            .slice(1, -1)
            .map((line) => Number(line.split(",")[0])),
          wanted
        )
        // A nested search with the same conditions.
        const members = one.filters.map(({ name, operator, values: some }) => {
          const { kind } = collection.fields[name] ?? { kind: "text" }
          const sent = some.map((value) =>
            kind === "time" && operator !== "isNull" ? new Date(Number(value)).toISOString() : value
          )
          return {
            field: name,
            op: operator,
            value: operator === "in" || operator === "nin" ? sent : sent[0]
          }
        })
        const order = one.orders.map(({ direction, name }) => ({ field: name, direction }))
        const where =
          members.length === 0 ? {} : { where: { or: [{ and: [{ or: members.slice(0, 1) }, ...members] }] } }
        const found = yield* admin.post(`${records}/search`, { ...where, order, limit: 100 })
        assert.strictEqual(found.status, 200, found.text)
        assert.deepStrictEqual(found.body.data.map(member("id")), wanted, `search ${JSON.stringify(members)}`)
      }
      const either = yield* admin.post(`${records}/search`, {
        where: {
          or: [
            { field: "paid", op: "eq", value: true },
            { field: "amount", op: "lt", value: 0 }
          ]
        },
        limit: 100
      })
      assert.strictEqual(
        either.body.total,
        flat.filter((row) => row["paid"] === true || (row["amount"] !== null && Number(row["amount"]) < 0))
          .length
      )
    })
  )

  it.effect("exports of records contain the records and no formula", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      yield* admin.make(models, { name: "files", fields: [field("t", "TEXT"), field("n", "INTEGER")] })
      const records = "/custom-data/files/records"
      const texts = ["=1+1", "+1", "-1", "@x", 'він сказав: "так", і пішов', "a\r\nb", null]
      for (const t of texts) yield* admin.make(records, { values: { t, n: -1 } })
      const csv = yield* admin.get(`${records}/export?order[id]=asc`, { accept: "text/csv" })
      assert.strictEqual(csv.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.isTrue(csv.text.startsWith("\uFEFFid,t,n,version,createdAt,updatedAt\r\n"), csv.text)
      for (const cell of ["'=1+1", "'+1", "'-1", "'@x", '"він сказав: ""так"", і пішов"', '"a\r\nb"'])
        assert.include(csv.text, `,${cell},-1,1,`)
      const lines = yield* admin.get(`${records}/export?format=ndjson&order[id]=asc`, {
        accept: "application/x-ndjson"
      })
      const written = lines.text.trimEnd().split("\n")
      assert.deepStrictEqual(
        written.map((line) => JSON.parse(line).values.t),
        texts
      )
      for (const query of ["format=xml", "limit=5", "cursor=x", "filter[no]=1"])
        assert.strictEqual((yield* admin.get(`${records}/export?${query}`, { accept: "*/*" })).status, 400)
      const unknown = yield* admin.get(`${records}/export?limit=5`, { accept: "*/*" })
      assert.include(unknown.text, "limit is unknown: there are filter[…], order[…], format")
    })
  )

  it.effect("records refuse filters, orders and searches of unknown fields and name the known ones", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      yield* admin.make(models, {
        name: "queried",
        fields: [field("n", "INTEGER"), field("t", "STRING"), field("d", "DATE")]
      })
      const records = "/custom-data/queried/records"
      for (const [query, detail] of [
        ["filter[x]=1", "filters are id, version, createdAt, updatedAt, n, t, d"],
        ["filter[n][contains]=1", `operators of n are ${operatorsOf({ kind: "signed" }).join(", ")}`],
        ["order[x]=asc", "orders are id, version, createdAt, updatedAt, n, t, d"],
        ["filter[n]=1.5", "integer"],
        ["filter[d]=2026-02-30", "a date"],
        ["limit=0", "limit"],
        ["offset=1&cursor=x", "cursor"]
      ] as const) {
        const answer = yield* admin.get(`${records}?${query}`)
        assert.deepStrictEqual([answer.status, answer.body.code], [400, "INVALID_REQUEST"], query)
        assert.include(answer.text, detail)
      }
      assert.strictEqual((yield* admin.get(`${records}?limit=101`)).body.code, "QUERY_BUDGET_EXCEEDED")
      assert.strictEqual((yield* admin.get(`${records}?filter[n]=-1`)).status, 200)
      const one = { field: "n", op: "eq", value: 1 }
      const nested = (depth: number): object => (depth === 1 ? { and: [one] } : { or: [nested(depth - 1)] })
      for (const [where, path] of [
        [{}, "where"],
        [{ and: [one], or: [one] }, "where"],
        [{ and: [] }, "where.and"],
        [{ and: Array.from({ length: 16 }, () => one) }, "where.and"],
        [nested(4), "where.or[0].or[0].or[0]"],
        [{ and: [{ ...one, field: "x" }] }, "where.and[0].field"],
        [{ and: [{ ...one, op: "contains" }] }, "where.and[0].op"],
        [{ and: [{ ...one, value: "1" }] }, "where.and[0].value"],
        [{ and: [{ ...one, op: "in" }] }, "where.and[0].value"],
        [{ and: [{ ...one, op: "isNull", value: 1 }] }, "where.and[0].value"],
        [{ and: [{ ...one, more: 1 }] }, "where.and[0].more"]
      ] as const) {
        const answer = yield* admin.post(`${records}/search`, { where })
        expectFaults(answer, [path])
      }
      assert.strictEqual((yield* admin.post(`${records}/search`, { where: nested(3) })).status, 200)
      const first = yield* admin.post(`${records}/search`, { order: [{ field: "x", direction: "asc" }] })
      assert.deepStrictEqual(pathsOf(first), ["order[0].field"])
    })
  )

  it.effect("the shape of a record request is checked before permission and model", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* world
      const analyst = yield* rest.user(instance, ["analyst"])
      const root = "/custom-data/nowhere/records"
      const one = { field: "x", op: "eq", value: 1 }
      const faulty = [
        ["GET", "?nonsense=1", "INVALID_REQUEST", ["nonsense"]],
        ["GET", "?limit=0&nonsense=1", "INVALID_REQUEST", ["limit", "nonsense"]],
        ["GET", "?filter[x][no][such]=1", "INVALID_REQUEST", ["filter[x][no][such]"]],
        ["GET", "?limit=101", "QUERY_BUDGET_EXCEEDED", ["limit"]],
        ["GET", "/export?limit=1", "INVALID_REQUEST", ["limit"]],
        ["GET", "/export?format=xml", "INVALID_REQUEST", ["format"]],
        ["POST", "/search", "INVALID_REQUEST", ["where.and[1]"], { where: { and: [one, 5] } }]
      ] as const
      for (const [method, path, code, paths, body] of faulty) {
        const answers = [
          yield* admin.call(method, root + path, body),
          yield* analyst.call(method, root + path, body)
        ]
        for (const answer of answers) {
          assert.deepStrictEqual([answer.status, answer.body.code], [400, code], `${path} ${answer.text}`)
          assert.deepStrictEqual(pathsOf(answer).toSorted(), [...paths].toSorted())
        }
      }
      // Fields can only be checked with the model, so a missing model or permission is reported first.
      const wellFormed = [
        ["GET", ""],
        ["GET", "?filter[x][gt]=1&order[x]=asc"],
        ["GET", "/export?filter[x]=1"],
        ["POST", "/search", { where: { and: [one] }, order: [{ field: "x", direction: "asc" }] }]
      ] as const
      for (const [method, path, body] of wellFormed) {
        assert.strictEqual((yield* admin.call(method, root + path, body)).status, 404, path)
        assert.strictEqual((yield* analyst.call(method, root + path, body)).status, 403, path)
      }
    })
  )

  it.effect("records are found by an empty text, by any JSON number, and without a body", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const model = yield* admin.make(models, {
        name: "edges",
        fields: [field("t", "STRING"), field("x", "FLOAT")]
      })
      const records = "/custom-data/edges/records"
      const numbers = [0.1 + 0.2, 1e300, 5e-324, -1.2345678901234568e21, 1.25e-7]
      const made = yield* Effect.forEach(numbers, (x) => admin.make(records, { values: { t: "", x } }))
      yield* admin.make(records, { values: { t: "a" } })
      yield* admin.make(records, { values: {} })
      for (const { id, values } of made)
        for (const op of ["eq", "in"]) {
          const found = yield* admin.get(`${records}?filter[x][${op}]=${encodeURIComponent(values.x)}`)
          assert.deepStrictEqual(
            found.body.data.map((row: Row) => row["id"]),
            [id],
            found.text
          )
        }
      for (const [op, value, total] of [
        ["eq", "", 5],
        ["ne", "", 2],
        ["in", ["", "a"], 6],
        ["nin", [""], 2],
        ["contains", "", 6],
        ["startsWith", "", 6]
      ] as const) {
        const found = yield* admin.post(`${records}/search`, {
          where: { and: [{ field: "t", op, value }] }
        })
        assert.strictEqual(found.body.total, total, `${op} ${found.text}`)
      }
      for (const [path, accept, status] of [
        [`${records}/export`, "text/csv", 200],
        [`${records}/export`, "application/x-ndjson", 406],
        [`${records}/export?format=ndjson`, "application/x-ndjson", 200],
        [`${records}/export?format=ndjson`, "text/csv", 406],
        ["/statistics/dialogues?from=2026-01-01&to=2026-01-02", "text/csv", 406],
        ["/statistics/dialogues?from=2026-01-01&to=2026-01-02&format=csv", "application/json", 406],
        ["/statistics/dialogues?from=2026-01-01&to=2026-01-02&format=csv", "text/*", 200]
      ] as const)
        assert.strictEqual((yield* admin.get(path, { accept })).status, status, path + accept)
      const all = yield* admin.post(`${records}/search`)
      assert.deepStrictEqual([all.status, all.body.total], [200, 7], all.text)
      const same = yield* admin.patch(`${models}/edges`, undefined, { "if-match": '"1"' })
      assert.deepStrictEqual(same.body, model)
      assert.strictEqual((yield* admin.patch(`${models}/edges`)).status, 400)
      assert.strictEqual((yield* admin.post(records)).status, 400)
    })
  )
})
