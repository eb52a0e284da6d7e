// POST /kw/api/inbound/{botId}/{channel}: messages of providers, authenticated by their signature (contract §8, "Inbound").
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf, selectedCount } from "../../postgres/sql/Query.ts"
import { newBot, newSecret } from "../../testing/DeliveryFixtures.ts"
import {
  anonymous as nobody,
  makeTelegramBot,
  postInbound as post,
  receivedMessage as received,
  signedHeaders as signed,
  TELEGRAM_SECRET,
  telegramHeaders
} from "../../testing/InboundFixtures.ts"
import {
  expectFaults,
  expectStatus,
  member,
  members,
  newInstance,
  pathsOf,
  RestFixtures,
  runConcurrently,
  untilFinal
} from "../../testing/RestFixtures.ts"

const webhookBot = (instanceId: number) =>
  newBot({ kind: "webhook", url: "https://chat.example.com/in" }, instanceId)

const world = Effect.gen(function* () {
  const { admin, instance: instanceId, rest } = yield* newInstance
  return { rest, instanceId, admin, bot: yield* webhookBot(instanceId), sql: yield* SqlClient.SqlClient }
})

/** A connector of each kind. */
const both = (web: object, telegram: object) => [
  { channel: "web", kind: "webhook", ...web },
  { channel: "telegram", kind: "telegram", ...telegram }
]

const minutes = (count: number) => new Date(Date.now() + count * 60_000)

layer(RestFixtures, { excludeTestServices: true })((it) => {
  it.effect("an inbound message creates client, chat and message once, and the client waits", () =>
    Effect.gen(function* () {
      const { admin, bot } = yield* world
      const message = received()
      const { appealId, messageId, replayed } = (yield* post(bot, message)).body
      assert.isFalse(replayed)
      const chat = yield* admin.read(`/OpChatRooms/${appealId}`)
      assert.deepInclude(chat, {
        botId: bot.id,
        channel: "web",
        chatId: message.data.chatId,
        status: "waiting",
        isOutgoing: false,
        messageCount: 1,
        waitingSince: chat.lastMessageAt
      })
      const client = yield* admin.read(`/clients/${chat.clientId}`)
      assert.deepInclude(client, {
        name: "Олена Коваль",
        identities: [{ channel: "web", chatId: message.data.chatId, subscribed: true }]
      })
      const again = yield* post(bot, { ...message, data: { ...message.data, text: "another text" } })
      assert.deepStrictEqual(again.body, { replayed: true, appealId, messageId })
      const next = yield* post(bot, received({ ...message.data, externalMessageId: "m-2", text: "Алло?" }))
      assert.deepInclude(next.body, { replayed: false, appealId })
      const { data } = yield* admin.read(`/OpChatRooms/${appealId}/messages`)
      const shown = members("sequence", "authorType", "authorId", "text", "externalMessageId", "delivery")
      assert.deepStrictEqual(data.map(shown), [
        [1, "client", chat.clientId, "Де моє замовлення?", "m-1", "none"],
        [2, "client", chat.clientId, "Алло?", "m-2", "none"]
      ])
      const log = yield* admin.read(`/audit-log?filter[actorType]=system&order[id]=asc`)
      const actions = ["client.create", "chat.create", "chat.message", "chat.message"]
      assert.deepStrictEqual(log.data.map(member("action")), actions)
      assert.notInclude(JSON.stringify(log), "замовлення")
      // After the end of the chat a new message opens another one, and a repeat finds the first.
      expectStatus(yield* admin.change(`/OpChatRooms/${appealId}`, { status: "closed" }), 200)
      assert.deepStrictEqual((yield* post(bot, message)).body, { replayed: true, appealId, messageId })
      const late = yield* post(bot, received({ ...message.data, externalMessageId: "m-3" }))
      assert.notStrictEqual(late.body.appealId, appealId)
      // Without a visible name the client gets that of the chat.
      const unnamed = received({ clientName: "\u200b\u00a0" })
      const { clientId } = yield* admin.read(`/OpChatRooms/${(yield* post(bot, unnamed)).body.appealId}`)
      assert.strictEqual((yield* admin.read(`/clients/${clientId}`)).name, unnamed.data.chatId)
    })
  )

  it.effect("an inbound message has the time of its provider, and a new chat begins with it", () =>
    Effect.gen(function* () {
      const { admin, bot } = yield* world
      const begun = "2026-03-01T08:00:00.000Z"
      const message = received({}, { timestamp: "2026-03-01T10:00:00+02:00" })
      const first = yield* post(bot, message)
      expectStatus(first, 200)
      const messages = `/OpChatRooms/${first.body.appealId}/messages`
      const said = (yield* admin.read(messages)).data[0]
      assert.strictEqual(said.occurredAt, begun)
      assert.isAbove(Date.parse(said.recordedAt), minutes(-5).getTime())
      assert.deepInclude(yield* admin.read(`/OpChatRooms/${first.body.appealId}`), {
        createdAt: begun,
        waitingSince: begun,
        lastMessageAt: begun
      })
      yield* admin.post(messages, { text: "Вже їде" })
      const range = "from=2026-03-01&to=2026-03-02&filter[channel]=web"
      const [row] = (yield* admin.read(`/statistics/dialogues/rows?${range}`)).data
      assert.isAbove(row.tfrSec, 86_400)
    })
  )

  it.effect("the time of an inbound message up to 5 minutes ahead is now, any other fault is 400", () =>
    Effect.gen(function* () {
      const { admin, bot } = yield* world
      const ahead = yield* post(bot, received({}, { timestamp: minutes(4).toISOString() }))
      expectStatus(ahead, 200)
      const { data } = yield* admin.read(`/OpChatRooms/${ahead.body.appealId}/messages`)
      assert.strictEqual(data[0].occurredAt, data[0].recordedAt)
      for (const timestamp of [minutes(6).toISOString(), "вчора", "2026-02-30T10:00:00Z", "1795000000", ""])
        expectFaults(yield* post(bot, received({}, { timestamp })), ["timestamp"], timestamp)
    })
  )

  it.effect("one of fifty equal concurrent inbound messages has an effect", () =>
    Effect.gen(function* () {
      const { bot, sql } = yield* world
      const message = received()
      const send = Effect.fnUntraced(function* (count: number, messageOf: (i: number) => object) {
        const answers = yield* runConcurrently(count, (i) => untilFinal(post(bot, messageOf(i))))
        for (const answer of answers) expectStatus(answer, 200)
        return answers.map(({ body }) => body)
      })
      const same = yield* send(50, () => message)
      assert.strictEqual(same.filter(({ replayed }) => !replayed).length, 1)
      assert.strictEqual(new Set(same.map(member("messageId"))).size, 1)
      yield* send(60, (i) =>
        received({ chatId: `chat-${i % 20}`, externalMessageId: `m-${Math.floor(i / 20)}` })
      )
      const counts = yield* Effect.forEach(["clients", "appeals", "appeal_messages"], (table) =>
        selectedCount(
          sql`select count(*)::float8 as count from ${sql(table)} where instance_id = ${bot.instanceId}`
        )
      )
      assert.deepStrictEqual(counts, [21, 21, 61])
    })
  )

  it.effect("an inbound message with any wrong signature gets the same refusal, and nothing is written", () =>
    Effect.gen(function* () {
      const { bot, rest, sql } = yield* world
      const other = yield* webhookBot(bot.instanceId)
      const message = received()
      const text = JSON.stringify(message)
      const good = signed(bot, text)
      const wrong: ReadonlyArray<Record<string, string>> = [
        {},
        { "webhook-id": good["webhook-id"] },
        { ...good, "webhook-signature": "v1,AAAA" },
        { ...good, "webhook-id": "another" },
        signed(other, text),
        signed(bot, `${text} `),
        signed(bot, text, minutes(-6)),
        signed(bot, text, minutes(6)),
        telegramHeaders(bot.secret)
      ]
      const answers = yield* Effect.forEach(wrong, (headers) => post(bot, message, headers))
      const places = ["999999999/web", "0/web", "bot/web", "99999999999999999999/web"]
      for (const place of [...places, `${bot.id}/sms`, `${bot.id}/web%00`, `${bot.id}/${"s".repeat(201)}`])
        answers.push(yield* rest.call(nobody, "POST", `/kw/api/inbound/${place}`, text, signed(bot, text)))
      for (const answer of answers) expectStatus(answer, 401, "UNAUTHENTICATED")
      assert.strictEqual(new Set(answers.map(({ body }) => body.detail)).size, 1)
      const clients = sql`select count(*)::float8 as count from clients where instance_id = ${bot.instanceId}`
      assert.strictEqual(yield* selectedCount(clients), 0)
    })
  )

  it.effect("two secrets of a connector are valid until the previous one is removed", () =>
    Effect.gen(function* () {
      const { admin, rest } = yield* world
      const before = newSecret()
      const after = newSecret()
      const url = "https://chat.example.com/in"
      const connectors = both({ url, secret: before }, { token: "1:a", secret: "old_token" })
      const id = yield* admin.makeId("/bots", { name: "Помічник", connectors })
      const change = (web: object, telegram: object) =>
        admin.patch(`/bots/${id}`, { connectors: both(web, telegram) })
      const statuses = Effect.gen(function* () {
        const message = received()
        const update = JSON.stringify({ update_id: 1 })
        const byWebhook = yield* Effect.forEach([before, after], (secret) => post({ id, secret }, message))
        const byTelegram = yield* Effect.forEach(["old_token", "new_token"], (secret) =>
          rest.call(nobody, "POST", `/kw/api/inbound/${id}/telegram`, update, telegramHeaders(secret))
        )
        return [...byWebhook, ...byTelegram].map(({ status }) => status)
      })
      assert.deepStrictEqual(yield* statuses, [200, 401, 200, 401])
      const rotated = yield* change(
        { secret: after, previousSecret: before },
        { secret: "new_token", previousSecret: "old_token" }
      )
      expectStatus(rotated, 200)
      for (const secret of [before, after, "old_token", "new_token"]) assert.notInclude(rotated.text, secret)
      assert.deepStrictEqual(yield* statuses, [200, 200, 200, 200])
      yield* change({ active: true }, {})
      assert.deepStrictEqual(yield* statuses, [200, 200, 200, 200])
      expectStatus(yield* change({ previousSecret: null }, { previousSecret: null }), 200)
      assert.deepStrictEqual(yield* statuses, [401, 200, 401, 200])
      const faulty = yield* change({ previousSecret: "whsec_short" }, { previousSecret: "a b" })
      expectFaults(faulty, ["connectors[0].previousSecret", "connectors[1].previousSecret"])
    })
  )

  it.effect("the signature of an inbound request is checked before its shape", () =>
    Effect.gen(function* () {
      const { bot, rest } = yield* world
      const bad = { type: "message.received", data: { chatId: "", text: 5, surprise: 1 }, more: true }
      assert.strictEqual((yield* post(bot, bad, telegramHeaders("x"))).status, 401)
      const refused = yield* post(bot, bad)
      assert.strictEqual(refused.body.code, "INVALID_REQUEST", refused.text)
      assert.sameMembers(
        [...pathsOf(refused)],
        ["more", "data.chatId", "data.text", "data.externalMessageId", "data.surprise"]
      )
      for (const body of [{ type: "message.sent", data: {} }, {}, { update_id: 1 }])
        assert.deepStrictEqual((yield* post(bot, body)).body.errors?.[0]?.path, "type")
      const twice = '{"type":"message.received","type":"message.status"}'
      const path = `/kw/api/inbound/${bot.id}/web`
      assert.strictEqual((yield* rest.call(nobody, "POST", path, twice, signed(bot, twice))).status, 400)
      const media = { ...signed(bot, "{}"), "content-type": "text/plain" }
      assert.strictEqual((yield* rest.call(nobody, "POST", path, "{}", media)).status, 415)
      const large = JSON.stringify(received({ text: "x".repeat(300_000) }))
      assert.strictEqual((yield* rest.call(nobody, "POST", path, large, signed(bot, large))).status, 413)
      const long = "я".repeat(65_536)
      assert.strictEqual((yield* post(bot, received({ text: long }))).status, 200)
      assert.strictEqual((yield* post(bot, received({ text: `${long}я` }))).status, 400)
    })
  )

  it.effect("a status report raises the status of a message, never lowers it, and only for its own bot", () =>
    Effect.gen(function* () {
      const { admin, bot, sql } = yield* world
      const { appealId } = (yield* post(bot, received())).body
      const { id } = yield* rowsOf(Schema.Struct({ id: Schema.Int })).get(sql`with message as (
            insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at, delivery)
            values (${bot.instanceId}, ${appealId}, 2, 'bot', 'Вітаю', now(), 'queued') returning *),
          made as (insert into deliveries (instance_id, id, kind, bot_id, channel, chat_id, client_id, appeal_id, message_id, text)
            select instance_id, gen_random_uuid(), 'call', ${bot.id}, 'web', 'c', 1, appeal_id, id, text from message)
          select id::float8 as id from message`)
      const report = (from: Parameters<typeof post>[0], status: string) =>
        post(from, { type: "message.status", data: { messageId: id, status } })
      for (const [status, replayed, expected] of [
        ["delivered", false, "delivered"],
        ["sent", true, "delivered"],
        ["read", false, "read"]
      ] as const) {
        assert.deepStrictEqual((yield* report(bot, status)).body, { replayed, appealId, messageId: id })
        const { data } = yield* admin.read(`/OpChatRooms/${appealId}/messages`)
        assert.strictEqual(data[1].delivery, expected)
      }
      expectFaults(yield* report(yield* webhookBot(bot.instanceId), "read"), ["data.messageId"])
      expectStatus(yield* report(bot, "none"), 400)
    })
  )

  it.effect("an inbound message is not accepted while the bot or its connector is inactive", () =>
    Effect.gen(function* () {
      const { bot, sql } = yield* world
      yield* sql`update bot_connectors set active = false where bot_id = ${bot.id}`
      const message = received()
      expectStatus(yield* post(bot, message), 409, "STATE_NOT_ALLOWED")
      yield* sql`update bot_connectors set active = true where bot_id = ${bot.id}`
      expectStatus(yield* post(bot, message), 200)
    })
  )

  it.effect("an edited message of Telegram changes the stored one, its first text is in the audit log", () =>
    Effect.gen(function* () {
      const { admin, read, update } = yield* telegramWorld
      const chat = { id: 77, first_name: "Олена" }
      const message = { message_id: 5, chat, date: 1_772_000_000, text: "Перше" }
      const first = yield* update({ message })
      const edited_message = { ...message, edit_date: 1_772_000_060, text: "Друге" }
      assert.deepStrictEqual(yield* update({ edited_message }), first)
      assert.deepStrictEqual(yield* update({ edited_message }), { ...first, replayed: true })
      const messages = `/OpChatRooms/${first.appealId}/messages`
      const [edited, ...others] = (yield* read(messages)).data
      assert.deepInclude(edited, { id: first.messageId, text: "Друге", version: 2, authorType: "client" })
      assert.isString(edited.editedAt)
      assert.isEmpty(others)
      const log = yield* read(`/audit-log?filter[entity]=chat&filter[entityId]=${first.appealId}`)
      const entry = log.data.find(
        ({ action }: { readonly action: string }) => action === "chat.message.update"
      )
      assert.deepInclude(entry, { actorType: "system", actorId: null })
      assert.deepInclude(entry.details, { messageId: first.messageId, textBefore: "Перше" })
      const removal = yield* admin.remove(`${messages}/${first.messageId}`)
      assert.strictEqual(removal.status, 204)
      const late = { edited_message: { ...message, text: "Третє" } }
      assert.deepStrictEqual(yield* update(late), { ...first, replayed: true })
      assert.strictEqual((yield* read(messages)).data[0].text, "")
    })
  )

  it.effect("an inbound Telegram update with a text is a message, others are ignored", () =>
    Effect.gen(function* () {
      const { admin, instanceId, sql } = yield* world
      const { bot } = yield* makeTelegramBot(instanceId)
      const own = telegramHeaders()
      const from = { id: 77, is_bot: false, first_name: "Олена", language_code: "uk" }
      const chat = { id: -100500, first_name: "Олена", last_name: "Коваль", type: "private" }
      const message = { message_id: 5, from, chat, date: 1_772_000_000, text: "Привіт 👋 <b>*всім*</b>" }
      const first = yield* post(bot, { update_id: 1, message }, own)
      expectStatus(first, 200)
      const kept = yield* admin.read(`/OpChatRooms/${first.body.appealId}`)
      assert.strictEqual(kept.chatId, "-100500")
      assert.strictEqual(kept.waitingSince, "2026-02-25T06:13:20.000Z")
      assert.strictEqual((yield* admin.read(`/clients/${kept.clientId}`)).name, "Олена Коваль")
      const again = yield* post(bot, { update_id: 1, message }, own)
      assert.deepStrictEqual(again.body, { ...first.body, replayed: true })
      const location = { latitude: 50, longitude: 30 }
      const left = [
        { update_id: 2, edited_message: { ...message, message_id: 404 } },
        { update_id: 3, message: { ...message, message_id: 6, text: undefined, location } },
        { update_id: 4, my_chat_member: { chat, from } },
        { update_id: 4, my_chat_member: { chat, from, new_chat_member: { status: "guest" } } },
        { update_id: 4, chat_member: { chat, from, new_chat_member: { status: "kicked" } } },
        { update_id: 5, channel_post: message },
        { update_id: 6 }
      ]
      for (const update of [...left, ...left]) {
        const { body, status } = yield* post(bot, update, own)
        assert.deepStrictEqual([status, body], [200, ignored])
      }
      for (const headers of [
        {},
        telegramHeaders(""),
        telegramHeaders("s3cret_tokeN"),
        signed({ ...bot, secret: `whsec_${Buffer.from(TELEGRAM_SECRET).toString("base64")}` }, "{}")
      ])
        expectStatus(yield* post(bot, { update_id: 9, message }, headers), 401)
      expectStatus(yield* post(bot, { message }, own), 400)
      const messages = sql`select count(*)::float8 as count from appeal_messages where instance_id = ${instanceId}`
      assert.strictEqual(yield* selectedCount(messages), 1)
    })
  )

  it.effect("a user who blocks the bot of Telegram is unsubscribed until the bot may write again", () =>
    Effect.gen(function* () {
      const { chatOf, clientOf, member, patchClient, update } = yield* telegramWorld
      const chat = { id: 77, first_name: "Олена", last_name: null, username: null, type: "private" }
      const said = yield* update({ message: { message_id: 1, chat, date: 1_772_000_000, text: "Привіт" } })
      const { clientId } = yield* chatOf(said.appealId)
      const before = yield* clientOf(clientId)
      assert.strictEqual(before.name, "Олена")
      const identity = { channel: "web", chatId: "77" }
      const identities = Effect.map(clientOf(clientId), (client) => client.identities)
      const blocked = { ...identity, subscribed: false, unsubscribedReason: "blocked" }
      assert.deepStrictEqual(yield* member(chat, "kicked"), ignored)
      assert.deepStrictEqual(yield* identities, [blocked])
      yield* member(chat, "kicked")
      assert.strictEqual((yield* clientOf(clientId)).version, before.version + 1)
      // A caller that sends the identity back keeps the reason.
      yield* patchClient(clientId, [{ ...identity, subscribed: false }])
      assert.deepStrictEqual(yield* identities, [blocked])
      yield* member(chat, "member")
      assert.deepStrictEqual(yield* identities, [{ ...identity, subscribed: true }])
      yield* patchClient(clientId, [{ ...identity, subscribed: false }])
      yield* member(chat, "kicked")
      yield* member(chat, "member")
      assert.deepStrictEqual(
        yield* identities,
        [{ ...identity, subscribed: false }],
        "the provider does not override an operator"
      )
    })
  )

  it.effect.each([
    ["left", undefined, "removed"],
    ["kicked", undefined, "removed"],
    ["restricted", false, "removed"],
    ["restricted", true, undefined],
    ["administrator", undefined, undefined]
  ] as const)("a bot of Telegram that is %s in a group (is_member %s): %s", ([status, isMember, reason]) =>
    Effect.gen(function* () {
      const { chatOf, clientOf, member, update } = yield* telegramWorld
      const chat = { id: -900, title: "Склад", type: "group" }
      const said = yield* update({ message: { message_id: 1, chat, text: "Где заказ?" } })
      const { clientId } = yield* chatOf(said.appealId)
      yield* member(chat, status, isMember)
      const [identity] = (yield* clientOf(clientId)).identities
      assert.deepStrictEqual(identity, {
        channel: "web",
        chatId: "-900",
        subscribed: reason === undefined,
        ...(reason === undefined ? {} : { unsubscribedReason: reason })
      })
    })
  )

  it.effect("a group of Telegram that becomes a supergroup keeps its client and its open chat", () =>
    Effect.gen(function* () {
      const { chatOf, clientOf, member, update } = yield* telegramWorld
      const group = { id: -900, title: "Склад", type: "group" }
      const supergroup = { id: -100_900, title: "Склад", type: "supergroup" }
      const text = "Де замовлення?"
      const first = yield* update({ message: { message_id: 5, chat: group, text } })
      const { clientId, version } = yield* chatOf(first.appealId)
      yield* member(group, "left")
      const moved = { message: { message_id: 6, chat: group, migrate_to_chat_id: supergroup.id } }
      assert.deepStrictEqual(yield* update(moved), ignored)
      yield* update({ message: { message_id: 1, chat: supergroup, migrate_from_chat_id: group.id } })
      assert.deepStrictEqual((yield* clientOf(clientId)).identities, [
        { channel: "web", chatId: "-100900", subscribed: true }
      ])
      assert.deepInclude(yield* chatOf(first.appealId), { chatId: "-100900", version: version + 1 })
      // The supergroup counts its messages from 1.
      const next = yield* update({ message: { message_id: 5, chat: supergroup, text } })
      assert.deepInclude(next, { replayed: false, appealId: first.appealId })
    })
  )

  it.effect(
    "a message of another bot of Telegram is no repeat, a new token of the same bot changes nothing",
    () =>
      Effect.gen(function* () {
        const { chatOf, setToken, update } = yield* telegramWorld
        const chat = { id: 77, first_name: "Олена", type: "private" }
        const message = { message_id: 5, chat, text: "Привіт" }
        const first = yield* update({ message })
        yield* setToken("111:second")
        assert.deepStrictEqual(yield* update({ message }), { ...first, replayed: true })
        yield* setToken("222:other")
        const other = yield* update({ message })
        assert.deepInclude(other, { replayed: false, appealId: first.appealId })
        yield* setToken("111:third")
        assert.deepStrictEqual(yield* update({ message }), { ...first, replayed: true })
        assert.strictEqual((yield* chatOf(first.appealId)).messageCount, 2)
      })
  )
})

const ignored = { replayed: false, appealId: null, messageId: null }

/** An instance with a bot of Telegram on the channel `web`. */
const telegramWorld = Effect.gen(function* () {
  const { admin, instanceId, rest } = yield* world
  const { bot, update } = yield* makeTelegramBot(instanceId)
  const { read } = admin
  return {
    admin,
    read,
    rest,
    update,
    member: (chat: object, status: string, isMember?: boolean) => {
      const member = { status, ...(isMember === undefined ? {} : { is_member: isMember }) }
      return update({ my_chat_member: { chat, date: 1_772_000_000, new_chat_member: member } })
    },
    chatOf: (id: number) => read(`/OpChatRooms/${id}`),
    clientOf: (id: number) => read(`/clients/${id}`),
    patchClient: Effect.fnUntraced(function* (id: number, identities: ReadonlyArray<object>) {
      expectStatus(yield* admin.change(`/clients/${id}`, { identities }), 200)
    }),
    setToken: (token: string) =>
      admin.patch(`/bots/${bot.id}`, { connectors: [{ channel: "web", kind: "telegram", token }] })
  }
})
