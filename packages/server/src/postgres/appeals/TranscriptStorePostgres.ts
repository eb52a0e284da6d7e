// Transcripts in PostgreSQL: one statement finds the appeal as the caller may see it, and one stretch of its messages.
import { AuthorType, DeliveryStatus, Visibility } from "@rapport/contract/appeals/AppealsApi.ts"
import { Attachment } from "@rapport/contract/files/FilesApi.ts"
import { type TranscriptPage, TranscriptStore } from "@rapport/core/appeals/TranscriptStore.ts"
import { Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query, rowsOf, storeLayer } from "../sql/Query.ts"
import { withinPage } from "../sql/PageBytes.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"

const Message = Schema.Struct({
  id: Schema.Int,
  appeal_id: Schema.Int,
  sequence: Schema.Int,
  author_type: AuthorType,
  author_id: Schema.NullOr(Schema.Int),
  text: Schema.String,
  occurred_at: Schema.Date,
  recorded_at: Schema.Date,
  external_message_id: Schema.NullOr(Schema.String),
  delivery: DeliveryStatus,
  visibility: Visibility,
  attachments: Schema.NullOr(Schema.Array(Attachment)),
  version: Schema.Int,
  edited_at: Schema.NullOr(Schema.Date),
  deleted_at: Schema.NullOr(Schema.Date),
  more: Schema.Boolean
})
/** An appeal without messages in the stretch is one row without a message. */
const Empty = Schema.Struct({ id: Schema.Null })
const messageRows = rowsOf(Schema.Union([Message, Empty]))

/** The sequence before which the page begins, in its order; no row where the message is not one of the appeal. */
const edgeOf = (sql: SqlClient.SqlClient, { limit, order, start }: TranscriptPage) => {
  if (start.at === "after") return sql`select appeal.id, ${start.sequence}::int4 as sequence from appeal`
  const beyond = order === "asc" ? sql.literal("0") : sql.literal("2147483647")
  if (start.at === "end") return sql`select appeal.id, ${beyond}::int4 as sequence from appeal`
  // A full page with the message in its middle; at the ends of the transcript the page moves inwards.
  const before = Math.floor((limit - 1) / 2)
  const first = sql`greatest(1, least(message.sequence - ${before}::int4, appeal.last - ${limit}::int4 + 1))`
  return sql`select appeal.id, ${first} ${order === "asc" ? sql.literal("- 1") : sql`+ ${limit}::int4`} as sequence
    from appeal join appeal_messages message on message.instance_id = appeal.instance_id and message.appeal_id = appeal.id
    where message.id = ${start.messageId}`
}

/** Bytes of a message in a page: what never changes much, its text, and its external id. */
const READ_SIZE = "octet_length(item.text) + coalesce(octet_length(item.attachments::text), 0)"
const SHOWN_SIZE = `464 + octet_length(to_json(item.text)::text)
  + coalesce(octet_length(to_json(item.external_message_id)::text), 0)
  + coalesce(octet_length(item.attachments::text), 0)`

export const layer = storeLayer(TranscriptStore)((sql) => ({
  find: query("TranscriptStore.find", function* (caller, page) {
    const [beyond, direction] =
      page.order === "asc" ? [sql.literal(">"), sql.literal("asc")] : [sql.literal("<"), sql.literal("desc")]
    const near = page.start.at === "around" ? page.start.messageId : null
    const read = sql`select * from (
              select message.*, row_number() over (order by message.sequence ${direction}) as place, count(*) over () as available,
                coalesce(message.id = ${near}::int8, false) as near
              from (select * from appeal_messages message
                where message.instance_id = ${caller.instanceId} and message.appeal_id = edge.id
                  and message.sequence ${beyond} edge.sequence
                order by message.sequence ${direction} limit ${page.limit + 1}) message) message
            where message.place <= ${page.limit}`
    const found = yield* messageRows.all(sql`with ${callerOf(sql, caller)},
          appeal as (
            select a.instance_id, a.id, (select max(message.sequence) from appeal_messages message
              where message.instance_id = a.instance_id and message.appeal_id = a.id) as last
            from appeals a, caller u
            where a.instance_id = u.instance_id and a.id = ${page.appealId} and a.kind = ${page.kind}
              and ${appealVisible(sql)}),
          edge as (${edgeOf(sql, page)})
          select message.id::float8 as id, message.appeal_id::float8 as appeal_id, message.sequence, message.author_type,
            message.author_id::float8 as author_id, message.text, message.occurred_at, message.recorded_at, message.external_message_id, message.delivery,
            message.visibility, message.attachments,
            message.version::float8 as version, message.edited_at, message.deleted_at,
            message.place < message.available as more
          from edge left join lateral (${withinPage(sql, {
            name: "shown",
            size: SHOWN_SIZE,
            rows: withinPage(sql, { name: "read", size: READ_SIZE, rows: read })
          })}) message on true
          order by message.place`)
    if (found.length === 0) return undefined
    const records = found.flatMap((row) =>
      row.id === null
        ? []
        : [
            {
              id: row.id,
              appealId: row.appeal_id,
              sequence: row.sequence,
              authorType: row.author_type,
              authorId: row.author_id,
              text: row.text,
              occurredAt: row.occurred_at.getTime(),
              recordedAt: row.recorded_at.getTime(),
              externalMessageId: row.external_message_id,
              delivery: row.delivery,
              visibility: row.visibility,
              attachments: row.attachments ?? [],
              version: row.version,
              editedAt: row.edited_at?.getTime() ?? null,
              deletedAt: row.deleted_at?.getTime() ?? null
            }
          ]
    )
    const last = found.at(-1)
    return { records, more: last !== undefined && last.id !== null && last.more }
  })
}))
