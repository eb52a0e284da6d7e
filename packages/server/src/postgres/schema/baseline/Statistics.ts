// The base of statistics: a narrow row for each chat and ticket, maintained by triggers in the transaction of every change; calendars
// and targets for its times (contract §9.3, docs/statistics.md).
import { afterStatements } from "./StatementTriggers.ts"

/** The client of an outgoing dialogue waits from their first message; a ticket has to be solved from its beginning. */
const answeredFrom = "(case when is_outgoing then first_client_at else created_at end)"
const solvedFrom = "(case when is_outgoing and kind = 'chat' then first_client_at else created_at end)"
const millisUntil = (end: string, start: string): string =>
  `case when ${end} < ${start} then 0 else (extract(epoch from ${end} - ${start}) * 1000)::float8 end`
const epochMillis = (time: string): string =>
  `(extract(epoch from ${time} - timestamptz '1970-01-01 00:00:00+00') * 1000)::float8`
const isOutgoing = (a: string): string =>
  `(${a}.is_outgoing or ${a}.kind = 'ticket' and ${a}.author_type = 'operator')`

export const statistics: ReadonlyArray<string> = [
  // Columns have the names of `appeals`, so that the conditions of visibility apply. Milliseconds are whole numbers in a double.
  `create table dialogues (
    instance_id int8 not null,
    appeal_id int8 not null,
    created_at timestamptz(3) not null,
    closed_at timestamptz(3),
    first_operator_at timestamptz(3),
    subject_id int8,
    operator_id int8,
    author_id int8,
    kind text not null,
    priority text not null,
    is_outgoing boolean not null,
    first_client_at timestamptz(3),
    messages int4 not null,
    own_messages int4 not null,
    -- How many times it went from closed, or from a status of the group done, back to another.
    reopenings int4 not null default 0,
    status text not null,
    status_group text not null,
    channel text,
    operator_ids int8[] not null,
    created_ms float8 generated always as (${epochMillis("created_at")}) stored,
    tfr_from_ms float8 generated always as (${epochMillis(answeredFrom)}) stored,
    ttc_from_ms float8 generated always as (${epochMillis(solvedFrom)}) stored,
    tfr_ms float8 generated always as (${millisUntil("first_operator_at", answeredFrom)}) stored,
    ttc_ms float8 generated always as (${millisUntil("closed_at", solvedFrom)}) stored,
    primary key (instance_id, appeal_id),
    foreign key (instance_id, appeal_id) references appeals (instance_id, id)
  ) with (fillfactor = 85)`,
  `create index dialogues_created on dialogues (instance_id, kind, created_at desc, appeal_id desc)`,
  // An appeal that is created with its messages is counted by the trigger on its messages.
  `create function dialogue_created() returns trigger language plpgsql as $$
  begin
    insert into dialogues (instance_id, appeal_id, created_at, closed_at, subject_id, operator_id, author_id, messages,
      own_messages, status, status_group, channel, operator_ids, kind, priority, is_outgoing)
    select c.instance_id, c.id, c.created_at, c.closed_at, c.subject_id, c.operator_id, c.author_id, 0, 0, c.status,
      c.status_group, c.channel, c.operator_ids, c.kind, c.priority, ${isOutgoing("c")}
    from changed c where c.message_count = 0
    on conflict (instance_id, appeal_id) do nothing;
    return null;
  end $$`,
  ...afterStatements("appeals", ["insert"], "dialogue_created"),
  // The lateral join looks up each appeal by its key: a plan made for a small table would read all of them.
  `create function dialogue_messages_added() returns trigger language plpgsql as $$
  begin
    insert into dialogues (instance_id, appeal_id, created_at, closed_at, first_operator_at, subject_id, operator_id,
      author_id, messages, own_messages, status, status_group, channel, operator_ids, kind, priority, is_outgoing,
      first_client_at)
    select a.instance_id, a.id, a.created_at, a.closed_at,
      min(c.occurred_at) filter (where c.author_type = 'operator' and c.visibility = 'public'), a.subject_id,
      a.operator_id, a.author_id, count(*) filter (where c.visibility = 'public'),
      count(*) filter (where c.author_type = 'operator' and c.author_id = a.operator_id and c.visibility = 'public'),
      a.status, a.status_group, a.channel, a.operator_ids, a.kind, a.priority, ${isOutgoing("a")},
      min(c.occurred_at) filter (where c.author_type = 'client')
    from (select distinct instance_id, appeal_id from changed) written cross join lateral (
        select found.instance_id, found.id, found.created_at, found.closed_at, found.subject_id, found.operator_id,
          found.author_id, found.status, found.status_group, found.channel, found.operator_ids, found.kind, found.priority,
          found.is_outgoing, found.author_type from appeals found
        where found.instance_id = written.instance_id and found.id = written.appeal_id limit 1) a
      join changed c on c.instance_id = a.instance_id and c.appeal_id = a.id
    group by a.instance_id, a.id, a.created_at, a.closed_at, a.subject_id, a.operator_id, a.author_id, a.status,
      a.status_group, a.channel, a.operator_ids, a.kind, a.priority, a.is_outgoing, a.author_type
    on conflict (instance_id, appeal_id) do update set
      first_operator_at = least(dialogues.first_operator_at, excluded.first_operator_at),
      first_client_at = least(dialogues.first_client_at, excluded.first_client_at),
      messages = dialogues.messages + excluded.messages,
      own_messages = dialogues.own_messages + excluded.own_messages;
    -- What an operator wrote before the client of an outgoing dialogue answers nothing.
    update dialogues d set first_operator_at = (select min(m.occurred_at) from appeal_messages m
        where m.instance_id = d.instance_id and m.appeal_id = d.appeal_id and m.author_type = 'operator'
          and m.visibility = 'public' and m.occurred_at >= d.first_client_at)
    from (select c.instance_id, c.appeal_id, min(c.occurred_at) filter (where c.author_type = 'client') as client_at
      from changed c group by c.instance_id, c.appeal_id) written
    where d.instance_id = written.instance_id and d.appeal_id = written.appeal_id and d.is_outgoing
      and (d.first_operator_at < d.first_client_at or d.first_client_at = written.client_at);
    return null;
  end $$`,
  ...afterStatements("appeal_messages", ["insert"], "dialogue_messages_added"),
  // Recounts messages of the operator when the operator changes.
  `create function dialogue_changed() returns trigger language plpgsql as $$
  begin
    update dialogues d set created_at = n.created_at, closed_at = n.closed_at, subject_id = n.subject_id,
      operator_id = n.operator_id, status = n.status, status_group = n.status_group, channel = n.channel,
      priority = n.priority, operator_ids = n.operator_ids,
      -- A status that changes its group reopens no ticket.
      reopenings = d.reopenings + (n.status <> o.status and o.status_group = 'done' and n.status_group <> 'done')::int4,
      own_messages = case when n.operator_id is not distinct from o.operator_id then d.own_messages else
        (select count(*) from appeal_messages m where m.instance_id = n.instance_id and m.appeal_id = n.id
          and m.author_type = 'operator' and m.author_id = n.operator_id and m.visibility = 'public') end
    from changed n join before o on o.instance_id = n.instance_id and o.id = n.id
    where d.instance_id = n.instance_id and d.appeal_id = n.id
      and (n.created_at, n.closed_at, n.subject_id, n.operator_id, n.status, n.status_group, n.channel, n.priority,
          n.operator_ids) is distinct from
        (o.created_at, o.closed_at, o.subject_id, o.operator_id, o.status, o.status_group, o.channel, o.priority,
          o.operator_ids);
    return null;
  end $$`,
  ...afterStatements("appeals", ["update"], "dialogue_changed"),
  `create table calendars (
    instance_id int8 not null references instances,
    id int8 generated by default as identity,
    name text not null,
    timezone text not null,
    weekly json not null,
    holidays text[] not null,
    version int8 not null default 1,
    primary key (instance_id, id),
    unique (id)
  )`,
  `create table sla_targets (
    instance_id int8 not null,
    subject_id int8 not null,
    tfr_sec int4,
    ttc_sec int4,
    calendar_id int8,
    overrides json not null default '[]',
    primary key (instance_id, subject_id),
    foreign key (instance_id, subject_id) references subjects (instance_id, id),
    foreign key (instance_id, calendar_id) references calendars (instance_id, id)
  )`,
  `create index client_actions_csat on client_actions (instance_id, occurred_at) where type = 'csat.answered'`
]
