// How a message of the client continues a postponed chat, and reopens a closed chat or a ticket that is done (contract §7, "Status").
import { type Fragment, sql } from "../sql/Fragment.ts"

interface ClientMessage {
  /** SQL of whether a client wrote it, publicly. */
  readonly isClient: Fragment
  readonly occurredAt: Fragment
}

/** SQL: the message of the client at `time` comes within reopenHours of the subject after the end of `a`. */
export const reopens = (a: string, time: Fragment): Fragment =>
  sql`exists (select 1 from subjects subject where subject.instance_id = ${sql.literal(a)}.instance_id
    and subject.id = ${sql.literal(a)}.subject_id and subject.reopen_hours > 0
    and ${time} <= ${sql.literal(a)}.closed_at + make_interval(hours => subject.reopen_hours))`

/**
 * `lateral (…)` with `continued` and the status and status_group after a message. `a` is the alias of the locked row of `appeals` before
 * it, `isReopened` SQL of whether the message may reopen it.
 */
export const continuedBy = (
  a: string,
  { isClient, occurredAt }: ClientMessage,
  isReopened: Fragment
): Fragment => {
  const appeal = sql.literal(a)
  return sql`lateral (select known.continued, known.continued and known.is_done as reopened,
      case when known.continued then coalesce(step.name, case when ${appeal}.operator_id is null then 'waiting' else 'active' end)
        else ${appeal}.status end as status,
      case when known.continued then coalesce(step.status_group, case when ${appeal}.operator_id is null then 'new' else 'open' end)
        else ${appeal}.status_group end as status_group
    from (select ${appeal}.status_group = 'done' as is_done, ${isClient} and case
          when ${appeal}.status_group = 'done' then ${isReopened}
          else ${appeal}.kind = 'chat' and ${appeal}.status = 'postponed'
            and coalesce(${appeal}.last_message_at <= ${occurredAt}, true) end as continued offset 0) known
      left join lateral (select ticket_status.name, ticket_status.status_group from ticket_statuses ticket_status
        where ${appeal}.kind = 'ticket' and ticket_status.instance_id = ${appeal}.instance_id
          and ticket_status.status_group in ('open', 'new')
        order by ticket_status.status_group = 'open' desc, ticket_status.position limit 1) step on known.continued)`
}

/** Assignments of `appeals a` from `row`, which has the columns of `continuedBy`. */
export const continuation = (
  row: string
): string => `status = ${row}.status, status_group = ${row}.status_group,
  closed_at = case when ${row}.reopened then null else a.closed_at end,
  closed_by = case when ${row}.reopened then null else a.closed_by end,
  postponed_until = case when ${row}.continued then null else a.postponed_until end,
  version = a.version + case when ${row}.continued then 1 else 0 end`
