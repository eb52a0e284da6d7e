// Locks of an identity, and reports of providers about it: whether they deliver to it, and its new chatId (contract §8).
import type { UnsubscribedReason } from "@rapport/contract/clients/ClientsApi.ts"
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import { Effect } from "effect"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { shortLockTimeout } from "../sql/LockTimeout.ts"
import { foundId, hasRow } from "../sql/Query.ts"
import { audit } from "../sql/Records.ts"

interface IdentityKey {
  readonly instanceId: number
  readonly channel: string
  readonly chatId: string
}

/** Condition on `identity`. */
const isIdentity = ({ channel, chatId, instanceId }: IdentityKey): Fragment =>
  sql`identity.instance_id = ${instanceId} and identity.channel = ${channel} and identity.chat_id = ${chatId}`

/** Locks the client of the identity, then the identity. Returns the id of the client; undefined: no client has it. */
export const lockIdentity = Effect.fnUntraced(function* (sql: Sql, key: IdentityKey) {
  const identity = isIdentity(key)
  for (;;) {
    const locked = yield* foundId(sql`with client as materialized (select c.id from clients c
        where c.instance_id = ${key.instanceId}
          and c.id = (select identity.client_id from client_identities identity where ${identity}) for key share)
      select identity.client_id::float8 as id from client join client_identities identity on ${identity}
        and identity.client_id = client.id for no key update of identity`)
    if (locked !== undefined) return locked
    // The awaited merge, erasure or change of a client gave the identity to another client, or removed it.
    if (!(yield* hasRow(sql`select 1 from client_identities identity where ${identity}`))) return undefined
  }
})

/** A null reason subscribes only an identity that has a reason, so that it overrides no caller. */
export const setSubscription = (sql: Sql, key: IdentityKey, reason: UnsubscribedReason | null) =>
  changeIdentity(
    sql,
    key,
    sql.literal(reason === null ? "identity.unsubscribed_reason is not null" : "identity.subscribed"),
    sql`subscribed = ${reason === null}, unsubscribed_reason = ${reason}`,
    { reason }
  )

/** For background work: locks the clients in the order of ids, or fails soon. */
export const unsubscribe = Effect.fnUntraced(function* (
  sql: Sql,
  identities: ReadonlyArray<IdentityKey & { readonly reason: UnsubscribedReason }>
) {
  if (identities.length === 0) return
  yield* sql`with ${shortLockTimeout} select 1 from short_lock_timeout, clients c
    where (c.instance_id, c.id) in (select identity.instance_id, identity.client_id from client_identities identity
      join unnest(${identities.map((one) => one.instanceId)}::int8[], ${identities.map((one) => one.channel)}::text[],
        ${identities.map((one) => one.chatId)}::text[]) as failed (instance_id, channel, chat_id)
        using (instance_id, channel, chat_id) where identity.subscribed)
    order by c.instance_id, c.id for no key update of c`
  for (const { reason, ...key } of identities) yield* setSubscription(sql, key, reason)
})

/** A supergroup where the bot is subscribes its identity. */
export const moveChat = Effect.fnUntraced(function* (
  sql: Sql,
  { botId, ...key }: IdentityKey & { readonly botId: number },
  toChatId: string
) {
  const clientId = yield* changeIdentity(
    sql,
    key,
    sql`not exists (select 1 from client_identities identity where ${isIdentity({ ...key, chatId: toChatId })})`,
    sql`chat_id = ${toChatId}, subscribed = identity.subscribed or identity.unsubscribed_reason is not null,
      unsubscribed_reason = null`,
    {}
  )
  if (clientId === undefined) return
  yield* sql`update appeals set chat_id = ${toChatId}, version = version + 1, updated_at = now()
    where instance_id = ${key.instanceId} and bot_id = ${botId} and channel = ${key.channel}
      and chat_id = ${key.chatId} and client_id = ${clientId} and status <> 'closed'`
})

/** Locks the client first, as every change of identities does. Returns the id of the client; undefined: no change. */
const changeIdentity = Effect.fnUntraced(function* (
  sql: Sql,
  key: IdentityKey,
  condition: Fragment,
  change: Fragment,
  details: Readonly<Record<string, unknown>>
) {
  const own = sql`${isIdentity(key)} and ${condition}`
  const changed = yield* foundId(sql`with client as (
      update clients c set version = c.version + 1, updated_at = now() where c.instance_id = ${key.instanceId}
        and c.id = (select identity.client_id from client_identities identity where ${own}) returning c.id)
    update client_identities identity set ${change} from client where ${own} and identity.client_id = client.id
    returning client.id::float8 as id`)
  if (changed === undefined) return undefined
  yield* audit(sql, systemSession(key.instanceId), {
    action: "client.update",
    id: changed,
    details: { changed: ["identities"], channel: key.channel, ...details }
  })
  return changed
})
