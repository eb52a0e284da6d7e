// Clients in PostgreSQL: their identities beside them, what may be seen decided by Visibility (docs/contract.md §2, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Client, clients as collection, type ClientRequest } from "@rapport/contract/clients/ClientsApi.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { ClientStore } from "@rapport/core/clients/ClientStore.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { Clock, Effect, Layer, Result, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { moveClient } from "./ClientMerge.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { type Column, listRows } from "../sql/ListQuery.ts"
import { audit, brokeUnique, recordJson } from "../sql/Records.ts"
import { callerOf, clientReach, clientReadable, survivorId } from "../sql/Visibility.ts"

/** Of `clients c`. */
const columns: Readonly<Record<string, Column>> = {
  id: { sql: "c.id", required: true },
  name: { sql: "c.name" },
  email: { sql: "c.email" },
  phone: { sql: "c.phone" },
  externalId: { sql: "c.external_id" },
  language: { sql: "c.language" },
  tags: { sql: "c.tags" },
  identities: {
    sql: `(select coalesce(json_agg(json_build_object('channel', i.channel, 'chatId', i.chat_id, 'subscribed', i.subscribed)
      order by i.channel, i.chat_id), '[]') from client_identities i
      where i.instance_id = c.instance_id and i.client_id = c.id)`
  },
  createdAt: { sql: "c.created_at", time: true, required: true },
  updatedAt: { sql: "c.updated_at", time: true, required: true },
  version: { sql: "c.version" }
}
const json = recordJson(columns, collection.members)
const decodeClients = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ client: Schema.toCodecJson(Client) }))
)
const clientsOf = (rows: ReadonlyArray<unknown>) =>
  Effect.map(Effect.orDie(decodeClients(rows)), (found) => found.map(({ client }) => client))
const decodeIds = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ id: Schema.Int })]))

/** The one who has it is not told: a name that is taken is all a caller may learn. */
const taken = (error: SqlError.SqlError): Effect.Effect<never, UniqueConflict | SourceUnavailable> =>
  brokeUnique(error, "clients_external")
    ? Effect.fail(new UniqueConflict({ detail: "externalId is taken" }))
    : brokeUnique(error, "client_identities_pkey")
      ? Effect.fail(new UniqueConflict({ detail: "one of the identities is taken" }))
      : unavailableOrDie(error)

export const layer: Layer.Layer<ClientStore, never, SqlClient.SqlClient> = Layer.effect(
  ClientStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const own = (instanceId: number, id: number) =>
      Effect.flatMap(
        sql`select ${sql.literal(json)} as client from clients c where c.instance_id = ${instanceId} and c.id = ${id}`,
        clientsOf
      )
    /** `lock` is `for …`, or nothing. */
    const visible = (session: AuthorizedSession, id: number, lock: Statement.Fragment) =>
      Effect.flatMap(
        sql`with ${callerOf(sql, session)}
          select ${sql.literal(json)} as client from clients c, caller u where c.instance_id = u.instance_id
            and c.id = ${survivorId(sql, session.instanceId, id)} and ${clientReadable(sql)} ${lock}`,
        (rows) => Effect.map(clientsOf(rows), ([client]) => client)
      )

    const writeIdentities = (
      instanceId: number,
      id: number,
      identities: NonNullable<ClientRequest["identities"]>
    ) =>
      sql`insert into client_identities (instance_id, client_id, channel, chat_id, subscribed)
        select ${instanceId}, ${id}, * from unnest(${identities.map((i) => i.channel)}::text[],
          ${identities.map((i) => i.chatId)}::text[], ${identities.map((i) => i.subscribed ?? true)}::bool[])`

    /** Writes the whole record over the one that stands there, as its next version. */
    const replace = Effect.fnUntraced(function* (instanceId: number, before: Client, next: Client) {
      const now = isoOf(yield* Clock.currentTimeMillis)
      yield* sql`update clients set name = ${next.name}, email = ${next.email}, phone = ${next.phone},
          external_id = ${next.externalId}, language = ${next.language}, tags = ${next.tags}::text[],
          updated_at = ${now}::timestamptz, version = version + 1
        where instance_id = ${instanceId} and id = ${next.id}`
      if (changedMembers(before, next).includes("identities")) {
        yield* sql`delete from client_identities where instance_id = ${instanceId} and client_id = ${next.id}`
        if (next.identities.length > 0) yield* writeIdentities(instanceId, next.id, next.identities)
      }
    })

    return ClientStore.of({
      create: Effect.fn("ClientStore.create")(
        function* (session, request) {
          const now = isoOf(yield* Clock.currentTimeMillis)
          const { instanceId } = session
          const rows = yield* sql`insert into clients
            (instance_id, name, email, phone, external_id, language, tags, created_at, updated_at)
          values (${instanceId}, ${request.name}, ${request.email ?? null}, ${request.phone ?? null},
            ${request.externalId ?? null}, ${request.language ?? null}, ${request.tags ?? []}::text[],
            ${now}::timestamptz, ${now}::timestamptz) returning id::float8 as id`
          const [{ id }] = yield* Effect.orDie(decodeIds(rows))
          const identities = request.identities ?? []
          if (identities.length > 0) yield* writeIdentities(instanceId, id, identities)
          yield* audit(sql, session, { action: "client.create", id })
          const [client] = yield* own(instanceId, id)
          return client ?? (yield* Effect.die("insert … returning returned nothing"))
        },
        Effect.catchTag("SqlError", taken)
      ),

      find: Effect.fn("ClientStore.find")(
        (session, id) => visible(session, id, sql.literal("")),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      list: (session, request) => {
        const { common, condition } = clientReach(sql, session)
        return listRows(
          sql,
          {
            collection,
            common,
            from: sql.literal("clients c, caller u"),
            listed: { name: "c", joined: "" },
            where: sql`c.instance_id = u.instance_id and c.merged_into_id is null
              and ${condition ?? clientReadable(sql)}`,
            columns,
            includes: {},
            searched: ["c.name", "c.email", "c.phone", "c.external_id"]
          },
          request
        ).pipe(Effect.catchTag("SqlError", unavailableOrDie))
      },

      update: (session, id, decide) =>
        Effect.gen(function* () {
          const found = yield* visible(session, id, sql.literal("for update of c"))
          if (found === undefined) return Result.succeed(undefined)
          const decided = yield* Effect.result(decide(found))
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          const next = decided.success
          if (next === null) return Result.succeed(found)
          yield* replace(session.instanceId, found, next)
          const changed = changedMembers(found, next)
          yield* audit(sql, session, { action: "client.update", id: found.id, details: { changed } })
          return Result.succeed((yield* own(session.instanceId, found.id))[0])
        }).pipe(
          Effect.catchTag("SqlError", taken),
          // The decision's failures pass by those of the statements, whatever they are.
          Effect.flatMap(Effect.fromResult),
          Effect.withSpan("ClientStore.update")
        ),

      merge: Effect.fn("ClientStore.merge")(
        function* (session, id, intoId, decide) {
          // Both rows first, in one order for all: two merges of the same pair queue instead of waiting for each other.
          yield* sql`select 1 from clients c where c.instance_id = ${session.instanceId} and c.id in
          (${survivorId(sql, session.instanceId, id)}, ${survivorId(sql, session.instanceId, intoId)})
          order by c.id for update`
          const from = yield* visible(session, id, sql.literal(""))
          if (from === undefined) return "no id" as const
          const into = yield* visible(session, intoId, sql.literal(""))
          if (into === undefined) return "no intoId" as const
          if (from.id === into.id) return "same" as const
          const survivor = decide({ from, into })
          yield* moveClient(sql, session.instanceId, from.id, into.id)
          yield* replace(session.instanceId, into, { ...survivor, identities: into.identities })
          yield* audit(sql, session, { action: "client.merge", id: from.id, details: { intoId: into.id } })
          const [merged] = yield* own(session.instanceId, into.id)
          return merged ?? (yield* Effect.die("the survivor is gone"))
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      )
    })
  })
)
