// Tickets over HTTP on a real PostgreSQL: the chats that a ticket names, and how much of it is searched (contract §2, §7).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectFaults, newInstance, RestFixtures, member } from "../../testing/RestFixtures.ts"

layer(RestFixtures, { excludeTestServices: true })("the chats of a ticket", (it) => {
  it.effect("the chats of a ticket are shown by visibility, and hidden ones survive a change", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const operator = yield* rest.user(instance, ["operator"])
      const post = (path: string, body: object) =>
        Effect.map(admin.post(path, body), (answer) => {
          assert.strictEqual(answer.status, 201, answer.text)
          return answer.body
        })
      const client = yield* post("/clients", { name: "Їжак" })
      const chat = (operatorId: number) =>
        Effect.map(
          post("/OpChatRooms", { clientId: client.id, channel: "web", operatorId }),
          (made) => made.chat
        )
      const other = yield* rest.user(instance, ["operator"])
      const [open, hidden] = [yield* chat(operator.id), yield* chat(other.id)]
      const { ticket } = yield* post("/Ticket", {
        clientId: client.id,
        title: "Повернення",
        operatorId: operator.id,
        chatIds: [hidden.id, open.id, hidden.id],
        tags: ["їжак", "vip", "їжак"]
      })
      assert.deepStrictEqual(ticket.chatIds, [open.id, hidden.id])
      assert.deepStrictEqual(ticket.tags, ["їжак", "vip"])
      const path = `/Ticket/${ticket.id}`
      const listed = (who: typeof admin) =>
        Effect.map(who.get(`/Ticket/list?filter[id]=${ticket.id}`), ({ body }) =>
          body.data.map(member("chatIds"))
        )
      assert.deepStrictEqual((yield* operator.read(path)).chatIds, [open.id])
      assert.deepStrictEqual(yield* listed(operator), [[open.id]])
      assert.deepStrictEqual(yield* listed(admin), [[open.id, hidden.id]])

      const patch = (expectedVersion: number, change: object) =>
        operator.patch(path, { expectedVersion, ...change })
      const shown = Effect.map(admin.get(path), ({ body }) => body.chatIds)
      const retitled = yield* patch(1, { title: "Возврат" })
      assert.deepStrictEqual([retitled.status, retitled.body.chatIds], [200, [open.id]])
      assert.deepStrictEqual(yield* shown, [open.id, hidden.id])
      const emptied = yield* patch(2, { chatIds: [] })
      assert.deepStrictEqual([emptied.status, emptied.body.chatIds], [200, []])
      assert.deepStrictEqual(yield* shown, [hidden.id])
      assert.strictEqual((yield* patch(3, { chatIds: [hidden.id] })).status, 400)
      const again = yield* patch(3, { chatIds: [open.id] })
      assert.deepStrictEqual([again.status, again.body.chatIds], [200, [open.id]])
      assert.deepStrictEqual(yield* shown, [open.id, hidden.id])
    })
  )
})

layer(RestFixtures, { excludeTestServices: true })("the author of a ticket's words", (it) => {
  it.effect("the author of a ticket's description is the client, the operator or the imported author", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const integrator = yield* rest.user(instance, ["integrator"])
      const operator = yield* rest.user(instance, ["operator"])
      const clientId = (yield* admin.make("/clients", { name: "Їжак" })).id
      const other = (yield* admin.make("/clients", { name: "Ёлка" })).id
      const open = (who: typeof admin, members: object = {}) =>
        who.post("/Ticket", {
          clientId,
          title: "Де посилка?",
          operatorId: operator.id,
          ...members
        })
      for (const [who, members, authorType, authorId] of [
        [integrator, {}, "client", integrator.id],
        [admin, {}, "client", admin.id],
        [operator, {}, "operator", operator.id],
        [admin, { authorType: "client" }, "client", admin.id],
        [integrator, { authorType: "client", authorId: clientId }, "client", integrator.id],
        [integrator, { authorType: "operator", authorId: operator.id }, "operator", operator.id],
        [admin, { authorType: "operator" }, "operator", admin.id],
        [admin, { authorType: "bot" }, "bot", admin.id],
        [admin, { authorType: "system" }, "system", admin.id]
      ] as const) {
        const made = yield* open(who, members)
        assert.strictEqual(made.status, 201, made.text)
        assert.deepInclude(made.body.ticket, { authorType, authorId })
        const shown = yield* admin.read(`/Ticket/${made.body.ticket.id}`)
        assert.deepInclude(shown, { authorType, authorId })
      }
      for (const [members, path] of [
        [{ authorId: operator.id }, "authorType"],
        [{ authorType: "operator", authorId: 2 ** 53 - 1 }, "authorId"],
        [{ authorType: "client", authorId: other }, "authorId"],
        [{ authorType: "system", authorId: operator.id }, "authorId"],
        [{ authorType: "bot", authorId: operator.id }, "authorId"],
        [{ authorType: "robot" }, "authorType"]
      ] as const) {
        const refused = yield* open(admin, members)
        expectFaults(refused, [path])
      }
      assert.strictEqual((yield* open(operator, { authorType: "client" })).status, 403)
    })
  )
})

layer(RestFixtures, { excludeTestServices: true })("the search coverage of a ticket", (it) => {
  it.effect("the search coverage of a ticket follows its messages", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const sql = yield* SqlClient.SqlClient
      const client = (yield* admin.make("/clients", { name: "Ґанна" })).id
      const body = { clientId: client, title: "Немає сигналу" }
      const made = (yield* admin.post("/Ticket", body)).body.ticket
      assert.strictEqual(made.searchCoverage, "complete")
      for (const [messages, coverage] of [
        [1_000, "complete"],
        [1_001, "delayed"],
        [5_000, "delayed"],
        [5_001, "incomplete"]
      ] as const) {
        yield* sql`update appeals set message_count = ${messages}::int4 where id = ${made.id}`
        const one = yield* admin.get(`/Ticket/${made.id}`)
        const list = yield* admin.get(`/Ticket/list?filter[id]=${made.id}`)
        const [listed] = list.body.data
        assert.deepStrictEqual([one.body.searchCoverage, listed.searchCoverage], [coverage, coverage])
      }
      const changed = yield* admin.patch(`/Ticket/${made.id}`, {
        expectedVersion: 1,
        tags: ["x"]
      })
      assert.deepStrictEqual([changed.status, changed.body.searchCoverage], [200, "incomplete"], changed.text)
    })
  )
})
