// Concurrent writes that touch the same rows of several tables: all of them lock in one order (docs/architecture.md, "Order of
// locks"), so PostgreSQL never ends one as a deadlock.
import { assert, layer } from "@effect/vitest"
import { BroadcastQueue } from "@rapport/core/broadcasts/BroadcastRun.ts"
import type { ClientDataStore } from "@rapport/core/clients/ClientDataStore.ts"
import { DeliveryLines } from "@rapport/core/delivery/DeliveryLines.ts"
import { Clock, Effect, Layer, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { layerOf } from "../../postgres/clients/ClientDataStorePostgres.ts"
import * as DeliveryLinesPostgres from "../../postgres/delivery/DeliveryLinesPostgres.ts"
import { broadcastQueueLayer, claimLines } from "../../testing/DeliveryFixtures.ts"
import { makeTalkingBot, makeTelegramBot } from "../../testing/InboundFixtures.ts"
import { countDeadlocks } from "../../testing/LockWaits.ts"
import {
  finishErasure,
  expectStatus,
  newInstance,
  Rest,
  RestFixtures,
  type Answer,
  type RestCaller
} from "../../testing/RestFixtures.ts"

/** As often as it takes for the requests to meet in the middle. */
const ROUNDS = 6

const fixtures = Layer.mergeAll(layerOf(0), DeliveryLinesPostgres.layer, broadcastQueueLayer).pipe(
  Layer.provideMerge(RestFixtures)
)

const world = Effect.gen(function* () {
  const { admin, instance: instanceId, rest } = yield* newInstance
  const { bot, call, receive } = yield* makeTalkingBot(admin)
  /** A client who wrote, with a chat and a ticket. */
  const client = Effect.fnUntraced(function* () {
    const chatId = randomUUID()
    const chat = yield* admin.read(`/OpChatRooms/${(yield* receive(chatId)).body.appealId}`)
    const ticket = yield* admin.makeId("/Ticket", { clientId: chat.clientId, title: "Рахунок" })
    return { id: Number(chat.clientId), chatId, chat: Number(chat.id), ticket }
  })
  const merge = (id: number, intoId: number) => admin.post(`/clients/${id}/merge`, { intoId })
  const change = (path: string, body: object) => admin.patch(path, { expectedVersion: 1, ...body })
  return { admin, bot, call, change, client, instanceId, merge, receive, rest }
})

const identity = () => ({ channel: "web", chatId: randomUUID() })

/** A call that waits too long for a lock on a slow machine is repeated. Deadlocks are counted at the end. */
const repeatUntilAnswered = <A extends Answer | void, R>(call: Effect.Effect<A, never, R>) =>
  Effect.repeat(call, {
    until: (answer) => answer?.status !== 503,
    schedule: Schedule.spaced("200 millis")
  })

const together = (...calls: ReadonlyArray<Effect.Effect<Answer | void, never, Rest | ClientDataStore>>) =>
  Effect.map(Effect.all(calls.map(repeatUntilAnswered), { concurrency: "unbounded" }), (all) => {
    const answers = all.flatMap((answer) => answer ?? [])
    for (const { status, text } of answers) assert.isBelow(status, 500, text)
    return answers
  })

const expectStatuses = (answers: ReadonlyArray<Answer>, allowed: ReadonlyArray<ReadonlyArray<number>>) => {
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  assert.include(allowed.map(String), String(statuses), answers.map(({ text }) => text).join("\n"))
}

layer(fixtures, { excludeTestServices: true, timeout: 120_000 })("writes lock in one order", (it) => {
  it.effect("no deadlock: messages, edits, changes and calls while their client is merged", () =>
    Effect.gen(function* () {
      const { admin, call, change, client, merge, receive } = yield* world
      const write = (path: string) => admin.makeId(`${path}/messages`, { text: "Вже їде" })
      const edit = (path: string, id: number, text: string) => change(`${path}/messages/${id}`, { text })
      for (let place = 0; place < ROUNDS; place++) {
        const [a, b] = [yield* client(), yield* client()]
        const [chat, ticket] = [`/OpChatRooms/${b.chat}`, `/Ticket/${b.ticket}`]
        const written = [yield* write(ticket), yield* write(ticket), yield* write(chat)] as const
        const [ofClient] = (yield* admin.read(`${chat}/messages`)).data
        yield* together(
          merge(b.id, a.id),
          edit(ticket, written[0], `Уже едет ${place}`),
          admin.remove(`${ticket}/messages/${written[1]}`),
          edit(chat, written[2], "On its way"),
          admin.remove(`${chat}/messages/${ofClient.id}`),
          receive(b.chatId),
          receive(b.chatId),
          admin.post(`${chat}/messages`, { text: "Ще одне" }),
          change(ticket, { chatIds: [b.chat] }),
          change(chat, { tags: ["vip"] }),
          call(b.chatId)
        )
      }
    })
  )

  it.effect("no deadlock: messages, changes, calls and settlements while their client is erased", () =>
    Effect.gen(function* () {
      const lines = yield* DeliveryLines
      const { admin, call, change, client, instanceId, receive } = yield* world
      for (let place = 0; place < ROUNDS; place++) {
        const one = yield* client()
        yield* call(one.chatId)
        const { deliveries } = yield* claimLines(lines, instanceId)
        const settle = lines.settle(
          deliveries.map((line) => ({
            line,
            deliveryId: line.id,
            settlement: { status: "sent", countsAsAttempt: true }
          }))
        )
        const erase = Effect.andThen(
          admin.post(`/clients/${one.id}/erase`),
          finishErasure(instanceId, one.id)
        )
        yield* together(
          Effect.asVoid(Effect.orDie(erase)),
          Effect.asVoid(Effect.orDie(settle)),
          receive(one.chatId),
          call(one.chatId),
          change(`/Ticket/${one.ticket}`, { chatIds: [one.chat] }),
          admin.post(`/OpChatRooms/${one.chat}/messages`, { text: "Вже їде" })
        )
      }
    })
  )

  it.effect(
    "no deadlock: identities are unsubscribed and appeals reopened while their client is merged",
    () =>
      Effect.gen(function* () {
        const { admin, change, instanceId, merge } = yield* world
        const { send: update } = yield* makeTelegramBot(instanceId)
        const subject = yield* admin.make("/subjects", { name: "Оплата", alias: "payment", reopenHours: 24 })
        for (let place = 0; place < ROUNDS; place++) {
          const talk = { id: 1_000 + place, first_name: "Олена", type: "private" }
          const message = (id: number) =>
            update({ message: { message_id: id, chat: talk, text: "Де рахунок?" } })
          const member = (status: string) =>
            update({ my_chat_member: { chat: talk, date: 1_772_000_000, new_chat_member: { status } } })
          const { appealId } = (yield* message(1)).body
          const { clientId } = (yield* change(`/OpChatRooms/${appealId}`, { subjectId: subject.id })).body
          const ticket = yield* admin.make("/Ticket", { clientId, title: "Рахунок", subjectId: subject.id })
          yield* change(`/Ticket/${ticket.id}`, { status: "resolved" })
          yield* admin.patch(`/OpChatRooms/${appealId}`, { status: "closed", expectedVersion: 2 })
          const into = yield* admin.make("/clients", { name: "Олена" })
          yield* together(
            merge(clientId, into.id),
            member("kicked"),
            message(2),
            member("member"),
            admin.post(`/Ticket/${ticket.id}/messages`, { authorType: "client", text: "Усе ще болить" }),
            update({ edited_message: { message_id: 1, chat: talk, text: "Де мій рахунок?" } }),
            admin.patch(`/Ticket/${ticket.id}`, { chatIds: [appealId], expectedVersion: 2 }),
            change(`/clients/${into.id}`, { identities: [{ channel: "web", chatId: String(talk.id) }] })
          )
        }
      })
  )

  it.effect("no deadlock: a block reassigns appeals while they are assigned and their client is merged", () =>
    Effect.gen(function* () {
      const { admin, change, client, instanceId, merge, rest } = yield* world
      for (let place = 0; place < ROUNDS; place++) {
        const leaving = yield* rest.user(instanceId, ["operator"])
        const successor = yield* rest.user(instanceId, ["operator"])
        yield* admin.make("/skill-groups", { name: "Черга", memberIds: [leaving.id, successor.id] })
        const [a, b] = [yield* client(), yield* client()]
        const of = { clientId: b.id, channel: "web", operatorId: leaving.id }
        const more = yield* admin.make("/OpChatRooms", of)
        yield* change(`/OpChatRooms/${b.chat}`, { operatorId: leaving.id })
        yield* change(`/Ticket/${b.ticket}`, { operatorId: leaving.id })
        const given = { expectedVersion: 2, operatorId: successor.id }
        yield* together(
          admin.post(`/users/${leaving.id}/block`, { reassignTo: successor.id }),
          admin.patch(`/Ticket/${b.ticket}`, given),
          admin.patch(`/OpChatRooms/${b.chat}`, given),
          change(`/OpChatRooms/${more.id}`, { operatorId: successor.id }),
          merge(b.id, a.id)
        )
      }
    })
  )

  it.effect("no deadlock: a broadcast runs while its recipients are merged", () =>
    Effect.gen(function* () {
      const queue = yield* BroadcastQueue
      const { admin, bot, client, merge } = yield* world
      const template = yield* admin.make("/broadcasts/templates", { name: "x", text: "Добрий день" })
      for (let place = 0; place < ROUNDS; place++) {
        const [a, b, c] = [yield* client(), yield* client(), yield* client()]
        const broadcast = yield* admin.make("/broadcasts", {
          name: "Планові роботи",
          botId: bot.id,
          channel: "web",
          templateId: template.id,
          audience: { clientIds: [a.id, b.id, c.id] },
          ratePerMinute: 6_000
        })
        expectStatus(yield* admin.post(`/broadcasts/${broadcast.id}/start`), 200)
        const at = (yield* Clock.currentTimeMillis) + 60_000
        yield* together(Effect.asVoid(Effect.orDie(queue.advance(at))), merge(c.id, a.id), merge(b.id, a.id))
      }
    })
  )

  it.effect("no deadlock: two clients take each other's identities", () =>
    Effect.gen(function* () {
      const { admin, change } = yield* world
      const client = Effect.fnUntraced(function* (identities: ReadonlyArray<object>) {
        return `/clients/${yield* admin.makeId("/clients", { name: "Олена", identities })}`
      })
      for (let place = 0; place < ROUNDS; place++) {
        const [x, y, p, q] = [identity(), identity(), identity(), identity()]
        const [a, b] = [yield* client([x]), yield* client([y])]
        yield* together(change(a, { identities: [y, p, q] }), change(b, { identities: [x, q, p] }))
        const [c, d] = [yield* client([]), yield* client([])]
        const [v, w] = [identity(), identity()]
        yield* together(change(c, { identities: [v, w] }), change(d, { identities: [w, v] }))
      }
    })
  )

  it.effect("no deadlock: a group changes its members while they change their groups or are blocked", () =>
    Effect.gen(function* () {
      const { admin, change, instanceId, rest } = yield* world
      for (let place = 0; place < ROUNDS; place++) {
        const u = yield* rest.user(instanceId, ["operator"])
        const w = yield* rest.user(instanceId, ["operator"])
        const subject = yield* admin.makeId("/subjects", { name: "Оплата", alias: `s${place}` })
        const given = { subjectIds: [subject], memberIds: [w.id] }
        const group = yield* admin.makeId("/skill-groups", { name: "Черга", memberIds: [u.id] })
        const { version } = yield* admin.read(`/users/${w.id}`)
        yield* together(
          change(`/skill-groups/${group}`, given),
          admin.patch(`/users/${w.id}`, { skillGroupIds: [group], expectedVersion: version }),
          admin.post(`/users/${u.id}/block`, {})
        )
        const other = yield* admin.makeId("/skill-groups", { name: "Друга", memberIds: [u.id] })
        yield* together(change(`/skill-groups/${other}`, given), admin.post(`/users/${w.id}/block`, {}))
      }
    })
  )

  it.effect("no deadlock: records that reference a client while it is merged", () =>
    Effect.gen(function* () {
      const { admin, change, client, merge } = yield* world
      yield* admin.make("/custom-data/models", { name: "order", label: "Order" })
      const fields = [
        { name: "code", type: "STRING", unique: true },
        { name: "client", type: "ASSOCIATION", target: "client" }
      ]
      expectStatus(yield* change("/custom-data/models/order", { fields }), 200)
      const upsert = (records: ReadonlyArray<object>) =>
        admin.post("/custom-data/order/records/upsert", { keyField: "code", records })
      for (let place = 0; place < ROUNDS; place++) {
        const [a, b] = [yield* client(), yield* client()]
        const codes = ["а", "б", "в", "г"].map((letter) => ({ values: { code: `${letter}${place}` } }))
        yield* upsert(codes.map(({ values }) => ({ values: { ...values, client: b.id } })))
        yield* together(merge(b.id, a.id), upsert(codes), upsert(codes.toReversed()))
      }
    })
  )

  it.effect("of two subjects that become the parent of each other one is refused", () =>
    Effect.gen(function* () {
      const { admin, change } = yield* world
      for (let place = 0; place < ROUNDS; place++) {
        const a = yield* admin.makeId("/subjects", { name: "Оплата", alias: `a${place}` })
        const b = yield* admin.makeId("/subjects", { name: "Возврат", alias: `b${place}` })
        const both = [change(`/subjects/${a}`, { parentId: b }), change(`/subjects/${b}`, { parentId: a })]
        expectStatuses(yield* together(...both), [[200, 400]])
      }
    })
  )

  it.effect("two records of custom data can refer to each other concurrently", () =>
    Effect.gen(function* () {
      const { admin, change } = yield* world
      const fields = [{ name: "ref", type: "ASSOCIATION", target: "thing" }]
      yield* admin.make("/custom-data/models", { name: "thing", fields })
      const records = "/custom-data/thing/records"
      const make = admin.makeId(records, { values: {} })
      const name = (id: number, ref: number) => change(`${records}/${id}`, { values: { ref } })
      for (let place = 0; place < ROUNDS; place++) {
        const [a, b, c, d] = [yield* make, yield* make, yield* make, yield* make]
        expectStatuses(yield* together(name(a, b), name(b, a)), [[200, 200]])
        expectStatuses(
          yield* together(name(c, d), admin.remove(`${records}/${d}`), name(d, c)),
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
      const { admin, instanceId, rest } = yield* world
      const clientId = yield* admin.makeId("/clients", { name: "Олена" })
      for (let place = 0; place < ROUNDS; place++) {
        const a = yield* rest.user(instanceId, ["operator"])
        const b = yield* rest.user(instanceId, ["operator"])
        yield* admin.make("/skill-groups", { name: "Черга", memberIds: [a.id, b.id] })
        const chats = yield* Effect.forEach([a, b, a], ({ id: operatorId }) =>
          admin.makeId("/OpChatRooms", { clientId, channel: "web", operatorId })
        )
        const block = (who: RestCaller, reassignTo: number) =>
          admin.post(`/users/${who.id}/block`, { reassignTo })
        expectStatuses(yield* together(block(a, b.id), block(b, a.id)), [
          [200, 409],
          [200, 200]
        ])
        for (const id of chats) {
          const { operatorId } = yield* admin.read(`/OpChatRooms/${id}`)
          if (operatorId !== null)
            assert.strictEqual((yield* admin.read(`/users/${operatorId}`)).status, "active", `chat ${id}`)
        }
      }
    })
  )

  it.effect("PostgreSQL counted no deadlock during concurrent writes", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* countDeadlocks, 0)
    })
  )
})
