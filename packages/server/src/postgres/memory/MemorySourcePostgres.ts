// Reads entries of client memory as documents for their index.
import { MemorySource } from "@rapport/core/memory/MemoryIndex.ts"
import { facetsOfClient, type IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { Effect, Schema } from "effect"
import { changesOf, idsOf, indexRevision, notQuarantined, sizesOf } from "../outbox/IndexRevision.ts"
import { epochMillis } from "../sql/SqlTime.ts"
import { memoryRows } from "./MemoryRows.ts"
import { orUnavailable, rowsOf, storeLayer } from "../sql/Query.ts"

const Entry = Schema.Struct({
  documentId: Schema.Finite,
  revision: Schema.Finite,
  clientId: Schema.Finite,
  createdAt: Schema.Finite,
  text: Schema.String
})
const entryRows = rowsOf(Entry)

const documentOf = ({ clientId, text, ...entry }: typeof Entry.Type): IndexedDocument => ({
  ...entry,
  ...facetsOfClient(clientId),
  heading: null,
  texts: [{ id: entry.documentId, speaker: null, text }]
})

export const layer = storeLayer(MemorySource)((sql) => {
  const from = (instanceId: number, ids: ReadonlyArray<number>) =>
    sql`from memory_entries memory, ${memoryRows} source where memory.instance_id = ${instanceId}
        and memory.id = any(${ids}::int8[]) and ${sql.literal(notQuarantined("client_memory", "memory"))}`

  return {
    ...idsOf(sql, "memory_entries"),
    sizes: (instanceId, ids) =>
      sizesOf(
        ids,
        sql`select memory.id::float8 as "documentId", 1 as texts, octet_length(source.text)::float8 as bytes
            ${from(instanceId, ids)}`
      ),
    read: Effect.fnUntraced(function* (instanceId, ids) {
      const found =
        yield* entryRows.all(sql`select memory.id::float8 as "documentId", ${sql.literal(indexRevision)} as revision, memory.client_id::float8 as "clientId",
            ${sql.literal(epochMillis("source.occurred_at"))} as "createdAt", source.text ${from(instanceId, ids)}`)
      const documents = new Map(found.map((entry) => [entry.documentId, documentOf(entry)] as const))
      return yield* changesOf(sql, ids, documents)
    }, orUnavailable)
  }
})
