// Two concurrent writes that name each other's records: no answer is 503 because of a deadlock (contract §1.1, §9).
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { newInstance, RestFixtures, type Answer, type RestCaller } from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  return { admin, operator: rest.user(instance, ["operator"]) }
})

/** Enough rounds for two requests to overlap. */
const ROUNDS = 5

const together = (...calls: ReadonlyArray<Effect.Effect<Answer>>) =>
  Effect.all(calls, { concurrency: "unbounded" })

const expectStatuses = (answers: ReadonlyArray<Answer>, allowed: ReadonlyArray<ReadonlyArray<number>>) => {
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  assert.include(
    allowed.map(String),
    String(statuses),
    answers.map(({ text }) => text.slice(0, 200)).join("\n")
  )
}

layer(RestFixtures, { excludeTestServices: true, timeout: 60_000 })("writes that name each other", (it) => {
  it.effect("two subjects cannot both become the parent of the other", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      for (let round = 0; round < ROUNDS; round++) {
        const a = yield* admin.make("/subjects", { name: "Оплата", alias: `a${round}` })
        const b = yield* admin.make("/subjects", { name: "Возврат", alias: `b${round}` })
        const under = (child: number, parentId: number) =>
          admin.patch(`/subjects/${child}`, { parentId, expectedVersion: 1 })
        expectStatuses(yield* together(under(a.id, b.id), under(b.id, a.id)), [[200, 400]])
      }
    })
  )

  it.effect("two records of custom data can refer to each other concurrently", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const fields = [{ name: "ref", type: "ASSOCIATION", target: "thing" }]
      yield* admin.make("/custom-data/models", { name: "thing", fields })
      const records = "/custom-data/thing/records"
      for (let round = 0; round < ROUNDS; round++) {
        const a = yield* admin.make(records, { values: {} })
        const b = yield* admin.make(records, { values: {} })
        const name = (id: number, ref: number) =>
          admin.patch(`${records}/${id}`, { values: { ref }, expectedVersion: 1 })
        expectStatuses(yield* together(name(a.id, b.id), name(b.id, a.id)), [[200, 200]])
        const c = yield* admin.make(records, { values: {} })
        const d = yield* admin.make(records, { values: {} })
        expectStatuses(
          yield* together(name(c.id, d.id), admin.remove(`${records}/${d.id}`), name(d.id, c.id)),
          // The deletion is last, between the others, or first.
          [
            [200, 200, 409],
            [200, 204, 404],
            [204, 400, 404],
            [200, 204, 400]
          ]
        )
      }
    })
  )

  it.effect("two operators blocked concurrently in favour of each other keep no appeal", () =>
    Effect.gen(function* () {
      const { admin, operator } = yield* world
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = [yield* operator, yield* operator]
        yield* admin.make("/skill-groups", { name: "Group", memberIds: [a.id, b.id] })
        const clientId = yield* admin.makeId("/clients", { name: "Client" })
        const open = (operatorId: number) =>
          admin.makeId("/OpChatRooms", { clientId, channel: "web", operatorId })
        const chats = [yield* open(a.id), yield* open(b.id), yield* open(a.id)]
        const block = (who: RestCaller, reassignTo: number) =>
          admin.post(`/users/${who.id}/block`, { reassignTo })
        const answers = yield* together(block(a, b.id), block(b, a.id))
        expectStatuses(answers, [
          [200, 409],
          [200, 200]
        ])
        for (const id of chats) {
          const { operatorId } = yield* admin.read(`/OpChatRooms/${id}`)
          if (operatorId === null) continue
          const holder = yield* admin.get(`/users/${operatorId}`)
          assert.strictEqual(holder.body.status, "active", `chat ${id} is assigned to a blocked operator`)
        }
      }
    })
  )

  it.effect("a block locks the lower of its two user ids first", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin, operator } = yield* world
      for (const isLowerBlocked of [true, false]) {
        const [lower, higher] = [yield* operator, yield* operator]
        yield* admin.make("/skill-groups", { name: "Group", memberIds: [lower.id, higher.id] })
        const [blocked, successor] = isLowerBlocked ? [lower, higher] : [higher, lower]
        const end = yield* openTransaction(sql`select 1 from users where id = ${lower.id} for update`)
        const body = { reassignTo: successor.id }
        const block = yield* Effect.forkChild(admin.post(`/users/${blocked.id}/block`, body))
        yield* untilWaiting
        yield* sql`select 1 from users where id = ${higher.id} for update nowait`
        yield* end
        assert.strictEqual((yield* Fiber.join(block)).status, 200)
      }
    })
  )
})
