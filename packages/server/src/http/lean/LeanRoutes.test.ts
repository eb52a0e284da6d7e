// Writes of a client's context and lists of appeals are answered the same beside the framework and through it (docs/contract.md §1).
import { NodeHttpServer } from "@effect/platform-node"
import { afterAll, assert, beforeEach, describe, it } from "@effect/vitest"
import type { ActionRegistered, StateWritten } from "@rapport/contract/clients/ClientContextApi.ts"
import {
  AccessDenied,
  ExternalEventConflict,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  InvalidRequest,
  NotFound,
  PayloadTooLarge,
  QuotaExceeded,
  SearchUnavailable,
  VersionConflict
} from "@rapport/contract/Errors.ts"
import type { Chat } from "@rapport/contract/appeals/ChatsApi.ts"
import { policies } from "@rapport/contract/http/RateLimits.ts"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import type { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import type { AskedList } from "@rapport/core/lists/Pages.ts"
import { Effect, Layer, Option, References } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { groundParts } from "../../testing/HttpFixtures.ts"
import { head, raw, shown, started, token } from "../../testing/RawHttpFixtures.ts"
import { Admission } from "../admission/Admission.ts"
import { makeServer } from "../HttpListener.ts"
import { routerConfig } from "../middleware/ResponseEnvelope.ts"
import { LeanPath, LeanRoutes } from "./LeanPath.ts"

type Way = "lean" | "general"
/** Which way each request came to its use case, and what it asked. */
const ways: Array<Way> = []
const asked: Array<unknown> = []
const came = (what: unknown) =>
  Effect.map(Effect.serviceOption(HttpServerRequest.HttpServerRequest), (request) => {
    ways.push(Option.isSome(request) ? "general" : "lean")
    asked.push(what)
  })

const at = 1_790_000_000_000
const receipt = {
  id: "01990000-0000-7000-8000-000000000001",
  operation: "o",
  fingerprint: "f",
  committedAt: at
}
const action: ActionRegistered = {
  receipt,
  action: {
    id: "01990000-0000-7000-8000-000000000002",
    clientId: 501,
    type: "order.created",
    occurredAt: at + 1,
    actorType: "client",
    actorId: null,
    externalEventId: null,
    source: null,
    channel: null,
    subjectId: null,
    appealId: null,
    summary: "Замовлення 10442, «два» роутери, їжак і 🙂",
    payload: { total: 3198, склад: [1, null, { ok: true }] },
    recordedAt: at + 2
  }
}
const written: StateWritten = {
  receipt,
  state: { clientId: 501, namespace: "crm", version: 7, state: { крок: 1 }, updatedAt: at }
}
const chat: Chat = {
  id: 9001,
  chatId: null,
  channel: "telegram",
  botId: null,
  clientId: 501,
  operatorId: null,
  operatorIds: [31],
  subjectId: null,
  skillGroupIds: [],
  status: "closed",
  priority: "normal",
  isOutgoing: false,
  tags: ["їжак"],
  comment: null,
  messageCount: 1,
  searchCoverage: "complete",
  waitingSince: null,
  firstResponseAt: null,
  lastMessageAt: at,
  closedBy: null,
  createdAt: at,
  updatedAt: at,
  closedAt: at,
  version: 1
}
type Outcome<Name extends "register" | "put"> = ReturnType<ClientContext["Service"][Name]>
let registered: Outcome<"register"> = Effect.succeed({ answer: action, replayed: false })
let put: Outcome<"put"> = Effect.succeed({ answer: written, replayed: false })

const list = (_: unknown, { names, query }: AskedList) =>
  Effect.as(came(names.map((name) => [name, query[name]])), { text: JSON.stringify(names), total: 0 })

const serve = async () => {
  const { app, services } = groundParts({
    settings: {
      limits: { ...TrafficDefaults, CONTEXT_WRITES_PER_MINUTE: 100_000, REST_PER_MINUTE: 100_000 }
    },
    useCases: {
      context: {
        register: (_, ...what) =>
          Effect.andThen(
            came(what),
            Effect.suspend(() => registered)
          ),
        put: (_, ...what) =>
          Effect.andThen(
            came(what),
            Effect.suspend(() => put)
          )
      },
      chats: {
        list,
        create: (_, ...what) => Effect.as(came(what), { answer: chat, replayed: false })
      },
      tickets: { list }
    }
  })
  const listener = Layer.unwrap(
    Effect.gen(function* () {
      const { guard } = yield* Admission
      const { before } = yield* LeanPath
      return NodeHttpServer.layer(() => guard(makeServer(), before), { host: "127.0.0.1", port: 0 })
    })
  ).pipe(Layer.provide([Admission.layer, LeanPath.layer]), Layer.provide(LeanRoutes.layer))
  return await started(
    HttpRouter.serve(app, { routerConfig, disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(listener),
      Layer.provide(services),
      // Spans are made by the framework alone.
      Layer.provide(Layer.succeed(References.TracerEnabled, false))
    )
  )
}

const { port, stop } = await serve()
afterAll(stop)
beforeEach(() => {
  ways.length = 0
  asked.length = 0
  registered = Effect.succeed({ answer: action, replayed: false })
  put = Effect.succeed({ answer: written, replayed: false })
})

/** The same answer both ways; the framework takes what comes in chunks, and a GET that names a media type. */
const both = async (
  method: string,
  path: string,
  content: string | undefined,
  ...more: ReadonlyArray<string>
) => {
  const lines = ["Connection: close", token, ...more]
  const bytes = Buffer.byteLength(content ?? "")
  const media = "Content-Type: application/json"
  const [lean, general] =
    content === undefined
      ? [head(method, path, ...lines), head(method, path, media, ...lines)]
      : [
          `${head(method, path, media, `Content-Length: ${bytes}`, ...lines)}${content}`,
          `${head(method, path, media, "Transfer-Encoding: chunked", ...lines)}${bytes.toString(16)}\r\n${content}\r\n0\r\n\r\n`
        ]
  const answer = shown((await raw(port, lean)).text)
  assert.deepStrictEqual(shown((await raw(port, general)).text), answer)
  assert.deepStrictEqual(asked[0], asked[1])
  return answer
}
const wentLean: ReadonlyArray<Way> = ["lean", "general"]

const ACTIONS = "/kw/clients/501/context/actions"
const STATE = "/kw/clients/501/context/state/crm"
const key = "Idempotency-Key: 8e03978e"
const requested = { type: "order.created", occurredAt: "2026-03-01T08:00:00Z", actorType: "client" }
const body = JSON.stringify({ ...requested, summary: "Заказ, замовлення, an order", payload: { їжак: 1 } })
const state = JSON.stringify({ expectedVersion: 6, state: { крок: 1 } })

const failures = [
  new AccessDenied(),
  new NotFound(),
  new ExternalEventConflict(),
  new VersionConflict({ currentVersion: 3 }),
  new IdempotencyKeyReused({}),
  new IdempotencyInProgress({}),
  new QuotaExceeded({ detail: "full" }),
  new PayloadTooLarge({ detail: "payload is above 65536 bytes of canonical JSON" }),
  new InvalidRequest({ detail: "x", errors: [{ path: "appealId", message: "names nothing" }] }),
  new SearchUnavailable({ reason: "database_unavailable" })
] as const

describe("a write", () => {
  it.each([
    ["fresh", false, "HTTP/1.1 201 Created"],
    ["a replay", true, "HTTP/1.1 200 OK"]
  ])("of an action, %s", async (_, replayed, status) => {
    registered = Effect.succeed({ answer: action, replayed })
    const answer = await both("POST", ACTIONS, body, key)
    assert.strictEqual(answer.status, status)
    assert.strictEqual(answer.headers.includes("idempotency-replayed: true"), replayed)
    assert.isTrue(answer.hasQuota)
    const { replayed: said, action: made } = JSON.parse(
      Buffer.from(answer.content, "latin1").toString("utf8")
    )
    assert.strictEqual(said, replayed)
    assert.strictEqual(made.occurredAt, new Date(at + 1).toISOString())
    assert.deepStrictEqual(made.payload, action.action.payload)
    assert.deepStrictEqual(ways, wentLean)
    assert.deepStrictEqual(asked[0], [
      501,
      { ...JSON.parse(body), occurredAt: Date.parse(requested.occurredAt) },
      "8e03978e"
    ])
  })

  it.each([
    ["of an action with its state", { ...action, state: written.state }],
    [
      "found by its external event",
      { ...action, dedupedBy: "externalEventId" as const, state: written.state }
    ]
  ])("%s", async (_, answer) => {
    registered = Effect.succeed({ answer, replayed: true })
    assert.property(JSON.parse((await both("POST", ACTIONS, body, key)).content), "state")
    assert.deepStrictEqual(ways, wentLean)
  })

  it.each([
    ["fresh", false],
    ["a replay", true]
  ])("of a state, %s", async (_, replayed) => {
    put = Effect.succeed({ answer: written, replayed })
    const answer = await both("PUT", STATE, state, key)
    assert.strictEqual(answer.status, "HTTP/1.1 200 OK")
    assert.include(answer.headers, 'etag: "7"')
    assert.deepStrictEqual(ways, wentLean)
    assert.deepStrictEqual(asked[0], [501, "crm", JSON.parse(state), "8e03978e"])
  })

  it.each(failures.map((error) => [error._tag, error] as const))("that fails with %s", async (_, error) => {
    registered = Effect.fail(error)
    assert.match((await both("POST", ACTIONS, body, key)).content, /"code":"/u)
    if (error._tag !== "ExternalEventConflict") {
      put = Effect.fail(error)
      assert.match((await both("PUT", STATE, state, key)).content, /"code":"/u)
    }
  })

  it("that meets a bug is 500, and nothing leaks", async () => {
    registered = Effect.die(new Error("insert secret into receipts"))
    const { content, status } = await both("POST", ACTIONS, body, key)
    assert.strictEqual(status, "HTTP/1.1 500 Internal Server Error")
    assert.notInclude(content, "secret")
    assert.deepStrictEqual(ways, wentLean)
  })

  it.each([
    ["a quoted key", 200, STATE, state, ['Idempotency-Key: "8e03978e"']],
    ["a path in percent codes", 200, "/kw/clients/%35%30%31/context/state/%63rm", state, [key]],
    ["no key", 400, STATE, state, []],
    ["an empty key", 400, STATE, state, ['Idempotency-Key: ""']],
    ["two keys", 400, STATE, state, [key, key]],
    ["a key with a space", 400, STATE, state, ["Idempotency-Key: a b"]],
    ["an id that is none", 400, "/kw/clients/x/context/state/crm", state, [key]],
    ["a namespace that is none", 400, "/kw/clients/501/context/state/Crm", state, [key]],
    ["NUL in the path", 400, "/kw/clients/501/context/state/crm%00", state, [key]],
    ["a broken percent code", 400, "/kw/clients/501/context/state/c%zz", state, [key]],
    ["a slash behind it", 404, `${STATE}/`, state, [key]],
    ["a query", 400, `${STATE}?a=1`, state, [key]],
    ["an empty query", 200, `${STATE}?`, state, [key]],
    ["an unknown member", 400, STATE, '{"expectedVersion":0,"state":{},"more":1}', [key]],
    ["a member twice", 400, STATE, '{"expectedVersion":0,"expectedVersion":1,"state":{}}', [key]],
    ["no object", 400, STATE, "[]", [key]],
    ["an answer that there is not", 406, STATE, state, [key, "Accept: text/html"]],
    ["no such method", 405, ACTIONS.replace("actions", "state"), state, [key]]
  ] as const)("with %s", async (_, status, path, content, lines) => {
    assert.match((await both("PUT", path, content, ...lines)).status, new RegExp(`^HTTP/1.1 ${status} `, "u"))
    // A missing key is found by the handler; the use case is not asked.
    if (status === 200) assert.strictEqual(ways.length, 2)
    else assert.isEmpty(ways)
  })
})

describe("a chat that is opened", () => {
  const CHATS = "/kw/api/v1/OpChatRooms"
  const opened = { clientId: 501, channel: "telegram", comment: "Їжак, ёж 🙂" }
  it.each([
    ["without a history counts as any request", opened, policies.rest],
    [
      "with a history counts as an import",
      { ...opened, closedAt: "2025-03-02T09:00:00Z" },
      policies.appealImport
    ]
  ])("%s", async (_, payload, { name }) => {
    const answer = await both("POST", CHATS, JSON.stringify(payload), key)
    assert.strictEqual(answer.status, "HTTP/1.1 201 Created")
    assert.include(answer.headers, `location: ${CHATS.toLowerCase()}/9001`)
    assert.include(answer.headers, 'etag: "1"')
    assert.lengthOf(
      answer.headers.filter((line) => line.startsWith(`ratelimit-policy: "${name}";`)),
      1
    )
    assert.strictEqual(JSON.parse(answer.content).chat.closedAt, new Date(at).toISOString())
    assert.deepStrictEqual(ways, wentLean)
  })

  it.each([
    ["an unknown member", { ...opened, more: 1 }, 400],
    ["no channel", { clientId: 501 }, 400],
    [
      "a history that ends before it began",
      { ...opened, createdAt: "2025-03-02T09:00:00Z", closedAt: "2025-03-01T09:00:00Z" },
      400
    ]
  ] as const)("with %s is refused", async (_, payload, status) => {
    const answer = await both("POST", CHATS, JSON.stringify(payload))
    assert.match(answer.status, new RegExp(`^HTTP/1.1 ${status} `, "u"))
    assert.isEmpty(ways)
  })
})

const many = Array.from({ length: 31 }, (_, n) => `x${n}=1`).join("&")
describe.each(["/kw/api/v1/OpChatRooms/list", "/kw/api/v1/Ticket/list"])("the list %s", (path) => {
  it.each([
    ["without a query", ""],
    ["with an empty query", "?"],
    ["of a size", "?limit=20"],
    ["from an offset", "?limit=1&offset=10000"],
    ["in two orders", "?order[createdAt]=asc&order[id]=desc"],
    ["in the same orders the other way round", "?order[id]=desc&order[createdAt]=asc"],
    ["in percent codes", "?%6Cimit=2&filter%5Bstatus%5D=closed"],
    ["of several values", "?filter[id][in]=1,2,3"],
    ["of a time", "?filter[createdAt][gt]=2026-01-01T00:00:00.000Z&filter[createdAt][lt]=2027-01-01"],
    ["of a Ukrainian word", `?filter[tags]=${encodeURIComponent("терміново")}`],
    ["of words with a plus", "?filter[tags]=a+b%2Bc"],
    ["of members", "?fields=id,status&include=client,operator"],
    ["behind a cursor", "?cursor=abc.def"],
    ["with empty pairs", "?&limit=2&&offset=1&"]
  ])("%s", async (_, query) => {
    const answer = await both("GET", path + query, undefined)
    assert.strictEqual(answer.status, "HTTP/1.1 200 OK")
    assert.isTrue(answer.hasQuota)
    assert.deepStrictEqual(ways, wentLean)
    const names = [...new URLSearchParams(query)].map(([name]) => name)
    assert.deepStrictEqual(JSON.parse(answer.content), names)
  })

  it.each([
    ["an unknown parameter", "?x=1"],
    ["more of them than are named", `?${many}`],
    ["a parameter that is a member of all objects", "?__proto__=1&constructor=2"],
    ["an unknown filter", "?filter[nope]=1"],
    ["an unknown operator", "?filter[id][like]=1"],
    ["an unknown order", "?order[nope]=asc"],
    ["a name twice", "?limit=1&limit=2"],
    ["a name twice in other codes", "?limit=1&%6Cimit=2"],
    ["an empty value", "?limit="],
    ["a value that is none", "?filter[createdAt][gt]=nope"],
    ["no number", "?limit=x"],
    ["a size above the limit", "?limit=1001"],
    ["two faults", "?limit=x&offset=y"],
    ["a member twice", "?fields=id,id"],
    ["a broken percent code", "?limit=%zz"],
    ["a broken percent code in a name", "?l%zz=1"],
    ["NUL", "?filter[tags]=a%00"],
    ["a semicolon", "?limit=2;offset=1"],
    ["a semicolon before it", ";limit=2"],
    ["a slash before it", "/?limit=2"]
  ])("with %s", async (_, query) => {
    const { status } = await both("GET", path + query, undefined)
    assert.match(status, /^HTTP\/1\.1 40[04] /u)
    assert.isEmpty(ways)
  })

  it("is no list by another method, and has a head", async () => {
    assert.match((await both("HEAD", path, undefined)).status, /^HTTP\/1\.1 200 /u)
    assert.match((await both("DELETE", path, undefined)).status, /^HTTP\/1\.1 405 /u)
  })
})
