// Bots, nodes and call_node over HTTP on a real PostgreSQL (contract §8).
import { assert, layer } from "@effect/vitest"
import { CALL_DATA_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { openTransaction, untilWaiting } from "../../testing/LockWaits.ts"
import {
  expectFaults,
  expectStatus,
  member,
  members,
  newInstance,
  RestFixtures,
  runConcurrently,
  untilFinal,
  type Answer
} from "../../testing/RestFixtures.ts"

const webhook = { channel: "web", kind: "webhook", url: "https://chat.example.com/hook" }
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

/** A bot with a node of the template, and a client that it may write to. */
const makeCallingBot = (template: string | null) =>
  Effect.gen(function* () {
    const { admin, ...more } = yield* newInstance
    const chatId = `чат ${randomUUID()}`
    const bot = yield* admin.makeId("/bots", { name: "Помічник", connectors: [webhook] })
    const order = { name: "Замовлення", connectorAlias: "order" }
    const node = yield* admin.makeId(`/bots/${bot}/nodes`, {
      ...order,
      ...(template === null ? {} : { template })
    })
    const identities = [
      { channel: "web", chatId },
      { channel: "sms", chatId },
      { channel: "off", chatId, subscribed: false }
    ]
    const client = yield* admin.makeId("/clients", { name: "Олена", identities })
    const path = (channel = "web", to = chatId) =>
      `/kw/api/call_node/${bot}/${node}/${channel}/${encodeURIComponent(to)}`
    const chats = Effect.map(
      admin.read(`/OpChatRooms/list?filter[clientId]=${client}&order[id]=asc`),
      ({ data }) => data
    )
    const messages = (appealId: number) =>
      Effect.map(admin.read(`/OpChatRooms/${appealId}/messages`), ({ data }) => data)
    /** A call by the alias of the node. */
    const callAlias = (data: object, alias = "order") => {
      const address = { bot_id: bot, connector_alias: alias, channel: "web", chat_id: chatId }
      return admin.post("/kw/api/call_node/", { ...address, ...data })
    }
    return { admin, ...more, bot, node, client, chatId, path, chats, messages, callAlias }
  })
const status = (answer: Answer) => [answer.status, answer.body.code, answer.body.result]
const say = (message: string, more: object = {}) => ({ data: { message, ...more } })

const secretsOf = (bot: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`select channel, secret, token from bot_connectors where bot_id = ${bot}`
    return Object.fromEntries(rows.map(({ channel, secret, token }) => [channel, [secret, token]]))
  }).pipe(Effect.orDie)

layer(RestFixtures, { excludeTestServices: true, timeout: 60_000 })("bots and calls", (it) => {
  it.effect("bots show a generated secret once and a given secret never", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const given = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
      const body = {
        name: "Помощник",
        connectors: [
          webhook,
          { ...webhook, channel: "chat", secret: given },
          { channel: "telegram", kind: "telegram", token: "123:секрет".replace("секрет", "AbC_-") }
        ]
      }
      const first = yield* admin.post("/bots", body)
      expectStatus(first, 201)
      const { id } = first.body
      assert.strictEqual(first.headers.get("location"), `/kw/api/v1/bots/${id}`)
      const shown = [
        { ...webhook, active: true },
        { ...webhook, channel: "chat", active: true },
        { channel: "telegram", kind: "telegram", url: null, active: true }
      ]
      const [made, , telegram] = first.body.connectors
      assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/u)
      assert.match(telegram.secret, /^[A-Za-z0-9_-]{43}$/u)
      assert.strictEqual(first.body.connectors[1].secret, null)
      assert.notInclude(first.text, given)

      const bot = { id, name: "Помощник", active: true, connectors: shown }
      assert.deepStrictEqual(yield* admin.read(`/bots/${id}`), bot)
      assert.deepStrictEqual((yield* admin.read(`/bots?filter[id]=${id}`)).data, [bot])
      const stored = yield* secretsOf(id)
      assert.deepStrictEqual(stored.web, [made.secret, null])
      assert.deepStrictEqual(stored.chat, [given, null])
      assert.deepStrictEqual(stored.telegram, [telegram.secret, "123:AbC_-"])

      // A patch keeps omitted members of a connector, and removes a connector that it does not name.
      const web = { channel: "web", kind: "webhook", active: false }
      const patched = yield* admin.patch(`/bots/${id}`, { connectors: [web] })
      assert.deepStrictEqual(patched.body.connectors, [{ ...webhook, active: false, secret: null }])
      const kept = { web: [made.secret, null] }
      assert.deepStrictEqual(yield* secretsOf(id), kept)
      assert.deepStrictEqual((yield* admin.patch(`/bots/${id}`, { active: false })).body.active, false)
      assert.deepStrictEqual(yield* secretsOf(id), kept)

      // Nothing of it is kept by a connector of another kind.
      const other = [{ channel: "web", kind: "telegram" }]
      expectFaults(yield* admin.patch(`/bots/${id}`, { connectors: other }), ["connectors[0].token"])

      const { text: log } = yield* admin.get(`/audit-log?filter[entity]=bot&filter[entityId]=${id}`)
      assert.include(log, '"connectors"')
      for (const secret of [made.secret, given, "AbC_-"]) assert.notInclude(log, secret)
      assert.strictEqual((yield* admin.make("/bots", { name: "x" })).connectors.length, 0)
    })
  )

  it.effect("bots with invalid connectors are refused with all faults", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      for (const [url, status] of [
        ["http://127.0.0.1:9/", 400],
        ["http://chat.example.com:8080/x?y=1", 201]
      ] as const)
        expectStatus(yield* admin.post("/bots", { name: "x", connectors: [{ ...webhook, url }] }), status)
      const faults = yield* admin.post("/bots", {
        name: "x",
        connectors: [
          { channel: "a", kind: "webhook" },
          { ...webhook, channel: "b", secret: "whsec_short", token: "1:x" },
          { channel: "c", kind: "telegram", url: "https://example.com/", secret: "=" }
        ]
      })
      expectFaults(faults, [
        "connectors[0].url",
        "connectors[1].secret",
        "connectors[1].token",
        "connectors[2].url",
        "connectors[2].token",
        "connectors[2].secret"
      ])
      const twice = yield* admin.post("/bots", { name: "x", connectors: [webhook, webhook] })
      expectFaults(twice, ["connectors[1].channel"])
    })
  )

  it.effect("nodes have an alias that is unique in their bot and a valid template", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const [bot, other] = [
        yield* admin.makeId("/bots", { name: "x" }),
        yield* admin.makeId("/bots", { name: "x" })
      ]
      const node = yield* admin.make(`/bots/${bot}/nodes`, { name: "Привітання", connectorAlias: "вхід" })
      const given = { name: "Привітання", connectorAlias: "вхід" }
      assert.deepStrictEqual(node, { ...given, id: node.id, botId: bot, template: null, active: true })
      assert.deepStrictEqual(yield* admin.read(`/bots/${bot}/nodes/${node.id}`), node)
      assert.deepStrictEqual((yield* admin.read(`/bots/${bot}/nodes`)).data, [node])
      assert.deepStrictEqual((yield* admin.read(`/bots/${other}/nodes`)).data, [])
      const same = { name: "x", connectorAlias: "вхід" }
      assert.strictEqual((yield* admin.post(`/bots/${bot}/nodes`, same)).body.code, "UNIQUE_CONFLICT")
      assert.strictEqual((yield* admin.post(`/bots/${other}/nodes`, same)).status, 201)
      const broken = yield* admin.post(`/bots/${bot}/nodes`, { name: "x", template: "Вітаю, {{імʼя" })
      expectFaults(broken, ["template"])
      const path = `/bots/${bot}/nodes/${node.id}`
      expectFaults(yield* admin.patch(path, { template: "{{1}}" }), ["template"])
      const members = { template: "Вітаю, {{імʼя|друже}}!", connectorAlias: null }
      assert.deepStrictEqual((yield* admin.patch(path, members)).body, { ...node, ...members })
    })
  )

  it.effect("call_node writes into the open chat of the bot or a new one, never a closed one", () =>
    Effect.gen(function* () {
      const { admin, bot, callAlias, chatId, chats, client, messages, node, path } = yield* makeCallingBot(
        "{{імʼя|Шановний клієнте}}, {{message}} {{сума}}"
      )
      const first = yield* admin.post(path(), say("замовлення {{сума}} їде", { сума: 12.5 }))
      expectStatus(first, 200)
      const { callId, message, ...answer } = first.body
      assert.match(callId, uuidV7)
      assert.isString(message)
      assert.deepStrictEqual(answer, { status: "success", delivery: "queued" })
      const [chat, ...others] = yield* chats
      assert.lengthOf(others, 0)
      assert.deepInclude(chat, {
        botId: bot,
        channel: "web",
        chatId,
        clientId: client,
        isOutgoing: true,
        status: "waiting",
        waitingSince: null,
        messageCount: 1
      })
      const [written] = yield* messages(chat.id)
      assert.deepInclude(written, { sequence: 1, authorType: "bot", authorId: bot, delivery: "queued" })
      const call = yield* admin.read(`/kw/api/call_node/calls/${callId.toUpperCase()}`)
      const { createdAt: _, updatedAt: __, ...shown } = call
      const ids = { callId, messageId: written.id, appealId: chat.id }
      const none = { reason: null, description: null, attempts: 0 }
      assert.deepStrictEqual(shown, { ...ids, status: "queued", ...none })

      // The other form, and the data itself as a body.
      expectStatus(yield* callAlias(say("Привет", { сума: true })), 200)
      expectStatus(yield* callAlias(say("Hello", { сума: 0, імʼя: "Ганно" })), 200)
      expectStatus(yield* admin.post(path(), { message: "Ще", сума: "₴ 1" }), 200)
      assert.deepStrictEqual((yield* messages(chat.id)).map(members("sequence", "text")), [
        [1, "Шановний клієнте, замовлення {{сума}} їде 12.5"],
        [2, "Шановний клієнте, Привет true"],
        [3, "Ганно, Hello 0"],
        [4, "Шановний клієнте, Ще ₴ 1"]
      ])
      expectStatus(yield* admin.change(`/OpChatRooms/${chat.id}`, { status: "closed" }), 200)
      yield* admin.patch(`/bots/${bot}/nodes/${node}`, { template: "Welcome: {{message}}" })
      yield* admin.post(path(), say("знову"))
      const opened = yield* chats
      assert.deepStrictEqual(opened.map(members("status", "messageCount")), [
        ["closed", 4],
        ["waiting", 1]
      ])
      assert.strictEqual((yield* messages(opened[1].id))[0].text, "Welcome: знову")
      const log = yield* admin.read(
        `/audit-log?filter[action]=node.call&filter[entityId]=${node}&order[id]=asc`
      )
      assert.deepStrictEqual(log.data[0].details, { botId: bot, callId, clientId: client })
    })
  )

  it.effect("concurrent calls of call_node open one chat", () =>
    Effect.gen(function* () {
      const { admin, chats, messages, path } = yield* makeCallingBot(null)
      const answers = yield* runConcurrently(12, (i) =>
        untilFinal(admin.post(path(), say(`№${i}`), { "idempotency-key": `${i}` }))
      )
      assert.deepStrictEqual([...new Set(answers.map((answer) => answer.status))], [200])
      const [chat, ...others] = yield* chats
      assert.lengthOf(others, 0)
      const written = yield* messages(chat.id)
      assert.deepStrictEqual(
        written.map(member("sequence")),
        Array.from({ length: 12 }, (_, i) => i + 1)
      )
      assert.strictEqual(new Set(written.map(member("text"))).size, 12)
      // Equal calls under one key are one message.
      const key = { "idempotency-key": randomUUID() }
      const equal = yield* runConcurrently(10, () => untilFinal(admin.post(path(), say("z"), key)))
      for (const answer of equal) expectStatus(answer, 200)
      assert.strictEqual(new Set(equal.map(({ body }) => body.callId)).size, 1)
      const first = equal.filter(({ headers }) => headers.get("idempotency-replayed") === null)
      assert.lengthOf(first, 1)
      assert.deepStrictEqual((yield* chats).map(member("messageCount")), [13])
    })
  )

  it.effect("call_node reports unknown records, clients who opted out and inactive bots", () =>
    Effect.gen(function* () {
      const { admin, bot, callAlias, chats, node, path } = yield* makeCallingBot("{{a}}")
      const known = say("x", { a: 1 })
      for (const missing of [
        yield* admin.post(path("web", "nobody"), known),
        // The bot has no such connector.
        yield* admin.post(path("sms"), known),
        yield* callAlias(known, "x")
      ])
        assert.deepStrictEqual(status(missing), [404, "NOT_FOUND", "error"])

      yield* admin.patch(`/bots/${bot}`, { connectors: [webhook, { ...webhook, channel: "off" }] })
      const refused = status(yield* admin.post(path("off"), known))
      assert.deepStrictEqual(refused, [409, "CLIENT_NOT_SUBSCRIBED", "error"])
      const connectors = (active: boolean) => ({ connectors: [{ ...webhook, active }] })
      for (const [at, off, on] of [
        [`/bots/${bot}`, { active: false }, { active: true }],
        [`/bots/${bot}/nodes/${node}`, { active: false }, { active: true }],
        [`/bots/${bot}`, connectors(false), connectors(true)]
      ] as const) {
        yield* admin.patch(at, off)
        const answer = yield* admin.post(path(), known)
        assert.deepStrictEqual(status(answer), [409, "STATE_NOT_ALLOWED", "error"], at)
        yield* admin.patch(at, on)
      }
      assert.lengthOf(yield* chats, 0, "nothing was written")
      expectStatus(yield* admin.post(path(), known), 200)
    })
  )

  it.effect("call_node reports faults of its data", () =>
    Effect.gen(function* () {
      const { admin, chats, path } = yield* makeCallingBot("{{a}} {{b|}} {{c}} {{d}} {{a}}")
      for (const [body, faults] of [
        [say("x", { c: { d: 1 } }), ["data.a", "data.d", "data.c"]],
        [{}, ["data.message"]],
        [say(""), ["data.message"]],
        [say("я".repeat(4_097)), ["data.message"]],
        [{ data: { message: 5 } }, ["data.message"]],
        [{ data: {}, more: 1 }, ["more", "data.message"]],
        ["{", [""]]
      ] as const) {
        const answer = yield* admin.post(path(), body)
        expectFaults(answer, faults)
        assert.strictEqual(answer.body.result, "error")
      }
      const large = yield* admin.post(path(), say("x", { a: "y".repeat(CALL_DATA_BYTES_MAX) }))
      assert.deepStrictEqual(
        [large.status, large.body.code, large.body.result],
        [413, "PAYLOAD_TOO_LARGE", "error"]
      )
      assert.lengthOf(yield* chats, 0)
    })
  )

  it.effect("call_node has one effect under a key and marks a replay only in the header", () =>
    Effect.gen(function* () {
      const { admin, chats, path } = yield* makeCallingBot(null)
      const key = { "idempotency-key": randomUUID() }
      const first = yield* admin.post(path(), say("x"), key)
      const again = yield* admin.post(path(), { message: "x" }, key)
      assert.deepStrictEqual([again.status, again.body], [200, first.body])
      const reused = yield* admin.post(path(), say("y"), key)
      assert.deepStrictEqual([reused.status, reused.body.result], [422, "error"])
      assert.deepStrictEqual((yield* chats).map(member("messageCount")), [1])
    })
  )

  it.effect("call_node never sends on GET and reports every failure as result error", () =>
    Effect.gen(function* () {
      const { admin, chats, instance, path, rest } = yield* makeCallingBot(null)
      const read = yield* admin.get(path())
      assert.deepStrictEqual(
        [read.status, read.headers.get("allow"), read.body.result],
        [405, "POST, OPTIONS", "error"]
      )
      const operator = yield* rest.user(instance, ["operator"])
      const denied = yield* operator.post(path(), say("x"))
      assert.deepStrictEqual([denied.status, denied.body.result], [403, "error"])
      assert.strictEqual((yield* admin.get("/kw/api/call_node/calls/x")).body.result, "error")
      assert.isUndefined((yield* admin.get("/kw/api/v1/bots/999999999")).body.result)
      const limited = yield* admin.post(path(), say("x"))
      assert.match(limited.headers.get("ratelimit-policy") ?? "", /^"calls"/u)
      assert.lengthOf(yield* chats, 1)
    })
  )

  it.effect("a call that waits for the first call of a client writes into its chat", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin, bot, chatId, chats, client, instance, path } = yield* makeCallingBot(null)
      const commit = yield* openTransaction(
        sql`select 1 from client_identities where chat_id = ${chatId} and channel = 'web' for no key update`,
        sql`insert into appeals (instance_id, kind, client_id, status, status_group, channel, chat_id, bot_id, is_outgoing)
          values (${instance}, 'chat', ${client}, 'waiting', 'new', 'web', ${chatId}, ${bot}, true)`
      )
      const second = yield* Effect.forkChild(admin.post(path(), say("друге")))
      yield* untilWaiting
      yield* commit
      assert.strictEqual((yield* Fiber.join(second)).status, 200)
      assert.deepStrictEqual((yield* chats).map(member("messageCount")), [1])
    })
  )
})
