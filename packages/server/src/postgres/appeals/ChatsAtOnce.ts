// New chats whose history is not long, with their messages, receipts and entries in the audit log: those of several requests in one
// statement, which judges what each names as well. Each goes in where all is there for its caller and its key is free.
import { Chat, chats } from "@rapport/contract/appeals/ChatsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { AppealDraft, Named } from "@rapport/core/appeals/AppealDraft.ts"
import type { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import { distinctIds } from "@rapport/core/receipts/Writes.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import {
  type Batch,
  batchStatement,
  entriesOf,
  givenRows,
  keepingClients,
  perhapsLocked,
  rowOf
} from "../clients/WritesAtOnce.ts"
import { inProgressOrUnavailable } from "../receipts/ReceiptsPostgres.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { recordJson } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { clientReadable, holds, isCallerOf, rolesHold } from "../sql/Visibility.ts"
import { LOCKED, makeWriteBatches } from "../sql/WriteBatches.ts"
import { appealColumns } from "./AppealWrites.ts"
import { chatColumns } from "./AppealColumns.ts"

type Sql = SqlClient.SqlClient
type Store = AppealStore["Service"]

const chatJson = recordJson(chatColumns, chats.members)
const decodeChat = Schema.decodeUnknownEffect(Schema.toCodecJson(Chat))

/** Place, whether the caller may, and the chat where it was made. */
const OutcomeRow = Schema.Tuple([Schema.Int, Schema.Boolean, Schema.Unknown])
const outcomeRows = rowsOf(
  Schema.Struct({ outcomes: Schema.Array(OutcomeRow), locked: Schema.Array(Schema.Int) })
)
interface Opened {
  readonly isAllowed: boolean
  readonly chat: unknown
}
const undecided: Opened = { isAllowed: false, chat: null }

export const makeChatsAtOnce = (
  sql: Sql,
  notify: Effect.Effect<void>
): Effect.Effect<Pick<Store, "createChatAtOnce">> => {
  const write = batchStatement(sql, (batch) => writing(sql, batch))
  return Effect.map(
    makeWriteBatches<Opened>((instanceId, rows, mayWait) =>
      Effect.gen(function* () {
        const { locked, outcomes } = yield* outcomeRows.get(write(instanceId, rows, mayWait))
        if (outcomes.some(([, , chat]) => chat !== null)) yield* notify
        const byPlace = new Map(outcomes.map(([place, isAllowed, chat]) => [place, { isAllowed, chat }]))
        return rows.map((_, at) => (locked.includes(at + 1) ? LOCKED : (byPlace.get(at + 1) ?? undecided)))
      })
    ),
    (batched) => ({
      createChatAtOnce: (session, { claim, draft, isHistory, named }) =>
        queryOr(
          "AppealStore.createChatAtOnce",
          claim === null ? unavailableOrDie : inProgressOrUnavailable,
          () =>
            Effect.gen(function* () {
              const row = {
                ...(yield* rowOf({ session }, claim)),
                ...columnsOf(session, draft, named),
                is_history: isHistory
              }
              const { chat, isAllowed } = yield* batched(session.instanceId, JSON.stringify(row))
              const made = chat === null ? undefined : yield* Effect.orDie(decodeChat(chat))
              return { isAllowed, chat: made }
            })
        )()
    })
  )
}

const timeOf = (millis: number | null): string | null => (millis === null ? null : isoOf(millis))

/** What a row says of its chat, by the names of `own`. */
const columnsOf = (
  { roles, tokenId }: AuthorizedSession,
  { messages, ...draft }: AppealDraft,
  { authorIds, botIds, clientAuthorIds, clientId }: Named
) => ({
  is_operator: tokenId === null && roles.includes("operator"),
  author_ids: distinctIds(authorIds),
  client_author_ids: distinctIds(clientAuthorIds),
  bot_ids: distinctIds(botIds),
  client_id: clientId,
  subject_id: draft.subjectId,
  operator_id: draft.operatorId,
  operator_ids: draft.operatorIds,
  status: draft.status,
  status_group: draft.statusGroup,
  priority: draft.priority,
  channel: draft.channel,
  chat_id: draft.chatId,
  bot_id: draft.botId,
  is_outgoing: draft.isOutgoing,
  tags: draft.tags,
  comment: draft.comment,
  waiting_since: timeOf(draft.waitingSince),
  first_response_at: timeOf(draft.firstResponseAt),
  created_at: timeOf(draft.createdAt),
  updated_at: timeOf(draft.recordedAt),
  closed_at: timeOf(draft.closedAt),
  last_message_at: timeOf(messages.at(-1)?.occurredAt ?? null),
  message_count: messages.length,
  messages: messages.map(({ authorId, authorType, externalMessageId, occurredAt, text }) => ({
    author_type: authorType,
    author_id: authorId,
    text,
    occurred_at: isoOf(occurredAt),
    external_message_id: externalMessageId
  }))
})

/** Columns of `given` beside those of all writes. */
const own = [
  "is_history bool",
  "is_operator bool",
  "author_ids int8[]",
  "client_author_ids int8[]",
  "bot_ids int8[]",
  "client_id int8",
  "subject_id int8",
  "operator_id int8",
  "operator_ids int8[]",
  "status text",
  "status_group text",
  "priority text",
  "channel text",
  "chat_id text",
  "bot_id int8",
  "is_outgoing bool",
  "tags text[]",
  "comment text",
  "waiting_since timestamptz",
  "first_response_at timestamptz",
  "created_at timestamptz",
  "updated_at timestamptz",
  "closed_at timestamptz",
  "last_message_at timestamptz",
  "message_count int4",
  "messages json"
]

/** Of `given` and `caller u`: they may open a chat, bring a history where it is one, and are an operator where they were. */
const mayOpen = (sql: Sql) => sql`${holds(sql, "chats.manage")}
  and (not given.is_history or ${holds(sql, "appeals.import")})
  and given.is_operator = (u.token is null and 'operator' = any(u.roles))`

const allowedRows = (sql: Sql) => sql`given join allowed on allowed.place = given.place`

/** Of `given`, `caller u` and `clients c`: all that is named is there for the caller, as `supposing` says. */
const isThere = (
  sql: Sql,
  { instanceId }: Batch
) => sql`${sql.literal(isCallerOf("given"))} and c.instance_id = ${instanceId} and c.id = given.client_id
  and c.merged_into_id is null and c.erased_at is null and (u.everything or ${clientReadable(sql)})
  and (given.subject_id is null or exists (select 1 from subjects subject
    where subject.instance_id = u.instance_id and subject.id = given.subject_id))
  and (given.operator_id is null or given.operator_id in (select operator.id from held_operator operator))
  and not exists (select 1 from unnest(given.author_ids) as sent(id) where not exists (select 1 from users author
    where author.instance_id = u.instance_id and author.id = sent.id))
  and not exists (select 1 from unnest(given.client_author_ids) as sent(id) where not exists (select 1 from clients named
    where named.instance_id = u.instance_id and named.id = sent.id
      and coalesce(named.merged_into_id, named.id) = c.id))
  and not exists (select 1 from unnest(given.bot_ids) as sent(id) where not exists (select 1 from bots bot
    where bot.instance_id = u.instance_id and bot.id = sent.id))`

/** Receipts go in by key and chats by client, so that two batches never wait for each other. */
const writing = (sql: Sql, batch: Batch) => {
  const instance = sql`${batch.instanceId}::int8`
  return statement(
    sql,
    [
      ...givenRows(sql, batch, own, mayOpen(sql)),
      // Operators and the client are held, so that a block or a merge comes before or after, never between.
      cte(
        sql,
        "held_operator",
        sql`select operator.id from users operator where operator.instance_id = ${batch.instanceId}
          and operator.id in (select given.operator_id from given where given.operator_id is not null)
          and operator.status = 'active' and ${sql.literal(rolesHold("operator.roles", "chats.manage"))}
          order by operator.id for share`,
        "materialized"
      ),
      cte(
        sql,
        "fit",
        sql`select given.place from ${allowedRows(sql)}, caller u, clients c
          where ${isThere(sql, batch)} ${keepingClients(sql, batch)}`,
        "materialized"
      ),
      cte(
        sql,
        "a",
        sql`select given.place, nextval('appeals_id_seq') as id, ${instance} as instance_id, 'chat' as kind,
            given.client_id, given.subject_id, given.operator_id, given.operator_ids, null::int8 as author_id,
            'client' as author_type, null::int8 as number, null as title, null as description, given.status, given.status_group, given.priority,
            given.channel, given.chat_id, given.bot_id, '{}'::int8[] as chat_ids, given.is_outgoing, given.tags,
            given.comment, '{}'::json as custom_fields, given.message_count, given.waiting_since,
            given.first_response_at, given.last_message_at, null::timestamptz as due_at, null::int8 as closed_by,
            given.created_at, given.updated_at, given.closed_at, 1::int8 as version
          from fit join given on given.place = fit.place`,
        "materialized"
      ),
      cte(sql, "shown", sql.literal(`select a.place, ${chatJson} as record from a`), "materialized"),
      cte(
        sql,
        "claimed",
        sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
          select ${instance}, given.principal, 'chat.create', given.key, given.receipt_id, given.command,
            given.committed_at, shown.record
          from given join shown on shown.place = given.place where given.key is not null
          order by given.principal, given.key, given.place
          on conflict do nothing returning id`
      ),
      cte(
        sql,
        "made",
        sql`select shown.place, shown.record from shown join given on given.place = shown.place
            left join claimed on claimed.id = given.receipt_id
          where given.key is null or claimed.id is not null`,
        "materialized"
      ),
      ...insertions(sql, batch)
    ],
    sql`select coalesce(json_agg(json_build_array(allowed.place, true, made.record)), '[]') as outcomes,
        ${perhapsLocked(sql, batch, allowedRows(sql), isThere(sql, batch))} as locked
      from allowed left join made on made.place = allowed.place`
  )
}

/** What is written of those that were made. */
const insertions = (sql: Sql, batch: Batch) => [
  cte(
    sql,
    "appeal",
    sql.literal(`insert into appeals (${appealColumns})
      select ${appealColumns} from a where a.place in (select place from made) order by client_id`)
  ),
  cte(
    sql,
    "message",
    sql.literal(`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at,
        recorded_at, external_message_id)
      select a.instance_id, a.id, added.sequence, added.author_type, added.author_id, added.text, added.occurred_at,
        a.updated_at, added.external_message_id
      from a join made on made.place = a.place join given on given.place = a.place,
        rows from (json_to_recordset(given.messages) as (author_type text, author_id int8, text text,
          occurred_at timestamptz, external_message_id text)) with ordinality
          as added(author_type, author_id, text, occurred_at, external_message_id, sequence)`)
  ),
  cte(
    sql,
    "done",
    sql.literal(`select given.*, a.id as appeal_id from given join a on a.place = given.place
      join made on made.place = a.place`)
  ),
  entriesOf(
    sql,
    batch,
    "chat.create",
    "done",
    "json_build_object('clientId', client_id, 'messages', message_count)",
    ["chat", "appeal_id"]
  )
]
