// Delivery lines in PostgreSQL. A worker claims lines with SKIP LOCKED and settles them under their lock (contract §8).
// schema/baseline/Delivery.ts describes the tables.
import { Attachment } from "@rapport/contract/files/FilesApi.ts"
import {
  type ClaimedLines,
  type ConnectorTarget,
  DeliveryLines,
  type DueDelivery,
  type FreeSlots,
  type LeasedLine,
  type SettledLine,
  withheldReasons
} from "@rapport/core/delivery/DeliveryLines.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { ConnectorSeal, type Seal } from "../../access/ConnectorSeal.ts"
import { isMessage, isSameLine, lineKey } from "./LineKeys.ts"
import { unsubscribe } from "./Identities.ts"
import { openSecrets } from "../scenarios/SealedConnectors.ts"
import { shortLockTimeout } from "../sql/LockTimeout.ts"
import { query, rowsOf, valuesOf } from "../sql/Query.ts"
import { rowsAs } from "../sql/RowsAs.ts"
import { epochMillis } from "../sql/SqlTime.ts"

/** Another process may claim a line whose lease was not renewed for this long. */
const LEASE_MILLIS = 10_000

export const layer: Layer.Layer<DeliveryLines, never, Sql> = Layer.effect(
  DeliveryLines,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seal = yield* ConnectorSeal
    return DeliveryLines.of({
      claim: query("DeliveryLines.claim", (free) => claim(sql, seal, free)),
      settle: query("DeliveryLines.settle", (settled) => sql.withTransaction(settle(sql, settled))),
      renew: query("DeliveryLines.renew", (lines) => Effect.asVoid(renew(sql, lines)))
    })
  })
)

const leaseEnd = `clock_timestamp() + interval '${LEASE_MILLIS} milliseconds'`

const ClaimedRow = Schema.Struct({
  instanceId: Schema.Int,
  botId: Schema.Int,
  channel: Schema.String,
  chatId: Schema.String,
  lease: Schema.String,
  delivery: Schema.NullOr(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.Literals(["call", "operator", "broadcast", "edit", "delete"]),
      clientId: Schema.Int,
      appealId: Schema.Int,
      messageId: Schema.Int,
      text: Schema.String,
      attachments: Schema.Array(Attachment),
      createdAt: Schema.Finite,
      attempts: Schema.Int,
      sentUnits: Schema.Int,
      providerIds: Schema.Array(Schema.Int),
      withheld: Schema.NullOr(Schema.Literals(withheldReasons))
    })
  ),
  kind: Schema.NullOr(Schema.Literals(["webhook", "telegram"])),
  url: Schema.NullOr(Schema.String),
  secret: Schema.NullOr(Schema.String),
  previousSecret: Schema.NullOr(Schema.String),
  token: Schema.NullOr(Schema.String)
})
const claimedRows = rowsOf(ClaimedRow)
const nextRows = valuesOf(Schema.NullOr(Schema.Finite))

const claim = Effect.fnUntraced(function* (
  sql: Sql,
  seal: Seal,
  free: FreeSlots
): Effect.fn.Return<ClaimedLines, SqlError.SqlError> {
  const rows = yield* claimedRows.all(claimStatement(sql, free))
  const millis = yield* nextRows.get(sql`select ${sql.literal(epochMillis("min(due_at)"))}
        - ${sql.literal(epochMillis("clock_timestamp()"))} as millis
      from delivery_lines where due_at > clock_timestamp() and due_at < 'infinity'`)
  return {
    deliveries: rows.flatMap((row) => dueOf(seal, row)),
    empty: rows.flatMap(({ delivery, ...row }) => (delivery === null ? [lineOf(row)] : [])),
    nextMillis: millis === null ? undefined : Math.max(0, millis)
  }
})

/**
 * Why the message of a broadcast must not be sent now, or null. An identity that was removed or belongs to another client counts as
 * no identity. Other kinds of deliveries have no recipient.
 */
const withheld = `(select case when broadcast.status = 'cancelled' then 'cancelled' when identity.client_id is null then 'no_identity' when not identity.subscribed then 'not_subscribed' end
  from broadcast_recipients recipient join broadcasts broadcast on broadcast.instance_id = recipient.instance_id
    and broadcast.id = recipient.broadcast_id
  left join client_identities identity on identity.instance_id = recipient.instance_id
    and identity.channel = delivery.channel and identity.chat_id = delivery.chat_id
    and identity.client_id = recipient.client_id
  where delivery.kind = 'broadcast' and recipient.instance_id = delivery.instance_id and recipient.delivery_id = delivery.id)`

/**
 * Finds the first line of each connector by one step in an index, and reads at most its free places in lines if that one is due. A lease
 * moves the time a line is due, so leased lines are not read again.
 */
const claimStatement = (sql: Sql, free: FreeSlots) => {
  const of = sql.literal("line.instance_id, line.bot_id, line.channel")
  const key = sql.literal(lineKey("line"))
  return sql`with recursive connector as (
      (select ${of}, line.due_at from delivery_lines line where line.due_at is not null order by 1, 2, 3, 4 limit 1)
      union all
      select following.* from connector cross join lateral (select ${of}, line.due_at from delivery_lines line
        where line.due_at is not null and (${of}) > (connector.instance_id, connector.bot_id, connector.channel)
          order by 1, 2, 3, 4 limit 1) following),
    share as (select * from unnest(${free.connectors.map(({ instanceId }) => instanceId)}::int8[],
      ${free.connectors.map(({ botId }) => botId)}::int8[], ${free.connectors.map(({ channel }) => channel)}::text[],
      ${free.connectors.map((one) => one.free)}::int4[]) as share (instance_id, bot_id, channel, free)),
    tenant as (select * from unnest(${free.instances.map(({ instanceId }) => instanceId)}::int8[],
      ${free.instances.map((one) => one.free)}::int4[]) as tenant (instance_id, free)),
    due as (select line.*, row_number() over (partition by ${of} order by line.due_at) as turn
      from connector left join share using (instance_id, bot_id, channel)
      cross join lateral (select ${of}, line.chat_id, line.due_at from delivery_lines line
        where (${of}) = (connector.instance_id, connector.bot_id, connector.channel) and line.due_at <= clock_timestamp()
        order by line.due_at limit coalesce(share.free, ${free.ofConnector}::int4)) line
      where connector.due_at <= clock_timestamp()),
    fair as (select due.*, row_number() over (partition by due.instance_id order by due.turn, due.due_at) as place,
        coalesce(tenant.free, ${free.ofInstance}::int4) as free
      from due left join tenant using (instance_id)),
    picked as materialized (select ${key} from delivery_lines line
      join (select * from fair where place <= free order by turn, due_at limit ${free.lines}::int4) chosen
        using (instance_id, bot_id, channel, chat_id)
      where line.due_at <= clock_timestamp() for update of line skip locked),
    leased as (update delivery_lines line set lease = gen_random_uuid(), leased_until = ${sql.literal(leaseEnd)},
        due_at = ${sql.literal(leaseEnd)}
      from picked where ${sql.literal(isSameLine("line", "picked"))} returning ${key}, line.lease)
    select line.instance_id::float8 as "instanceId", line.bot_id::float8 as "botId", line.channel, line.chat_id as "chatId",
      line.lease::text as lease, delivery.delivery, connector.kind, connector.url, connector.secret,
      connector.previous_secret as "previousSecret", connector.token
    from leased line left join lateral (select json_build_object('id', delivery.id, 'kind', delivery.kind, 'clientId',
      delivery.client_id,
          'appealId', delivery.appeal_id, 'messageId', delivery.message_id, 'text', delivery.text,
          'attachments', (select coalesce(message.attachments, '[]') from appeal_messages message
            where message.instance_id = delivery.instance_id and message.id = delivery.message_id),
          'createdAt', ${sql.literal(epochMillis("delivery.created_at"))}, 'attempts', delivery.attempts, 'sentUnits', delivery.sent_units,
          'providerIds', coalesce((select original.provider_ids from deliveries original
            where original.instance_id = delivery.instance_id and original.message_id = delivery.message_id
              and original.${sql.literal(isMessage)} and not delivery.${sql.literal(isMessage)}), '{}'),
          'withheld', ${sql.literal(withheld)}) as delivery
        from deliveries delivery where delivery.status = 'queued' and not delivery.paused
          and ${sql.literal(isSameLine("delivery", "line"))}
        order by delivery.sequence limit 1) delivery on true
      left join (select connector.*, bot.active as bot_active from bot_connectors connector
          join bots bot on bot.instance_id = connector.instance_id and bot.id = connector.bot_id) connector
        on (connector.instance_id, connector.bot_id, connector.channel) = (${of}) and connector.active
          and connector.bot_active`
}

type Row = typeof ClaimedRow.Type

const lineOf = ({ botId, channel, chatId, instanceId, lease }: Omit<Row, "delivery">): LeasedLine => ({
  instanceId,
  botId,
  channel,
  chatId,
  lease
})

const dueOf = (seal: Seal, { delivery, ...row }: Row): ReadonlyArray<DueDelivery> =>
  delivery === null ? [] : [{ ...lineOf(row), ...delivery, target: targetOf(seal, row) }]

const targetOf = (seal: Seal, row: Omit<Row, "delivery">): ConnectorTarget | null => {
  const { kind, previousSecret, secret, token, url } = row
  if (kind === "webhook" && url !== null && secret !== null) {
    const secrets = openSecrets(seal, row, { secret, previousSecret })
    return secrets === undefined ? { kind: "sealed" } : { kind, url, secrets }
  }
  if (kind !== "telegram" || token === null) return null
  const opened = seal.open({ ...row, member: "token" }, token)
  return opened === undefined ? { kind: "sealed" } : { kind, token: opened }
}

/**
 * Locks the lines after clients and identities, in the order of every enqueue. The last statement sees a delivery that is enqueued
 * concurrently, or the enqueue finds the line without a time and sets one.
 */
const settle = Effect.fnUntraced(function* (
  sql: Sql,
  settled: ReadonlyArray<SettledLine>
): Effect.fn.Return<void, SqlError.SqlError> {
  const outcome = rowsAs("outcome", settled.map(outcomeOf))
  yield* unsubscribe(
    sql,
    settled.flatMap(({ line, settlement: { unsubscribed } }) =>
      unsubscribed === undefined ? [] : [{ ...line, reason: unsubscribed }]
    )
  )
  yield* sql`with ${shortLockTimeout} select 1 from short_lock_timeout, delivery_lines line
      join ${outcome} using (instance_id, bot_id, channel, chat_id, lease)
    order by ${sql.literal(lineKey("line"))} for update of line`
  const settledLines = sql`${outcome} join delivery_lines line using (instance_id, bot_id, channel, chat_id, lease)`
  const isCancelled = sql.literal(triedAndCancelled)
  yield* sql`update deliveries delivery set updated_at = now(),
      attempts = delivery.attempts + outcome.attempts,
      sent_units = greatest(delivery.sent_units, outcome.sent_units),
      provider_ids = case when outcome.provider_id is not null and delivery.${sql.literal(isMessage)}
        then delivery.provider_ids || outcome.provider_id else delivery.provider_ids end,
      status = case when delivery.status <> 'queued' then delivery.status when ${isCancelled} then 'failed' else outcome.status end,
      reason = case when delivery.status <> 'queued' then delivery.reason when ${isCancelled} then 'cancelled' else outcome.reason end,
      description = case when delivery.status <> 'queued' then delivery.description when not ${isCancelled} then outcome.description end
    from ${settledLines} where delivery.instance_id = outcome.instance_id and delivery.id = outcome.delivery_id`
  yield* sql`update delivery_lines line set lease = null, leased_until = null,
      due_at = case when outcome.status = 'queued' and exists (select 1 from deliveries delivery
        where delivery.status = 'queued' and not delivery.paused
            and delivery.instance_id = line.instance_id and delivery.id = outcome.delivery_id)
          then clock_timestamp() + make_interval(secs => outcome.delay_millis / 1000)
        when exists (select 1 from deliveries delivery where delivery.status = 'queued' and not delivery.paused
          and ${sql.literal(isSameLine("delivery", "line"))}) then clock_timestamp() end
    from ${outcome} where ${sql.literal(isSameLine("line", "outcome"))} and line.lease = outcome.lease`
})

/** Condition on `delivery` and its `outcome`: the attempt failed, and the broadcast was cancelled meanwhile. */
const triedAndCancelled = `(outcome.status = 'queued' and outcome.reason is not null and delivery.kind = 'broadcast'
  and exists (select 1 from broadcast_recipients recipient join broadcasts broadcast
      on broadcast.instance_id = recipient.instance_id and broadcast.id = recipient.broadcast_id
    where recipient.instance_id = delivery.instance_id and recipient.delivery_id = delivery.id
      and broadcast.status = 'cancelled'))`

const keyOf = ({ botId, channel, chatId, instanceId, lease }: LeasedLine) => ({
  "instance_id int8": instanceId,
  "bot_id int8": botId,
  "channel text": channel,
  "chat_id text": chatId,
  "lease uuid": lease
})

const outcomeOf = ({ deliveryId, line, settlement }: SettledLine) => ({
  ...keyOf(line),
  "delivery_id uuid": deliveryId,
  "status text": settlement.status,
  "attempts int4": settlement.countsAsAttempt ? 1 : 0,
  "reason text": settlement.reason,
  // Some providers describe a refusal with an empty text.
  "description text": settlement.description || null,
  "delay_millis float8": settlement.delayMillis ?? 0,
  "sent_units int4": settlement.sentUnits ?? 0,
  "provider_id int8": settlement.providerId
})

/** A line that another process has claimed meanwhile has another lease. */
const renew = (sql: Sql, lines: ReadonlyArray<LeasedLine>) =>
  sql`update delivery_lines line set leased_until = ${sql.literal(leaseEnd)}, due_at = ${sql.literal(leaseEnd)}
    from (select ${sql.literal(lineKey("line"))} from delivery_lines line
      join ${rowsAs("claimed", lines.map(keyOf))} using (instance_id, bot_id, channel, chat_id, lease)
      order by 1, 2, 3, 4 for update of line skip locked) claimed
    where ${sql.literal(isSameLine("line", "claimed"))}`
