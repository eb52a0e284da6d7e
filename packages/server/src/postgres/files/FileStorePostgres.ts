// Rows of files in PostgreSQL, and the deletion of files with their bytes.
import type { InboundConnector } from "@rapport/contract/delivery/InboundApi.ts"
import { StoredFile } from "@rapport/contract/files/FilesApi.ts"
import { FILE_UNUSED_SECONDS } from "@rapport/contract/Limits.ts"
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import type { MessageDraft } from "@rapport/core/appeals/AppealDraft.ts"
import type { UnknownFiles } from "@rapport/core/appeals/AppealStore.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { FileStore, type Uploader } from "@rapport/core/files/FileStore.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { principalOf } from "../receipts/ReceiptsPostgres.ts"
import { query, rowsOf, integers, storeLayer, valuesOf } from "../sql/Query.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { auditedFrom, entryOf } from "../sql/Records.ts"
import { rowsAs } from "../sql/RowsAs.ts"
import { appealReadable, appealVisible, callerOf, holds, sessionVisible } from "../sql/Visibility.ts"

const fileJson = recordJson(columnsOf("file", StoredFile.fields), Object.keys(StoredFile.fields))
const fileRows = valuesOf(StoredFile)

const expiry = sql`now() + make_interval(secs => ${FILE_UNUSED_SECONDS}::int4)`

/** Condition on `caller u` and `file`: the uploader sees it until a message has it, then all who see the message. */
const visible = (principal: string) => sql`case when file.expires_at is not null
  then file.uploader = ${principal} and file.expires_at > now()
  when file.session_id is not null then ${holds("context.read")}
    and exists (select 1 from context_sessions session, clients c where session.instance_id = file.instance_id
      and session.id = file.session_id and c.instance_id = session.instance_id and c.id = session.client_id
      and ${sessionVisible})
  else exists (select 1 from appeals a where a.instance_id = file.instance_id and a.id = file.appeal_id
    and ${appealVisible} and ${appealReadable}) end`

export const layer = storeLayer(FileStore)((sql) => ({
  begin: query("FileStore.begin", (uploader, { id, mediaType, name }) =>
    Effect.asVoid(sql`insert into files (instance_id, id, name, media_type, uploader, expires_at)
      values (${uploader.instanceId}, ${id}::uuid, ${name}, ${mediaType}, ${uploaderOf(uploader)}, ${expiry})`)
  ),

  finish: query("FileStore.finish", function* (uploader, { id }, { bytes, sha256 }) {
    const change = { action: "file.create", id, details: { bytes } }
    const { instanceId } = uploader
    const entry = yield* entryOf("botId" in uploader ? systemSession(instanceId) : uploader, change)
    yield* sql`with finished as (update files set bytes = ${bytes}, sha256 = ${sha256}, expires_at = ${expiry}
        where instance_id = ${instanceId} and id = ${id}::uuid returning 1)
      ${auditedFrom("finished", entry)}`
  }),

  find: query("FileStore.find", (session, id) =>
    fileRows.find(sql`with ${callerOf(session)} select ${sql.literal(fileJson)} as record
      from files file, caller u where file.instance_id = u.instance_id and file.id = ${id}::uuid
        and file.sha256 is not null and ${visible(principalOf(session))}`)
  ),

  findLinked: query("FileStore.findLinked", ({ id, instanceId }) =>
    fileRows.find(sql`select ${sql.literal(fileJson)} as record from files file
      where file.instance_id = ${instanceId} and file.id = ${id}::uuid and file.message_id is not null`)
  )
}))

const uploaderOf = (uploader: Uploader): string =>
  "botId" in uploader ? `bot/${uploader.botId}` : principalOf(uploader)

/** Condition on `file`: the principal may put it into a message. */
export const attachable = (principal: string): Fragment => sql`file.uploader = ${principal} and ${free}`

/** Condition on `file`: no message has it. */
const free = sql`file.sha256 is not null and file.expires_at > now()`

/** Joins `carried`: the files of a row of `given` that the caller may put into a message, as `attachmentsOf`. */
export const joinCarried = (caller: Caller): Fragment =>
  sql`left join lateral (${attachmentsOf(
    sql.literal("given.file_ids"),
    sql`files file on file.instance_id = ${caller.instanceId}::int8 and ${attachable(principalOf(caller))}`
  )}) carried on true`

/** Files as a message shows them, in order, and how many they are. `files` is `… file on …`. */
const attachmentsOf = (ids: Fragment, files: Fragment): Fragment =>
  sql`select count(*) as count, json_agg(json_build_object('id', file.id, 'name', file.name,
      'mediaType', file.media_type, 'bytes', file.bytes) order by named.place) as attachments
    from unnest(${ids}) with ordinality named(id, place) join ${files} and file.id = named.id`

/**
 * Locks the files of a message that a connector has received, in its transaction. Returns the attachments of the message as
 * JSON; undefined if the connector may not send one of the files.
 */
export const lockReceivedFiles = Effect.fnUntraced(function* (
  sql: Sql,
  connector: InboundConnector,
  ids: ReadonlyArray<string>
) {
  if (ids.length === 0) return null
  const { attachments, count } =
    yield* attachedRows.get(sql`with file as materialized (select file.* from files file
      where file.instance_id = ${connector.instanceId} and file.id = any(${ids}::uuid[]) and ${free}
        and (file.uploader = ${uploaderOf(connector)} or file.uploader like 'token/%') order by file.id for update)
    select count::float8, attachments::text from (${attachmentsOf(sql`${ids}::uuid[]`, sql`file on true`)}) attached`)
  return count === ids.length ? attachments : undefined
})

interface HistoryFiles {
  readonly appealId: number
  /** The highest sequence before the new messages, of which the first draft is the next. */
  readonly after: number
  readonly messages: ReadonlyArray<MessageDraft>
}

/** Puts files into new messages of a history, in their transaction. A message that was stored before keeps its files. */
export const attachHistoryFiles = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  { after, appealId, messages }: HistoryFiles
) {
  const wanted = messages.flatMap(({ attachmentIds, externalMessageId }, place) =>
    attachmentIds.length === 0
      ? []
      : [{ place, external_message_id: externalMessageId, file_ids: attachmentIds }]
  )
  if (wanted.length === 0) return
  const instance = sql`${session.instanceId}::int8`
  const found =
    yield* integers.all(sql`with wanted as materialized (select message.id, wanted.place, wanted.file_ids
      from json_to_recordset(${JSON.stringify(wanted)}::text::json)
          as wanted(place int4, external_message_id text, file_ids uuid[])
        join appeal_messages message on message.instance_id = ${instance} and message.appeal_id = ${appealId}::int8
          and message.sequence > ${after}::int4 and case when wanted.external_message_id is null
            then message.sequence = ${after}::int4 + 1 + wanted.place
            else message.external_message_id = wanted.external_message_id end),
    file as materialized (select file.* from files file where file.instance_id = ${instance}
        and file.id in (select unnest(wanted.file_ids) from wanted) and ${attachable(principalOf(session))}
      order by file.id for update),
    carried as materialized (select wanted.id, wanted.place, wanted.file_ids, attached.attachments, attached.count
      from wanted, lateral (${attachmentsOf(sql.literal("wanted.file_ids"), sql`file on true`)}) attached),
    written as (update appeal_messages message set attachments = carried.attachments from carried
      where message.instance_id = ${instance} and message.id = carried.id),
    attached as (update files stored set appeal_id = ${appealId}::int8, message_id = carried.id, expires_at = null
      from carried where stored.instance_id = ${instance} and stored.id = any(carried.file_ids))
    select carried.place from carried where carried.count < cardinality(carried.file_ids) order by carried.place`)
  if (found.length > 0) return yield* Effect.fail<UnknownFiles>({ _tag: "UnknownFiles", places: found })
})

const attachedRows = rowsOf(Schema.Struct({ count: Schema.Int, attachments: Schema.NullOr(Schema.String) }))

const placeRows = rowsOf(Schema.Struct({ instanceId: Schema.Int, id: Schema.String }))

const FILES_READ = 1_000
const Stored = Schema.Struct({ instanceId: Schema.Int, id: Schema.String, bytes: Schema.Int })
const storedRows = rowsOf(Stored)

/** Runs `use` for every complete file, in the order of instance and id. */
export const eachFile = Effect.fnUntraced(function* <E, R>(
  use: (file: typeof Stored.Type) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  let after: Fragment = sql`true`
  for (;;) {
    const found =
      yield* storedRows.all(sql`select file.instance_id::float8 as "instanceId", file.id, file.bytes::float8 as bytes
      from files file where file.sha256 is not null and ${after} order by file.instance_id, file.id limit ${FILES_READ}`)
    yield* Effect.forEach(found, use, { discard: true })
    const last = found.at(-1)
    if (last === undefined) return
    after = sql`(file.instance_id, file.id) > (${last.instanceId}::int8, ${last.id}::uuid)`
  }
})

/** Storages answer slowly, so several files are deleted in parallel. */
const REMOVED_CONCURRENTLY = 8

/**
 * Deletes at most `limit` files that fulfil the condition on `stored`, in a transaction: the bytes before the row, which leads to
 * them. Returns how many rows were deleted.
 */
export const removeFiles = Effect.fnUntraced(function* (
  sql: Sql,
  storage: FileStorage["Service"],
  condition: Fragment,
  limit: number
) {
  const found =
    yield* placeRows.all(sql`select stored.instance_id::float8 as "instanceId", stored.id from files stored
    where ${condition} limit ${limit} for update skip locked`)
  yield* Effect.forEach(found, storage.remove, { concurrency: REMOVED_CONCURRENTLY, discard: true })
  const rows = found.map(({ id, instanceId }) => ({ "instance_id int8": instanceId, "id uuid": id }))
  if (rows.length > 0)
    yield* sql`delete from files stored using ${rowsAs("removed", rows)}
      where stored.instance_id = removed.instance_id and stored.id = removed.id`
  return found.length
})

/** Deletes expired files without a message, and unfinished uploads. */
export const sweepFiles = Effect.fnUntraced(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  const storage = yield* FileStorage
  return yield* sql.withTransaction(removeFiles(sql, storage, sql`stored.expires_at < now()`, limit))
})
