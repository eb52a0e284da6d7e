// Inbound messages in PostgreSQL. A write locks client and identity, so that only one of several concurrent requests creates client,
// chat and message (contract §8, "Inbound").
import type { InboundConnector } from "@rapport/contract/delivery/InboundApi.ts"
import { SHORT_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { answeringAfter, initialAnswering } from "@rapport/core/appeals/Answering.ts"
import {
  InboundStore,
  type ProviderStatus,
  type ReceivedMessage
} from "@rapport/core/delivery/InboundStore.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { retryDeadlocks } from "../sql/Deadlock.ts"
import { foundId, insertedId, query, rowsOf, valuesOf } from "../sql/Query.ts"
import { audit, brokeUnique } from "../sql/Records.ts"
import { ConnectorSeal, type Seal } from "../../access/ConnectorSeal.ts"
import { timeOf } from "../sql/SqlTime.ts"
import { isMessage } from "./LineKeys.ts"
import { openSecrets } from "../scenarios/SealedConnectors.ts"
import { continuation, continuedBy, reopens } from "../appeals/ContinuedAppeal.ts"
import { answeredBy } from "../appeals/AppealAnswering.ts"
import { lockClientOfAppeal } from "../appeals/AppealReferences.ts"
import { lockReceivedFiles } from "../files/FileStorePostgres.ts"
import { lockIdentity, moveChat, setSubscription } from "./Identities.ts"

export const layer: Layer.Layer<InboundStore, never, Sql | OutboxSignal> = Layer.effect(
  InboundStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { notify } = yield* OutboxSignal
    const seal = yield* ConnectorSeal
    return InboundStore.of({
      findConnector: query("InboundStore.findConnector", (botId, channel) =>
        findConnector(sql, seal, botId, channel)
      ),
      find: query("InboundStore.find", (connector, message) =>
        Effect.map(placeOf(sql, connector, message), (found) => found && { ...found, replayed: true })
      ),
      receive: query("InboundStore.receive", (connector, message) =>
        retryIdentityInUse(retryDeadlocks(sql.withTransaction(receive(sql, connector, message)))).pipe(
          Effect.tap(({ replayed }) => (replayed ? Effect.void : notify)),
          Effect.catchIf(
            (fault): fault is typeof unknownFile => fault === unknownFile,
            () => Effect.undefined
          )
        )
      ),
      edit: query("InboundStore.edit", (connector, message) =>
        Effect.tap(retryDeadlocks(sql.withTransaction(edit(sql, connector, message))), (edited) =>
          edited?.replayed === false ? notify : Effect.void
        )
      ),
      setSubscription: query("InboundStore.setSubscription", (connector, chatId, reason) =>
        Effect.asVoid(
          retryDeadlocks(sql.withTransaction(setSubscription(sql, { ...connector, chatId }, reason)))
        )
      ),
      moveChat: query("InboundStore.moveChat", (connector, chatId, toChatId) =>
        retryIdentityInUse(
          retryDeadlocks(sql.withTransaction(moveChat(sql, { ...connector, chatId }, toChatId)))
        )
      ),
      raise: query("InboundStore.raise", (connector, messageId, status) =>
        retryDeadlocks(raise(sql, connector, messageId, status))
      )
    })
  })
)

const connectorRows = rowsOf(
  Schema.Struct({
    instanceId: Schema.Int,
    kind: Schema.Literals(["webhook", "telegram"]),
    secret: Schema.NullOr(Schema.String),
    previousSecret: Schema.NullOr(Schema.String),
    token: Schema.NullOr(Schema.String),
    active: Schema.Boolean
  })
)

const findConnector = Effect.fnUntraced(function* (sql: Sql, seal: Seal, botId: number, channel: string) {
  const found =
    yield* connectorRows.find(sql`select connector.instance_id::float8 as "instanceId", connector.kind,
    connector.secret, connector.previous_secret as "previousSecret", connector.token,
      connector.active and bot.active as active
    from bots bot join bot_connectors connector on connector.instance_id = bot.instance_id and connector.bot_id = bot.id
    where bot.id = ${botId} and connector.channel = ${channel}`)
  if (found === undefined || found.secret === null) return undefined
  const { active, instanceId, kind, previousSecret, secret } = found
  const place = { instanceId, botId, channel }
  const secrets = openSecrets(seal, place, { secret, previousSecret })
  const token = found.token === null ? undefined : seal.open({ ...place, member: "token" }, found.token)
  return secrets && { ...place, kind, secrets, token: token ?? null, account: accountOf(token), active }
})

const accountOf = (token: Redacted.Redacted | undefined): string | null =>
  (token === undefined ? null : /^(\d+):/u.exec(Redacted.value(token))?.[1]) ?? null

/** A retry finds the client that a concurrent request has created for the same identity. */
const IDENTITY_TRIES = 3

const retryIdentityInUse = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(effect, {
    times: IDENTITY_TRIES,
    while: (error) => SqlError.isSqlError(error) && brokeUnique(error, "client_identities_pkey")
  })

const unknownFile = "unknown_file" as const

const receive = Effect.fnUntraced(function* (
  sql: Sql,
  connector: InboundConnector,
  message: ReceivedMessage
) {
  const clientId =
    (yield* lockIdentity(sql, { ...connector, chatId: message.chatId })) ??
    (yield* makeClient(sql, connector, message))
  // The identity is locked, so writes of concurrent requests for it are committed and visible.
  const now = yield* Clock.currentTimeMillis
  const chat = yield* openChat(sql, connector, message, clientId, now)
  const first = yield* placeOf(sql, connector, message)
  if (first !== undefined) return { ...first, replayed: true }
  if (chat?.knownId !== undefined) return { appealId: chat.id, messageId: chat.knownId, replayed: true }
  const attachments = yield* lockReceivedFiles(sql, connector, message.attachmentIds)
  // The failure rolls back a new client.
  if (attachments === undefined) return yield* Effect.fail(unknownFile)
  const times: Times = { now, occurredAt: Math.min(message.occurredAt ?? now, now) }
  const appealId =
    chat === undefined
      ? yield* insertChat(sql, connector, message, clientId, times)
      : yield* growChat(sql, connector, chat.id, times)
  const messageId = yield* insertMessage(sql, connector, message, {
    appealId,
    attachments,
    clientId,
    ...times
  })
  return { appealId, messageId, replayed: false }
})

/** Epoch milliseconds. `occurredAt` is the provider's time, at most `now`. */
interface Times {
  readonly now: number
  readonly occurredAt: number
}

/** The chat and message that a message of the provider was written to. */
const placeOf = (
  sql: Sql,
  { botId, channel, instanceId }: InboundConnector,
  { chatId, externalMessageId }: ReceivedMessage
) =>
  placedRows.find(sql`select appeal_id::float8 as "appealId", message_id::float8 as "messageId"
    from inbound_messages where instance_id = ${instanceId} and bot_id = ${botId}
      and channel = ${channel} and chat_id = ${chatId} and external_message_id = ${externalMessageId}`)

const textRows = valuesOf(Schema.String)

/** As with an operator's edit, the text before stays in the audit log only (contract §7, "Editing and deleting"). */
const edit = Effect.fnUntraced(function* (sql: Sql, connector: InboundConnector, message: ReceivedMessage) {
  const { botId, channel, instanceId } = connector
  const place = yield* placeOf(sql, connector, message)
  if (place === undefined) return undefined
  const client = yield* lockClientOfAppeal(sql, instanceId, place.appealId)
  if (client === undefined || client.isErased) return undefined
  const now = timeOf(yield* Clock.currentTimeMillis)
  const textBefore = yield* textRows.find(sql`with appeal as materialized (
      select a.id from appeals a where a.instance_id = ${instanceId} and a.id = ${place.appealId} for no key update),
    before as materialized (select message.id, message.text from appeal join appeal_messages message
        on message.instance_id = ${instanceId} and message.appeal_id = appeal.id
      where message.id = ${place.messageId} and message.deleted_at is null and message.text <> ${message.text}
        and (${message.text} <> '' or message.attachments is not null)
      for no key update of message),
    changed as (update appeal_messages message set text = ${message.text}, version = message.version + 1, edited_at = ${now}
      from before where message.instance_id = ${instanceId} and message.id = before.id),
    touched as (update appeals a set updated_at = ${now} from before
      where a.instance_id = ${instanceId} and a.id = ${place.appealId})
    select before.text from before`)
  if (textBefore !== undefined)
    yield* audit(sql, systemSession(instanceId), {
      action: "chat.message.update",
      entity: "chat",
      id: place.appealId,
      details: { botId, channel, messageId: place.messageId, textBefore }
    })
  return { ...place, replayed: textBefore === undefined }
})

const placedRows = rowsOf(Schema.Struct({ appealId: Schema.Int, messageId: Schema.Int }))

const makeClient = Effect.fnUntraced(function* (
  sql: Sql,
  { botId, channel, instanceId }: InboundConnector,
  { chatId, clientName }: ReceivedMessage
) {
  const name = [...(clientName ?? chatId)].slice(0, SHORT_TEXT_POINTS_MAX).join("")
  const id = yield* insertedId(sql`with made as (
      insert into clients (instance_id, name) values (${instanceId}, ${name}) returning instance_id, id),
    identity as (insert into client_identities (instance_id, channel, chat_id, client_id)
      select instance_id, ${channel}, ${chatId}, id from made)
    select id::float8 as id from made`)
  yield* audit(sql, systemSession(instanceId), { action: "client.create", id, details: { botId, channel } })
  return id
})

/** The newest open chat, else the last one if the message reopens it. Locks it, so that it awaits a concurrent close. */
const openChat = Effect.fnUntraced(function* (
  sql: Sql,
  { botId, channel, instanceId }: InboundConnector,
  { chatId, externalMessageId, occurredAt }: ReceivedMessage,
  clientId: number,
  now: number
) {
  const own = sql`a.instance_id = ${instanceId} and a.bot_id = ${botId} and a.channel = ${channel}
    and a.chat_id = ${chatId} and a.client_id = ${clientId}`
  const sentAt = timeOf(Math.min(occurredAt ?? now, now))
  const locked =
    (yield* foundId(sql`select a.id::float8 as id from appeals a
      where ${own} and a.status <> 'closed' order by a.id desc limit 1 for no key update`)) ??
    (yield* foundId(sql`select a.id::float8 as id from (select a.* from appeals a
        where ${own} and a.kind = 'chat' order by a.created_at desc, a.id desc limit 1 for no key update) a
      where ${reopens("a", sentAt)}`))
  if (locked === undefined) return undefined
  const known = yield* foundId(sql`select id::float8 as id from appeal_messages
    where instance_id = ${instanceId} and appeal_id = ${locked} and external_message_id = ${externalMessageId}`)
  return { id: locked, knownId: known }
})

const insertChat = Effect.fnUntraced(function* (
  sql: Sql,
  { botId, channel, instanceId }: InboundConnector,
  { chatId }: ReceivedMessage,
  clientId: number,
  { now, occurredAt }: Times
) {
  const at = timeOf(occurredAt)
  const { waitingSince } = answeringAfter(initialAnswering({ waits: true, createdAt: occurredAt }), {
    authorType: "client",
    occurredAt
  })
  const id = yield* insertedId(sql`insert into appeals (instance_id, kind, client_id, status, status_group,
      channel, chat_id, bot_id, message_count, waiting_since, last_message_at, created_at, updated_at)
    values (${instanceId}, 'chat', ${clientId}, 'waiting', 'new', ${channel}, ${chatId}, ${botId}, 1,
      ${timeOf(waitingSince)}, ${at}, ${at}, ${timeOf(now)}) returning id::float8 as id`)
  yield* audit(sql, systemSession(instanceId), {
    action: "chat.create",
    id,
    details: { botId, channel, clientId }
  })
  return id
})

const continuedRows = valuesOf(Schema.Boolean)

const growChat = Effect.fnUntraced(function* (
  sql: Sql,
  { botId, channel, instanceId }: InboundConnector,
  appealId: number,
  { now, occurredAt }: Times
) {
  const answered = answeredBy("before", {
    authorType: sql`'client'::text`,
    occurredAt: timeOf(occurredAt)
  })
  const continued = continuedBy(
    "before",
    { isClient: sql`true`, occurredAt: timeOf(occurredAt) },
    reopens("before", timeOf(occurredAt))
  )
  const wasContinued =
    yield* continuedRows.get(sql`update appeals a set ${sql.literal(continuation("continued"))}, message_count = a.message_count + 1, waiting_since = answered.waiting_since,
      first_response_at = answered.first_response_at,
      last_message_at = greatest(a.last_message_at, ${timeOf(occurredAt)}), updated_at = ${timeOf(now)}
    from appeals before, ${answered} answered, ${continued} continued
    where before.instance_id = ${instanceId} and before.id = ${appealId} and a.instance_id = before.instance_id
      and a.id = before.id returning continued.continued`)
  if (wasContinued)
    yield* audit(sql, systemSession(instanceId), {
      action: "chat.update",
      id: appealId,
      details: { changed: ["status"], botId, channel }
    })
  return appealId
})

const insertMessage = Effect.fnUntraced(function* (
  sql: Sql,
  { botId, channel, instanceId }: InboundConnector,
  { attachmentIds, chatId, externalMessageId, text }: ReceivedMessage,
  {
    appealId,
    attachments,
    clientId,
    now,
    occurredAt
  }: Times & {
    readonly appealId: number
    readonly attachments: string | null
    readonly clientId: number
  }
) {
  const id = yield* insertedId(sql`with message as (
      insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
        recorded_at, external_message_id, attachments)
      select a.instance_id, a.id, a.message_count, 'client', ${clientId}, ${text}, ${timeOf(occurredAt)},
        ${timeOf(now)},
        ${externalMessageId}, ${attachments}::text::json from appeals a where a.instance_id = ${instanceId} and a.id = ${appealId} returning id),
    kept as (insert into inbound_messages (instance_id, bot_id, channel, chat_id, external_message_id, appeal_id, message_id)
      select ${instanceId}, ${botId}, ${channel}, ${chatId}, ${externalMessageId}, ${appealId}, id from message),
    attached as (update files file set appeal_id = ${appealId}, message_id = message.id, expires_at = null from message
      where file.instance_id = ${instanceId} and file.id = any(${attachmentIds}::uuid[]))
    select id::float8 as id from message`)
  yield* audit(sql, systemSession(instanceId), {
    action: "chat.message",
    id: appealId,
    details: { botId, channel, messageId: id, authorType: "client" }
  })
  return id
})

const raisedRows = rowsOf(
  Schema.Struct({ appealId: Schema.Int, messageId: Schema.Int, replayed: Schema.Boolean })
)

const raise = (
  sql: Sql,
  { botId, channel, instanceId }: InboundConnector,
  messageId: number,
  status: ProviderStatus
) =>
  raisedRows.find(sql`with found as materialized (select id, appeal_id, message_id, status from deliveries
      where instance_id = ${instanceId} and message_id = ${messageId} and bot_id = ${botId} and channel = ${channel}
        and ${sql.literal(isMessage)} for no key update),
    raised as (update deliveries delivery set status = ${status}, updated_at = now(),
        reason = ${status === "failed" ? "reported_failed" : null}, description = null
      from found where delivery.instance_id = ${instanceId} and delivery.id = found.id
        and delivery_may_become(found.status, ${status}) returning 1)
    select appeal_id::float8 as "appealId", message_id::float8 as "messageId", not exists (select 1 from raised) as replayed
    from found`)
