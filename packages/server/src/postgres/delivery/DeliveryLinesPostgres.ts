// Lines of messages that wait to leave, in PostgreSQL: claimed with SKIP LOCKED, settled under their lock; the tables and the
// reasons are told in schema/0070_delivery.ts (docs/contract.md §8).
import { LEASE_MILLIS } from "@rapport/core/delivery/DeliveryLimits.ts"
import {
  type Claimed,
  type ConnectorTarget,
  DeliveryLines,
  type DueDelivery,
  type Free,
  type HeldLine,
  type Settled
} from "@rapport/core/delivery/DeliveryLines.ts"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { query, rowsOf } from "../sql/Query.ts"
import { epochMillis } from "../sql/SqlTime.ts"

type Sql = SqlClient.SqlClient

export const layer: Layer.Layer<DeliveryLines, never, Sql> = Layer.effect(
  DeliveryLines,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return DeliveryLines.of({
      claim: query("DeliveryLines.claim", (free) => claim(sql, free)),
      settle: query("DeliveryLines.settle", (settled) => sql.withTransaction(settle(sql, settled))),
      renew: query("DeliveryLines.renew", (held) => Effect.asVoid(renew(sql, held)))
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
      kind: Schema.Literals(["call", "operator", "broadcast"]),
      clientId: Schema.Int,
      appealId: Schema.Int,
      messageId: Schema.Int,
      text: Schema.String,
      createdAt: Schema.Finite,
      attempts: Schema.Int
    })
  ),
  kind: Schema.NullOr(Schema.Literals(["webhook", "telegram"])),
  url: Schema.NullOr(Schema.String),
  secret: Schema.NullOr(Schema.String),
  token: Schema.NullOr(Schema.String)
})
const claimedRows = rowsOf(ClaimedRow)
const nextRows = rowsOf(Schema.Struct({ millis: Schema.NullOr(Schema.Finite) }))

const claim = (sql: Sql, free: Free): Effect.Effect<Claimed, SqlError.SqlError> =>
  Effect.gen(function* () {
    const rows = yield* claimedRows.all(claimStatement(sql, free))
    const { millis } = yield* nextRows.get(sql`select ${sql.literal(epochMillis("min(due_at)"))}
        - ${sql.literal(epochMillis("clock_timestamp()"))} as millis
      from delivery_lines where due_at > clock_timestamp()`)
    return {
      deliveries: rows.flatMap(dueOf),
      empty: rows.flatMap(({ delivery, ...row }) => (delivery === null ? [lineOf(row)] : [])),
      nextMillis: millis === null ? undefined : Math.max(0, millis)
    }
  })

/**
 * The connectors that have a line due are found one by one, by an index, however many lines each has; of each so many lines
 * are looked at as it has places. A lease moves the time a line is due, so what is leased is not looked at again.
 */
const claimStatement = (sql: Sql, free: Free) => {
  const of = sql.literal("l.instance_id, l.bot_id, l.channel")
  return sql`with recursive connector as (
      (select ${of} from delivery_lines l where l.due_at is not null order by 1, 2, 3 limit 1)
      union all
      select n.* from connector c cross join lateral (select ${of} from delivery_lines l
        where l.due_at is not null and (${of}) > (c.instance_id, c.bot_id, c.channel) order by 1, 2, 3 limit 1) n),
    share as (select * from unnest(${free.connectors.map(({ instanceId }) => instanceId)}::int8[],
      ${free.connectors.map(({ botId }) => botId)}::int8[], ${free.connectors.map(({ channel }) => channel)}::text[],
      ${free.connectors.map((one) => one.free)}::int4[]) as s (instance_id, bot_id, channel, free)),
    tenant as (select * from unnest(${free.instances.map(({ instanceId }) => instanceId)}::int8[],
      ${free.instances.map((one) => one.free)}::int4[]) as t (instance_id, free)),
    due as (select l.*, row_number() over (partition by ${of} order by l.due_at) as turn
      from connector c left join share s using (instance_id, bot_id, channel)
      cross join lateral (select ${of}, l.chat_id, l.due_at from delivery_lines l
        where (${of}) = (c.instance_id, c.bot_id, c.channel) and l.due_at <= clock_timestamp()
        order by l.due_at limit coalesce(s.free, ${free.ofConnector}::int4)) l),
    fair as (select d.*, row_number() over (partition by d.instance_id order by d.turn, d.due_at) as place,
        coalesce(t.free, ${free.ofInstance}::int4) as free
      from due d left join tenant t using (instance_id)),
    picked as materialized (select l.instance_id, l.bot_id, l.channel, l.chat_id from delivery_lines l
      join (select * from fair where place <= free order by turn, due_at limit ${free.lines}::int4) f
        using (instance_id, bot_id, channel, chat_id)
      where l.due_at <= clock_timestamp() for update of l skip locked),
    leased as (update delivery_lines l set lease = gen_random_uuid(), leased_until = ${sql.literal(leaseEnd)},
        due_at = ${sql.literal(leaseEnd)}
      from picked p where (${of}, l.chat_id) = (p.instance_id, p.bot_id, p.channel, p.chat_id)
      returning ${of}, l.chat_id, l.lease)
    select l.instance_id::float8 as "instanceId", l.bot_id::float8 as "botId", l.channel, l.chat_id as "chatId",
      l.lease::text as lease, d.delivery, b.kind, b.url, b.secret, b.token
    from leased l left join lateral (select json_build_object('id', d.id, 'kind', d.kind, 'clientId', d.client_id,
          'appealId', d.appeal_id, 'messageId', d.message_id, 'text', d.text,
          'createdAt', ${sql.literal(epochMillis("d.created_at"))}, 'attempts', d.attempts) as delivery
        from deliveries d where d.status = 'queued'
          and (d.instance_id, d.bot_id, d.channel, d.chat_id) = (${of}, l.chat_id)
        order by d.sequence limit 1) d on true
      left join (select c.*, b.active as bot_active from bot_connectors c
          join bots b on b.instance_id = c.instance_id and b.id = c.bot_id) b
        on (b.instance_id, b.bot_id, b.channel) = (${of}) and b.active and b.bot_active`
}

type Row = typeof ClaimedRow.Type

const lineOf = ({ botId, channel, chatId, instanceId, lease }: Omit<Row, "delivery">): HeldLine => ({
  instanceId,
  botId,
  channel,
  chatId,
  lease
})

const dueOf = ({ delivery, ...row }: Row): ReadonlyArray<DueDelivery> =>
  delivery === null ? [] : [{ ...lineOf(row), ...delivery, target: targetOf(row) }]

const targetOf = ({ kind, secret, token, url }: Omit<Row, "delivery">): ConnectorTarget | null => {
  if (kind === "webhook" && url !== null && secret !== null)
    return { kind, url, secret: Redacted.make(secret, { label: "connector" }) }
  return kind === "telegram" && token !== null
    ? { kind, token: Redacted.make(token, { label: "connector" }) }
    : null
}

/**
 * The lines are locked first, in the order of every enqueue: a delivery that is enqueued at this moment is then seen by
 * the last statement, or finds the line without a time and gives it one.
 */
const settle = Effect.fnUntraced(function* (
  sql: Sql,
  settled: ReadonlyArray<Settled>
): Effect.fn.Return<void, SqlError.SqlError> {
  const outcome = sql`unnest(${settled.map(({ line }) => line.lease)}::text[]::uuid[],
    ${settled.map(({ deliveryId }) => deliveryId ?? "")}::text[],
    ${settled.map(({ settlement }) => settlement._tag)}::text[], ${settled.map(reasonOf)}::text[],
    ${settled.map(delayOf)}::text[]::float8[]) as o (lease, delivery_id, settlement, reason, delay_millis)`
  const keys = sql`unnest(${settled.map(({ line }) => line.instanceId)}::int8[],
    ${settled.map(({ line }) => line.botId)}::int8[], ${settled.map(({ line }) => line.channel)}::text[],
    ${settled.map(({ line }) => line.chatId)}::text[], ${settled.map(({ line }) => line.lease)}::text[]::uuid[])
    as k (instance_id, bot_id, channel, chat_id, lease)`
  yield* sql`select 1 from delivery_lines l join ${keys} using (instance_id, bot_id, channel, chat_id, lease)
    order by l.instance_id, l.bot_id, l.channel, l.chat_id for update of l`
  const held = sql`${outcome} join ${keys} using (lease)
    join delivery_lines l using (instance_id, bot_id, channel, chat_id, lease)`
  yield* sql`update deliveries d set attempts = d.attempts + 1, updated_at = now(),
      reason = case when d.status = 'queued' then nullif(o.reason, '') else d.reason end,
      status = case when d.status <> 'queued' or o.settlement = 'Retry' then d.status else lower(o.settlement) end
    from ${held} where d.instance_id = k.instance_id and d.id = nullif(o.delivery_id, '')::uuid
      and o.settlement <> 'Released'`
  yield* sql`update delivery_lines l set lease = null, leased_until = null,
      due_at = case when o.settlement = 'Retry' and exists (select 1 from deliveries d where d.status = 'queued'
            and d.instance_id = l.instance_id and d.id = nullif(o.delivery_id, '')::uuid)
          then clock_timestamp() + make_interval(secs => o.delay_millis / 1000)
        when exists (select 1 from deliveries d where d.status = 'queued' and (d.instance_id, d.bot_id, d.channel, d.chat_id)
          = (l.instance_id, l.bot_id, l.channel, l.chat_id)) then clock_timestamp() end
    from ${outcome} join ${keys} using (lease)
    where (l.instance_id, l.bot_id, l.channel, l.chat_id, l.lease)
      = (k.instance_id, k.bot_id, k.channel, k.chat_id, k.lease)`
})

const reasonOf = ({ settlement }: Settled) => ("reason" in settlement ? settlement.reason : "")
/** As text: the driver takes no array of whole and broken numbers. */
const delayOf = ({ settlement }: Settled) => String(settlement._tag === "Retry" ? settlement.delayMillis : 0)

/** What another has claimed meanwhile has another lease. */
const renew = (sql: Sql, held: ReadonlyArray<HeldLine>) =>
  sql`update delivery_lines l set leased_until = ${sql.literal(leaseEnd)}, due_at = ${sql.literal(leaseEnd)}
    from (select l.instance_id, l.bot_id, l.channel, l.chat_id from delivery_lines l
      join unnest(${held.map(({ instanceId }) => instanceId)}::int8[], ${held.map(({ botId }) => botId)}::int8[],
        ${held.map(({ channel }) => channel)}::text[], ${held.map(({ chatId }) => chatId)}::text[],
        ${held.map(({ lease }) => lease)}::text[]::uuid[]) as k (instance_id, bot_id, channel, chat_id, lease)
        using (instance_id, bot_id, channel, chat_id, lease)
      order by 1, 2, 3, 4 for update of l skip locked) k
    where (l.instance_id, l.bot_id, l.channel, l.chat_id) = (k.instance_id, k.bot_id, k.channel, k.chat_id)`
