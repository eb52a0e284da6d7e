// Subjects and skill groups over HTTP on a real PostgreSQL: contract §9.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectFaults, expectStatus, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  let n = 0
  const subject = (more: object = {}) =>
    admin.post("/subjects", { name: "Оплата", alias: `a${++n}`, ...more })
  return { rest, instance, admin, subject }
})

layer(RestFixtures)("directory", (it) => {
  it.effect("a subject has one level of parents, and an alias that is unique and has its form", () =>
    Effect.gen(function* () {
      const { admin, subject } = yield* world
      const top = yield* subject()
      const usual = { name: "Оплата", alias: "a1", parentId: null, reopenHours: 0, active: true, version: 1 }
      assert.deepStrictEqual(top.body, { id: top.body.id, ...usual })
      const child = yield* subject({ parentId: top.body.id })
      expectStatus(child, 201)
      const other = (yield* subject()).body.id
      const patch = (id: number, parentId: number) =>
        admin.patch(`/subjects/${id}`, { parentId, expectedVersion: 1 })
      for (const refused of [
        yield* subject({ parentId: child.body.id }),
        yield* patch(top.body.id, other),
        yield* patch(other, other),
        yield* patch(other, child.body.id)
      ])
        expectFaults(refused, ["parentId"])
      expectStatus(yield* subject({ alias: "billing" }), 201)
      expectStatus(yield* subject({ alias: "billing" }), 409, "UNIQUE_CONFLICT")
      for (const alias of ["Billing", "1a", "", "a b", "a".repeat(65)])
        expectStatus(yield* subject({ alias }), 400, "INVALID_REQUEST")
    })
  )

  it.effect("a skill group has each subject once, and its members show it", () =>
    Effect.gen(function* () {
      const { admin, instance, rest, subject } = yield* world
      const s = (yield* subject()).body.id
      const user = yield* rest.user(instance, ["operator"])
      const made = yield* admin.make("/skill-groups", { name: "g", subjectIds: [s, s], memberIds: [user.id] })
      assert.deepInclude(made, { subjectIds: [s], memberIds: [user.id] })
      const path = `/skill-groups/${made.id}`
      const emptied = yield* admin.patch(path, { memberIds: [] }, { "if-match": '"1"' })
      assert.deepInclude(emptied.body, { memberIds: [], subjectIds: [s], version: 2 })
      assert.deepStrictEqual((yield* admin.read(`/users/${user.id}`)).skillGroupIds, [])
    })
  )
})
