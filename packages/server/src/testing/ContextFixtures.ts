// The context read on the small demo, with PostgreSQL and the embedded index.
import { AppealProjection, AppealSource } from "@rapport/core/appeals/AppealIndex.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { ContextPack } from "@rapport/contract/context/ContextPack.ts"
import { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { type AuditEntry, AuditLog } from "@rapport/core/audit/AuditLog.ts"
import { ContextReader } from "@rapport/core/context/read/ContextReader.ts"
import { memoryNotReady } from "@rapport/core/testing/MemoryFixtures.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import { sha256Layer } from "../files/Utf8.ts"
import * as AppealSourcePostgres from "../postgres/appeals/AppealSourcePostgres.ts"
import * as ContextStorePostgres from "../postgres/context/ContextStorePostgres.ts"
import { rowsOf } from "../postgres/sql/Query.ts"
import { EvidenceIndexSqlite } from "../sqlite/EvidenceIndexSqlite.ts"
import { PostgresFixtures, temporaryFolder } from "./PostgresFixtures.ts"
import { newSessionOf } from "./StoreFixtures.ts"

/** Indexed documents of an instance, without quarantined ones. */
export const documentsOf = Effect.fnUntraced(function* (instanceId: number) {
  const source = yield* AppealSource
  const ids = yield* source.idsAfter(instanceId, 0, 1_000_000)
  const changes = yield* source.read(instanceId, ids)
  return changes.flatMap((change) => (change._tag === "Upsert" ? [change.document] : []))
}, Effect.orDie)

/** Brings the index of an instance up to the database. */
export const indexInstance = Effect.fnUntraced(function* (instanceId: number) {
  const projection = yield* AppealProjection
  const documents = yield* documentsOf(instanceId)
  const marks = yield* projection.checkpoints("active")
  const from = marks.find((mark) => mark.instanceId === instanceId)?.checkpoint ?? null
  yield* projection.apply(
    {
      copy: "active",
      from,
      to: { instanceId, checkpoint: "all", complete: true, indexedAt: Date.UTC(2026, 0, 1) }
    },
    documents.map((document) => ({ _tag: "Upsert", document }))
  )
}, Effect.orDie)

/** The entries of the audit log. */
export class Audited extends Context.Service<Audited, Array<AuditEntry>>()("server/testing/Audited") {}

const auditLayer = Layer.effectContext(
  Effect.sync(() => {
    const entries: Array<AuditEntry> = []
    return Context.make(Audited, entries).pipe(
      Context.add(AuditLog, { append: (entry) => Effect.sync(() => void entries.push(entry)) })
    )
  })
)

/** An empty embedded index of its own. */
export const emptyIndexLayer = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => EvidenceIndexSqlite.layer(path.join(folder, "index")))
)

const filledIndexLayer = Layer.effectDiscard(Effect.all([indexInstance(1), indexInstance(2)])).pipe(
  Layer.provideMerge(emptyIndexLayer),
  Layer.provideMerge(AppealSourcePostgres.layer)
)

/** Sources of a context read but for the search index. */
const sourcesLayer = Layer.mergeAll(ContextStorePostgres.layer, sha256Layer, memoryNotReady, auditLayer)

export const ContextFixtures = {
  layer: ContextReader.layer.pipe(
    Layer.provideMerge(sourcesLayer),
    Layer.provideMerge(filledIndexLayer),
    Layer.provideMerge(PostgresFixtures.small)
  )
}

/** The logins of instance 1, one of each role. */
export const logins = [
  "administrator",
  "supervisor",
  "operator",
  "light_agent",
  "integrator",
  "analyst",
  "qa_lead",
  "qa_specialist"
] as const

const userRows = rowsOf(Schema.Struct({ instanceId: Schema.Int, id: Schema.Int }))

/** A fresh session of a login, as authentication would find it. */
export const sessionOf = (login: string): Effect.Effect<AuthorizedSession, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id, instanceId } = yield* Effect.orDie(
      userRows.get(
        sql`select instance_id::float8 as "instanceId", id::float8 as id from users where login = ${login}`
      )
    )
    return yield* newSessionOf(instanceId, id)
  })

const decodeRequest = Schema.decodeUnknownEffect(ContextRequest)
const decodePack = Schema.decodeUnknownEffect(Schema.fromJsonString(ContextPack), {
  onExcessProperty: "error"
})

/** The pack of a request in its wire form, decoded by its schema; and its bytes. By default a slow machine has the most time. */
export const readPack = Effect.fnUntraced(function* (session: AuthorizedSession, request: object) {
  const reader = yield* ContextReader
  const whole = { timeoutMs: ContextLimits.timeoutMs.maximum, ...request }
  const { text } = yield* reader.retrieve(session, yield* Effect.orDie(decodeRequest(whole)), "json")
  return { bytes: new TextEncoder().encode(text), text, pack: yield* Effect.orDie(decodePack(text)) }
})
