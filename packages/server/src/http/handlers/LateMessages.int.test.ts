// Messages that are written in another order than they were said: waitingSince, firstResponseAt and lastMessageAt are those of the
// same messages as one history (contract §7).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newBot } from "../../testing/DeliveryFixtures.ts"
import { postInbound, receivedMessage } from "../../testing/InboundFixtures.ts"
import { expectStatus, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

type Author = "client" | "operator" | "bot" | "system"
type Said = readonly [authorType: Author, hoursAgo: number]

const permutations = (all: ReadonlyArray<Said>): ReadonlyArray<ReadonlyArray<Said>> =>
  all.length < 2
    ? [all]
    : all.flatMap((first, i) => permutations(all.toSpliced(i, 1)).map((rest) => [first, ...rest]))

const now = Date.now()
const timeOf = (hoursAgo: number) => new Date(now - hoursAgo * 3_600_000).toISOString()
const messageOf = ([authorType, hoursAgo]: Said) => ({
  authorType,
  text: `Де замовлення? ${hoursAgo}`,
  occurredAt: timeOf(hoursAgo)
})

const world = Effect.gen(function* () {
  const { admin, instance: instanceId } = yield* newInstance
  const { id: clientId } = yield* admin.make("/clients", { name: "Олена" })
  const open = { clientId, channel: "web", status: "waiting", createdAt: timeOf(10) }
  const chat = (messages: ReadonlyArray<Said>) =>
    Effect.map(admin.make("/OpChatRooms", { ...open, messages: messages.map(messageOf) }), ({ id }) =>
      Number(id)
    )
  const write = (id: number, said: Said) => admin.make(`/OpChatRooms/${id}/messages`, messageOf(said))
  const timesOf = (id: number) =>
    Effect.map(
      admin.get(`/OpChatRooms/${id}`),
      ({ body: { firstResponseAt, lastMessageAt, waitingSince } }) => ({
        firstResponseAt,
        lastMessageAt,
        waitingSince
      })
    )
  return { admin, chat, instanceId, timesOf, write }
})

layer(RestFixtures, { excludeTestServices: true, timeout: 120_000 })(
  "a message that is written late",
  (it) => {
    it.effect("a late message of an operator before the client's first answers nothing", () =>
      Effect.gen(function* () {
        const { chat, timesOf, write } = yield* world
        const id = yield* chat([])
        yield* write(id, ["client", 1])
        yield* write(id, ["operator", 3])
        assert.deepStrictEqual(yield* timesOf(id), {
          waitingSince: timeOf(1),
          firstResponseAt: null,
          lastMessageAt: timeOf(1)
        })
      })
    )

    it.effect("a late message of the client before an answer is answered by it", () =>
      Effect.gen(function* () {
        const { chat, timesOf, write } = yield* world
        const id = yield* chat([])
        for (const said of [
          ["client", 4],
          ["operator", 2],
          ["client", 3]
        ] as const)
          yield* write(id, said)
        assert.deepStrictEqual(yield* timesOf(id), {
          waitingSince: null,
          firstResponseAt: timeOf(2),
          lastMessageAt: timeOf(2)
        })
      })
    )

    it.effect.each<readonly [ReadonlyArray<Said>]>([
      [
        [
          ["client", 6],
          ["operator", 5],
          ["client", 4],
          ["client", 3]
        ]
      ],
      [
        [
          ["operator", 6],
          ["client", 5],
          ["bot", 4],
          ["operator", 3]
        ]
      ],
      [
        [
          ["bot", 6],
          ["client", 5],
          ["operator", 4],
          ["system", 3]
        ]
      ],
      [
        [
          ["bot", 6],
          ["system", 5],
          ["operator", 4]
        ]
      ]
    ])("late messages in any order give the times of one history: %j", ([history]) =>
      Effect.gen(function* () {
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
        const history: ReadonlyArray<Said> = [
          ["bot", 9],
          ["client", 8],
          ["operator", 7],
          ["client", 6],
          ["operator", 5],
          ["client", 4],
          ["client", 3],
          ["system", 2]
        ]
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
      })
    )

    it.effect("a provider's message is late when another process wrote a later one meanwhile", () =>
      Effect.gen(function* () {
        const { instanceId, admin, timesOf } = yield* world
        const sql = yield* SqlClient.SqlClient
        const bot = yield* newBot({ kind: "webhook", url: "https://chat.example.com/in" }, instanceId)
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
