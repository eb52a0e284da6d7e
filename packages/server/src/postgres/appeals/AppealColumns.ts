// The columns of chats and tickets in `appeals a`, with the records that lists include (contract §7).
import { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import { Chat, chats } from "@rapport/contract/appeals/ChatsApi.ts"
import { Ticket, tickets } from "@rapport/contract/appeals/TicketsApi.ts"
import { APPEAL_MESSAGES_INDEXED_MAX, APPEAL_MESSAGES_NORMAL_MAX } from "@rapport/contract/Limits.ts"
import { sql } from "../sql/Fragment.ts"
import { type Column, columnsOf, recordJson, wireJson } from "../sql/Columns.ts"
import { visibleAppealText } from "../sql/Visibility.ts"
import { userColumns } from "../users/UserColumns.ts"

type Columns = Readonly<Record<string, Column>>

const skillGroupIds = `array(select link.skill_group_id from skill_group_subjects link
  where link.instance_id = a.instance_id and link.subject_id = a.subject_id order by 1)`

const common = {
  id: { required: true },
  clientId: { required: true, client: true },
  skillGroupIds: { sql: skillGroupIds },
  skillGroupId: {
    sql: skillGroupIds,
    among: {
      column: "a.subject_id",
      of: `select link.subject_id from skill_group_subjects link
        where link.instance_id = (select instance_id from caller) and link.skill_group_id`
    }
  },
  searchCoverage: {
    sql: `case when a.message_count > ${APPEAL_MESSAGES_INDEXED_MAX} then 'incomplete'
      when a.message_count > ${APPEAL_MESSAGES_NORMAL_MAX} then 'delayed' else 'complete' end`
  },
  customFields: {
    pairs: (test) => sql`exists (select 1 from json_each(a.custom_fields) custom_field
      where ${test("custom_field.key", "custom_field.value")})`,
    indexedPairs: "field_values(a.custom_fields)"
  },
  createdAt: { required: true },
  updatedAt: { required: true }
} satisfies Readonly<Record<string, Partial<Column>>>

export const chatColumns = columnsOf("a", Chat.fields, {
  ...common,
  messageCount: { required: true },
  postponedUntil: { sql: "case when a.status = 'postponed' then a.postponed_until end" }
})

const statusPosition = `(select ticket_status.position from ticket_statuses ticket_status
  where ticket_status.instance_id = a.instance_id and ticket_status.name = a.status)`

const ticketColumns = columnsOf("a", Ticket.fields, {
  ...common,
  number: { required: true },
  // Statuses are ordered by their position.
  status: { order: statusPosition },
  statusPosition: { sql: statusPosition }
})

/** Ticket columns for a caller: only the chats of the ticket that they may see. */
export const seenTicketColumns: Columns = {
  ...ticketColumns,
  chatIds: {
    sql: `(case when u.everything or a.chat_ids = '{}' then a.chat_ids else array(
      select seen.id from unnest(a.chat_ids) with ordinality as named(chat_id, place), lateral (
        select a.id from appeals a where a.instance_id = u.instance_id and a.id = named.chat_id and ${visibleAppealText}) seen
      order by named.place) end)`
  }
}

export const chatJson = recordJson(chatColumns, chats.members)
/** Of a row that was just written: with every chat that it names. */
export const ticketJson = recordJson(ticketColumns, tickets.members)

export const seenTicketJson = recordJson(seenTicketColumns, tickets.members)

/** Of `appeal_messages message`. */
const messageColumns = columnsOf("message", AppealMessage.fields, {
  attachments: { sql: "coalesce(message.attachments, '[]'::json)" }
})
export const messageJson = recordJson(messageColumns, Object.keys(AppealMessage.fields))

const person = (
  member: string
): string => `(select ${wireJson(userColumns("person", "access"), ["id", "displayName", "status", "presence"])}
  from users person where person.instance_id = a.instance_id and person.id = ${member})`

const included = {
  client: `(select json_build_object('id', client.id, 'name', client.name) from clients client
    where client.instance_id = a.instance_id and client.id = a.client_id)`,
  operator: person("a.operator_id"),
  subject: `(select json_build_object('id', subject.id, 'name', subject.name, 'alias', subject.alias) from subjects subject
    where subject.instance_id = a.instance_id and subject.id = a.subject_id)`,
  skillGroups: `(select coalesce(json_agg(json_build_object('id', skill_group.id, 'name', skill_group.name)
    order by skill_group.id), '[]')
    from skill_group_subjects link join skill_groups skill_group on skill_group.instance_id = link.instance_id
      and skill_group.id = link.skill_group_id
    where link.instance_id = a.instance_id and link.subject_id = a.subject_id)`
}

export const chatIncludes: Readonly<Record<string, string>> = {
  ...included,
  lastMessage: `(select ${wireJson(messageColumns, Object.keys(messageColumns))} from appeal_messages message
    where message.instance_id = a.instance_id and message.appeal_id = a.id and message.visibility = 'public'
    order by message.sequence desc limit 1)`
}

/** Of the chats of a ticket those are shown that the caller may see. */
export const ticketIncludes: Readonly<Record<string, string>> = {
  ...included,
  author: person("a.author_id"),
  chats: `(select coalesce(json_agg(seen.chat order by seen.id), '[]') from unnest(a.chat_ids) as named(chat_id), lateral (
    select a.id, ${wireJson(chatColumns, ["id", "status", "channel", "createdAt", "closedAt"])} as chat
    from appeals a where a.instance_id = u.instance_id and a.id = named.chat_id and ${visibleAppealText}) seen)`
}
