// Advances a broadcast in one transaction: writes messages to its next recipients and enqueues them, or completes it. The row of
// the broadcast is the lock between processes (contract §9.1).
import { BroadcastQueue } from "@rapport/core/broadcasts/BroadcastRun.ts"
import { endOf } from "@rapport/core/broadcasts/BroadcastSteps.ts"
import { textFor } from "@rapport/core/broadcasts/BroadcastText.ts"
import { RECIPIENTS_BATCH, dueBatch } from "@rapport/core/broadcasts/Pacing.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { storedTemplate } from "@rapport/core/scenarios/MessageTemplate.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Cause, Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { idArray, type Sql } from "../sql/Fragment.ts"
import { botMessagesFrom, openChatsFrom } from "../delivery/BotMessages.ts"
import { statement } from "../sql/CommonTables.ts"
import { ClientValues, recipientCounts, resultRows } from "./BroadcastReach.ts"
import { shortLockTimeout } from "../sql/LockTimeout.ts"
import { hasRow, orUnavailable, query, rowsOf, valuesOf } from "../sql/Query.ts"
import { type Row, rowsAs } from "../sql/RowsAs.ts"
import { timeOf } from "../sql/SqlTime.ts"

/** The pause before a failed step is retried. */
const RETRY_MILLIS = 5_000
/** A broadcast that waits for its last deliveries is checked this often. */
const COMPLETION_CHECK_MILLIS = 1_000

const DueBroadcast = Schema.Struct({
  instanceId: Schema.Int,
  id: Schema.Int,
  botId: Schema.Int,
  channel: Schema.String,
  status: Schema.String,
  ratePerMinute: Schema.Int,
  variables: Schema.Record(Schema.String, Schema.Unknown),
  text: Schema.String,
  dueAt: Schema.Number
})
type DueBroadcast = typeof DueBroadcast.Type
const dueRows = valuesOf(DueBroadcast)
const nextRows = valuesOf(Schema.NullOr(Schema.Number))
const WaitingRecipient = Schema.Struct({
  id: Schema.Int,
  chatId: Schema.NullOr(Schema.String),
  deliveryId: Schema.String
})
const recipientRows = rowsOf(WaitingRecipient)
const ownerRows = rowsOf(Schema.Struct({ id: Schema.Int, clientId: Schema.Int }))
const reachableRows = rowsOf(
  Schema.Struct({
    ...ClientValues.fields,
    chatId: Schema.String,
    clientId: Schema.Int,
    subscribed: Schema.Boolean
  })
)
type Reachable = Effect.Success<ReturnType<(typeof reachableRows)["get"]>>

export const layer: Layer.Layer<BroadcastQueue, never, SqlClient.SqlClient | DeliverySignal | OutboxSignal> =
  Layer.effect(
    BroadcastQueue,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deliveries = yield* DeliverySignal
      const outbox = yield* OutboxSignal
      const notify = Effect.andThen(deliveries.notify, outbox.notify)
      return BroadcastQueue.of({
        advance: query("BroadcastQueue.advance", (now) =>
          Effect.suspend(() => {
            let current: DueBroadcast | undefined
            const step = Effect.gen(function* () {
              const due = (current = yield* dueRows.find(dueBroadcast(sql, now)))
              if (due === undefined) return false
              if (due.status === "scheduled")
                yield* sql`update broadcasts set status = 'running', started_at = ${timeOf(now)}, version = version + 1
                where instance_id = ${due.instanceId} and id = ${due.id}`
              const { count, nextAt } = dueBatch(due.ratePerMinute, due.dueAt, now)
              const waiting = yield* recipientRows.all(nextRecipients(sql, due, count))
              if (waiting.length === 0) yield* completeOrWait(sql, due, now)
              else {
                yield* write(sql, due, waiting)
                yield* setDue(sql, due, nextAt)
                yield* sql.afterCommit(notify)
              }
              return true
            })
            // A failure, such as a lock timeout, does not delay other broadcasts.
            return Effect.catchCause(sql.withTransaction(step), (cause) =>
              current === undefined || Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause)
                : postpone(sql, current, now + RETRY_MILLIS, cause)
            )
          })
        ),
        nextDueAt: orUnavailable(
          Effect.map(
            nextRows.get(sql`select extract(epoch from min(due_at))::float8 * 1000 from broadcasts
            where status in ('scheduled', 'running')`),
            (at) => at ?? undefined
          )
        )
      })
    })
  )

const dueBroadcast = (sql: Sql, now: number) =>
  sql`with ${shortLockTimeout} select json_build_object('instanceId', broadcast.instance_id, 'id', broadcast.id, 'botId',
    broadcast.bot_id, 'channel', broadcast.channel,
      'status', broadcast.status, 'ratePerMinute', broadcast.rate_per_minute, 'variables', broadcast.variables, 'text',
        broadcast.template_text,
      'dueAt', extract(epoch from broadcast.due_at)::float8 * 1000) as record
    from short_lock_timeout, broadcasts broadcast where broadcast.status in ('scheduled', 'running') and broadcast.due_at <= ${timeOf(now)}
    order by broadcast.due_at limit 1 for update of broadcast skip locked`

/** Without locks: the row of the broadcast is locked, and clients are locked before recipients, as in a merge. */
const nextRecipients = (sql: Sql, { id, instanceId }: DueBroadcast, count: number) =>
  sql`select recipient.id::float8 as id, recipient.chat_id as "chatId", recipient.delivery_id::text as "deliveryId" from broadcast_recipients recipient
    where recipient.instance_id = ${instanceId} and recipient.broadcast_id = ${id} and recipient.status = 'queued'
      and not recipient.enqueued
    order by recipient.id limit ${Math.min(count, RECIPIENTS_BATCH)}`

const setDue = (sql: Sql, { id, instanceId }: DueBroadcast, at: number) =>
  sql`update broadcasts set due_at = to_timestamp(${at}::float8 / 1000) where instance_id = ${instanceId} and id = ${id}`

const postpone = Effect.fnUntraced(function* (
  sql: Sql,
  { id, instanceId }: DueBroadcast,
  at: number,
  cause: Cause.Cause<unknown>
) {
  yield* sql`update broadcasts set due_at = to_timestamp(${at}::float8 / 1000)
    where instance_id = ${instanceId} and id = ${id} and status in ('scheduled', 'running')`
  yield* Effect.logWarning(
    `broadcast ${id} of instance ${instanceId} failed to advance and is retried later`,
    cause
  )
  return true
})

/** Completes a broadcast once no recipient is queued. It counts only then, because an unavailable receiver may take hours. */
const completeOrWait = Effect.fnUntraced(function* (sql: Sql, due: DueBroadcast, now: number) {
  const own = sql`from broadcast_recipients recipient where recipient.instance_id = ${due.instanceId}
    and recipient.broadcast_id = ${due.id}`
  const ended = (yield* hasRow(sql`select 1 ${own} and recipient.status = 'queued' limit 1`))
    ? undefined
    : endOf(yield* resultRows.get(sql`select ${sql.literal(recipientCounts)} as record ${own}`))
  yield* ended === undefined
    ? setDue(sql, due, now + COMPLETION_CHECK_MILLIS)
    : sql`update broadcasts set status = ${ended}, completed_at = ${timeOf(now)}, due_at = null, version = version + 1
        where instance_id = ${due.instanceId} and id = ${due.id}`
})

/** Locks the clients, then their identities, in the order of a merge. */
const lockReachable = (sql: Sql, { channel, instanceId }: DueBroadcast, chatIds: ReadonlyArray<string>) =>
  reachableRows.all(sql`with locked_client as materialized (select c.id, c.name, c.emails[1] as email, c.phones[1] as phone, c.language, c.external_id
      from clients c where c.instance_id = ${instanceId} and c.id = any(array(select identity.client_id
        from client_identities identity
        where identity.instance_id = ${instanceId} and identity.channel = ${channel}
          and identity.chat_id = any(${chatIds}::text[])))
      order by c.id for key share)
    select identity.chat_id as "chatId", identity.client_id::float8 as "clientId", identity.subscribed, locked_client.name,
      locked_client.email, locked_client.phone, locked_client.language,
      locked_client.external_id as "externalId"
    from client_identities identity join locked_client on locked_client.id = identity.client_id
    where identity.instance_id = ${instanceId} and identity.channel = ${channel}
      and identity.chat_id = any(${chatIds}::text[])
    order by identity.chat_id for no key update of identity`)

/** To be read after the clients are locked: a merge moves a recipient with its identity. */
const ownersOf = (
  sql: Sql,
  { id, instanceId }: DueBroadcast,
  waiting: ReadonlyArray<typeof WaitingRecipient.Type>
) =>
  sql`select recipient.id::float8 as id, recipient.client_id::float8 as "clientId" from broadcast_recipients recipient
    where recipient.instance_id = ${instanceId} and recipient.broadcast_id = ${id}
      and recipient.id = any(${idArray(waiting.map((one) => one.id))})`

const writeMessages = Effect.fnUntraced(function* (
  sql: Sql,
  { botId, channel, instanceId }: DueBroadcast,
  messages: ReadonlyArray<Row>
) {
  const now = timeOf(yield* Clock.currentTimeMillis)
  return yield* statement(
    sql,
    {
      target: sql`select delivery_id, ${botId}::int8 as bot_id, ${channel}::text as channel, client_id, chat_id, text
          from ${rowsAs("message", messages)}`,
      ...openChatsFrom(instanceId),
      ...botMessagesFrom({ instanceId, kind: "broadcast", source: "target", now })
    },
    sql`select 1 from queued`
  )
})

const write = Effect.fnUntraced(function* (
  sql: Sql,
  due: DueBroadcast,
  waiting: ReadonlyArray<typeof WaitingRecipient.Type>
) {
  const template = storedTemplate(due.text)
  const chatIds = waiting.flatMap(({ chatId }) => (chatId === null ? [] : [chatId]))
  const found = new Map(
    (yield* lockReachable(sql, due, chatIds)).map((one): [string, Reachable] => [one.chatId, one])
  )
  const owners = new Map(
    (yield* ownerRows.all(ownersOf(sql, due, waiting))).map(({ clientId, id }): [number, number] => [
      id,
      clientId
    ])
  )
  const outcomes: Array<Row> = []
  const messages: Array<Row> = []
  const end = (id: number, status: "queued" | "skipped" | "failed", reason: string | null) =>
    outcomes.push({ "id int8": id, "status text": status, "reason text": reason })
  for (const { chatId, deliveryId, id } of waiting) {
    const identity = chatId === null ? undefined : found.get(chatId)
    // Ignores an identity that has moved to another client since the start.
    const client = identity?.clientId === owners.get(id) ? identity : undefined
    const filled = client?.subscribed === true ? textFor(template, client, due.variables) : undefined
    if (client === undefined || filled === undefined) {
      end(id, "skipped", client === undefined ? "no_identity" : "not_subscribed")
    } else if (filled._tag !== "Text") {
      // The client has lost a value that the template needs.
      end(id, "failed", "no_text")
    } else {
      messages.push({
        "delivery_id uuid": deliveryId,
        "client_id int8": client.clientId,
        "chat_id text": client.chatId,
        "text text": filled.text
      })
      end(id, "queued", null)
    }
  }
  if (messages.length > 0) yield* writeMessages(sql, due, messages)
  yield* sql`update broadcast_recipients recipient set status = outcome.status, reason = outcome.reason,
    enqueued = outcome.status = 'queued', updated_at = now()
    from ${rowsAs("outcome", outcomes)}
    where recipient.instance_id = ${due.instanceId} and recipient.broadcast_id = ${due.id} and recipient.id = outcome.id`
})
