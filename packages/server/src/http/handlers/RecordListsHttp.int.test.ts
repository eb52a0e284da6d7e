// Lists, searches and exports of records of custom data over HTTP, compared with a plain evaluation (contract §9.2).
import { assert, layer } from "@effect/vitest"
import { operatorsOf } from "@rapport/contract/lists/Collection.ts"
import { recordsOf } from "@rapport/contract/records/CustomRecord.ts"
import { Effect } from "effect"
import * as fc from "fast-check"
import { arbitraryQuery, expectedRows, queryOf, type Row } from "../../testing/ListModel.ts"
import {
  expectFaults,
  expectStatus,
  linesOf,
  member,
  pathsOf,
  RestFixtures,
  type Answer
} from "../../testing/RestFixtures.ts"
import { everyType, field, maybe, models, world } from "../../testing/CustomDataFixtures.ts"

layer(RestFixtures, { excludeTestServices: true, timeout: "240 seconds" })("lists of records", (it) => {
  it.effect("filters, orders, cursors, searches and exports of records match a plain evaluation", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const client = yield* admin.makeId("/clients", { name: "Олена" })
      yield* admin.make(models, { name: "rows", fields: everyType })
      const records = "/custom-data/rows/records"
      const words = ["Гарантія", "ґанок", "сайт", "=1+1", "-x", 'a "b", c', "Їжак", "+380", "@me", "ёж"]
      const values = fc.record({
        note: maybe(fc.constantFrom(...words)),
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
        const page = yield* admin.read(`${records}?${query}`)
        const what = decodeURIComponent(query.toString())
        assert.deepStrictEqual(page.data.map(member("id")), wanted, what)
        assert.strictEqual(page.total, wanted.length, what)
        // The same pages by cursor.
        const walked: Array<unknown> = []
        query.set("limit", "7")
        for (let cursor: string | null = ""; cursor !== null;) {
          if (cursor !== "") query.set("cursor", cursor)
          const next: Answer["body"] = yield* admin.read(`${records}?${query}`)
          walked.push(...next.data.map(member("id")))
          cursor = next.nextCursor
        }
        assert.deepStrictEqual(walked, wanted, `${what} by cursor`)
        // The file has the same records in the same order.
        for (const name of ["limit", "cursor"]) query.delete(name)
        const file = yield* admin.get(`${records}/export?format=csv&${query}`, { accept: "text/csv" })
        const lines = file.text.split("\r\n").slice(1, -1)
        assert.deepStrictEqual(
          lines.map((line) => Number(line.split(",")[0])),
          wanted
        )
        // A nested search with the same conditions.
        const members = one.filters.map(({ name, operator, values: some }) => {
          const field = collection.fields[name] ?? "text"
          const sent = some.map((value) =>
            field === "time" && operator !== "isNull" ? new Date(Number(value)).toISOString() : value
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
        assert.deepStrictEqual(
          found.body.data?.map(member("id")),
          wanted,
          `search ${JSON.stringify(members)}`
        )
      }
      const either = [
        { field: "paid", op: "eq", value: true },
        { field: "amount", op: "lt", value: 0 }
      ]
      const found = yield* admin.post(`${records}/search`, { where: { or: either }, limit: 100 })
      const matching = flat.filter(({ amount, paid }) => paid === true || Number(amount) < 0)
      assert.strictEqual(found.body.total, matching.length)
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
      const accept = "application/x-ndjson"
      const lines = yield* admin.get(`${records}/export?format=ndjson&order[id]=asc`, { accept })
      assert.deepStrictEqual(
        linesOf(lines).map(({ values }) => values.t),
        texts
      )
      for (const query of ["format=xml", "limit=5", "cursor=x", "filter[no]=1"])
        expectStatus(yield* admin.get(`${records}/export?${query}`, { accept: "*/*" }), 400)
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
        ["filter[n][contains]=1", `operators of n are ${operatorsOf("signed").join(", ")}`],
        ["order[x]=asc", "orders are id, version, createdAt, updatedAt, n, t, d"],
        ["filter[n]=1.5", "integer"],
        ["filter[d]=2026-02-30", "a date"],
        ["offset=1&cursor=x", "cursor"]
      ] as const) {
        const answer = yield* admin.get(`${records}?${query}`)
        expectStatus(answer, 400, "INVALID_REQUEST")
        assert.include(answer.text, detail)
      }
      expectStatus(yield* admin.get(`${records}?filter[n]=-1`), 200)
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
      ] as const)
        expectFaults(yield* admin.post(`${records}/search`, { where }), [path])
      expectStatus(yield* admin.post(`${records}/search`, { where: nested(3) }), 200)
      const order = [{ field: "x", direction: "asc" }]
      expectFaults(yield* admin.post(`${records}/search`, { order }), ["order[0].field"])
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
        for (const who of [admin, analyst]) {
          const answer = yield* who.call(method, root + path, body)
          expectStatus(answer, 400, code)
          assert.sameMembers([...pathsOf(answer)], [...paths])
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
        expectStatus(yield* admin.call(method, root + path, body), 404)
        expectStatus(yield* analyst.call(method, root + path, body), 403)
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
          const { data } = yield* admin.read(`${records}?filter[x][${op}]=${encodeURIComponent(values.x)}`)
          assert.deepStrictEqual(data.map(member("id")), [id])
        }
      for (const [op, value, total] of [
        ["eq", "", 5],
        ["ne", "", 2],
        ["in", ["", "a"], 6],
        ["nin", [""], 2],
        ["contains", "", 6],
        ["startsWith", "", 6]
      ] as const) {
        const found = yield* admin.post(`${records}/search`, { where: { and: [{ field: "t", op, value }] } })
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
      assert.strictEqual((yield* admin.post(`${records}/search`)).body.total, 7)
      const same = yield* admin.patch(`${models}/edges`, undefined, { "if-match": '"1"' })
      assert.deepStrictEqual(same.body, model)
      expectStatus(yield* admin.patch(`${models}/edges`), 400)
      expectStatus(yield* admin.post(records), 400)
    })
  )
})
