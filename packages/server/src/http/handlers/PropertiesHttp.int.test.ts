// Properties over HTTP on a real PostgreSQL (contract §9, §2 "visibleTo").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  expectFaults,
  expectStatus,
  newInstance,
  pathsOf,
  RestFixtures,
  type RestCaller
} from "../../testing/RestFixtures.ts"

const read = (who: RestCaller, path: string) => who.get(`${path}/properties`)
const write = (who: RestCaller, path: string, values: object, headers?: Record<string, string>) =>
  who.put(`${path}/properties`, { values }, headers)

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const define = (more: object) =>
    admin.post("/properties", { entity: "client", label: "L", type: "string", ...more })
  const client = admin.makeId("/clients", { name: "c" })
  return { rest, instance, admin, define, client }
})

layer(RestFixtures)("properties", (it) => {
  it.effect("a property definition has options only for an enum, and a unique name", () =>
    Effect.gen(function* () {
      const { admin, define } = yield* world
      const tariff = { name: "tariff", type: "enum", options: ["a", "b"], visibleTo: ["operator"] }
      const made = (yield* define(tariff)).body
      const path = `/properties/${made.id}`
      assert.deepStrictEqual(made, { id: made.id, entity: "client", label: "L", ...tariff })
      assert.deepStrictEqual(yield* admin.read(path), made)
      expectStatus(yield* define({ name: "tariff" }), 409, "UNIQUE_CONFLICT")
      expectStatus(yield* define({ name: "tariff", entity: "subject" }), 201)
      for (const wrong of [{ type: "enum" }, { options: ["x"] }])
        expectFaults(yield* define({ name: "n", ...wrong }), ["options"])
      for (const name of ["Name", "1a", "a_b", ""])
        expectStatus(yield* define({ name }), 400, "INVALID_REQUEST")
      const change = { label: "Тариф", visibleTo: [] }
      assert.deepStrictEqual((yield* admin.patch(path, change)).body, { ...made, ...change })
      for (const wrong of [{ name: "x" }, { type: "string" }, { entity: "subject" }, { options: [] }])
        expectStatus(yield* admin.patch(path, wrong), 400, "INVALID_REQUEST")
    })
  )

  it.effect("property values fit their definition, PUT merges, and null removes", () =>
    Effect.gen(function* () {
      const { admin, client, define } = yield* world
      for (const [name, type] of [
        ["s", "string"],
        ["n", "number"],
        ["b", "boolean"],
        ["d", "date"]
      ])
        expectStatus(yield* define({ name, type }), 201)
      const [options, visibleTo] = [
        ["один", "два"],
        ["administrator", "operator"]
      ]
      const twice = { options: [...options, ...options], visibleTo: [...visibleTo, ...visibleTo] }
      const enumeration = yield* define({ name: "e", type: "enum", ...twice })
      assert.deepInclude(enumeration.body, { options, visibleTo })
      const path = `/clients/${yield* client}`
      const all = { s: "x", n: 1.5, b: false, d: "2026-02-28", e: "два" }
      assert.deepStrictEqual((yield* write(admin, path, all)).body, { values: all })
      const bad = yield* write(admin, path, { s: 1, n: "1", b: null, d: "2026-02-30", e: "три", nope: 1 })
      const faulty = ["s", "n", "d", "e", "nope"].map((name) => `values.${name}`)
      assert.sameMembers([...pathsOf(bad)], faulty)
      for (const [name, value] of [
        ["s", ""],
        ["s", "x".repeat(10_001)],
        ["b", 0],
        ["d", "2026-1-1"],
        ["d", "2026-01-01T00:00:00Z"],
        ["e", ["два"]]
      ] as const)
        expectFaults(yield* write(admin, path, { [name]: value }), [`values.${name}`])
      assert.deepStrictEqual((yield* read(admin, path)).body, { values: all })
      assert.deepStrictEqual((yield* write(admin, path, { s: null, n: 2 })).body, {
        values: { n: 2, b: false, d: "2026-02-28", e: "два" }
      })
    })
  )

  it.effect("a property that the caller may not see is undefined for its writes too", () =>
    Effect.gen(function* () {
      const { admin, client, define, instance, rest } = yield* world
      yield* define({ name: "open" })
      yield* define({ name: "secret", visibleTo: ["administrator"] })
      const path = `/clients/${yield* client}`
      yield* write(admin, path, { open: "o", secret: "канарка" })
      const supervisor = yield* rest.user(instance, ["supervisor"])
      assert.deepStrictEqual((yield* read(supervisor, path)).body, { values: { open: "o" } })
      expectFaults(yield* write(supervisor, path, { secret: "x" }), ["values.secret"])
      assert.deepStrictEqual((yield* write(supervisor, path, { open: "p" })).body, { values: { open: "p" } })
      const token = yield* rest.token(admin, ["context.read"])
      assert.deepStrictEqual((yield* read(token, path)).body, { values: { open: "p" } })
    })
  )

  it.effect("a replay of property values is only for callers who may still write to the record", () =>
    Effect.gen(function* () {
      const { admin, client, define, instance, rest } = yield* world
      yield* define({ name: "tariff" })
      const operator = yield* rest.user(instance, ["operator"])
      const id = yield* client
      const put = write(operator, `/clients/${id}`, { tariff: "gold" }, { "idempotency-key": "k" })
      assert.deepStrictEqual((yield* put).body, { values: { tariff: "gold" } })
      assert.strictEqual((yield* put).headers.get("idempotency-replayed"), "true")
      // The operator does not see a client whose only appeal belongs to another.
      const other = yield* rest.user(instance, ["operator"])
      const chat = { clientId: id, channel: "web", operatorId: other.id }
      expectStatus(yield* admin.post("/OpChatRooms", chat), 201)
      expectStatus(yield* put, 404, "NOT_FOUND")
    })
  )

  it.effect("each kind of record has its own properties", () =>
    Effect.gen(function* () {
      const { admin, define } = yield* world
      const subject = yield* admin.makeId("/subjects", { name: "s", alias: "s" })
      const group = yield* admin.makeId("/skill-groups", { name: "g" })
      for (const [entity, path] of [
        ["subject", `/subjects/${subject}`],
        ["skill_group", `/skill-groups/${group}`],
        ["operator", `/users/${admin.id}`]
      ] as const) {
        yield* define({ entity, name: "note" })
        expectStatus(yield* write(admin, path, { note: entity }), 200)
        assert.deepStrictEqual((yield* read(admin, path)).body, { values: { note: entity } })
      }
    })
  )
})
