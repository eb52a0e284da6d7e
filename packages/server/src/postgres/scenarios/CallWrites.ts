// A call of a node: one statement writes the message, its delivery, its receipt and its audit entry (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { CallOutcome, CallStore, CallWrite } from "@rapport/core/scenarios/CallStore.ts"
import { Effect, Schema } from "effect"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { botMessagesFrom, openChatsFrom } from "../delivery/BotMessages.ts"
import { lockIdentity } from "../delivery/Identities.ts"
import {
  commonValues,
  untilRowDecided,
  entriesOf,
  inProgressOrOvertaken,
  joinKept,
  keptVerdicts,
  writeStatement,
  type WriteValues,
  writeValues
} from "../receipts/WriteStatement.ts"
import type { Tables } from "../sql/CommonTables.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { holds } from "../sql/Visibility.ts"

/** `notify` runs after the commit. */
export const callWrites = (sql: Sql, notify: Effect.Effect<void>): Pick<CallStore["Service"], "send"> => ({
  send: queryOr("CallStore.send", inProgressOrOvertaken, function* (session, call) {
    const outcome = yield* untilRowDecided<CallOutcome, never>(sql, (isRepeated) =>
      isRepeated || call.node?.openChatId === null
        ? sql.withTransaction(
            Effect.andThen(
              lockIdentity(sql, { ...call.target, instanceId: session.instanceId }),
              write(sql, session, call, true)
            )
          )
        : write(sql, session, call, false)
    )
    if (outcome._tag === "Sent") yield* notify
    return outcome
  })
})

const rowOf = ({ answer, node, prepared, target, text }: CallWrite, mayOpen: boolean) => ({
  ...commonValues(prepared),
  "delivery_id uuid": answer.callId,
  "bot_id int8": target.botId,
  "requested_node_id int8": "id" in target.node ? target.node.id : null,
  "requested_alias text": "id" in target.node ? null : target.node.alias,
  "channel text": target.channel,
  "chat_id text": target.chatId,
  "node_id int8": node?.nodeId ?? null,
  "template text": node?.template ?? null,
  "text text": text,
  "answer json": answer,
  "may_open bool": mayOpen
})

/** SQL of the bot, node, connector and identity that `given` references. */
const callee = ({ instanceId }: WriteValues, { node }: CallWrite["target"]): Fragment =>
  sql`client_identities identity
    join bots bot on bot.instance_id = identity.instance_id and bot.id = given.bot_id
    join bot_nodes node on node.instance_id = identity.instance_id and node.bot_id = bot.id
      and ${sql.literal("id" in node ? "node.id = given.requested_node_id" : "node.connector_alias = given.requested_alias")}
    join bot_connectors connector on connector.instance_id = identity.instance_id and connector.bot_id = bot.id
      and connector.channel = given.channel
    where identity.instance_id = ${instanceId}::int8 and identity.channel = given.channel
      and identity.chat_id = given.chat_id`

const selectVerdicts = (values: WriteValues, target: CallWrite["target"]): Fragment =>
  sql`select given.*, callee.client_id, kept.answer as kept_answer,
        case when not exists (select 1 from caller u where ${holds("scenarios.call")}) then 'Forbidden'
          ${sql.literal(keptVerdicts)}
          when callee.called_id is null then 'NotFound'
          when given.node_id is distinct from callee.called_id
            or given.template is distinct from callee.called_template then 'NodeChanged'
          when given.text is null then 'NoText'
          when not callee.bot_active then 'BotInactive'
          when not callee.node_active then 'NodeInactive'
          when not callee.connector_active then 'ConnectorInactive'
          when not callee.subscribed then 'NotSubscribed'
          else 'Write' end as verdict
      from given ${joinKept(values)}
        left join lateral (select identity.client_id, identity.subscribed, node.id as called_id,
            node.template as called_template, bot.active as bot_active, node.active as node_active,
            connector.active as connector_active
          from ${callee(values, target)} limit 1) callee on true`

/**
 * Locks the client first, as a merge does, then the identity, then the newest open chat. A chat is opened only if an earlier statement of
 * the transaction locked the identity: then the snapshot contains every chat that another call opened.
 */
const locks = ({ instanceId }: WriteValues): Tables => ({
  client: sql`select c.id from clients c where c.instance_id = ${instanceId}::int8
        and c.id in (select found.client_id from found where found.verdict = 'Write')
        and c.merged_into_id is null for key share`,
  target: sql`select found.delivery_id, found.bot_id, found.channel, found.chat_id, found.client_id, found.text
      from found join client on client.id = found.client_id
      join client_identities identity on identity.instance_id = ${instanceId}::int8 and identity.channel = found.channel
        and identity.chat_id = found.chat_id and identity.client_id = client.id and identity.subscribed
      where found.verdict = 'Write' for no key update of identity`,
  ...openChatsFrom(instanceId),
  ready: sql`select found.* from found join target on target.delivery_id = found.delivery_id
      left join chat on chat.delivery_id = found.delivery_id where chat.id is not null or found.may_open`
})

const outcomeRows = rowsOf(
  Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("Replayed"), answer: Schema.Unknown }),
    Schema.Struct({
      _tag: Schema.Literals([
        "Sent",
        "KeyReused",
        "Refused",
        "Forbidden",
        "NotFound",
        "NodeChanged",
        "NoText",
        "BotInactive",
        "NodeInactive",
        "ConnectorInactive",
        "NotSubscribed",
        "Retry"
      ])
    })
  ])
)

const write = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  call: CallWrite,
  mayOpen: boolean
) {
  const values = yield* writeValues(session, [rowOf(call, mayOpen)])
  return yield* outcomeRows.get(
    writeStatement(sql, values, {
      tables: { found: selectVerdicts(values, call.target), ...locks(values) },
      answer: "answer",
      writes: {
        ...botMessagesFrom({
          instanceId: values.instanceId,
          kind: "call",
          source: "free",
          now: sql`${isoOf(call.prepared.receipt.committedAt)}::timestamptz`
        }),
        entry: entriesOf(values, "free", {
          action: "'node.call'",
          entity: "'node'",
          entityId: "node_id",
          details: "jsonb_build_object('botId', bot_id, 'clientId', client_id, 'callId', delivery_id)"
        })
      },
      outcome: sql`select case when queued.message_id is not null then 'Sent' when found.verdict = 'Write' then 'Retry'
          else found.verdict end as _tag, found.kept_answer as answer
        from found left join queued on queued.delivery_id = found.delivery_id`
    })
  )
})
