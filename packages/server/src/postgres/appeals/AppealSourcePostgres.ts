// Appeals read from PostgreSQL as documents for a search index: two statements for a group of them.
import { AuthorType } from "@rapport/contract/appeals/AppealsApi.ts"
import { AppealSource } from "@rapport/core/appeals/AppealIndex.ts"
import { APPEAL_MESSAGES_INDEXED_MAX } from "@rapport/contract/Limits.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { IndexedDocument, DocumentText } from "@rapport/core/search/DocumentProjection.ts"
import { DocumentRefused } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { changesOf, idsOf, indexRevision, notQuarantined, sizesOf } from "../outbox/IndexRevision.ts"
import { shownText } from "../files/ShownText.ts"
import { epochMillis } from "../sql/SqlTime.ts"
import { rowsOf, storeLayer } from "../sql/Query.ts"

const NullableNumber = Schema.NullOr(Schema.Finite)
/** A document without its texts, and the values that they depend on. */
const Header = Schema.Struct({
  documentId: Schema.Finite,
  revision: Schema.Finite,
  clientId: Schema.Finite,
  subjectId: NullableNumber,
  operatorId: NullableNumber,
  operatorIds: Schema.Array(Schema.Finite),
  authorId: NullableNumber,
  closed: Schema.Boolean,
  createdAt: Schema.Finite,
  heading: Schema.NullOr(Schema.String),
  clientName: Schema.String,
  messageCount: Schema.Finite
})
type Header = typeof Header.Type
const Message = Schema.Struct({
  appeal_id: Schema.Finite,
  id: Schema.Finite,
  author_type: AuthorType,
  operator: Schema.NullOr(Schema.String),
  text: Schema.String
})
type Message = typeof Message.Type

const headerRows = rowsOf(Header)
const messageRows = rowsOf(Message)

export const layer = storeLayer(AppealSource)((sql) => {
  const readHeaders = (instanceId: number, ids: ReadonlyArray<number>) =>
    headerRows.all(sql`select a.id::float8 as "documentId", ${sql.literal(indexRevision)} as revision,
          a.client_id::float8 as "clientId", c.name as "clientName", a.subject_id::float8 as "subjectId",
          a.operator_id::float8 as "operatorId", a.operator_ids::float8[] as "operatorIds",
          a.author_id::float8 as "authorId", a.status_group = 'done' as closed,
          ${sql.literal(epochMillis("a.created_at"))} as "createdAt", a.message_count as "messageCount",
          nullif(concat_ws(' ', a.title, a.description), '') as heading
        from appeals a join clients c on c.instance_id = a.instance_id and c.id = a.client_id
        where a.instance_id = ${instanceId} and a.id = any(${ids}::int8[]) and c.erased_at is null
          and ${sql.literal(notQuarantined("evidence", "a"))}`)

  const readMessages = (instanceId: number, ids: ReadonlyArray<number>) =>
    Effect.map(
      messageRows.all(sql`select message.appeal_id::float8 as appeal_id, message.id::float8 as id, message.author_type,
          ${sql.literal(shownText("message"))} as text,
          case when message.author_type = 'operator' then account.first_name || ' ' || account.last_name end as operator
        from appeal_messages message left join users account on account.instance_id = message.instance_id
          and account.id = message.author_id
        where message.instance_id = ${instanceId} and message.appeal_id = any(${ids}::int8[])
          and message.deleted_at is null
        order by message.appeal_id, message.sequence`),
      (found) => Map.groupBy(found, (message) => message.appeal_id)
    )

  const read = Effect.fnUntraced(function* (instanceId: number, ids: ReadonlyArray<number>) {
    const headers = new Map((yield* readHeaders(instanceId, ids)).map((one) => [one.documentId, one]))
    const short = [...headers.values()].filter((one) => one.messageCount <= APPEAL_MESSAGES_INDEXED_MAX)
    const messages =
      short.length === 0
        ? new Map<number, Array<Message>>()
        : yield* readMessages(
            instanceId,
            short.map((one) => one.documentId)
          )
    const documents = [...headers.values()].map(
      (header) => [header.documentId, documentOf(header, messages.get(header.documentId) ?? [])] as const
    )
    return yield* changesOf(sql, ids, new Map(documents))
  })

  return {
    ...idsOf(sql, "appeals"),
    sizes: (instanceId, ids) =>
      sizesOf(
        ids,
        sql`select a.id::float8 as "documentId", a.message_count as texts, (
            select coalesce(sum(octet_length(message.text)), 0)::float8 from appeal_messages message
            where message.instance_id = a.instance_id and message.appeal_id = a.id) as bytes
          from appeals a where a.instance_id = ${instanceId} and a.id = any(${ids}::int8[])
            and a.message_count <= ${APPEAL_MESSAGES_INDEXED_MAX}::int4
            and ${sql.literal(notQuarantined("evidence", "a"))}`
      ),
    read: (instanceId, ids) =>
      read(instanceId, ids).pipe(Effect.catchTag("SqlError", (error) => overdue(ids, error)))
  }
})

// An appeal that exceeds the timeout of a statement must not delay the others.
const overdue = (
  ids: ReadonlyArray<number>,
  error: SqlError.SqlError
): Effect.Effect<never, DocumentRefused | SourceUnavailable> => {
  const [only] = ids
  return ids.length === 1 && only !== undefined && error.reason._tag === "StatementTimeoutError"
    ? Effect.fail(new DocumentRefused({ key: only, reason: "it takes too long to read" }))
    : unavailableOrDie(error)
}

const documentOf = (
  { clientName, messageCount, ...document }: Header,
  messages: ReadonlyArray<Message>
): IndexedDocument => ({
  ...document,
  texts:
    messageCount > APPEAL_MESSAGES_INDEXED_MAX
      ? null
      : messages.map((one): DocumentText => ({
          id: one.id,
          speaker: one.author_type === "client" ? clientName : one.operator,
          text: one.text
        }))
})
