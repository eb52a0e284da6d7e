// Bots, chats and enqueued messages in a real PostgreSQL, and workers that send them, for tests of delivery.
import type { DeliveryLines } from "@rapport/core/delivery/DeliveryLines.ts"
import type { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { temporaryFileStorage, testFileLinks } from "./FileFixtures.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { Settings } from "../Config.ts"
import * as BroadcastQueuePostgres from "../postgres/broadcasts/BroadcastQueuePostgres.ts"
import { enqueuedFrom } from "../postgres/delivery/Enqueued.ts"
import { statement } from "../postgres/sql/CommonTables.ts"
import { insertedId, rowsOf } from "../postgres/sql/Query.ts"
import { deliveryLayer } from "../wiring/Delivery.ts"

const deliveryRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    chatId: Schema.String,
    status: Schema.String,
    delivery: Schema.String,
    reason: Schema.NullOr(Schema.String),
    description: Schema.NullOr(Schema.String),
    attempts: Schema.Int
  })
)

export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`

type Target =
  | {
      readonly kind: "webhook"
      readonly url: string
      readonly secret?: string
      readonly previousSecret?: string
    }
  | { readonly kind: "telegram"; readonly token: string; readonly secret?: string }

/** A bot of instance 1 with one connector on the channel `web`. */
export const newBot = Effect.fnUntraced(function* (target: Target, instanceId = 1) {
  const sql = yield* SqlClient.SqlClient
  const secret = target.secret ?? newSecret()
  const id = yield* insertedId(
    sql`insert into bots (instance_id, name) values (${instanceId}, 'Помічник') returning id::float8 as id`
  )
  const { previousSecret = null, url = null } = target.kind === "webhook" ? target : {}
  yield* sql`insert into bot_connectors (instance_id, bot_id, channel, place, kind, url, secret, previous_secret, token)
    values (${instanceId}, ${id}, 'web', 0, ${target.kind}, ${url}, ${secret}, ${previousSecret},
      ${target.kind === "telegram" ? target.token : null})`
  return { id, instanceId, secret }
})

interface Bot {
  readonly id: number
  readonly instanceId: number
}

/** A chat of client 501 (601 in instance 2) for each of these chatIds, with one message for each text, enqueued in this order. */
export const enqueue = Effect.fnUntraced(function* (
  bot: Bot,
  chatIds: ReadonlyArray<string>,
  texts: ReadonlyArray<string> = ["Добрий день"],
  kind: "call" | "operator" | "broadcast" = "call"
) {
  const sql = yield* SqlClient.SqlClient
  const clientId = bot.instanceId === 1 ? 501 : 601
  yield* statement(
    sql,
    {
      made: sql`insert into appeals (instance_id, kind, client_id, status, status_group, channel, chat_id, bot_id,
          message_count)
        select ${bot.instanceId}, 'chat', ${clientId}, 'waiting', 'new', 'web', c, ${bot.id}, ${texts.length}
        from unnest(${chatIds}::text[]) c returning *`,
      written: sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at, delivery)
        select a.instance_id, a.id, t.place, 'bot', t.text, now(), 'queued'
        from made a, unnest(${texts}::text[]) with ordinality as t (text, place) order by a.id, t.place returning *`,
      message: sql`select m.instance_id, gen_random_uuid() as delivery_id, a.bot_id, a.channel, a.chat_id, a.client_id,
          a.id as appeal_id, m.id as message_id, m.text
        from written m join made a on a.id = m.appeal_id order by a.id, m.sequence`,
      ...enqueuedFrom(kind, "message")
    },
    sql`select 1`
  )
  yield* (yield* DeliverySignal).notify
})

/** Deliveries of a bot in the order they were enqueued. */
export const deliveriesOf = (bot: Bot) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    deliveryRows.all(sql`select d.id::text as id, d.chat_id as "chatId", d.status, m.delivery, d.reason, d.description, d.attempts
      from deliveries d join appeal_messages m on m.instance_id = d.instance_id and m.id = d.message_id
      where d.instance_id = ${bot.instanceId} and d.bot_id = ${bot.id} order by d.sequence`)
  )

/** Status, reason and attempts of each delivery. */
export const outcomesOf = (all: ReadonlyArray<{ status: string; reason: string | null; attempts: number }>) =>
  all.map(({ attempts, reason, status }) => [status, reason, attempts])

/** The deliveries of a bot once none is queued. */
export const untilSettled = Effect.fnUntraced(function* (bot: Bot, seconds = 60) {
  for (let i = 0; i < seconds * 50; i++) {
    const found = yield* deliveriesOf(bot)
    if (found.every(({ status }) => status !== "queued")) return found
    yield* Effect.sleep(20)
  }
  return yield* Effect.die(
    new Error(`still queued: ${JSON.stringify((yield* deliveriesOf(bot)).slice(0, 3))}`)
  )
})

/** Claims all due lines of an instance. */
export const claimLines = (lines: DeliveryLines["Service"], instanceId: number) =>
  lines.claim({
    lines: 100,
    ofConnector: 100,
    ofInstance: 0,
    connectors: [],
    instances: [{ instanceId, free: 100 }]
  })

/** The queue of broadcasts, whose messages no worker is notified of. */
export const broadcastQueueLayer = BroadcastQueuePostgres.layer.pipe(
  Layer.provide([
    Layer.mock(DeliverySignal, { notify: Effect.void }),
    Layer.mock(OutboxSignal, { notify: Effect.void })
  ])
)

export const chatsOf = (count: number, prefix = "chat"): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

type DeliverySettings = Pick<Settings, "delivery" | "telegramApiUrl" | "webhookAllowPrivate">
const usual: DeliverySettings = {
  delivery: { attempts: 4, backoffMillis: 20, timeoutMillis: 10_000 },
  telegramApiUrl: "http://127.0.0.1:1",
  webhookAllowPrivate: true
}

/** A worker that may call private addresses and waits briefly. */
export const workerLayer = (
  settings: Partial<DeliverySettings["delivery"]> & {
    telegramApiUrl?: string
    storage?: Layer.Layer<FileStorage>
  } = {}
) => {
  const { storage = temporaryFileStorage, telegramApiUrl = usual.telegramApiUrl, ...delivery } = settings
  return Layer.fresh(
    deliveryLayer({ ...usual, telegramApiUrl, delivery: { ...usual.delivery, ...delivery } }).pipe(
      Layer.provide([testFileLinks, storage])
    )
  )
}
