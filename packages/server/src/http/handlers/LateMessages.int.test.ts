// Messages that are written in another order than they were said: waitingSince, firstResponseAt and lastMessageAt are those of the
// same messages as one history (contract §7).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newBot } from "../../testing/DeliveryFixtures.ts"
import { postInbound, receivedMessage } from "../../testing/InboundFixtures.ts"
import { expectStatus, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

type HistoryMessage = readonly [authorType: string, hoursAgo: number]

/** Messages of a text such as "client 2, operator 1": the author, and how many hours ago it was said. */
const historyOf = (text: string): ReadonlyArray<HistoryMessage> =>
  text.split(", ").map((said) => {
    const [authorType = "", hoursAgo] = said.split(" ")
    return [authorType, Number(hoursAgo)]
  })

const permutations = (all: ReadonlyArray<HistoryMessage>): ReadonlyArray<ReadonlyArray<HistoryMessage>> =>
  all.length < 2
    ? [all]
    : all.flatMap((first, i) => permutations(all.toSpliced(i, 1)).map((rest) => [first, ...rest]))

const now = Date.now()
const timeOf = (hoursAgo: number) => new Date(now - hoursAgo * 3_600_000).toISOString()
const messageOf = ([authorType, hoursAgo]: HistoryMessage) => ({
  authorType,
  text: `Де замовлення? ${hoursAgo}`,
  occurredAt: timeOf(hoursAgo)
})

const world = Effect.gen(function* () {
  const { admin, instance: instanceId } = yield* newInstance
  const { id: clientId } = yield* admin.make("/clients", { name: "Олена" })
  const open = { clientId, channel: "web", status: "waiting", createdAt: timeOf(10) }
  const chat = (messages: ReadonlyArray<HistoryMessage>) =>
    admin.makeId("/OpChatRooms", { ...open, messages: messages.map(messageOf) })
  const write = (id: number, said: HistoryMessage) =>
    admin.make(`/OpChatRooms/${id}/messages`, messageOf(said))
  const timesOf = (id: number) =>
    Effect.map(admin.read(`/OpChatRooms/${id}`), ({ firstResponseAt, lastMessageAt, waitingSince }) => ({
      firstResponseAt,
      lastMessageAt,
      waitingSince
    }))
  return { admin, chat, instanceId, timesOf, write }
})

layer(RestFixtures, { excludeTestServices: true, timeout: 120_000 })(
  "a message that is written late",
  (it) => {
    it.effect.each([
      "client 6, operator 5, client 4, client 3",
      "operator 6, client 5, bot 4, operator 3",
      "bot 6, client 5, operator 4, system 3",
      "bot 6, system 5, operator 4"
    ])("late messages in any order give the times of one history: %s", (messages) =>
      Effect.gen(function* () {
        const history = historyOf(messages)
        const { chat, timesOf, write } = yield* world
        const expected = yield* timesOf(yield* chat(history))
        for (const order of permutations(history)) {
          const id = yield* chat([])
          for (const said of order) yield* write(id, said)
          assert.deepStrictEqual(yield* timesOf(id), expected, JSON.stringify(order))
        }
      })
    )

    it.effect("concurrent late messages give the times of one history", () =>
      Effect.gen(function* () {
        const { chat, timesOf, write } = yield* world
        const history = historyOf(
          "bot 9, client 8, operator 7, client 6, operator 5, client 4, client 3, system 2"
        )
        const expected = yield* timesOf(yield* chat(history))
        for (let round = 0; round < 6; round++) {
          const id = yield* chat([])
          yield* Effect.forEach(history, (said) => write(id, said), { concurrency: "unbounded" })
          assert.deepStrictEqual(yield* timesOf(id), expected)
        }
      })
    )

    it.effect("messages of a provider in any order give the times of one history", () =>
      Effect.gen(function* () {
        const { instanceId, admin, timesOf } = yield* world
        const bot = yield* newBot({ kind: "webhook", url: "https://chat.example.com/in" }, instanceId)
        const hours = [6, 4, 2] as const
        for (const order of [hours, hours.toReversed(), [4, 6, 2]]) {
          const { data } = receivedMessage()
          const inbound = (hoursAgo: number) =>
            postInbound(
              bot,
              receivedMessage(
                { ...data, externalMessageId: `m-${hoursAgo}` },
                { timestamp: timeOf(hoursAgo) }
              )
            )
          const [first = 0, ...rest] = order
          const { appealId } = (yield* inbound(first)).body
          const answer = { text: "Вже їде", occurredAt: timeOf(3) }
          expectStatus(yield* admin.post(`/OpChatRooms/${appealId}/messages`, answer), 201)
          for (const hoursAgo of rest) assert.strictEqual((yield* inbound(hoursAgo)).body.appealId, appealId)
          assert.deepStrictEqual(
            yield* timesOf(appealId),
            { waitingSince: timeOf(2), firstResponseAt: timeOf(3), lastMessageAt: timeOf(2) },
            JSON.stringify(order)
          )
        }
        // A message is also late when another process wrote a later one meanwhile.
        const sql = yield* SqlClient.SqlClient
        const message = receivedMessage()
        const { appealId } = (yield* postInbound(bot, message)).body
        expectStatus(yield* admin.post(`/OpChatRooms/${appealId}/messages`, { text: "Вже їде" }), 201)
        // As of a process whose clock is ahead.
        const later = "2100-01-01T00:00:00.000Z"
        yield* sql`update appeal_messages set occurred_at = ${later}::timestamptz
        where appeal_id = ${appealId} and author_type = 'operator'`
        yield* sql`update appeals set last_message_at = ${later}::timestamptz, first_response_at = ${later}::timestamptz
        where id = ${appealId}`
        yield* postInbound(bot, receivedMessage({ ...message.data, externalMessageId: "m-2" }))
        assert.deepStrictEqual(yield* timesOf(appealId), {
          waitingSince: null,
          firstResponseAt: later,
          lastMessageAt: later
        })
      })
    )
  }
)
