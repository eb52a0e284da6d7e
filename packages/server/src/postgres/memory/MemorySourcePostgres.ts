// Entries of client memory read from PostgreSQL as documents for their index, a group in one statement.
import { MemorySource } from "@rapport/core/memory/MemoryIndex.ts"
import type { EvidenceChange } from "@rapport/core/search/EvidenceProjection.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { indexRevision } from "../outbox/IndexRevision.ts"
import { memoryRows } from "./MemoryRows.ts"

const Entry = Schema.Struct({
  id: Schema.Finite,
  revision: Schema.Finite,
  client: Schema.Finite,
  occurred_at: Schema.Finite,
  text: Schema.String
})
const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(Entry))
const decodeSizes = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.Finite, bytes: Schema.Finite }))
)
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Finite })))
const decodeRevision = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ revision: Schema.Finite })]))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Finite })]))

/** An entry is one message of its own, dated by its own time; the author's kind means nothing to it. */
const documentOf = ({ client, id, occurred_at, revision, text }: typeof Entry.Type): EvidenceChange => ({
  _tag: "Upsert",
  document: {
    appealId: id,
    revision,
    kind: "chat",
    clientId: client,
    subjectId: null,
    operatorId: null,
    operatorIds: [],
    authorId: null,
    closed: false,
    createdAt: occurred_at,
    messageCount: 1,
    title: null,
    description: null,
    messages: [{ id, authorType: "client", speaker: null, text, occurredAt: occurred_at }]
  }
})

export const layer: Layer.Layer<MemorySource, never, SqlClient.SqlClient> = Layer.effect(
  MemorySource,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const free = sql.literal(`not exists (select 1 from quarantine q where q.instance_id = e.instance_id
      and q.kind = 'client_memory' and q.key = e.id)`)

    return MemorySource.of({
      sizes: (instanceId, ids) =>
        sql`select e.id::float8 as id, octet_length(r.text)::float8 as bytes
          from memory_entries e, ${memoryRows(sql)} r
          where e.instance_id = ${instanceId} and e.id = any(${ids}::int8[]) and ${free}`.pipe(
          Effect.flatMap((rows) => Effect.orDie(decodeSizes(rows))),
          Effect.map((found) => {
            const known = new Map(found.map(({ bytes, id }) => [id, bytes]))
            return ids.map((id) => ({
              appealId: id,
              messages: known.has(id) ? 1 : 0,
              bytes: known.get(id) ?? 0
            }))
          }),
          Effect.catchTag("SqlError", unavailableOrDie)
        ),
      read: Effect.fnUntraced(
        function* (instanceId, ids) {
          const rows =
            yield* sql`select e.id::float8 as id, ${sql.literal(indexRevision)} as revision, e.client_id::float8 as client,
            floor(extract(epoch from r.occurred_at) * 1000)::float8 as occurred_at, r.text
          from memory_entries e, ${memoryRows(sql)} r
          where e.instance_id = ${instanceId} and e.id = any(${ids}::int8[]) and ${free}`
          const entries = new Map(
            (yield* Effect.orDie(decodeEntries(rows))).map((entry) => [entry.id, entry] as const)
          )
          const [{ revision }] =
            entries.size === ids.length
              ? [{ revision: 0 }]
              : yield* Effect.orDie(
                  decodeRevision(yield* sql`select ${sql.literal(indexRevision)} as revision`)
                )
          return ids.map((id): EvidenceChange => {
            const entry = entries.get(id)
            return entry === undefined ? { _tag: "Removal", appealId: id, revision } : documentOf(entry)
          })
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),
      idsAfter: (instanceId, after, limit) =>
        sql`select id::float8 as id from memory_entries where instance_id = ${instanceId} and id > ${after}
          order by id limit ${limit}`.pipe(
          Effect.flatMap((rows) => Effect.orDie(decodeIds(rows))),
          Effect.map((rows) => rows.map(({ id }) => id)),
          Effect.catchTag("SqlError", unavailableOrDie)
        ),
      count: (instanceId) =>
        sql`select count(*)::float8 as count from memory_entries where instance_id = ${instanceId}`.pipe(
          Effect.flatMap((rows) => Effect.orDie(decodeCount(rows))),
          Effect.map(([{ count }]) => count),
          Effect.catchTag("SqlError", unavailableOrDie)
        )
    })
  })
)
