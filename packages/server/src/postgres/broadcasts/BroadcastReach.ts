// SQL of the reach of a broadcast: the clients of its audience, each with one identity of the channel (contract §9.1).
import { BroadcastResults, recipientStatuses } from "@rapport/contract/broadcasts/Broadcast.ts"
import { clients } from "@rapport/contract/clients/ClientsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { PREVIEW_SAMPLES } from "@rapport/contract/Limits.ts"
import type { AudienceOf } from "@rapport/core/broadcasts/BroadcastStore.ts"
import { type ClientVariable, clientVariables } from "@rapport/core/broadcasts/BroadcastText.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, idArray, type Sql, sql } from "../sql/Fragment.ts"
import { normalFilters } from "../clients/ClientContacts.ts"
import { clientColumns } from "../clients/ClientStorePostgres.ts"
import { columnName } from "../sql/Columns.ts"
import { filterConditions } from "../sql/ListQuery.ts"
import { valuesOf } from "../sql/Query.ts"
import { callerOf } from "../sql/Visibility.ts"

export const ClientValues = Schema.Struct({
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  phone: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  externalId: Schema.NullOr(Schema.String)
})
export const reachedRows = valuesOf(
  Schema.Struct({
    total: Schema.Int,
    eligible: Schema.Int,
    notSubscribed: Schema.Int,
    noIdentity: Schema.Int,
    lacking: Schema.Array(Schema.Literals(clientVariables)),
    samples: Schema.Array(
      Schema.Struct({ clientId: Schema.Int, chatId: Schema.String, values: ClientValues })
    )
  })
)

/** The numbers of recipients by their status: rows, and their SQL over `recipient`. */
export const resultRows = valuesOf(BroadcastResults)
export const recipientCounts = `json_build_object('total', count(recipient.id), ${recipientStatuses
  .map((status) => `'${status}', count(*) filter (where recipient.status = '${status}')`)
  .join(", ")})`

/** Of `clients c`. */
const firstContacts = "c.emails[1] as email, c.phones[1] as phone"

const audienceCondition = (
  sql: Sql,
  session: AuthorizedSession,
  audience: AudienceOf
): Effect.Effect<Fragment, SqlError.SqlError> =>
  "clientIds" in audience
    ? Effect.succeed(sql`c.id = any(array(select coalesce(named.merged_into_id, named.id) from clients named
        where named.instance_id = ${session.instanceId} and named.id = any(${idArray(audience.clientIds)})))`)
    : Effect.map(normalFilters(sql, session.instanceId, audience.filters), (filters) =>
        sql.and([sql.literal("true"), ...filterConditions(listedClients, filters)])
      )

const listedClients = {
  collection: clients,
  common: null,
  from: sql.literal("clients c"),
  where: sql.literal("true"),
  columns: clientColumns
}

/** CTEs: `reached` has a row per client of the audience. chat_id is null without an identity of the channel. */
export const reachedBy = (
  sql: Sql,
  session: AuthorizedSession,
  channel: string,
  audience: AudienceOf
): Effect.Effect<Fragment, SqlError.SqlError> =>
  Effect.map(
    audienceCondition(sql, session, audience),
    (condition) => sql`${callerOf(session)},
  reached as materialized (
    select c.id as client_id, identity.chat_id, identity.subscribed, c.name, ${sql.literal(firstContacts)}, c.language, c.external_id
    from clients c join caller u on c.instance_id = u.instance_id
    left join lateral (select identity.chat_id, identity.subscribed from client_identities identity
      where identity.instance_id = c.instance_id and identity.client_id = c.id and identity.channel = ${channel}
      order by identity.subscribed desc, identity.chat_id limit 1) identity on true
    where c.merged_into_id is null and c.erased_at is null and ${condition})`
  )

/** The CTE `reached` of a started broadcast. */
export const reachedFrozen = (session: AuthorizedSession, id: number): Fragment => sql`${callerOf(session)},
  reached as materialized (
    select recipient.client_id, recipient.chat_id,
      case when recipient.status <> 'skipped' then true when recipient.chat_id is not null then false end
      as subscribed, c.name, ${sql.literal(firstContacts)}, c.language, c.external_id
    from broadcast_recipients recipient join caller u on recipient.instance_id = u.instance_id
    join clients c on c.instance_id = recipient.instance_id and c.id = recipient.client_id
    where recipient.broadcast_id = ${id})`

/** Counts `reached`. `lacking` lists the variables of `needed` that an eligible client has no value for. */
export const countedReach = (needed: ReadonlyArray<ClientVariable>): Fragment => {
  const lacking = needed.map(
    (name) => `case when bool_or(subscribed and ${columnName(name)} is null) then '${name}' end`
  )
  const values = clientVariables.map((name) => `'${name}', sample.${columnName(name)}`).join(", ")
  return sql.literal(`select json_build_object('total', count(*), 'eligible', count(*) filter (where subscribed),
      'notSubscribed', count(*) filter (where not subscribed), 'noIdentity', count(*) filter (where chat_id is null),
      'lacking', to_json(array_remove(array[${lacking.join(", ")}]::text[], null)),
      'samples', (select coalesce(json_agg(json_build_object('clientId', sample.client_id, 'chatId', sample.chat_id,
          'values', json_build_object(${values})) order by sample.client_id), '[]')
        from (select * from reached where subscribed order by client_id limit ${PREVIEW_SAMPLES}) sample)) as record
    from reached`)
}
