// Tickets over HTTP on a real PostgreSQL: the chats that a ticket names, and how much of it is searched (contract §2, §7).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectFaults, expectStatus, member, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

layer(RestFixtures, { excludeTestServices: true })("tickets", (it) => {
  it.effect("the chats of a ticket are shown by visibility, and hidden ones survive a change", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const operator = yield* rest.user(instance, ["operator"])
      const clientId = yield* admin.makeId("/clients", { name: "Їжак" })
      const chat = (operatorId: number) =>
        admin.makeId("/OpChatRooms", { clientId, channel: "web", operatorId })
      const other = yield* rest.user(instance, ["operator"])
      const [open, hidden] = [yield* chat(operator.id), yield* chat(other.id)]
      const ticket = yield* admin.make("/Ticket", {
        clientId,
        title: "Повернення",
        operatorId: operator.id,
        chatIds: [hidden, open, hidden],
        tags: ["їжак", "vip", "їжак"]
      })
      assert.deepInclude(ticket, { chatIds: [open, hidden], tags: ["їжак", "vip"] })
      const path = `/Ticket/${ticket.id}`
      /** The chats that the ticket shows to a caller, in its list too. */
      const shownChats = Effect.fnUntraced(function* (who: typeof admin) {
        const { chatIds } = yield* who.read(path)
        const { data } = yield* who.read(`/Ticket/list?filter[id]=${ticket.id}`)
        assert.deepStrictEqual(data.map(member("chatIds")), [chatIds])
        return chatIds
      })
      assert.deepStrictEqual(yield* shownChats(operator), [open])
      for (const [members, toOperator, toAdmin] of [
        [{ title: "Возврат" }, [open], [open, hidden]],
        [{ chatIds: [] }, [], [hidden]],
        [{ chatIds: [open] }, [open], [open, hidden]]
      ] as const) {
        const changed = yield* operator.change(path, members)
        assert.deepStrictEqual(changed.body.chatIds, [...toOperator])
        assert.deepStrictEqual(yield* shownChats(admin), [...toAdmin])
      }
      yield* operator.change(path, { chatIds: [] })
      expectStatus(yield* operator.change(path, { chatIds: [hidden] }), 400)
    })
  )

  it.effect("the author of a ticket's description is the client, the operator or the imported author", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const integrator = yield* rest.user(instance, ["integrator"])
      const operator = yield* rest.user(instance, ["operator"])
      const clientId = yield* admin.makeId("/clients", { name: "Їжак" })
      const other = yield* admin.makeId("/clients", { name: "Ёлка" })
      const ticket = { clientId, title: "Де посилка?", operatorId: operator.id }
      const open = (who: typeof admin, members: object = {}) => who.post("/Ticket", { ...ticket, ...members })
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
        expectStatus(made, 201)
        const { id } = made.body.ticket
        for (const shown of [made.body.ticket, yield* admin.read(`/Ticket/${id}`)])
          assert.deepInclude(shown, { authorType, authorId })
      }
      for (const [members, path] of [
        [{ authorId: operator.id }, "authorType"],
        [{ authorType: "client", authorId: other }, "authorId"],
        [{ authorType: "system", authorId: operator.id }, "authorId"],
        [{ authorType: "bot", authorId: operator.id }, "authorId"],
        [{ authorType: "robot" }, "authorType"]
      ] as const)
        expectFaults(yield* open(admin, members), [path])
      expectStatus(yield* open(operator, { authorType: "client" }), 403)
      // Its author sees a ticket that is assigned to nobody.
      const own = `/Ticket/${yield* operator.makeId("/Ticket", { clientId, title: "Де посилка?" })}`
      expectStatus(yield* operator.get(own), 200)
      expectStatus(yield* (yield* rest.user(instance, ["operator"])).get(own), 404, "NOT_FOUND")
    })
  )

  it.effect("the search coverage of a ticket follows its messages", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const sql = yield* SqlClient.SqlClient
      const clientId = yield* admin.makeId("/clients", { name: "Ґанна" })
      const made = yield* admin.make("/Ticket", { clientId, title: "Немає сигналу" })
      const path = `/Ticket/${made.id}`
      assert.strictEqual(made.searchCoverage, "complete")
      for (const [messages, coverage] of [
        [1_000, "complete"],
        [1_001, "delayed"],
        [5_000, "delayed"],
        [5_001, "incomplete"]
      ] as const) {
        yield* sql`update appeals set message_count = ${messages}::int4 where id = ${made.id}`
        const { data } = yield* admin.read(`/Ticket/list?filter[id]=${made.id}`)
        for (const shown of [yield* admin.read(path), ...data])
          assert.strictEqual(shown.searchCoverage, coverage)
      }
      assert.strictEqual((yield* admin.change(path, { tags: ["x"] })).body.searchCoverage, "incomplete")
    })
  )
})
