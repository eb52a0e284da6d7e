// The connector to a Bot API that runs here (contract §8, `telegram`).
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Schema, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import { rowsOf } from "../postgres/sql/Query.ts"
import { enqueue, newBot, untilSettled, workerLayer } from "../testing/DeliveryFixtures.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import { BOT_TOKEN, botApi, type Responder, receiver } from "../testing/ReceiverFixtures.ts"

const live = { excludeTestServices: true } as const
const worldLayer = OutboxSignalPostgres.layer.pipe(Layer.provideMerge(PostgresFixtures.small))
const clientRows = rowsOf(
  Schema.Struct({
    version: Schema.Int,
    subscribed: Schema.Boolean,
    reason: Schema.NullOr(Schema.String),
    entries: Schema.Int
  })
)

const sendingTo = Effect.fnUntraced(function* (answer: Responder, texts: ReadonlyArray<string> = ["Привіт"]) {
  const api = yield* receiver(answer)
  const bot = yield* newBot({ kind: "telegram", token: BOT_TOKEN })
  const settled = yield* Effect.gen(function* () {
    yield* enqueue(bot, ["-100200300"], texts)
    return yield* untilSettled(bot)
  }).pipe(Effect.provide(workerLayer({ telegramApiUrl: api.origin })))
  return {
    api,
    outcomes: settled.map(({ attempts, reason, status }) => [status, reason, attempts]),
    descriptions: settled.map(({ description }) => description)
  }
})

layer(
  worldLayer,
  live
)((it) => {
  it.effect("the Telegram connector sends the text unchanged, and again not before retry_after", () =>
    Effect.gen(function* () {
      const text = "*Знижка* <b>20 %</b> _до п'ятниці_ {{name}} 🎁"
      const throttled = { error_code: 429, description: "Too Many Requests", parameters: { retry_after: 1 } }
      const { api, outcomes } = yield* sendingTo(botApi([throttled]), [text])
      assert.deepStrictEqual(outcomes, [["sent", null, 1]])
      const request = [`/bot${BOT_TOKEN}/sendMessage`, { chat_id: "-100200300", text }]
      assert.deepStrictEqual(
        api.received.map(({ body, url }) => [url, JSON.parse(body)]),
        [request, request]
      )
      const [first, second] = api.received.map(({ atMillis }) => atMillis)
      assert.isAtLeast((second ?? 0) - (first ?? 0), 990)
    })
  )

  it.effect("the Telegram connector sends a long text in parts in order and repeats no accepted part", () =>
    Effect.gen(function* () {
      const lines = ["Перший", "Second", "Третій"].map((word) => `${word} 🎁 ${"слово ".repeat(600)}кінець.`)
      const { api, outcomes } = yield* sendingTo(
        (received, response, place) => {
          // The second part breaks once, after the first was taken.
          if (place === 1) response.writeHead(502).end()
          else botApi()(received, response, place)
        },
        [lines.join("\n"), "наступне"]
      )
      assert.deepStrictEqual(outcomes, [
        ["sent", null, 2],
        ["sent", null, 1]
      ])
      assert.deepStrictEqual(
        api.received.map(({ body }) => JSON.parse(body).text),
        [lines[0], lines[1], lines[1], lines[2], "наступне"]
      )
    })
  )

  it.effect("the Telegram connector does not retry 400 and 403 and sends the next message", () =>
    Effect.gen(function* () {
      const { descriptions, outcomes } = yield* sendingTo(
        botApi([
          { error_code: 400, description: "Bad Request:\nповідомлення\u0000 задовге" },
          { error_code: 403, description: "Forbidden: bot was blocked by the user" }
        ]),
        ["first", "second", "third"]
      )
      assert.deepStrictEqual(outcomes, [
        ["failed", "telegram_400", 1],
        ["failed", "telegram_403", 1],
        ["sent", null, 1]
      ])
      assert.deepStrictEqual(descriptions, [
        "Bad Request: повідомлення задовге",
        "Forbidden: bot was blocked by the user",
        null
      ])
    })
  )

  it.effect.each([
    ["blocked", "Forbidden: bot was blocked by the user"],
    ["blocked", "Forbidden: bot can't initiate conversation with a user"],
    ["deactivated", "Forbidden: user is deactivated"],
    ["removed", "Forbidden: bot was kicked from the group chat"],
    ["removed", "Forbidden: bot is not a member of the supergroup chat"],
    [null, "Forbidden: bots can't send messages to bots"]
  ] as const)("a 403 of Telegram unsubscribes the identity: %s, %s", ([reason, description]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into client_identities (instance_id, channel, chat_id, client_id)
        values (1, 'web', '-100200300', 501) on conflict (instance_id, channel, chat_id)
        do update set subscribed = true, unsubscribed_reason = null`
      const clientOf = clientRows.get(sql`select c.version::float8 as version, identity.subscribed,
          identity.unsubscribed_reason as reason,
          (select count(*)::float8 from audit_log entry where entry.instance_id = 1 and entry.entity_id = '501'
            and entry.action = 'client.update' and entry.actor_type = 'system') as entries
        from clients c join client_identities identity on identity.instance_id = c.instance_id
          and identity.client_id = c.id and identity.chat_id = '-100200300' where c.instance_id = 1 and c.id = 501`)
      const before = yield* clientOf
      const error = { error_code: 403, description }
      yield* sendingTo(botApi([error, error]), ["Привіт", "Привет"])
      const changes = reason === null ? 0 : 1
      assert.deepStrictEqual(yield* clientOf, {
        version: before.version + changes,
        subscribed: reason === null,
        reason,
        entries: before.entries + changes
      })
    })
  )

  it.effect("the Telegram connector sends a message of a group to the supergroup that it became", () =>
    Effect.gen(function* () {
      const { api, outcomes } = yield* sendingTo(
        botApi([
          {
            error_code: 400,
            description: "Bad Request: group chat was upgraded to a supergroup chat",
            parameters: { migrate_to_chat_id: -1001234567890 }
          }
        ])
      )
      assert.deepStrictEqual(outcomes, [["sent", null, 1]])
      assert.deepStrictEqual(
        api.received.map(({ body }) => JSON.parse(body)),
        [
          { chat_id: "-100200300", text: "Привіт" },
          { chat_id: "-1001234567890", text: "Привіт" }
        ]
      )
    })
  )

  it.effect("the Telegram connector keeps 300 characters of a failure, none after a success", () =>
    Effect.gen(function* () {
      const { descriptions, outcomes } = yield* sendingTo(
        botApi([
          { error_code: 500, description: "Internal Server Error" },
          { error_code: 400, description: "🎁".repeat(400) },
          { error_code: 500, description: "Internal Server Error" }
        ]),
        ["Привіт", "Привет"]
      )
      assert.deepStrictEqual(outcomes, [
        ["failed", "telegram_400", 2],
        ["sent", null, 2]
      ])
      assert.deepStrictEqual(descriptions, ["🎁".repeat(300), null])
    })
  )

  it.effect("the Telegram connector retries any other failure, also without a response", () =>
    Effect.gen(function* () {
      const { outcomes } = yield* sendingTo((_, response, place) => {
        if (place === 0) response.destroy()
        else if (place === 1) response.writeHead(502).end("<html>")
        else response.writeHead(200).end("{}")
      })
      assert.deepStrictEqual(outcomes, [["sent", null, 3]])
    })
  )

  it.effect("the Telegram connector writes its token to no log and no span", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([
        Logger.make(({ cause, message }) => void said.push(`${JSON.stringify(message)} ${String(cause)}`))
      ])
      const tracer = Layer.succeed(
        Tracer.Tracer,
        Tracer.make({
          span: (options) => {
            const span = new Tracer.NativeSpan(options)
            const end = span.end.bind(span)
            span.end = (endTime, exit) => {
              said.push(
                `${span.name} ${JSON.stringify([...span.attributes])} ${exit._tag === "Failure" ? String(exit) : ""}`
              )
              end(endTime, exit)
            }
            return span
          }
        })
      )
      const { descriptions } = yield* sendingTo(
        botApi([
          { error_code: 500, description: BOT_TOKEN },
          { error_code: 400, description: `bad token ${BOT_TOKEN}` }
        ])
      ).pipe(Effect.provide([logger, tracer]))
      assert.deepStrictEqual(descriptions, ["bad token …"])
      assert.isTrue(
        said.some((one) => one.includes("telegram_400")),
        "attempts leave spans"
      )
      assert.isFalse(said.some((one) => one.includes("secret_token") || one.includes("123456:")))
    })
  )
})
