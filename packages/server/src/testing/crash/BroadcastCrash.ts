// Kills the process of a running broadcast repeatedly, and compares the receiver with the recipients (contract §9.1).
import { BroadcastRateLimits } from "@rapport/contract/Limits.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf } from "../../postgres/sql/Query.ts"
import { temporaryFolder } from "../PostgresFixtures.ts"
import { receiver } from "../ReceiverFixtures.ts"
import type { RunningServer } from "../ServerFixtures.ts"
import { startOnShared } from "../SharedDatabaseFixtures.ts"

const recipientRows = rowsOf(
  Schema.Struct({ chatId: Schema.String, deliveryId: Schema.NullOr(Schema.String), status: Schema.String })
)
const statusRows = rowsOf(Schema.Struct({ status: Schema.String }))

/**
 * Kills the process after these numbers of calls of the receiver. Needs a shared database and its client. `lost`, `doubled` and
 * `changed` are 0 if nothing is wrong.
 */
export const broadcastCrash = Effect.fnUntraced(function* (
  recipients: number,
  killedAfter: ReadonlyArray<number>
) {
  const sql = yield* SqlClient.SqlClient
  const made = yield* receiver((_, response) => void setTimeout(() => response.writeHead(204).end(), 20))
  const folder = yield* temporaryFolder
  const start = startOnShared({
    RAPPORT_WEBHOOK_ALLOW_PRIVATE: "true",
    // Longer than any delay of a loaded machine: only a kill repeats a delivery.
    RAPPORT_DELIVERY_TIMEOUT_MS: "10000",
    RAPPORT_DATA_DIR: folder
  })
  let running = yield* start
  const id = yield* startBroadcast(sql, running.send, made.origin, recipients)
  const began = performance.now()
  for (const calls of killedAfter) {
    while (made.received.length < calls) yield* Effect.sleep(2)
    yield* running.process.stop("SIGKILL")
    running = yield* start
  }
  let status = "running"
  while (status === "running") {
    yield* Effect.sleep(100)
    status = (yield* statusRows.get(sql`select status from broadcasts where id = ${id}`)).status
  }
  const found =
    yield* recipientRows.all(sql`select chat_id as "chatId", delivery_id::text as "deliveryId", status
    from broadcast_recipients where broadcast_id = ${id}`)
  const bodies = new Map<string, Set<string>>()
  const ids = new Map<string, Set<string>>()
  for (const { body, headers } of made.received) {
    const delivery = String(headers["webhook-id"])
    const { chatId } = JSON.parse(body).data
    bodies.set(delivery, (bodies.get(delivery) ?? new Set<string>()).add(body))
    ids.set(chatId, (ids.get(chatId) ?? new Set<string>()).add(delivery))
  }
  const arrived = found.filter(
    (one) => one.status === "sent" && one.deliveryId !== null && ids.get(one.chatId)?.has(one.deliveryId)
  )
  return {
    status,
    /** Recipients whose delivery never arrived, or that are not sent. */
    lost: recipients - arrived.length,
    /** Chats with more than one delivery id. */
    doubled: [...ids.values()].filter((one) => one.size > 1).length,
    /** Delivery ids with two bodies. */
    changed: [...bodies.values()].filter((one) => one.size > 1).length,
    /** Repeated calls of a delivery id. */
    repeated: made.received.length - bodies.size,
    seconds: Math.round((performance.now() - began) / 100) / 10
  }
})

/** Starts a broadcast at the maximum rate to new clients, each with a chat of the channel. */
const startBroadcast = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  send: RunningServer["Service"]["send"],
  url: string,
  recipients: number
) {
  const tag = `crash-${recipients}`
  yield* sql`with made as (
      insert into clients (instance_id, name, tags) select 1, 'Клієнт ' || place, array[${tag}]
      from generate_series(1, ${recipients}::int4) place returning id)
    insert into client_identities (instance_id, channel, chat_id, client_id)
    select 1, 'web', ${tag} || '-' || id, id from made`
  const post = Effect.fnUntraced(function* (path: string, body?: object) {
    const { status, body: made, text } = yield* send({ method: "POST", path: `/kw/api/v1${path}`, body })
    if (status >= 400) throw new Error(`${path}: ${text}`)
    return made.id as number
  })
  const botId = yield* post("/bots", {
    name: "Crash",
    connectors: [{ channel: "web", kind: "webhook", url }]
  })
  const templateId = yield* post("/broadcasts/templates", { name: "Crash", text: "Вітаємо, {{name}}!" })
  const id = yield* post("/broadcasts", {
    name: "Crash",
    botId,
    channel: "web",
    templateId,
    audience: { filter: { tags: tag } },
    ratePerMinute: BroadcastRateLimits.maximum
  })
  yield* post(`/broadcasts/${id}/start`)
  return id
})
