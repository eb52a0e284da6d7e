// Messages of sessions in PostgreSQL, in the order of their sequence (contract §5).
import { SessionMessage } from "@rapport/contract/sessions/SessionsApi.ts"
import { SessionStore } from "@rapport/core/sessions/SessionStore.ts"
import { Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query, rowsOf } from "../sql/Query.ts"
import { withinPage } from "../sql/PageBytes.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"

type Sql = SqlClient.SqlClient
type Store = SessionStore["Service"]

export const messageJson = recordJson(
  columnsOf("message", SessionMessage.fields, {
    attachments: { sql: "coalesce(message.attachments, '[]'::json)" }
  }),
  Object.keys(SessionMessage.fields)
)

/** A session without messages in the range is one row without a message. */
const pageRows = rowsOf(
  Schema.Struct({
    message: Schema.NullOr(Schema.toCodecJson(SessionMessage)),
    more: Schema.NullOr(Schema.Boolean)
  })
)

export const jsonOf = (value: Readonly<Record<string, unknown>> | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)

/** Pages of messages by their sequence, with limited bytes. */
export const messagePages = (sql: Sql) =>
  ({
    messages: query("SessionStore.messages", function* (instanceId, id, { limit, order, start }) {
      const ascending = order === "asc"
      const all = sql`message.instance_id = ${instanceId} and message.session_id = ${id}::uuid`
      const before = Math.floor((limit - 1) / 2)
      // A full page with the message in its middle. Near the ends the page moves inwards.
      const edge =
        start.at === "around"
          ? sql`select greatest(1, least(message.sequence - ${before}::int4, session.message_count - ${limit}::int4 + 1))
          ${ascending ? sql.literal("- 1") : sql`+ ${limit}::int4`} as sequence
        from session_messages message join context_sessions session on session.instance_id = message.instance_id
          and session.id = message.session_id
        where message.instance_id = ${instanceId} and message.session_id = ${id}::uuid
          and message.id = ${start.messageId}::uuid`
          : sql`select ${start.at === "after" ? start.sequence : ascending ? 0 : 2_147_483_647}::int4 as sequence`
      const near = start.at === "around" ? start.messageId : null
      const read = sql`select * from (
          select message.*, row_number() over (order by message.sequence ${sql.literal(order)}) as place,
            count(*) over () as available, coalesce(message.id = ${near}::uuid, false) as near
          from (select * from session_messages message where ${all}
            and message.sequence ${sql.literal(ascending ? ">" : "<")} edge.sequence
            order by message.sequence ${sql.literal(order)} limit ${limit + 1}) message) message
        where message.place <= ${limit}`
      const size = `octet_length(item.content) + coalesce(octet_length(item.metadata::text), 0)
        + coalesce(octet_length(item.attachments::text), 0)`
      const fitting = sql`select message.place, message.near, message.available, ${sql.literal(messageJson)} as message
        from (${withinPage(sql, { name: "read", size, rows: read })}) message`
      const shown = withinPage(sql, {
        name: "shown",
        size: "octet_length(item.message::text) + 1",
        rows: fitting
      })
      const found = yield* pageRows.all(sql`with edge as (${edge})
    select page.message, page.place < page.available as more from edge left join lateral (${shown}) page on true
      order by page.place`)
      if (found.length === 0) return undefined

      return {
        records: found.flatMap(({ message }) => message ?? []),
        more: found.at(-1)?.more === true
      }
    })
  }) satisfies Partial<Store>
