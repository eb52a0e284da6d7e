// What decides since when a client waits and when the first answer came, read of an appeal before a message is written into it
// (docs/contract.md §7, waitingSince, firstResponseAt).
import { AuthorType } from "@rapport/contract/appeals/AppealsApi.ts"
import { Time } from "@rapport/contract/values/Time.ts"
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { timeOf } from "../sql/SqlTime.ts"

/** Core's `Answerable`. */
export const answerableFields = {
  waitingSince: Schema.NullOr(Time),
  firstResponseAt: Schema.NullOr(Time),
  clientWrote: Schema.Boolean,
  waits: Schema.Boolean,
  createdAt: Time,
  history: Schema.NullOr(Schema.Array(Schema.Struct({ authorType: AuthorType, occurredAt: Time })))
}

/** Arguments of json_build_object, of `appeals a`, for a message of that time. All messages are read where one is later. */
export const answerableJson = (sql: SqlClient.SqlClient, occurredAt: number): Statement.Fragment =>
  sql`'waitingSince', a.waiting_since, 'firstResponseAt', a.first_response_at,
    'waits', a.status = 'waiting' and not a.is_outgoing, 'createdAt', a.created_at,
    'clientWrote', a.first_response_at is not null or exists (select 1 from appeal_messages message
      where message.instance_id = a.instance_id and message.appeal_id = a.id and message.author_type = 'client'),
    'history', case when a.last_message_at > ${timeOf(sql, occurredAt)} then (
      select coalesce(json_agg(json_build_object('authorType', message.author_type, 'occurredAt', message.occurred_at)
          order by message.occurred_at, message.sequence), '[]')
        from appeal_messages message where message.instance_id = a.instance_id and message.appeal_id = a.id
          and message.author_type in ('client', 'operator')) end`
