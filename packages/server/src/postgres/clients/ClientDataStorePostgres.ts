// The data of one client in PostgreSQL: pages of an export, and the start of an erasure.
import {
  type ClientDataPosition,
  ClientDataStore,
  type StoredClient
} from "@rapport/core/clients/ClientDataStore.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { PAGE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { type AuditActor, currentOrigin, type Origin } from "@rapport/core/audit/AuditLog.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { idArray, type Sql } from "../sql/Fragment.ts"
import { auditedFrom } from "../sql/Records.ts"
import { nameOf } from "../sql/Columns.ts"
import { query, rowsOf } from "../sql/Query.ts"
import { clientDataParts, ERASED_TEXT, rowsOfPart } from "./ClientDataParts.ts"
import {
  after,
  ERASURE_SETTLE_MILLIS,
  eraseSlice,
  erasureColumns,
  erasureRows,
  keyJson,
  markErased,
  scannedPage,
  unfinishedErasures
} from "./ClientErasurePostgres.ts"
import { exportRecord } from "./ClientExportRecord.ts"

const clientRows = rowsOf(
  Schema.Struct({
    instanceId: Schema.Int,
    id: Schema.Int,
    ids: Schema.Array(Schema.Int),
    isErased: Schema.Boolean
  })
)
const pageRows = rowsOf(
  Schema.Struct({
    place: Schema.String,
    record: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
    /** Rows before the page was cut by its bytes. */
    total: Schema.Int
  })
)

/** `settleMillis`: how long an erasure waits for earlier writers. Tests use 0. */
export const layerOf = (
  settleMillis: number
): Layer.Layer<ClientDataStore, never, SqlClient.SqlClient | FileStorage> =>
  Layer.effect(
    ClientDataStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storage = yield* FileStorage
      return ClientDataStore.of({
        ...exportMethods(sql),
        ...erasureMethods(sql),
        unfinished: query("ClientDataStore.unfinished", (resting) => unfinishedErasures(sql, resting)),
        erase: query("ClientDataStore.erase", (client) => eraseSlice(sql, storage, client, settleMillis))
      })
    })
  )

type Store = ClientDataStore["Service"]

const findClient = (sql: Sql, instanceId: number | null, id: number) =>
  clientRows.find(sql`select c.instance_id::float8 as "instanceId", c.id::float8 as id, c.erased_at is not null as "isErased",
      array(select merged.id from clients merged where merged.instance_id = c.instance_id
        and (merged.id = c.id or merged.merged_into_id = c.id) order by merged.id <> c.id, merged.id)::float8[] as ids
    from clients named join clients c on c.instance_id = named.instance_id and c.id = coalesce(named.merged_into_id,
      named.id)
    where named.id = ${id}::int8 and named.instance_id = coalesce(${instanceId}::int8, named.instance_id)`)

const entry = (sql: Sql, client: StoredClient, actor: AuditActor, action: string, origin: Origin) =>
  sql`${auditedFrom(null, {
    ...origin,
    ...actor,
    instanceId: client.instanceId,
    action,
    entity: "client",
    entityId: String(client.id),
    decision: "allowed",
    details: {}
  })}`

const exportMethods = (sql: Sql): Pick<Store, "find" | "page" | "exported"> => ({
  find: query("ClientDataStore.find", (instanceId, id) =>
    Effect.map(findClient(sql, instanceId, id), (found) => (found?.isErased === true ? undefined : found))
  ),

  exported: query("ClientDataStore.exported", (client, actor) =>
    Effect.flatMap(currentOrigin, (origin) =>
      Effect.asVoid(entry(sql, client, actor, "client.export", origin))
    )
  ),

  page: query("ClientDataStore.page", function* (client, place) {
    const part = clientDataParts[place.part]
    if (part === undefined) return { records: [], next: null }
    const isScan = part.scanned !== undefined
    const order = part.key.map(
      (column) => `stored.${nameOf(column)}${part.descending === true ? " desc" : ""}`
    )
    const mine = rowsOfPart(part, client)
    const record = sql.literal(part.record ?? "row_to_json(stored)")
    const byKey = sql.literal(order.join(", "))
    // Cuts the page before its rows are numbered and converted, because otherwise each page would convert all remaining rows.
    const page = isScan
      ? scannedPage(client, part, place.after)
      : sql`select * from ${sql.literal(part.table)} stored where ${mine} and ${after(part, place.after)}
        order by ${byKey} limit ${part.pageRows}`
    const chosen = sql`select ${sql.literal(keyJson(part))} as place,
          ${isScan ? sql`case when ${mine} then ${record} end` : record} as record,
          row_number() over (order by ${byKey}) as turn
        from (${page}) stored`
    const rows = yield* pageRows.all(sql`select place, record, total::float8 as total from (
          select chosen.*, count(*) over () as total,
            sum(coalesce(octet_length(record::text), 0)) over (order by turn) as bytes
          from (${chosen}) chosen) sized
        where turn = 1 or bytes <= ${PAGE_BYTES_MAX} order by turn`)
    // A scan ends with an empty page, because the number of its rows depends on their bytes.
    const isShort = rows.length < (isScan ? 1 : part.pageRows)
    const isLast = isShort && rows.length === (rows[0]?.total ?? 0)
    return {
      records: rows.flatMap(({ record: found }) =>
        found === null ? [] : [{ kind: part.kind, record: exportRecord(found) }]
      ),
      next: nextPlace(place, isLast ? undefined : rows.at(-1)?.place)
    }
  })
})

const erasureMethods = (sql: Sql): Pick<Store, "beginErasure"> => ({
  beginErasure: query("ClientDataStore.beginErasure", (instanceId, id, actor) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const seen = yield* findClient(sql, instanceId, id)
        if (seen === undefined) return undefined
        // A second request waits here and finds the erasure of the first. Other writes lock the client too, so they see the mark.
        yield* sql`select 1 from clients where instance_id = ${seen.instanceId} and id = any(${idArray(seen.ids)})
          order by id for update`
        const client = yield* findClient(sql, instanceId, id)
        if (client === undefined) return undefined
        if (!client.isErased) {
          yield* markErased(sql, client, ERASED_TEXT)
          const { requestId } = yield* currentOrigin
          yield* entry(sql, client, actor, "client.erase", { requestId, address: null })
        }
        return yield* erasureRows.find(sql`select ${sql.literal(erasureColumns)} from client_erasures erasure
          where erasure.instance_id = ${client.instanceId} and erasure.client_id = ${client.id}`)
      })
    )
  )
})

export const layer = layerOf(ERASURE_SETTLE_MILLIS)

const nextPlace = ({ part }: ClientDataPosition, last: string | undefined): ClientDataPosition | null => {
  if (last !== undefined) return { part, after: last }
  return part + 1 < clientDataParts.length ? { part: part + 1, after: null } : null
}
