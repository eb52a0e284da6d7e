// Repeated writes after a merge of their client, and context writes at their limits (contract §9, "Clients").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import {
  expectFaults,
  expectStatus,
  newInstance,
  RestFixtures,
  type Answer
} from "../../testing/RestFixtures.ts"

const at = "2026-01-01T08:00:00Z"
const event = (type: string) => ({ type, occurredAt: at, actorType: "client", externalEventId: "e" })
const item = (clientId: number, state: object, namespace = "crm") => ({
  kind: "state",
  externalId: namespace,
  clientId,
  data: { namespace, state }
})
const message = (externalId: string) => ({
  kind: "message",
  sessionExternalId: "conv",
  externalId,
  data: { role: "client", content: "Є тут хто?" }
})

const world = Effect.gen(function* () {
  const { admin: who, instance, rest } = yield* newInstance
  const client = who.makeId("/clients", { name: "Олена" })
  const merge = (from: number, into: number) =>
    Effect.map(who.post(`/clients/${from}/merge`, { intoId: into }), (answer) => expectStatus(answer, 200))
  const items = Effect.fnUntraced(function* (list: ReadonlyArray<object>) {
    const batch = yield* who.make("/kw/context/import-batches", { source: "crm", items: list })
    return batch.items as ReadonlyArray<{ status: string; code?: string; message?: string }>
  })
  return { rest, instance, who, send: who.call, client, merge, items }
})

layer(RestFixtures)("context writes", (it) => {
  it.effect("after a merge a write is replayed under its key and its externalEventId, in chains too", () =>
    Effect.gen(function* () {
      const { client, merge, send } = yield* world
      const [a, b, c] = [yield* client, yield* client, yield* client]
      const stateUpdate = { namespace: "crm", expectedVersion: 0, state: { a: 1 } }
      const action = { ...event("x"), source: "shop", stateUpdate }
      const session = { clientId: a, externalSessionId: `s-${a}` }
      const writes = [
        ["POST", `/kw/clients/${a}/context/actions`, action],
        ["PUT", `/kw/clients/${a}/context/state/web`, { expectedVersion: 0, state: { b: 2 } }],
        ["POST", "/kw/context/sessions", session],
        ["POST", "/OpChatRooms", { clientId: a, channel: "web" }],
        ["POST", "/Ticket", { clientId: a, title: "т" }],
        ["PATCH", `/clients/${a}`, { expectedVersion: 1, phone: "+380" }],
        ["PUT", `/clients/${a}/properties`, { values: {} }]
      ] as const
      const keys = writes.map(() => ({ "idempotency-key": randomUUID() }))
      const first: Array<Answer> = []
      for (const [i, [method, path, body]] of writes.entries()) {
        const answer = yield* send(method, path, body, keys[i])
        assert.include([200, 201], answer.status, answer.text)
        first.push(answer)
      }
      yield* merge(a, b)
      yield* merge(b, c)
      for (const [i, [method, path, body]] of writes.entries()) {
        const again = yield* send(method, path, body, keys[i])
        expectStatus(again, 200)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true", path)
        const unmarked = again.text.replace('"replayed":true', '"replayed":false')
        assert.strictEqual(unmarked, first[i]?.text, path)
      }
      // The survivor's own route recognises the event too.
      for (const id of [a, c]) {
        const again = yield* send("POST", `/kw/clients/${id}/context/actions`, action)
        expectStatus(again, 200)
        assert.deepInclude(again.body, { replayed: true, dedupedBy: "externalEventId" })
        assert.strictEqual(again.body.receipt.id, first[0]?.body.receipt.id)
      }
      const opened = yield* send("POST", "/kw/context/sessions", session)
      expectStatus(opened, 200)
      assert.strictEqual(opened.body.session.clientId, c)
    })
  )

  it.effect(
    "a merge may exceed the limit of namespaces, and then every write that adds one is 400 at its path",
    () =>
      Effect.gen(function* () {
        const { client, items, merge, send, who } = yield* world
        const [a, b] = [yield* client, yield* client]
        const fill = (id: number, name: string) =>
          items(Array.from({ length: 40 }, (_, n) => item(id, {}, `${name}${n}`)))
        for (const filled of [...(yield* fill(a, "a")), ...(yield* fill(b, "b"))])
          assert.strictEqual(filled.status, "succeeded")
        yield* merge(a, b)
        const { data, total } = yield* who.read(`/kw/clients/${b}/context/state?limit=100`)
        assert.deepStrictEqual([data.length, total], [80, 80])
        const request = { scope: { entity: "client", id: b }, sections: ["state"] }
        const pack = yield* who.post("/kw/chatrooms/context/retrieve", request)
        expectStatus(pack, 200)
        assert.strictEqual(pack.body.sections.state.namespaces.length, 80)

        const context = `/kw/clients/${b}/context`
        const first = { expectedVersion: 0, state: {} }
        expectStatus(yield* send("PUT", `${context}/state/a7`, { ...first, expectedVersion: 1 }), 200)
        expectFaults(yield* send("PUT", `${context}/state/more`, first), ["namespace"])
        const action = { ...event("x"), stateUpdate: { namespace: "more", ...first } }
        expectFaults(yield* send("POST", `${context}/actions`, action), ["stateUpdate.namespace"])
        assert.strictEqual((yield* who.read(`${context}/actions`)).total, 0)
        const [imported] = yield* items([item(b, {}, "more")])
        assert.deepInclude(imported, { status: "failed", code: "INVALID_REQUEST" })
        assert.include(imported?.message, "data.namespace")
      })
  )

  it.effect("an event that both merged clients had with different content is replayed for either", () =>
    Effect.gen(function* () {
      const { client, merge, send } = yield* world
      const [a, b] = [yield* client, yield* client]
      expectStatus(yield* send("POST", `/kw/clients/${a}/context/actions`, event("of-a")), 201)
      expectStatus(yield* send("POST", `/kw/clients/${b}/context/actions`, event("of-b")), 201)
      yield* merge(a, b)
      for (const type of ["of-a", "of-b"]) {
        const again = yield* send("POST", `/kw/clients/${a}/context/actions`, event(type))
        expectStatus(again, 200)
        assert.strictEqual(again.body.action.type, type)
      }
      const other = yield* send("POST", `/kw/clients/${b}/context/actions`, event("other"))
      expectStatus(other, 409, "EXTERNAL_EVENT_CONFLICT")
    })
  )

  it.effect("an imported state is not applied again after a merge", () =>
    Effect.gen(function* () {
      const { client, items, merge, send, who } = yield* world
      const [a, b] = [yield* client, yield* client]
      assert.deepInclude((yield* items([item(a, { of: "a" })]))[0], { status: "succeeded" })
      assert.deepInclude((yield* items([item(b, { of: "b" })]))[0], { status: "succeeded" })
      yield* merge(a, b)
      const next = { expectedVersion: 1, state: { now: 1 } }
      expectStatus(yield* send("PUT", `/kw/clients/${b}/context/state/crm`, next), 200)
      for (const [id, state] of [
        [a, { of: "a" }],
        [b, { of: "b" }],
        [b, { of: "a" }]
      ] as const)
        assert.deepInclude((yield* items([item(id, state)]))[0], { status: "replayed" })
      assert.deepInclude((yield* items([item(a, { of: "c" })]))[0], { code: "EXTERNAL_EVENT_CONFLICT" })
      const now = yield* who.get(`/kw/clients/${a}/context/state/crm`)
      assert.deepStrictEqual(now.body.state, { now: 1 })
    })
  )

  it.effect("an imported message for a closed session is SESSION_CLOSED, a known one is replayed", () =>
    Effect.gen(function* () {
      const { client, items, send } = yield* world
      const clientId = yield* client
      const made = yield* send("POST", "/kw/context/sessions", { clientId, externalSessionId: "conv" })
      assert.deepInclude((yield* items([message("m1")]))[0], { status: "succeeded" })
      expectStatus(yield* send("POST", `/kw/context/sessions/${made.body.session.id}/close`, {}), 200)
      const [again, late] = yield* items([message("m1"), message("m2")])
      assert.deepInclude(again, { status: "replayed" })
      assert.deepInclude(late, { status: "failed", code: "SESSION_CLOSED" })
      const unknown = { ...message("m3"), sessionExternalId: "nobody" }
      assert.deepInclude((yield* items([unknown]))[0], { status: "failed", code: "INVALID_REQUEST" })
    })
  )

  it.effect("an open session of a hidden appeal is not returned by its external id", () =>
    Effect.gen(function* () {
      const { client, instance, rest, who } = yield* world
      const clientId = yield* client
      const operator = yield* rest.user(instance, ["operator"])
      const stranger = yield* rest.user(instance, ["operator"])
      yield* who.make("/OpChatRooms", { clientId, channel: "web", operatorId: operator.id })
      const appealId = yield* who.makeId("/OpChatRooms", {
        clientId,
        channel: "web",
        operatorId: stranger.id
      })
      const session = { clientId, externalSessionId: "conv-77" }
      const hidden = { ...session, appealId, metadata: { note: "SECRET" } }
      const { id } = yield* who.make("/kw/context/sessions", hidden)
      const refused = yield* operator.post("/kw/context/sessions", session)
      expectStatus(refused, 409, "EXTERNAL_EVENT_CONFLICT")
      for (const secret of ["SECRET", id]) assert.notInclude(refused.text, secret)
    })
  )
})
