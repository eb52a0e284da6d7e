// Every route that accepts a client id treats the id of a merged client as its survivor's, also after several merges
// (contract §9).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { newInstance, RestFixtures, type Answer } from "../../testing/RestFixtures.ts"

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
  readonly name: string
  readonly request: (ids: Ids) => readonly [method: string, path: string, body?: unknown]
  /** The part of the answer that is equal for the id of the survivor. */
  readonly show?: (answer: Answer, ids: Ids) => unknown
}

const totalOf = ({ body }: Answer): unknown => {
  assert.isAbove(body.total, 0)
  return body.data
}
const clientIdOf = ({ body }: Answer): unknown => (body.chat ?? body.ticket ?? body.session ?? body).clientId
const search = (op: string, value: unknown) => ({ where: { and: [{ field: "client", op, value }] } })
const retrieve = (id: number) => ({ scope: { entity: "client", id } })
const item = (kind: string, clientId: number, data: object) => ({
  source: "crm",
  items: [{ kind, externalId: randomUUID(), clientId, data }]
})
const action = { type: "x", actorType: "client", occurredAt: at }
const statusesOf = ({ body }: Answer) => {
  const items: ReadonlyArray<{ readonly status: string }> = body.batch.items
  return items.map(({ status }) => status)
}

const reads: ReadonlyArray<Case> = [
  { name: "a client", request: ({ id }) => ["GET", `/clients/${id}`], show: ({ body }) => body },
  { name: "clients by id", request: ({ id }) => ["GET", `/clients?filter[id]=${id}`], show: totalOf },
  { name: "properties", request: ({ id }) => ["GET", `/clients/${id}/properties`], show: ({ body }) => body },
  { name: "actions", request: ({ id }) => ["GET", `/kw/clients/${id}/context/actions`], show: totalOf },
  { name: "states", request: ({ id }) => ["GET", `/kw/clients/${id}/context/state`], show: totalOf },
  {
    name: "a state",
    request: ({ id }) => ["GET", `/kw/clients/${id}/context/state/crm`],
    show: ({ body }) => body
  },
  {
    name: "history of a state",
    request: ({ id }) => ["GET", `/kw/clients/${id}/context/state/crm/history`],
    show: totalOf
  },
  {
    name: "a pack",
    request: ({ id }) => ["POST", "/kw/chatrooms/context/retrieve", { ...retrieve(id), sections: ["state"] }],
    show: ({ body }) => [body.scope, body.sections]
  },
  {
    name: "a tool",
    request: ({ id }) => [
      "POST",
      "/kw/mcp",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "get_client_context",
          arguments: { client_id: id, sections: ["state"], format: "json" }
        }
      }
    ],
    show: ({ body }) => body.result.structuredContent.scope
  },
  ...["OpChatRooms", "Ticket"].flatMap((appeals): ReadonlyArray<Case> => [
    {
      name: `${appeals}: eq`,
      request: ({ id }) => ["GET", `/${appeals}/list?filter[clientId]=${id}`],
      show: totalOf
    },
    {
      name: `${appeals}: in`,
      request: ({ id }) => ["GET", `/${appeals}/list?filter[clientId][in]=999999,${id}`],
      show: totalOf
    },
    {
      name: `${appeals}: ne`,
      request: ({ id }) => ["GET", `/${appeals}/list?filter[clientId][ne]=${id}`],
      show: ({ body }) => assert.strictEqual(body.total, 1)
    },
    {
      name: `${appeals}: nin`,
      request: ({ id }) => ["GET", `/${appeals}/list?filter[clientId][nin]=${id}`],
      show: ({ body }) => assert.strictEqual(body.total, 1)
    }
  ]),
  { name: "records: eq", request: ({ id }) => ["GET", `${records}?filter[client]=${id}`], show: totalOf },
  { name: "records: in", request: ({ id }) => ["GET", `${records}?filter[client][in]=${id}`], show: totalOf },
  {
    name: "records: ne",
    request: ({ id }) => ["GET", `${records}?filter[client][ne]=${id}`],
    show: ({ body }) => assert.strictEqual(body.total, 1)
  },
  {
    name: "a search: eq",
    request: ({ id }) => ["POST", `${records}/search`, search("eq", id)],
    show: totalOf
  },
  {
    name: "a search: in",
    request: ({ id }) => ["POST", `${records}/search`, search("in", [id])],
    show: totalOf
  },
  {
    name: "a search: nin",
    request: ({ id }) => ["POST", `${records}/search`, search("nin", [id])],
    show: ({ body }) => assert.strictEqual(body.total, 1)
  },
  {
    name: "an export",
    request: ({ id }) => ["GET", `${records}/export?format=ndjson&filter[client]=${id}`],
    show: ({ text }) => {
      assert.isNotEmpty(text)
      return text
    }
  }
]

const writes: ReadonlyArray<Case> = [
  { name: "a change", request: ({ id }) => ["PATCH", `/clients/${id}`, { expectedVersion: 0, phone: "1" }] },
  { name: "properties", request: ({ id }) => ["PUT", `/clients/${id}/properties`, { values: {} }] },
  { name: "an action", request: ({ id }) => ["POST", `/kw/clients/${id}/context/actions`, action] },
  {
    name: "a state",
    request: ({ id }) => [
      "PUT",
      `/kw/clients/${id}/context/state/n${randomUUID().slice(0, 8)}`,
      { expectedVersion: 0, state: {} }
    ],
    show: ({ body }) => body.state.clientId
  },
  {
    name: "a session",
    request: ({ id }) => ["POST", "/kw/context/sessions", { clientId: id }],
    show: clientIdOf
  },
  {
    name: "a chat",
    request: ({ id }) => ["POST", "/OpChatRooms", { clientId: id, channel: "web" }],
    show: clientIdOf
  },
  {
    name: "a ticket",
    request: ({ id }) => ["POST", "/Ticket", { clientId: id, title: "т" }],
    show: clientIdOf
  },
  {
    name: "the author of a message",
    request: ({ chatId, id }) => [
      "POST",
      `/OpChatRooms/${chatId}/messages`,
      { authorType: "client", authorId: id, text: "Дякую" }
    ],
    show: ({ body }) => body.authorId
  },
  {
    name: "the author of a ticket's message",
    request: ({ id, ticketId }) => [
      "POST",
      `/Ticket/${ticketId}/messages`,
      { authorType: "client", authorId: id, text: "Спасибо" }
    ],
    show: ({ body }) => body.authorId
  },
  ...["OpChatRooms", "Ticket"].map((appeals): Case => ({
    name: `an author in a history: ${appeals}`,
    request: ({ id, survivor }) => [
      "POST",
      `/${appeals}`,
      {
        clientId: survivor,
        ...(appeals === "Ticket" ? { title: "т" } : { channel: "web" }),
        messages: [{ authorType: "client", authorId: id, text: "Вітаю", occurredAt: at }]
      }
    ],
    show: clientIdOf
  })),
  {
    name: "an import of an action",
    request: ({ id }) => ["POST", "/kw/context/import-batches", item("action", id, action)],
    show: statusesOf
  },
  {
    name: "an import of a state",
    request: ({ id }) => [
      "POST",
      "/kw/context/import-batches",
      item("state", id, { namespace: "i", state: {} })
    ],
    show: statusesOf
  },
  {
    name: "an import of a session",
    request: ({ id }) => ["POST", "/kw/context/import-batches", item("session", id, {})],
    show: statusesOf
  },
  {
    name: "a record",
    request: ({ id }) => ["POST", records, { values: { client: id } }],
    show: ({ body }) => body.values
  },
  {
    name: "an upsert by the client",
    request: ({ id }) => [
      "POST",
      `${firsts}/upsert`,
      { keyField: "client", records: [{ values: { client: id } }] }
    ],
    show: ({ body }) => {
      assert.deepInclude(body, { created: 0, updated: 1 })
      return body.records[0].values
    }
  },
  {
    name: "a merge into it",
    request: ({ id }) => ["POST", `/clients/NEW/merge`, { intoId: id }],
    show: ({ body }) => body.id
  }
]

const world = Effect.gen(function* () {
  const { admin: who } = yield* newInstance
  const send = (method: string, path: string, body?: unknown) =>
    Effect.map(
      who.call(method, path, body, {
        ...(method === "GET" ? {} : { "idempotency-key": randomUUID() }),
        ...(path === "/kw/mcp"
          ? { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" }
          : {})
      }),
      (answer) => {
        assert.include([200, 201], answer.status, `${method} ${path}: ${answer.text.slice(0, 500)}`)
        return answer
      }
    )
  const make = (path: string, body: unknown) =>
    Effect.suspend(() => Effect.map(send("POST", path, body), ({ body: made }) => made))
  const client = Effect.map(make("/clients", { name: "Олена" }), ({ id }) => Number(id))
  const merge = (from: number, into: number) => send("POST", `/clients/${from}/merge`, { intoId: into })

  const [a, b, c, other] = [yield* client, yield* client, yield* client, yield* client]
  const field = { name: "client", type: "ASSOCIATION", target: "client" }
  yield* make("/custom-data/models", { name: "cards", fields: [field] })
  yield* make("/custom-data/models", { name: "firsts", fields: [{ ...field, unique: true }] })
  const made = { chat: 0, ticket: 0 }
  for (const id of [a, other]) {
    const { chat } = yield* make("/OpChatRooms", { clientId: id, channel: "web" })
    made.chat = made.chat || chat.id
    const { ticket } = yield* make("/Ticket", { clientId: id, title: "Ящик" })
    made.ticket = made.ticket || ticket.id
    yield* make(records, { values: { client: id } })
  }
  yield* make(firsts, { values: { client: a } })
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
      const ids = (id: number): Ids => ({
        id,
        chatId: made.chat,
        ticketId: made.ticket,
        survivor
      })
      const shownFor = Effect.fnUntraced(function* ({ request, show }: Case, id: number) {
        const [method, path, body] = request(ids(id))
        const place = path.includes("NEW") ? path.replace("NEW", String(yield* client)) : path
        const given =
          method === "PATCH"
            ? { ...Object(body), expectedVersion: (yield* send("GET", place)).body.version }
            : body
        return show?.(yield* send(method, place, given), ids(id))
      })
      const failed: Array<string> = []
      for (const one of [...reads, ...writes]) {
        const expected = yield* shownFor(one, survivor)
        for (const id of old) {
          const shown = yield* Effect.exit(shownFor(one, id))
          const text = shown._tag === "Success" ? JSON.stringify(shown.value) : String(shown.cause)
          if (text !== JSON.stringify(expected))
            failed.push(
              `${one.name}: ${text.slice(0, 400)}, not ${String(JSON.stringify(expected)).slice(0, 200)}`
            )
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
      const listed = yield* send("GET", `${firsts}?order[id]=asc`)
      const values: ReadonlyArray<{ readonly values: unknown }> = listed.body.data
      assert.deepStrictEqual(
        values.map((record) => record.values),
        [{ client: survivor }, { client: late }]
      )
    })
  )
})
