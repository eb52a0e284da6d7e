// Writes of records of custom data over HTTP on a real PostgreSQL: rules, references, uniqueness, upserts (contract §9.2).
import { assert, layer } from "@effect/vitest"
import { sentBackJson } from "@rapport/core/json/SentBackJson.ts"
import { Effect } from "effect"
import * as fc from "fast-check"
import {
  expectFaults,
  expectStatus,
  member,
  pathsOf,
  RestFixtures,
  runConcurrently,
  untilFinal
} from "../../testing/RestFixtures.ts"
import {
  everyType,
  field,
  maybe,
  models,
  upsertOf,
  valuesIn,
  world
} from "../../testing/CustomDataFixtures.ts"

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
          field("ok", "BOOLEAN"),
          field("short", "STRING"),
          field("long", "TEXT")
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
        ok: false,
        short: null,
        long: null
      })
      const names = ["id", "model", "values", "version", "createdAt", "updatedAt"]
      assert.deepStrictEqual(Object.keys(made), names)
      assert.strictEqual(made.model, "things")
      yield* refused(records, {}, ["values.code"])
      const dates = { due: "2025-12-31", at: "2025-12-31T21:59:59Z" }
      const longer = { short: "ё".repeat(256), long: "x".repeat(10_001) }
      const wrong = { code: "abcde", amount: 6, rate: 2, ...dates, kind: "c", ok: 1, ...longer, x: 1 }
      yield* refused(
        records,
        wrong,
        Object.keys(wrong).map((name) => `values.${name}`)
      )
      yield* refused(records, { code: "A" }, ["values.code"])
      yield* refused(records, { code: "AB", due: "2026-02-30" }, ["values.due"])
      yield* refused(records, { code: "AB", amount: 1.5 }, ["values.amount"])
      const fitting = { code: "AB", short: "😀".repeat(255), long: "їж".repeat(5_000) }
      assert.deepInclude((yield* admin.make(records, { values: fitting })).values, fitting)
      const path = `${records}/${made.id}`
      const emptied = yield* admin.patch(path, { values: { rate: null }, expectedVersion: 1 })
      assert.deepInclude(emptied.body, { values: { ...made.values, rate: null }, version: 2 })
      expectStatus(yield* admin.change(path, { values: { code: null } }), 400)
      const matched = yield* admin.patch(path, { values: { ok: true } }, { "if-match": '"2"' })
      assert.strictEqual(matched.body.version, 3)
    })
  )

  it.effect("records can be sent back as they were returned, whatever their values", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const client = yield* admin.makeId("/clients", { name: "Олена" })
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
      const given = fc
        .sample(values, { numRuns: 100, seed: 3 })
        .map((sample, i) => ({ code: `c${i}`, ...sample, rate: edges[i] ?? sample.rate }))
      const made = yield* admin.post(`${records}/upsert`, upsertOf(given.map(sentBackJson)))
      assert.deepInclude(made.body, { created: 100, updated: 0 }, made.text)
      const { id } = made.body.records[2]
      const one = yield* admin.get(`${records}/${id}`)
      assert.deepInclude(one.body.values, given[2])
      const sameValues = `{"expectedVersion":1,"values":${valuesIn(one.text)[0]}}`
      const patched = yield* admin.patch(`${records}/${id}`, sameValues)
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
        expectStatus(again, 200)
        for (const { values, version } of again.body.records) {
          const before = given.find(({ code }) => code === values.code)
          assert.deepStrictEqual({ ...values, rate: values.rate }, { ...before, rate: before?.rate ?? null })
          assert.strictEqual(version, 1)
        }
      }

      const file = yield* admin.get(`${records}/export?format=csv`, { accept: "text/csv" })
      for (const edge of edges) assert.include(file.text, `,${edge},`)

      // Numbers of rules and keys can be sent back too.
      const rules = { max: 1e300, min: -1e20 }
      const fields = [field("rate", "FLOAT", { required: true, unique: true, rules })]
      const model = yield* admin.post(models, sentBackJson({ name: "keyed", fields }))
      expectStatus(model, 201)
      for (const { text } of [model, yield* admin.get(`${models}/keyed`)]) {
        const sentBack = text.replace(/"name":"keyed",/u, "").replace(`,"version":1`, `,"expectedVersion":1`)
        const again = yield* admin.patch(`${models}/keyed`, sentBack)
        assert.deepInclude(again.body, { version: 1 }, again.text)
      }
      assert.include((yield* admin.get(`${models}?filter[name]=keyed`)).text, '"min":-1e+20')
      const keys = upsertOf(
        edges.filter((edge) => edge > -1e20 && edge <= 1e300).map((rate) => sentBackJson({ rate })),
        "rate"
      )
      expectStatus(yield* admin.post("/custom-data/keyed/records/upsert", keys), 200)
      const repeated = yield* admin.post("/custom-data/keyed/records/upsert", keys)
      assert.deepInclude(repeated.body, { created: 0 }, repeated.text)
    })
  )

  it.effect("records reference only visible records, and a referenced record cannot be deleted", () =>
    Effect.gen(function* () {
      const { admin, instance, refused, rest } = yield* world
      const foreigner = yield* rest.user(yield* rest.instance, ["administrator"])
      const operator = yield* rest.user(instance, ["operator"])
      const client = yield* admin.makeId("/clients", { name: "Олена" })
      const alien = yield* foreigner.makeId("/clients", { name: "Чужа" })
      const chat = { clientId: client, channel: "web", operatorId: admin.id }
      const busy = yield* admin.makeId("/OpChatRooms", chat)
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
      const unknown = { client: alien, user: foreigner.id, appeal: 9e15, parent: 1 }
      yield* refused(
        records,
        unknown,
        Object.keys(unknown).map((name) => `values.${name}`)
      )
      expectFaults(yield* operator.post(records, { values: { appeal: busy } }), ["values.appeal"])
      const first = yield* admin.makeId(records, { values: { client, user: admin.id, appeal: busy } })
      const second = yield* admin.makeId(records, { values: { parent: first } })
      expectStatus(yield* admin.remove(`${records}/${first}`), 409, "STATE_NOT_ALLOWED")
      for (const id of [second, first]) expectStatus(yield* admin.remove(`${records}/${id}`), 204)
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
      const answers = yield* runConcurrently(50, (i) =>
        untilFinal(admin.post(records, { values: { code: "Код" } }, { "idempotency-key": `${i}` }))
      )
      const refused = answers.filter(({ status }) => status >= 400)
      assert.lengthOf(refused, 49)
      for (const { body } of refused)
        assert.deepInclude(body, { code: "UNIQUE_CONFLICT", detail: "values.code is in use" })
      yield* admin.make(records, { values: { code: "код" } })
      yield* admin.make(records, { values: { n: 1 } })
      const other = `${records}/${yield* admin.makeId(records, { values: { n: 1 } })}`
      assert.strictEqual((yield* admin.read(records)).total, 4)
      expectStatus(yield* admin.change(other, { values: { code: "Код" } }), 409, "UNIQUE_CONFLICT")
      const fields = [field("code", "STRING", { unique: true }), field("n", "INTEGER", { unique: true })]
      const makeUnique = admin.change(`${models}/codes`, { fields })
      expectStatus(yield* makeUnique, 409, "UNIQUE_CONFLICT")
      yield* admin.change(other, { values: { n: 2 } })
      expectStatus(yield* makeUnique, 200)
      expectStatus(yield* admin.post(records, { values: { n: 2 } }), 409, "UNIQUE_CONFLICT")
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
      assert.deepInclude(first.body, { created: 2, updated: 0 })
      const second = yield* send([{ code: "c" }, { code: "a", note: "x" }])
      assert.deepInclude(second.body, { created: 1, updated: 1 })
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
      expectFaults(yield* send([{ code: "d" }], "amount"), ["keyField"])
      const marked = ["f", "g"].map((code) => ({ code, mark: "m" }))
      expectStatus(yield* send(marked), 409, "UNIQUE_CONFLICT")
      assert.strictEqual((yield* admin.read("/custom-data/stock/records")).total, 3)
      expectStatus(yield* send(Array.from({ length: 101 }, (_, i) => ({ code: `x${i}` }))), 400)
      const racing = yield* runConcurrently(20, () => untilFinal(send([{ code: "r1" }, { code: "r2" }])))
      for (const answer of racing) expectStatus(answer, 200)
      for (const { body } of racing) assert.deepStrictEqual(body.records.map(member("version")), [1, 1])
      const apart = yield* runConcurrently(8, (i) =>
        untilFinal(send(Array.from({ length: 20 }, (_, j) => ({ code: `s${(j * 7 + i) % 20}`, amount: i }))))
      )
      for (const answer of apart) expectStatus(answer, 200)
      assert.strictEqual(
        apart.reduce((sum, { body }) => sum + body.created, 0),
        20
      )
      const raced = yield* admin.read("/custom-data/stock/records?filter[code][startsWith]=r")
      assert.strictEqual(raced.total, 2)
    })
  )
})
