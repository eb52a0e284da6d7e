// Every route that accepts a client id treats the id of a merged client as its survivor's, also after several merges
// (contract §9).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { member, newInstance, RestFixtures, type Answer } from "../../testing/RestFixtures.ts"

const at = "2026-01-01T08:00:00Z"
const records = "/custom-data/cards/records"
const firsts = "/custom-data/firsts/records"

interface Ids {
  readonly id: number
  readonly chatId: number
  readonly ticketId: number
  readonly survivor: number
}
interface Case {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The part of the answer that is equal for the id of the survivor. */
  readonly show?: (answer: Answer) => unknown
}

const bodyOf = ({ body }: Answer): unknown => body
const totalOf = ({ body }: Answer): unknown => {
  assert.isAbove(body.total, 0)
  return body.data
}
const isOne = ({ body }: Answer): unknown => assert.strictEqual(body.total, 1)
const clientIdOf = ({ body }: Answer): unknown => (body.chat ?? body.ticket ?? body.session ?? body).clientId
const authorIdOf = ({ body }: Answer): unknown => body.message.authorId
const statusesOf = ({ body }: Answer): unknown => body.batch.items.map(member("status"))

const get = (path: string, show: Case["show"] = totalOf): Case => ({ method: "GET", path, show })
const post = (path: string, body: unknown, show: Case["show"] = bodyOf): Case => ({
  method: "POST",
  path,
  body,
  show
})
const search = (op: string, value: unknown, show?: Case["show"]) =>
  post(`${records}/search`, { where: { and: [{ field: "client", op, value }] } }, show ?? totalOf)
const importOf = (kind: string, clientId: number, data: object) =>
  post(
    "/kw/context/import-batches",
    { source: "crm", items: [{ kind, externalId: randomUUID(), clientId, data }] },
    statusesOf
  )
const action = { type: "x", actorType: "client", occurredAt: at }

const toolCall = (id: number) => {
  const params = {
    name: "get_client_context",
    arguments: { client_id: id, sections: ["state"], format: "json" }
  }
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params }
}

const reads = ({ id }: Ids): ReadonlyArray<Case> => [
  get(`/clients/${id}`, bodyOf),
  get(`/clients?filter[id]=${id}`),
  get(`/clients/${id}/properties`, bodyOf),
  get(`/kw/clients/${id}/context/actions`),
  get(`/kw/clients/${id}/context/state`),
  get(`/kw/clients/${id}/context/state/crm`, bodyOf),
  get(`/kw/clients/${id}/context/state/crm/history`),
  post(
    "/kw/chatrooms/context/retrieve",
    { scope: { entity: "client", id }, sections: ["state"] },
    ({ body }) => [body.scope, body.sections]
  ),
  post("/kw/mcp", toolCall(id), ({ body }) => body.result.structuredContent.scope),
  ...["OpChatRooms", "Ticket"].flatMap((appeals) => [
    get(`/${appeals}/list?filter[clientId]=${id}`),
    get(`/${appeals}/list?filter[clientId][in]=999999,${id}`),
    get(`/${appeals}/list?filter[clientId][ne]=${id}`, isOne),
    get(`/${appeals}/list?filter[clientId][nin]=${id}`, isOne)
  ]),
  get(`${records}?filter[client]=${id}`),
  get(`${records}?filter[client][in]=${id}`),
  get(`${records}?filter[client][ne]=${id}`, isOne),
  search("eq", id),
  search("in", [id]),
  search("nin", [id], isOne),
  get(`${records}/export?format=ndjson&filter[client]=${id}`, ({ text }) => {
    assert.isNotEmpty(text)
    return text
  })
]

const writes = ({ chatId, id, survivor, ticketId }: Ids): ReadonlyArray<Case> => [
  { method: "PATCH", path: `/clients/${id}`, body: { phone: "1" } },
  { method: "PUT", path: `/clients/${id}/properties`, body: { values: {} } },
  post(`/kw/clients/${id}/context/actions`, action, () => undefined),
  {
    method: "PUT",
    path: `/kw/clients/${id}/context/state/n${randomUUID().slice(0, 8)}`,
    body: { expectedVersion: 0, state: {} },
    show: ({ body }) => body.state.clientId
  },
  post("/kw/context/sessions", { clientId: id }, clientIdOf),
  post("/OpChatRooms", { clientId: id, channel: "web" }, clientIdOf),
  post("/Ticket", { clientId: id, title: "т" }, clientIdOf),
  post(`/OpChatRooms/${chatId}/messages`, { authorType: "client", authorId: id, text: "Дякую" }, authorIdOf),
  post(`/Ticket/${ticketId}/messages`, { authorType: "client", authorId: id, text: "Спасибо" }, authorIdOf),
  ...["OpChatRooms", "Ticket"].map((appeals) =>
    post(
      `/${appeals}`,
      {
        clientId: survivor,
        ...(appeals === "Ticket" ? { title: "т" } : { channel: "web" }),
        messages: [{ authorType: "client", authorId: id, text: "Вітаю", occurredAt: at }]
      },
      clientIdOf
    )
  ),
  importOf("action", id, action),
  importOf("state", id, { namespace: "i", state: {} }),
  importOf("session", id, {}),
  post(records, { values: { client: id } }, ({ body }) => body.values),
  post(`${firsts}/upsert`, { keyField: "client", records: [{ values: { client: id } }] }, ({ body }) => {
    assert.deepInclude(body, { created: 0, updated: 1 })
    return body.records[0].values
  }),
  post("/clients/NEW/merge", { intoId: id }, ({ body }) => body.id)
]

const world = Effect.gen(function* () {
  const { admin: who } = yield* newInstance
  const send = (method: string, path: string, body?: unknown) =>
    Effect.map(
      who.call(
        method,
        path,
        body,
        path === "/kw/mcp"
          ? { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" }
          : {}
      ),
      (answer) => {
        assert.include([200, 201], answer.status, `${method} ${path}: ${answer.text.slice(0, 500)}`)
        return answer
      }
    )
  const client = who.makeId("/clients", { name: "Олена" })
  const merge = (from: number, into: number) => send("POST", `/clients/${from}/merge`, { intoId: into })

  const [a, b, c, other] = [yield* client, yield* client, yield* client, yield* client]
  const field = { name: "client", type: "ASSOCIATION", target: "client" }
  yield* who.make("/custom-data/models", { name: "cards", fields: [field] })
  yield* who.make("/custom-data/models", { name: "firsts", fields: [{ ...field, unique: true }] })
  const appealsOf = Effect.fnUntraced(function* (clientId: number) {
    yield* who.make(records, { values: { client: clientId } })
    return {
      chat: yield* who.makeId("/OpChatRooms", { clientId, channel: "web" }),
      ticket: yield* who.makeId("/Ticket", { clientId, title: "Ящик" })
    }
  })
  const made = yield* appealsOf(a)
  yield* appealsOf(other)
  yield* who.make(firsts, { values: { client: a } })
  yield* send("POST", `/kw/clients/${a}/context/actions`, action)
  yield* send("PUT", `/kw/clients/${a}/context/state/crm`, { expectedVersion: 0, state: { a: 1 } })
  yield* merge(a, b)
  yield* merge(b, c)
  return { send, client, old: [a, b], survivor: c, made }
})

layer(RestFixtures)("an old id of a merged client", (it) => {
  it.effect("an old id of a merged client is the survivor's in every read, list, filter and write", () =>
    Effect.gen(function* () {
      const { client, made, old, send, survivor } = yield* world
      const cases = (id: number) => {
        const ids: Ids = { id, chatId: made.chat, ticketId: made.ticket, survivor }
        return [...reads(ids), ...writes(ids)]
      }
      const answerOf = Effect.fnUntraced(function* ({ body, method, path, show }: Case) {
        const place = path.includes("NEW") ? path.replace("NEW", String(yield* client)) : path
        const given =
          method === "PATCH"
            ? { ...Object(body), expectedVersion: (yield* send("GET", place)).body.version }
            : body
        return JSON.stringify(show?.(yield* send(method, place, given)))
      })
      const failed: Array<string> = []
      for (const [i, one] of cases(survivor).entries()) {
        const expected = yield* answerOf(one)
        for (const other of old.flatMap((id) => cases(id).slice(i, i + 1))) {
          const found = yield* Effect.exit(answerOf(other))
          const text = found._tag === "Success" ? found.value : String(found.cause)
          if (text !== expected)
            failed.push(`${other.method} ${other.path}: ${String(text).slice(0, 400)}, not ${expected}`)
        }
      }
      assert.deepStrictEqual(failed, [])
    })
  )

  it.effect("records with the merged clients in a unique field become one record of the survivor", () =>
    Effect.gen(function* () {
      const { client, send, survivor } = yield* world
      const late = yield* client
      yield* send("POST", firsts, { values: { client: late } })
      yield* send("POST", `/clients/${late}/merge`, { intoId: survivor })
      const { data } = (yield* send("GET", `${firsts}?order[id]=asc`)).body
      assert.deepStrictEqual(data.map(member("values")), [{ client: survivor }, { client: late }])
    })
  )
})
