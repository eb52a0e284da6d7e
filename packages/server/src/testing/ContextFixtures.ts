// The context read on the small demo in a real PostgreSQL, with the search index in memory and filled from it.
import { AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import {
  type AuthorizedSession,
  type Permission,
  permissionsOf,
  Role
} from "@rapport/contract/Authorization.ts"
import { ContextPack } from "@rapport/contract/context/ContextPack.ts"
import { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { APPEAL_MESSAGES_INDEXED_MAX } from "@rapport/contract/Limits.ts"
import { type AuditEntry, AuditLog } from "@rapport/core/audit/AuditLog.ts"
import { ContextReader } from "@rapport/core/context/read/ContextReader.ts"
import { memoryNotReady } from "@rapport/core/testing/MemoryFixtures.ts"
import { EvidenceIndexMemory } from "@rapport/core/testing/EvidenceIndexMemory.ts"
import type { IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sha256Layer } from "../files/Utf8.ts"
import * as ContextStorePostgres from "../postgres/context/ContextStorePostgres.ts"
import { PostgresFixtures } from "./PostgresFixtures.ts"

const Ids = Schema.Array(Schema.Int)
const Documents = Schema.Array(
  Schema.Struct({
    document: Schema.Struct({
      documentId: Schema.Int,
      revision: Schema.Int,
      clientId: Schema.Int,
      subjectId: Schema.NullOr(Schema.Int),
      operatorId: Schema.NullOr(Schema.Int),
      operatorIds: Ids,
      authorId: Schema.NullOr(Schema.Int),
      closed: Schema.Boolean,
      createdAt: Schema.Int,
      heading: Schema.NullOr(Schema.String),
      texts: Schema.NullOr(
        Schema.Array(Schema.Struct({ id: Schema.Int, speaker: Schema.Null, text: Schema.String }))
      )
    })
  })
)
const decodeDocuments = Schema.decodeUnknownEffect(Documents)

/** Everything of an instance that is not in quarantine, as it is now. */
export const documentsOf = (
  instanceId: number
): Effect.Effect<ReadonlyArray<IndexedDocument>, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`select json_build_object('documentId', a.id, 'revision', a.version,
        'clientId', a.client_id, 'subjectId', a.subject_id, 'operatorId', a.operator_id, 'operatorIds', a.operator_ids,
        'authorId', a.author_id, 'closed', a.status_group = 'done',
        'createdAt', (extract(epoch from a.created_at) * 1000)::int8,
        'heading', nullif(concat_ws(' ', a.title, a.description), ''),
        'texts', case when a.message_count <= ${APPEAL_MESSAGES_INDEXED_MAX} then
          (select coalesce(json_agg(json_build_object('id', m.id, 'speaker', null,
            'text', m.text) order by m.sequence), '[]')
          from appeal_messages m where m.instance_id = a.instance_id and m.appeal_id = a.id) end) as document
      from appeals a where a.instance_id = ${instanceId}
        and not exists (select 1 from quarantine q where q.instance_id = a.instance_id and q.key = a.id)`
    return (yield* decodeDocuments(rows)).map(({ document }) => document)
  }).pipe(Effect.orDie)

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

/** What was written to the audit log. */
export class Audited extends Context.Service<Audited, Array<AuditEntry>>()("server/testing/Audited") {}

const auditLayer = Layer.effectContext(
  Effect.sync(() => {
    const entries: Array<AuditEntry> = []
    return Context.make(Audited, entries).pipe(
      Context.add(AuditLog, { append: (entry) => Effect.sync(() => void entries.push(entry)) })
    )
  })
)

const filledIndexLayer = Layer.effectDiscard(Effect.all([indexInstance(1), indexInstance(2)])).pipe(
  Layer.provideMerge(EvidenceIndexMemory.layer)
)

/** Sources of a context read but for the search index. */
const sourcesLayer = Layer.mergeAll(ContextStorePostgres.layer, sha256Layer, memoryNotReady, auditLayer)

/** The reader over PostgreSQL and the index in memory. */
export const ContextFixtures = {
  layer: ContextReader.layer.pipe(
    Layer.provideMerge(sourcesLayer),
    Layer.provideMerge(filledIndexLayer),
    Layer.provideMerge(PostgresFixtures.small)
  )
}

const SessionRows = Schema.Tuple([
  Schema.Struct({
    session: Schema.Struct({
      instanceId: Schema.Int,
      userId: Schema.Int,
      sessionId: Schema.String,
      roles: Schema.Array(Role),
      skillGroupIds: Ids,
      subjectIds: Ids,
      colleagueIds: Ids
    })
  })
])
const decodeSession = Schema.decodeUnknownEffect(SessionRows)

/** A fresh session of a login, as authentication would find it. */
export const sessionOf = (login: string): Effect.Effect<AuthorizedSession, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [{ session }] = yield* decodeSession(
      yield* sql`with family as (
        insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
        select instance_id, gen_random_uuid(), id, ''::bytea, now() + interval '1 day' from users where login = ${login}
        returning instance_id, id, user_id)
      select json_build_object('instanceId', f.instance_id, 'userId', f.user_id, 'sessionId', f.id, 'roles', m.roles,
        'skillGroupIds', m.skill_group_ids, 'subjectIds', m.subject_ids, 'colleagueIds', m.colleague_ids) as session
      from family f join user_access m on m.instance_id = f.instance_id and m.user_id = f.user_id`
    )
    return {
      ...session,
      tokenId: null,
      seesAsUser: true,
      permissions: new Set<Permission>(permissionsOf(session.roles))
    }
  }).pipe(Effect.orDie)

const decodeRequest = Schema.decodeUnknownEffect(ContextRequest)
const decodePack = Schema.decodeUnknownEffect(Schema.fromJsonString(ContextPack), {
  onExcessProperty: "error"
})

/** The pack of a request in its wire form, decoded by its schema; and its bytes. */
export const readPack = Effect.fnUntraced(function* (session: AuthorizedSession, request: unknown) {
  const reader = yield* ContextReader
  const { text } = yield* reader.retrieve(session, yield* Effect.orDie(decodeRequest(request)), "json")
  return { bytes: new TextEncoder().encode(text), text, pack: yield* Effect.orDie(decodePack(text)) }
})
