// Messages of sessions in PostgreSQL, in the order of their sequence (docs/contract.md §5).
import { SessionMessage } from "@rapport/contract/sessions/SessionsApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { SessionStore } from "@rapport/core/sessions/SessionStore.ts"
import { Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { contextWriteEntry } from "../audit/ContextWriteEntry.ts"
import { query, recordsOf, rowsOf } from "../sql/Query.ts"
import { type Column } from "../sql/ListQuery.ts"
import { withinPage } from "../sql/PageBytes.ts"
import { recordJson } from "../sql/Records.ts"

type Random = SecureRandom.SecureRandom["Service"]
type Sql = SqlClient.SqlClient
type Store = SessionStore["Service"]

/** Of `session_messages message`. */
const messageColumns: Readonly<Record<string, Column>> = {
  id: { sql: "message.id" },
  sessionId: { sql: "message.session_id" },
  sequence: { sql: "message.sequence" },
  role: { sql: "message.role" },
  content: { sql: "message.content" },
  externalMessageId: { sql: "message.external_message_id" },
  metadata: { sql: "message.metadata" },
  occurredAt: { sql: "message.occurred_at", time: true },
  recordedAt: { sql: "message.recorded_at", time: true }
}

const messageJson = recordJson(messageColumns, Object.keys(SessionMessage.fields))

const messageRows = recordsOf(Schema.toCodecJson(SessionMessage))

/** A session without messages in the stretch is one row without a message. */
const pageRows = rowsOf(
  Schema.Struct({
    message: Schema.NullOr(Schema.toCodecJson(SessionMessage)),
    more: Schema.NullOr(Schema.Boolean)
  })
)

const openRows = rowsOf(Schema.Struct({ status: Schema.String, client: Schema.Int, count: Schema.Int }))

export const jsonOf = (value: Readonly<Record<string, unknown>> | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)

/** Messages of a session, whose row lock gives them their sequence. */
export const messageOperations = (sql: Sql, random: Random) =>
  ({
    add: query("SessionStore.add", function* (writer, id, request, now) {
      const { instanceId } = writer.session
      const { client, count, status } = yield* locked(sql, instanceId, id)
      if (request.externalMessageId !== undefined) {
        const before = yield* messageRows.find(
          sql`select ${sql.literal(messageJson)} as record from session_messages message
              where message.instance_id = ${instanceId}
        and message.session_id = ${id}::uuid and message.external_message_id = ${request.externalMessageId}`
        )
        if (before !== undefined) return { _tag: "Before", message: before } as const
      }
      if (status === "closed") return { _tag: "Closed" } as const
      const message: SessionMessage = {
        id: yield* random.uuidV7(),
        sessionId: id,
        sequence: count + 1,
        role: request.role,
        content: request.content,
        externalMessageId: request.externalMessageId ?? null,
        metadata: request.metadata ?? null,
        occurredAt: request.occurredAt ?? now,
        recordedAt: now
      }
      const entry = yield* contextWriteEntry(sql, "counted", writer, {
        sessionId: id,
        messageId: message.id
      })
      yield* sql`with counted as (update context_sessions set message_count = ${message.sequence}
      where instance_id = ${instanceId} and id = ${id}::uuid returning id, client_id), entry as (${entry})
    insert into session_messages (instance_id, session_id, sequence, id, client_id, role, content, metadata, occurred_at,
      recorded_at, external_message_id)
    select ${instanceId}, id, ${message.sequence}, ${message.id}::uuid, ${client}, ${message.role}, ${message.content},
      ${jsonOf(message.metadata ?? undefined)}::text::json, ${isoOf(message.occurredAt)}::timestamptz,
      ${isoOf(now)}::timestamptz, ${message.externalMessageId} from counted`
      return { _tag: "Added", message } as const
    })
  }) satisfies Partial<Store>

/** Messages by their sequence, in pages of bounded bytes. */
export const messagePages = (sql: Sql) =>
  ({
    message: query("SessionStore.message", (instanceId, sessionId, id) =>
      messageRows.get(sql`select ${sql.literal(messageJson)} as record from session_messages message
        where message.instance_id = ${instanceId} and message.session_id = ${sessionId}::uuid and message.id = ${id}::uuid`)
    ),

    messages: query("SessionStore.messages", function* (instanceId, id, { limit, order, start }) {
      const ascending = order === "asc"
      const all = sql`message.instance_id = ${instanceId} and message.session_id = ${id}::uuid`
      const before = Math.floor((limit - 1) / 2)
      // A full page with the message in its middle; at the ends the page moves inwards.
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
      const size = "octet_length(item.content) + coalesce(octet_length(item.metadata::text), 0)"
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

const locked = (sql: Sql, instanceId: number, id: string) =>
  openRows.get(sql`select status, client_id::float8 as client, message_count as count from context_sessions
    where instance_id = ${instanceId} and id = ${id}::uuid for update`)
