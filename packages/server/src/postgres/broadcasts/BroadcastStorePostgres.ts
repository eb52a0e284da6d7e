// Broadcasts, their templates and recipients in PostgreSQL (contract §9.1).
import {
  Broadcast,
  broadcasts,
  MessageTemplate,
  Recipient,
  recipients,
  templates
} from "@rapport/contract/broadcasts/Broadcast.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import { BroadcastStore } from "@rapport/core/broadcasts/BroadcastStore.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { listRows } from "../sql/ListQuery.ts"
import { query, unknownIds, valuesOf } from "../sql/Query.ts"
import { ownRecords } from "../sql/OwnRecords.ts"
import { columnsOf } from "../sql/Columns.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { timeOf } from "../sql/SqlTime.ts"
import { callerOf } from "../sql/Visibility.ts"
import {
  countedReach,
  reachedBy,
  reachedFrozen,
  reachedRows,
  recipientCounts,
  resultRows
} from "./BroadcastReach.ts"
import { setPaused, skipQueued } from "./QueuedRecipients.ts"

const templateRecords = ownRecords(MessageTemplate, {
  collection: templates,
  table: "broadcast_templates",
  name: "template",
  columns: { id: { required: true }, name: { required: true }, version: { required: true } }
})
const broadcastRecords = ownRecords(Broadcast, {
  collection: broadcasts,
  table: "broadcasts",
  name: "broadcast",
  columns: {
    id: { required: true },
    name: { required: true },
    createdAt: { required: true },
    version: { required: true }
  }
})
const recipientColumns = columnsOf("recipient", Recipient.fields, {
  id: { required: true },
  clientId: { required: true, client: true },
  updatedAt: { required: true }
})
const senderRows = valuesOf(
  Schema.Struct({ isBotActive: Schema.Boolean, isConnectorActive: Schema.NullOr(Schema.Boolean) })
)

type Store = BroadcastStore["Service"]

export const layer: Layer.Layer<
  BroadcastStore,
  never,
  SqlClient.SqlClient | BroadcastSignal | DeliverySignal
> = Layer.effect(
  BroadcastStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const deliveries = yield* DeliverySignal
    const { notify } = yield* BroadcastSignal
    return BroadcastStore.of({
      templates: templateRecords.removableMethods(sql, {
        span: "BroadcastStore.templates",
        entity: "broadcast_template",
        used: ({ id, instanceId }) => sql`exists (select 1 from broadcasts broadcast
          where broadcast.instance_id = ${instanceId} and broadcast.template_id = ${id})`
      }),
      ...recordOperations(sql, notify),
      ...recipientOperations(sql),
      ...audienceOperations(sql, deliveries.notify)
    })
  })
)

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

const recordOperations = (sql: Sql, notify: Effect.Effect<void>) =>
  ({
    list: broadcastRecords.makeList("BroadcastStore.list", sql),
    find: broadcastRecords.makeFind("BroadcastStore.find", sql),
    create: query("BroadcastStore.create", function* (session, content) {
      const now = isoOf(yield* Clock.currentTimeMillis)
      const insert = sql`insert into broadcasts as broadcast (instance_id, name, bot_id, channel,
            template_id, variables, audience, scheduled_at, rate_per_minute, created_at)
          values (${session.instanceId}, ${content.name}, ${content.botId}, ${content.channel}, ${content.templateId},
            ${json(content.variables)}::text::json, ${json(content.audience)}::text::json,
            ${timeOf(content.scheduledAt)}, ${content.ratePerMinute}, ${now}::timestamptz)`
      return yield* broadcastRecords.inserted(sql, session, "broadcast.create", insert)
    }),
    update: (session, id, step, decide) =>
      broadcastRecords.updating("BroadcastStore.update", unavailableOrDie, {
        sql,
        action: `broadcast.${step}`,
        write: (next, { id, instanceId }) =>
          Effect.andThen(
            sql`update broadcasts set name = ${next.name}, bot_id = ${next.botId}, channel = ${next.channel},
              template_id = ${next.templateId}, variables = ${json(next.variables)}::text::json,
              audience = ${json(next.audience)}::text::json, scheduled_at = ${timeOf(next.scheduledAt)},
              rate_per_minute = ${next.ratePerMinute}, status = ${next.status},
              started_at = ${timeOf(next.startedAt)}, completed_at = ${timeOf(next.completedAt)},
              due_at = case ${next.status}::text when 'scheduled' then ${timeOf(next.scheduledAt)}
                when 'running' then greatest(nullif(due_at, 'infinity'), now()) when 'paused' then due_at end, version = version + 1
            where instance_id = ${instanceId} and id = ${id}`,
            sql.afterCommit(notify)
          )
      })(session, id, decide)
  }) satisfies Partial<Store>

const recipientOperations = (sql: Sql) =>
  ({
    results: query("BroadcastStore.results", (session, id) =>
      resultRows.find(sql`with ${callerOf(session)} select ${sql.literal(recipientCounts)} as record
        from broadcasts broadcast join caller u on broadcast.instance_id = u.instance_id
        left join broadcast_recipients recipient on recipient.instance_id = broadcast.instance_id
          and recipient.broadcast_id = broadcast.id
        where broadcast.id = ${id} group by broadcast.id`)
    ),
    listRecipients: query("BroadcastStore.listRecipients", (session, id, request) =>
      listRows(
        sql,
        {
          collection: recipients,
          common: callerOf(session),
          from: sql.literal("broadcast_recipients recipient, caller u"),
          where: sql`recipient.instance_id = u.instance_id and recipient.broadcast_id = ${id}`,
          columns: recipientColumns
        },
        request
      )
    )
  }) satisfies Partial<Store>

const audienceOperations = (sql: Sql, notifyDeliveries: Effect.Effect<void>) =>
  ({
    unknown: query("BroadcastStore.unknown", ({ instanceId }, { botIds, clientIds, templateIds }) =>
      Effect.all({
        botIds: unknownIds(sql, "bots", instanceId, botIds),
        templateIds: unknownIds(sql, "broadcast_templates", instanceId, templateIds, "for key share"),
        clientIds: unknownIds(sql, "clients", instanceId, clientIds, "and erased_at is null")
      })
    ),
    sender: query("BroadcastStore.sender", ({ instanceId }, botId, channel) =>
      senderRows.find(sql`select json_build_object('isBotActive', bot.active, 'isConnectorActive', (
          select connector.active from bot_connectors connector where connector.instance_id = bot.instance_id
            and connector.bot_id = bot.id
            and connector.channel = ${channel})) as record
        from bots bot where bot.instance_id = ${instanceId} and bot.id = ${botId}`)
    ),
    reach: query("BroadcastStore.reach", (session, channel, audience, needed) =>
      Effect.flatMap(reachedBy(sql, session, channel, audience), (reached) =>
        reachedRows.get(sql`with ${reached} ${countedReach(needed)}`)
      )
    ),
    reachFrozen: query("BroadcastStore.reachFrozen", (session, id) =>
      reachedRows.get(sql`with ${reachedFrozen(session, id)} ${countedReach([])}`)
    ),
    freeze: query("BroadcastStore.freeze", function* (session, { id }, channel, audience, text) {
      const reached = yield* reachedBy(sql, session, channel, audience)
      yield* sql`with ${reached}
          insert into broadcast_recipients (instance_id, broadcast_id, client_id, channel, chat_id, status, reason,
            delivery_id)
          select ${session.instanceId}, ${id}, reached.client_id, ${channel}, reached.chat_id,
            case when reached.subscribed then 'queued' else 'skipped' end,
            case when reached.chat_id is null then 'no_identity' when not reached.subscribed then 'not_subscribed' end,
            case when reached.subscribed then new_delivery_id() end
          from reached order by reached.client_id`
      yield* sql`update broadcasts set template_text = ${text}
          where instance_id = ${session.instanceId} and id = ${id}`
    }),
    skipQueued: query("BroadcastStore.skipQueued", ({ instanceId }, id) => skipQueued(sql, instanceId, id)),
    setPaused: query("BroadcastStore.setPaused", function* ({ instanceId }, id, paused) {
      yield* setPaused(sql, instanceId, id, paused)
      yield* sql.afterCommit(notifyDeliveries)
    })
  }) satisfies Partial<Store>
