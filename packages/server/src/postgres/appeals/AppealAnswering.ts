// The effects of a message on a chat: since when the client waits, and when the first answer came (contract §7, waitingSince,
// firstResponseAt). The rule of core's `answeringAfter` in SQL, for a message that is written into a stored chat.
import { type Fragment, sql } from "../sql/Fragment.ts"

/**
 * `lateral (…)` with is_late, client_wrote, waiting_since and first_response_at after a message. `a` is the alias of the locked row of
 * `appeals` before it. A late message, before which others were said, is placed among the stored messages; they must be those of
 * the row. Notes change nothing: their author and time are null. client_wrote needs them only where the row itself does not show it.
 */
export const answeredBy = (
  a: string,
  { authorType, occurredAt }: { readonly authorType: Fragment; readonly occurredAt: Fragment }
): Fragment => {
  const appeal = (column: string) => sql.literal(`${a}.${column}`)
  const messages = sql`appeal_messages message where message.instance_id = ${appeal("instance_id")}
    and message.appeal_id = ${appeal("id")} and message.visibility = 'public'`
  // A wait that does not date from the creation dates from a message of the client.
  const clientWrote = sql`${appeal("first_response_at")} is not null
    or coalesce(${appeal("waiting_since")} <> ${appeal("created_at")}, false)
    or exists (select 1 from ${messages} and message.author_type = 'client')`
  return sql`lateral (
    select known.is_late, known.client_wrote,
      case when ${appeal("kind")} = 'ticket' then ${appeal("waiting_since")}
        when known.is_late then history.waiting_since
        when known.author_type = 'operator' then null
        when known.author_type = 'client' and known.client_wrote
          then coalesce(${appeal("waiting_since")}, known.occurred_at)
        when known.author_type = 'client' then known.occurred_at
        else ${appeal("waiting_since")} end as waiting_since,
      case when ${appeal("kind")} = 'ticket' then ${appeal("first_response_at")}
        when known.is_late then history.first_response_at
        when known.author_type = 'operator' and known.client_wrote
          then coalesce(${appeal("first_response_at")}, known.occurred_at)
        else ${appeal("first_response_at")} end as first_response_at
    from (select ${authorType} as author_type, ${occurredAt} as occurred_at, ${clientWrote} as client_wrote,
        coalesce(${appeal("last_message_at")} > ${occurredAt}, false) as is_late offset 0) known
      left join ${history(appeal, messages)} on true)`
}

/** The same of all messages as one history, which only a late message reads; of two of the same time the new one is the later. */
const history = (appeal: (column: string) => Fragment, messages: Fragment): Fragment =>
  sql`lateral (
    with said as (
      select message.author_type, message.occurred_at, ${place("message.occurred_at", sql`message.sequence`)} as place
        from ${messages} and message.author_type in ('client', 'operator') and known.is_late
      union all select known.author_type, known.occurred_at,
          ${place("known.occurred_at", sql`${appeal("message_count")} + 1`)}
        where known.author_type in ('client', 'operator'))
    select coalesce(
        min(said.occurred_at) filter (where said.author_type = 'client'
          and (ends.last_operator is null or said.place > ends.last_operator)),
        case when count(said.place) = 0 and ${appeal("status")} = 'waiting' and not ${appeal("is_outgoing")}
          then ${appeal("created_at")} end) as waiting_since,
      min(said.occurred_at) filter (where said.author_type = 'operator' and said.place > ends.first_client)
        as first_response_at
    from (select max(said.place) filter (where said.author_type = 'operator') as last_operator,
        min(said.place) filter (where said.author_type = 'client') as first_client from said) ends
      left join said on true) history`

const place = (time: string, sequence: Fragment): Fragment =>
  sql`array[floor(extract(epoch from ${sql.literal(time)}) * 1000)::int8, (${sequence})::int8]`
