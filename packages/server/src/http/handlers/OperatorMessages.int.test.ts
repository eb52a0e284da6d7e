// Messages of operators, which leave through the chat's bot, and their private notes, which colleagues read and nothing sends,
// counts or reports as an answer (contract §7, "Notes"; §8).
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as OutboxSignalPostgres from "../../postgres/outbox/OutboxSignalPostgres.ts"
import { deliveriesOf, newBot, untilSettled, workerLayer } from "../../testing/DeliveryFixtures.ts"
import { receiver } from "../../testing/ReceiverFixtures.ts"
import {
  expectFaults,
  expectStatus,
  linesOf,
  members,
  newInstance,
  RestFixtures
} from "../../testing/RestFixtures.ts"

const at = "2026-03-02T10:00:00Z"
const note = { text: "Не казати клієнту: партія відкликана", visibility: "internal" }

/** A waiting chat of a bot in which the client has written, and its operator. */
const world = Effect.fnUntraced(function* (url = "https://chat.example.com/in") {
  const { admin, instance: instanceId, rest } = yield* newInstance
  const bot = yield* newBot({ kind: "webhook", url }, instanceId)
  const subjectId = yield* admin.makeId("/subjects", { name: "Доставка", alias: "delivery" })
  const group = yield* admin.makeId("/skill-groups", { name: "g", subjectIds: [subjectId] })
  const operator = yield* rest.user(instanceId, ["operator"], [group])
  const clientId = yield* admin.makeId("/clients", { name: "Олена" })
  const chatId = yield* admin.makeId("/OpChatRooms", {
    clientId,
    channel: "web",
    chatId: "77",
    subjectId,
    status: "waiting",
    botId: bot.id,
    createdAt: at,
    messages: [{ authorType: "client", text: "Де замовлення?", occurredAt: at }]
  })
  const path = `/OpChatRooms/${chatId}`
  const write = (body: object, headers?: Record<string, string>, who = operator) =>
    who.post(`${path}/messages`, body, headers)
  const chat = admin.read(path)
  return { admin, bot, chat, clientId, group, instanceId, operator, path, rest, write }
})

const fixtures = OutboxSignalPostgres.layer.pipe(Layer.provideMerge(RestFixtures))

layer(fixtures, { excludeTestServices: true })("messages and notes of operators", (it) => {
  it.effect("a message of an operator is queued in a chat of a bot, and in no other appeal", () =>
    Effect.gen(function* () {
      const { admin, bot, clientId, path, write } = yield* world()
      const written = yield* write({ text: "Ваше замовлення вже їде" })
      assert.deepInclude(written.body.message, { delivery: "queued", authorType: "operator" })
      for (const [appeals, members] of [
        ["/OpChatRooms", { channel: "web", chatId: "77" }],
        ["/Ticket", { title: "Питання" }]
      ] as const) {
        const id = yield* admin.makeId(appeals, { clientId, ...members })
        const { delivery } = yield* admin.make(`${appeals}/${id}/messages`, { text: "Добрий день" })
        assert.strictEqual(delivery, "none")
      }
      yield* admin.change(path, { status: "closed" })
      expectStatus(yield* write({ text: "late" }, {}, admin), 409, "STATE_NOT_ALLOWED")
      const [delivery, ...others] = yield* deliveriesOf(bot)
      assert.deepInclude(delivery, { chatId: "77", status: "queued", delivery: "queued", attempts: 0 })
      assert.match(delivery?.id ?? "", /^[0-9a-f-]{14}7/u, "a UUIDv7")
      assert.isEmpty(others)
    })
  )

  it.effect(
    "a message of an operator is sent once under one key or one external id, an imported one never",
    () =>
      Effect.gen(function* () {
        const { admin, bot, clientId, write } = yield* world()
        const deliveryOf = (...message: Parameters<typeof write>) =>
          Effect.map(write(...message), ({ body }) => body.message.delivery)
        for (let i = 0; i < 3; i++) {
          assert.strictEqual(yield* deliveryOf({ text: "one" }, { "idempotency-key": "k" }), "queued")
          assert.strictEqual(yield* deliveryOf({ text: "two", externalMessageId: "m-1" }), "queued")
        }
        for (const imported of [
          { text: "a", occurredAt: "2026-01-01T00:00:00Z" },
          { text: "b", authorType: "client", authorId: clientId },
          { text: "c", authorType: "system" },
          { text: "d", authorType: "bot" }
        ])
          assert.strictEqual(yield* deliveryOf(imported, {}, admin), "none", imported.text)
        assert.strictEqual(yield* deliveryOf({ text: "e", authorId: admin.id }, {}, admin), "queued")
        assert.lengthOf(yield* deliveriesOf(bot), 3)
      })
  )

  it.effect("a note never reaches the receiver of the chat's bot, the message after it does", () =>
    Effect.gen(function* () {
      const made = yield* receiver()
      const { bot, write } = yield* world(made.origin)
      const written = yield* write(note)
      expectStatus(written, 201)
      assert.deepInclude(written.body.message, {
        delivery: "none",
        visibility: "internal",
        authorType: "operator"
      })
      const answer = yield* write({ text: "Вже їде" })
      assert.deepInclude(answer.body.message, { delivery: "queued", visibility: "public" })
      yield* Effect.provide(untilSettled(bot), workerLayer())
      assert.deepStrictEqual(
        made.received.map(({ body }) => JSON.parse(body).data.text),
        ["Вже їде"]
      )
      assert.lengthOf(yield* deliveriesOf(bot), 1)
    })
  )

  it.effect("a note answers nothing: the client still waits, and no figure counts it", () =>
    Effect.gen(function* () {
      const { admin, chat, operator, write } = yield* world()
      const before = yield* chat
      expectStatus(yield* write(note), 201)
      // Also between messages that were written before it.
      expectStatus(yield* write({ ...note, occurredAt: "2026-03-02T09:00:00Z" }, {}, admin), 201)
      const after = yield* chat
      const times = members("firstResponseAt", "lastMessageAt", "waitingSince")
      assert.deepStrictEqual(times(after), times(before))
      assert.strictEqual(after.messageCount, 3)
      assert.include(after.operatorIds, operator.id)
      const rows = yield* admin.read("/statistics/dialogues/rows?from=2026-03-02&to=2026-03-03")
      assert.deepInclude(rows.data[0], { messages: 1, tfrSec: null })
      const list = yield* admin.read("/OpChatRooms/list?include=lastMessage")
      assert.strictEqual(list.data[0].lastMessage.text, "Де замовлення?")
      // A late message of the client is placed among the others as if there were no note.
      const late = { authorType: "client", text: "Алло?", occurredAt: "2026-03-02T09:30:00Z" }
      expectStatus(yield* write(late, {}, admin), 201)
      assert.strictEqual((yield* chat).waitingSince, "2026-03-02T09:30:00.000Z")
    })
  )

  it.effect(
    "notes of a history and of operators are read by colleagues and are in the export of the client",
    () =>
      Effect.gen(function* () {
        const { admin, clientId, group, instanceId, operator, path, rest, write } = yield* world()
        const keyed = { "idempotency-key": "note" }
        const written = yield* write(note, keyed)
        expectStatus(yield* write({ text: note.text }, keyed), 422, "IDEMPOTENCY_KEY_REUSED")
        const colleague = yield* rest.user(instanceId, ["supervisor"], [group])
        const read = yield* colleague.get(`${path}/messages?order=desc&limit=1`)
        assert.deepStrictEqual(read.body.data, [written.body.message])
        const messages = [{ authorType: "operator", authorId: operator.id, occurredAt: at, ...note }]
        const ticket = yield* admin.makeId("/Ticket", { clientId, title: "Перенос", messages })
        const moved = yield* admin.read(`/Ticket/${ticket}/messages`)
        assert.deepInclude(moved.data[0], { ...note, delivery: "none" })
        const lines = linesOf(yield* admin.get(`/clients/${clientId}/export`))
        const exported = lines.filter(({ kind, record }) => kind === "message" && record.text === note.text)
        assert.deepStrictEqual(
          exported.map(({ record }) => record.visibility),
          ["internal", "internal"]
        )
      })
  )

  it.effect("only operators write notes, also in a closed chat, where a message is refused", () =>
    Effect.gen(function* () {
      const { admin, chat, clientId, path, rest, write } = yield* world()
      for (const wrong of [
        { authorType: "client" },
        { authorType: "bot" },
        { authorType: "system" },
        { visibility: "secret" }
      ])
        expectFaults(yield* write({ ...note, ...wrong }, {}, admin), ["visibility"])
      const messages = [{ ...note, authorType: "client", occurredAt: at }]
      const history = yield* admin.post("/OpChatRooms", { clientId, channel: "web", messages })
      expectFaults(history, ["messages[0].visibility"])
      const writer = yield* rest.token(admin, ["chats.read", "chats.manage"])
      assert.strictEqual((yield* write(note, {}, writer)).body.message.visibility, "internal")
      expectStatus(yield* admin.change(path, { status: "closed" }), 200)
      expectStatus(yield* write({ text: "Ще щось?" }, {}, admin), 409, "STATE_NOT_ALLOWED")
      expectStatus(yield* write(note, {}, admin), 201)
      assert.deepInclude(yield* chat, { status: "closed", waitingSince: null })
      assert.lengthOf((yield* admin.read(`${path}/messages`)).data, 3)
    })
  )
})
