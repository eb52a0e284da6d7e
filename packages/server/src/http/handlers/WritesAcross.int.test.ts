// Two concurrent writes that name each other's records: no answer is 503 because of a deadlock (contract §1.1, §9).
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import { type Answer, RestFixtures, type RestCaller, newInstance } from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const call = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) =>
    admin.call(method, path, body)
  const made = (path: string, body: object) =>
    Effect.map(call("POST", path, body), (answer) => {
      assert.strictEqual(answer.status, 201, answer.text)
      return answer.body
    })
  return { rest, instance, call, made, operator: rest.user(instance, ["operator"]) }
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
      const { call, made } = yield* world
      for (let round = 0; round < ROUNDS; round++) {
        const a = yield* made("/subjects", { name: "Оплата", alias: `a${round}` })
        const b = yield* made("/subjects", { name: "Возврат", alias: `b${round}` })
        const under = (child: number, parentId: number) =>
          call("PATCH", `/subjects/${child}`, { parentId, expectedVersion: 1 })
        expectStatuses(yield* together(under(a.id, b.id), under(b.id, a.id)), [[200, 400]])
      }
    })
  )

  it.effect("two records of custom data can refer to each other concurrently", () =>
    Effect.gen(function* () {
      const { call, made } = yield* world
      yield* made("/custom-data/models", { name: "thing", label: "Thing" })
      const fields = [{ name: "ref", type: "ASSOCIATION", target: "thing" }]
      const shaped = yield* call("PATCH", "/custom-data/models/thing", { fields, expectedVersion: 1 })
      assert.strictEqual(shaped.status, 200, shaped.text)
      const records = "/custom-data/thing/records"
      for (let round = 0; round < ROUNDS; round++) {
        const a = yield* made(records, { values: {} })
        const b = yield* made(records, { values: {} })
        const name = (id: number, ref: number) =>
          call("PATCH", `${records}/${id}`, { values: { ref }, expectedVersion: 1 })
        expectStatuses(yield* together(name(a.id, b.id), name(b.id, a.id)), [[200, 200]])
        const c = yield* made(records, { values: {} })
        const d = yield* made(records, { values: {} })
        expectStatuses(
          yield* together(name(c.id, d.id), call("DELETE", `${records}/${d.id}`), name(d.id, c.id)),
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
      const { call, made, operator } = yield* world
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = [yield* operator, yield* operator]
        yield* made("/skill-groups", { name: "Group", memberIds: [a.id, b.id] })
        const client = yield* made("/clients", { name: "Client" })
        const open = (operatorId: number) =>
          Effect.map(
            made("/OpChatRooms", { clientId: client.id, channel: "web", operatorId }),
            ({ chat }) => chat.id
          )
        const chats = [yield* open(a.id), yield* open(b.id), yield* open(a.id)]
        const block = (who: RestCaller, reassignTo: number) =>
          call("POST", `/users/${who.id}/block`, { reassignTo })
        const answers = yield* together(block(a, b.id), block(b, a.id))
        expectStatuses(answers, [
          [200, 409],
          [200, 200]
        ])
        for (const id of chats) {
          const { operatorId } = (yield* call("GET", `/OpChatRooms/${id}`)).body
          if (operatorId === null) continue
          const holder = yield* call("GET", `/users/${operatorId}`)
          assert.strictEqual(holder.body.status, "active", `chat ${id} is assigned to a blocked operator`)
        }
      }
    })
  )

  it.effect("a block locks the lower of its two user ids first", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call, made, operator } = yield* world
      for (const isLowerBlocked of [true, false]) {
        const [lower, higher] = [yield* operator, yield* operator]
        yield* made("/skill-groups", { name: "Group", memberIds: [lower.id, higher.id] })
        const [blocked, successor] = isLowerBlocked ? [lower, higher] : [higher, lower]
        const end = yield* openTransaction(sql`select 1 from users where id = ${lower.id} for update`)
        const body = { reassignTo: successor.id }
        const block = yield* Effect.forkChild(call("POST", `/users/${blocked.id}/block`, body))
        yield* untilWaiting
        yield* sql`select 1 from users where id = ${higher.id} for update nowait`
        yield* end
        assert.strictEqual((yield* Fiber.join(block)).status, 200)
      }
    })
  )
})
