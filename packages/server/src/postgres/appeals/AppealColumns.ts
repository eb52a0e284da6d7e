// The columns of chats and tickets in `appeals a`, with the records that lists include (contract §7).
import { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import { Chat, chats } from "@rapport/contract/appeals/ChatsApi.ts"
import { Ticket, tickets } from "@rapport/contract/appeals/TicketsApi.ts"
import { APPEAL_MESSAGES_INDEXED_MAX, APPEAL_MESSAGES_NORMAL_MAX } from "@rapport/contract/Limits.ts"
import { Schema } from "effect"
import type { Column } from "../sql/ListQuery.ts"
import { recordsOf } from "../sql/Query.ts"
import { recordJson } from "../sql/Records.ts"
import { wireTime } from "../sql/SqlTime.ts"
import { visibleAppealText } from "../sql/Visibility.ts"
import { userColumns } from "../users/UserColumns.ts"

type Columns = Readonly<Record<string, Column>>

const skillGroupIds = `array(select link.skill_group_id from skill_group_subjects link
  where link.instance_id = a.instance_id and link.subject_id = a.subject_id order by 1)`

const common: Columns = {
  id: { sql: "a.id", required: true },
  clientId: { sql: "a.client_id", required: true, client: true },
  operatorId: { sql: "a.operator_id" },
  subjectId: { sql: "a.subject_id" },
  skillGroupIds: { sql: skillGroupIds },
  skillGroupId: {
    sql: skillGroupIds,
    among: {
      column: "a.subject_id",
      of: `select link.subject_id from skill_group_subjects link
        where link.instance_id = (select instance_id from caller) and link.skill_group_id`
    }
  },
  priority: { sql: "a.priority" },
  channel: { sql: "a.channel" },
  searchCoverage: {
    sql: `case when a.message_count > ${APPEAL_MESSAGES_INDEXED_MAX} then 'incomplete'
      when a.message_count > ${APPEAL_MESSAGES_NORMAL_MAX} then 'delayed' else 'complete' end`
  },
  tags: { sql: "a.tags" },
  createdAt: { sql: "a.created_at", time: true, required: true },
  updatedAt: { sql: "a.updated_at", time: true, required: true },
  closedAt: { sql: "a.closed_at", time: true },
  externalId: { sql: "a.external_id" },
  source: { sql: "a.source" },
  version: { sql: "a.version" }
}

export const chatColumns: Columns = {
  ...common,
  chatId: { sql: "a.chat_id" },
  botId: { sql: "a.bot_id" },
  operatorIds: { sql: "a.operator_ids" },
  status: { sql: "a.status" },
  isOutgoing: { sql: "a.is_outgoing" },
  comment: { sql: "a.comment" },
  messageCount: { sql: "a.message_count", required: true },
  waitingSince: { sql: "a.waiting_since", time: true },
  firstResponseAt: { sql: "a.first_response_at", time: true },
  lastMessageAt: { sql: "a.last_message_at", time: true },
  closedBy: { sql: "a.closed_by" },
  postponedUntil: { sql: "case when a.status = 'postponed' then a.postponed_until end", time: true }
}

const statusPosition = `(select ticket_status.position from ticket_statuses ticket_status
  where ticket_status.instance_id = a.instance_id and ticket_status.name = a.status)`

const ticketColumns: Columns = {
  ...common,
  number: { sql: "a.number", required: true },
  title: { sql: "a.title" },
  description: { sql: "a.description" },
  authorType: { sql: "a.author_type" },
  authorId: { sql: "a.author_id" },
  // Statuses are ordered by their position.
  status: { sql: "a.status", order: statusPosition },
  statusPosition: { sql: statusPosition },
  statusGroup: { sql: "a.status_group" },
  chatIds: { sql: "a.chat_ids" },
  customFields: {
    sql: "a.custom_fields",
    pairs: (sql, test) => sql`exists (select 1 from json_each(a.custom_fields) custom_field
      where ${test("custom_field.key", "custom_field.value")})`
  },
  dueAt: { sql: "a.due_at", time: true }
}

/** Ticket columns for a caller: only chats of the ticket that meet `visible`, the condition of appealVisible. */
export const seenTicketColumns = (visible: string): Columns => ({
  ...ticketColumns,
  chatIds: {
    sql: `(case when u.everything or a.chat_ids = '{}' then a.chat_ids else array(
      select seen.id from unnest(a.chat_ids) with ordinality as named(chat_id, place), lateral (
        select a.id from appeals a where a.instance_id = u.instance_id and a.id = named.chat_id and ${visible}) seen
      order by named.place) end)`
  }
})

export const chatJson = recordJson(chatColumns, chats.members)
/** Of a row that was just written: with every chat that it names. */
export const ticketJson = recordJson(ticketColumns, tickets.members)

export const seenTicketJson = recordJson(seenTicketColumns(visibleAppealText), tickets.members)

/** Of `appeal_messages message`. */
const messageColumns: Columns = {
  id: { sql: "message.id" },
  appealId: { sql: "message.appeal_id" },
  sequence: { sql: "message.sequence" },
  authorType: { sql: "message.author_type" },
  authorId: { sql: "message.author_id" },
  text: { sql: "message.text" },
  occurredAt: { sql: "message.occurred_at", time: true },
  recordedAt: { sql: "message.recorded_at", time: true },
  externalMessageId: { sql: "message.external_message_id" },
  delivery: { sql: "message.delivery" },
  visibility: { sql: "message.visibility" },
  attachments: { sql: "coalesce(message.attachments, '[]'::json)" },
  version: { sql: "message.version" },
  editedAt: { sql: "message.edited_at", time: true },
  deletedAt: { sql: "message.deleted_at", time: true }
}
export const messageJson = recordJson(messageColumns, Object.keys(AppealMessage.fields))

export const chatRows = recordsOf(Schema.toCodecJson(Chat))
export const ticketRows = recordsOf(Schema.toCodecJson(Ticket))

/** In the form of the wire, as includes go out unread. */
const shownJson = (columns: Columns, members: ReadonlyArray<string>): string =>
  recordJson(
    Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [
        name,
        column.time === true ? { sql: wireTime(column.sql) } : column
      ])
    ),
    members
  )

const person = (
  member: string
): string => `(select ${shownJson(userColumns("person", "access"), ["id", "displayName", "status", "presence"])}
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
  lastMessage: `(select ${shownJson(messageColumns, Object.keys(messageColumns))} from appeal_messages message
    where message.instance_id = a.instance_id and message.appeal_id = a.id and message.visibility = 'public'
    order by message.sequence desc limit 1)`
}

/** `visible` is the condition of appealVisible: of the chats of a ticket those are shown that the caller may see. */
export const ticketIncludes = (visible: string): Readonly<Record<string, string>> => ({
  ...included,
  author: person("a.author_id"),
  chats: `(select coalesce(json_agg(seen.chat order by seen.id), '[]') from unnest(a.chat_ids) as named(chat_id), lateral (
    select a.id, ${shownJson(chatColumns, ["id", "status", "channel", "createdAt", "closedAt"])} as chat
    from appeals a where a.instance_id = u.instance_id and a.id = named.chat_id and ${visible}) seen)`
})
