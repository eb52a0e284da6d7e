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
  it.effect("a subject has one level of parents: anything deeper is 400 on parentId", () =>
    Effect.gen(function* () {
      const { admin, subject } = yield* world
      const top = yield* subject()
      expectStatus(top, 201)
      assert.deepStrictEqual(top.body, {
        id: top.body.id,
        name: "Оплата",
        alias: "a1",
        parentId: null,
        reopenHours: 0,
        active: true,
        version: 1
      })
      const child = yield* subject({ parentId: top.body.id })
      expectStatus(child, 201)
      const other = (yield* subject()).body.id
      const patch = (id: number, parentId: number) =>
        admin.patch(`/subjects/${id}`, { parentId, expectedVersion: 1 })
      for (const refused of [
        yield* subject({ parentId: child.body.id }),
        yield* subject({ parentId: 2 ** 53 - 1 }),
        yield* patch(top.body.id, other),
        yield* patch(other, other),
        yield* patch(other, child.body.id)
      ]) {
        expectFaults(refused, ["parentId"])
      }
    })
  )

  it.effect("a subject's alias is unique in the instance and has its form", () =>
    Effect.gen(function* () {
      const { subject } = yield* world
      expectStatus(yield* subject({ alias: "billing" }), 201)
      expectStatus(yield* subject({ alias: "billing" }), 409, "UNIQUE_CONFLICT")
      for (const alias of ["Billing", "1a", "", "a b", "a".repeat(65)])
        expectStatus(yield* subject({ alias }), 400, "INVALID_REQUEST")
    })
  )

  it.effect("a skill group has subjects and members of the instance, and decides what a member sees", () =>
    Effect.gen(function* () {
      const { admin, instance, rest, subject } = yield* world
      const s = (yield* subject()).body.id
      const user = yield* rest.user(instance, ["operator"])
      const foreign = yield* rest.user(yield* rest.instance, ["operator"])
      const bad = yield* admin.post("/skill-groups", {
        name: "g",
        subjectIds: [s, 2 ** 53 - 1],
        memberIds: [foreign.id, user.id]
      })
      expectFaults(bad, ["subjectIds[1]", "memberIds[0]"])
      const made = yield* admin.post("/skill-groups", {
        name: "g",
        subjectIds: [s, s],
        memberIds: [user.id]
      })
      expectStatus(made, 201)
      assert.deepStrictEqual([made.body.subjectIds, made.body.memberIds], [[s], [user.id]])
      const emptied = yield* admin.patch(
        `/skill-groups/${made.body.id}`,
        { memberIds: [] },
        { "if-match": '"1"' }
      )
      assert.deepStrictEqual(
        [emptied.body.memberIds, emptied.body.subjectIds, emptied.body.version],
        [[], [s], 2]
      )
      assert.deepStrictEqual((yield* admin.read(`/users/${user.id}`)).skillGroupIds, [])
    })
  )
})
