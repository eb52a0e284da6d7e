// Clients with their identities in PostgreSQL (contract §2, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Client, clients as collection, type ClientRequest } from "@rapport/contract/clients/ClientsApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { ClientStore } from "@rapport/core/clients/ClientStore.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { Clock, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Sql, sql } from "../sql/Fragment.ts"
import { moveClient } from "./ClientMerge.ts"
import {
  amongContacts,
  amongIdentities,
  normalFilters,
  phoneSearch,
  possibleDuplicates,
  writeContacts
} from "./ClientContacts.ts"
import { lockClient } from "./LockClient.ts"
import { insertedId, query, queryOr, selectedIds, storeLayer, updateLocked, valuesOf } from "../sql/Query.ts"
import { listRows } from "../sql/ListQuery.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { audit, uniqueTaken } from "../sql/Records.ts"
import { rowsAs } from "../sql/RowsAs.ts"
import {
  callerOf,
  clientReach,
  clientReadable,
  openedEntities,
  propertyVisible,
  survivorId
} from "../sql/Visibility.ts"

export const clientColumns = columnsOf("c", Client.fields, {
  id: { required: true, client: true },
  email: { sql: "c.emails[1]", among: amongContacts("email") },
  phone: { sql: "c.phones[1]", among: amongContacts("phone") },
  identities: {
    sql: `(select coalesce(json_agg(json_strip_nulls(json_build_object('channel', identity.channel, 'chatId', identity.chat_id,
      'subscribed', identity.subscribed, 'unsubscribedReason', identity.unsubscribed_reason))
      order by identity.channel, identity.chat_id), '[]') from client_identities identity
      where identity.instance_id = c.instance_id and identity.client_id = c.id)`,
    among: amongIdentities
  },
  // Values are shown to callers who may open the pack of the client, and hidden properties to none.
  properties: {
    sql: "null",
    pairs: (test) =>
      sql`c.id = any(array(${openedEntities(
        "client",
        sql`= any(array(select property.entity_id from property_definitions d
          join property_values property on property.instance_id = d.instance_id and property.definition_id = d.id, caller u
          where d.instance_id = u.instance_id and d.entity = 'client' and ${propertyVisible}
            and ${test("d.name", "property.value")}))`
      )}))`
  },
  createdAt: { required: true },
  updatedAt: { required: true }
})
/** Texts of `clients c` that `q` is searched in, as the index clients_searched has them. */
export const searchedTexts = "array[c.name, c.external_id] || c.emails || c.phones"
const json = recordJson(clientColumns, collection.members)
const clientRows = valuesOf(Schema.toCodecJson(Client))

/** Don't reveal which client uses the value. */
const onUniqueViolation = uniqueTaken({
  clients_external: "externalId is in use",
  client_identities_pkey: "one of the identities is in use"
})

type Store = ClientStore["Service"]

export const layer = storeLayer(ClientStore)((sql) => ({
  ...writes(sql),
  find: query("ClientStore.find", (session, id) => visible(sql, session, id)),
  list: query("ClientStore.list", function* (session, request) {
    const { common, condition } = clientReach(session)
    const filters = yield* normalFilters(sql, session.instanceId, request.filters)
    return yield* listRows(
      sql,
      {
        collection,
        common,
        from: sql.literal("clients c, caller u"),
        listed: { name: "c", joined: "" },
        where: sql`c.instance_id = u.instance_id and c.merged_into_id is null and c.erased_at is null
              and ${condition ?? clientReadable}`,
        columns: clientColumns,
        searched: searchedTexts,
        alsoFound: yield* phoneSearch(sql, session.instanceId, request.search, "c.id")
      },
      { ...request, filters }
    )
  })
}))

const writes = (sql: Sql) =>
  ({
    create: queryOr("ClientStore.create", onUniqueViolation, function* (session, client) {
      const now = isoOf(yield* Clock.currentTimeMillis)
      const { instanceId } = session
      const id = yield* insertedId(sql`insert into clients
        (instance_id, name, emails, phones, external_id, language, tags, created_at, updated_at)
      values (${instanceId}, ${client.name}, ${client.emails}::text[], ${client.phones}::text[],
        ${client.externalId ?? null}, ${client.language ?? null}, ${client.tags ?? []}::text[],
        ${client.createdAt === undefined ? now : isoOf(client.createdAt)}::timestamptz, ${now}::timestamptz)
        returning id::float8 as id`)

      const identities = client.identities ?? []
      if (identities.length > 0) yield* writeIdentities(sql, instanceId, id, identities)
      yield* audit(sql, session, { action: "client.create", id })
      if (client.emails.length + client.phones.length > 0) yield* writeContacts(sql, instanceId, id, client)
      const warnings = yield* possibleDuplicates(sql, session, id)
      return { ...(yield* own(sql, instanceId, id)), ...(warnings.length === 0 ? {} : { warnings }) }
    }),

    update: (session, id, decide) =>
      updateLocked("ClientStore.update", onUniqueViolation, {
        // The lock of the first statement excludes a parallel merge, so that the second finds the survivor.
        find: Effect.andThen(
          lockClient(sql, session.instanceId, id),
          visible(sql, session, id, "for no key update of c")
        ),
        decide,
        write: Effect.fnUntraced(function* (next, found) {
          yield* replace(sql, session.instanceId, found, next)
          const changed = changedMembers(found, next)
          yield* audit(sql, session, { action: "client.update", id: found.id, details: { changed } })
          return yield* own(sql, session.instanceId, found.id)
        })
      }),

    merge: query("ClientStore.merge", function* (session, id, intoId, decide) {
      yield* lockBoth(sql, session.instanceId, [id, intoId])
      const from = yield* visible(sql, session, id)
      if (from === undefined) return "no id" as const
      const into = yield* visible(sql, session, intoId)
      if (into === undefined) return "no intoId" as const
      if (from.id === into.id) return "same" as const
      const survivor = decide({ from, into })
      yield* moveClient(sql, session.instanceId, from.id, into.id)
      yield* replace(sql, session.instanceId, into, { ...survivor, identities: into.identities })
      yield* audit(sql, session, { action: "client.merge", id: from.id, details: { intoId: into.id } })
      return yield* own(sql, session.instanceId, into.id)
    })
  }) satisfies Partial<Store>

/**
 * Locks both survivors in the order of ids, so that merges of the same pair don't deadlock. Repeats if a concurrent merge
 * changed a survivor.
 */
const lockBoth = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  [id, intoId]: readonly [id: number, intoId: number]
): Effect.fn.Return<void, SqlError.SqlError> {
  for (let locked = ""; ;) {
    const ids =
      yield* selectedIds(sql`select c.id::float8 as id from clients c where c.instance_id = ${instanceId}
      and c.id in (${survivorId(instanceId, id)}, ${survivorId(instanceId, intoId)}) order by c.id for update`)
    if (ids.join() === locked) return
    locked = ids.join()
  }
})

const own = (sql: Sql, instanceId: number, id: number) =>
  clientRows.get(
    sql`select ${sql.literal(json)} as record from clients c where c.instance_id = ${instanceId} and c.id = ${id}`
  )

const visible = (sql: Sql, session: AuthorizedSession, id: number, lock = "") =>
  clientRows.find(sql`with ${callerOf(session)}
      select ${sql.literal(json)} as record from clients c, caller u where c.instance_id = u.instance_id
        and c.id = ${survivorId(session.instanceId, id)} and ${clientReadable} ${sql.literal(lock)}`)

const writeIdentities = (
  sql: Sql,
  instanceId: number,
  id: number,
  identities: NonNullable<ClientRequest["identities"]>,
  before: Client["identities"] = []
) =>
  sql`insert into client_identities (instance_id, client_id, channel, chat_id, subscribed, unsubscribed_reason)
    select ${instanceId}, ${id}, channel, chat_id, subscribed, reason from ${rowsAs(
      "identity",
      identities.map(({ channel, chatId, subscribed = true }) => ({
        "channel text": channel,
        "chat_id text": chatId,
        "subscribed bool": subscribed,
        // Keeps the provider's reason while the identity is unsubscribed.
        "reason text": subscribed
          ? null
          : before.find((one) => one.channel === channel && one.chatId === chatId)?.unsubscribedReason
      }))
    )} order by channel, chat_id`

/** Locks in one order, so that clients that exchange identities don't deadlock. */
const lockIdentities = (
  sql: Sql,
  instanceId: number,
  identities: ReadonlyArray<{ readonly channel: string; readonly chatId: string }>
) =>
  sql`select 1 from client_identities identity where identity.instance_id = ${instanceId}
    and (identity.channel, identity.chat_id) in (select * from unnest(${identities.map((i) => i.channel)}::text[],
      ${identities.map((i) => i.chatId)}::text[]))
    order by identity.channel, identity.chat_id for update`

/** Writes the next version of the whole record. */
const replace = Effect.fnUntraced(function* (sql: Sql, instanceId: number, before: Client, next: Client) {
  const now = isoOf(yield* Clock.currentTimeMillis)
  yield* sql`update clients set name = ${next.name}, emails = ${next.emails}::text[], phones = ${next.phones}::text[],
      external_id = ${next.externalId}, language = ${next.language}, tags = ${next.tags}::text[],
      updated_at = ${now}::timestamptz, version = version + 1
    where instance_id = ${instanceId} and id = ${next.id}`
  const changed = changedMembers(before, next)
  if (changed.includes("emails") || changed.includes("phones"))
    yield* writeContacts(sql, instanceId, next.id, next)
  if (changed.includes("identities")) {
    yield* lockIdentities(sql, instanceId, [...before.identities, ...next.identities])
    yield* sql`delete from client_identities where instance_id = ${instanceId} and client_id = ${next.id}`
    if (next.identities.length > 0)
      yield* writeIdentities(sql, instanceId, next.id, next.identities, before.identities)
  }
})
