// Reads entries of client memory as documents for their index.
import { MemorySource } from "@rapport/core/memory/MemoryIndex.ts"
import { facetsOfClient, type IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { changesOf, indexRevision } from "../outbox/IndexRevision.ts"
import { epochMillis } from "../sql/SqlTime.ts"
import { memoryRows } from "./MemoryRows.ts"
import { orUnavailable, rowsOf, selectedCount, selectedIds } from "../sql/Query.ts"

const Entry = Schema.Struct({
  id: Schema.Finite,
  revision: Schema.Finite,
  client: Schema.Finite,
  occurred_at: Schema.Finite,
  text: Schema.String
})
const entryRows = rowsOf(Entry)
const sizeRows = rowsOf(Schema.Struct({ id: Schema.Finite, bytes: Schema.Finite }))

const documentOf = ({ client, id, occurred_at, revision, text }: typeof Entry.Type): IndexedDocument => ({
  documentId: id,
  revision,
  ...facetsOfClient(client),
  createdAt: occurred_at,
  heading: null,
  texts: [{ id, speaker: null, text }]
})

export const layer: Layer.Layer<MemorySource, never, SqlClient.SqlClient> = Layer.effect(
  MemorySource,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const notQuarantined =
      sql.literal(`not exists (select 1 from quarantine where quarantine.instance_id = memory.instance_id
      and quarantine.kind = 'client_memory' and quarantine.key = memory.id)`)

    return MemorySource.of({
      sizes: (instanceId, ids) =>
        sizeRows
          .all(
            sql`select memory.id::float8 as id, octet_length(source.text)::float8 as bytes
          from memory_entries memory, ${memoryRows(sql)} source
          where memory.instance_id = ${instanceId} and memory.id = any(${ids}::int8[]) and ${notQuarantined}`
          )
          .pipe(
            Effect.map((found) => {
              const bytesOf = new Map(found.map(({ bytes, id }) => [id, bytes]))
              return ids.map((id) => ({
                documentId: id,
                texts: bytesOf.has(id) ? 1 : 0,
                bytes: bytesOf.get(id) ?? 0
              }))
            }),
            orUnavailable
          ),
      read: Effect.fnUntraced(function* (instanceId, ids) {
        const found =
          yield* entryRows.all(sql`select memory.id::float8 as id, ${sql.literal(indexRevision)} as revision, memory.client_id::float8 as client,
            ${sql.literal(epochMillis("source.occurred_at"))} as occurred_at, source.text
          from memory_entries memory, ${memoryRows(sql)} source
          where memory.instance_id = ${instanceId} and memory.id = any(${ids}::int8[]) and ${notQuarantined}`)
        const documents = new Map(found.map((entry) => [entry.id, documentOf(entry)] as const))
        return yield* changesOf(sql, ids, documents)
      }, orUnavailable),
      idsAfter: (instanceId, after, limit) =>
        orUnavailable(
          selectedIds(sql`select id::float8 as id from memory_entries where instance_id = ${instanceId} and id > ${after}
          order by id limit ${limit}`)
        ),
      count: (instanceId) =>
        orUnavailable(
          selectedCount(
            sql`select count(*)::float8 as count from memory_entries where instance_id = ${instanceId}`
          )
        )
    })
  })
)
