// The conversation whose last client messages make the query of a context read (contract §3.1).
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import {
  type Conversation,
  CONVERSATION_QUERY_MESSAGES_MAX,
  CONVERSATION_QUERY_POINTS_MAX
} from "@rapport/core/context/read/ConversationQuery.ts"
import type { ContextScope } from "@rapport/core/context/read/ContextStore.ts"
import { Schema } from "effect"
import type { Statement } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { valuesOf } from "../sql/Query.ts"
import {
  appealVisible,
  callerOf,
  holds,
  namedVisible,
  openedEntities,
  survivorId
} from "../sql/Visibility.ts"

export const conversationRows = valuesOf(
  Schema.Struct({
    appealId: Schema.NullOr(Schema.Int),
    sessionId: Schema.NullOr(Schema.String),
    texts: Schema.Array(Schema.String)
  })
)

/** No row: unknown, hidden from the caller, or of another client than that of the scope. */
export const conversationStatement = (
  sql: Sql,
  caller: Caller,
  scope: ContextScope,
  { appealId, sessionId }: NonNullable<ContextRequest["conversation"]>
): Statement.Statement<unknown> => {
  const { instanceId } = caller
  const ofScope = (client: string) =>
    scope.entity === "client"
      ? sql` and ${sql.literal(client)} = ${survivorId(instanceId, scope.id)}`
      : sql.literal("")
  return sessionId === undefined
    ? sql`with ${callerOf(caller)}
        select json_build_object('appealId', a.id, 'sessionId', null, 'texts', ${appealTexts}) as conversation
        from appeals a, caller u where a.instance_id = ${instanceId} and a.id = ${appealId}
          and ${holds("context.read")} and ${appealVisible}${ofScope("a.client_id")}`
    : sql`with ${callerOf(caller)}
        select json_build_object('appealId', session.appeal_id, 'sessionId', session.id, 'texts', ${sessionTexts}) as conversation
        from context_sessions session where session.instance_id = ${instanceId} and session.id = ${sessionId}::uuid
          and exists (${openedEntities("client", sql.literal("= session.client_id"))})
          and ${namedVisible("session")}${ofScope("session.client_id")}`
}

const latest = (rows: Fragment): Fragment =>
  sql`(select coalesce(json_agg(left(latest.text, ${sql.literal(String(CONVERSATION_QUERY_POINTS_MAX * 2))})
    order by latest.sequence desc), '[]')
  from (${rows} order by sequence desc limit ${sql.literal(String(CONVERSATION_QUERY_MESSAGES_MAX))}) latest)`

/** A ticket of a client begins with its title and description. */
const appealTexts = latest(
  sql.literal(`select message.sequence, message.text from appeal_messages message
      where message.instance_id = a.instance_id and message.appeal_id = a.id and message.author_type = 'client'
    union all
    select 0, concat_ws(E'\\n', a.title, nullif(a.description, '')) where a.kind = 'ticket' and a.author_type = 'client'`)
)

const sessionTexts = latest(
  sql.literal(`select message.sequence, message.content as text from session_messages message
      where message.instance_id = session.instance_id and message.session_id = session.id and message.role = 'client'`)
)

/** ` and …`: a session, whose id is in the column, is not of the conversation. */
export const notOf = (
  row: "session" | "source",
  conversation: Conversation | null,
  id: "id" | "session_id" = "id"
): Fragment =>
  conversation === null
    ? sql.literal("")
    : sql` and ${sql.literal(`${row}.${id}`)} is distinct from ${conversation.sessionId}::uuid
        and (${sql.literal(`${row}.appeal_id`)} is null
          or ${sql.literal(`${row}.appeal_id`)} is distinct from ${conversation.appealId}::int8)`
