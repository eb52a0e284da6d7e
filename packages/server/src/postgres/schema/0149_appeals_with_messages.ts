// An appeal that comes with its messages is counted and handed to the search index once, by its messages: a trigger on the
// appeal and another on the messages each wrote a row of the outbox and the row of the chat in the statistics.
export const appealsWithMessages: ReadonlyArray<string> = [
  // message_count is never above the messages that the transaction leaves behind.
  `create function appeals_opened_indexed() returns trigger language plpgsql as $$
  begin
    insert into outbox (instance_id, kind, key) select instance_id, 'evidence', id from changed where message_count = 0;
    return null;
  end $$`,
  `create or replace trigger appeals_inserted after insert on appeals referencing new table as changed
    for each statement execute function appeals_opened_indexed()`,
  `create or replace function dialogue_created() returns trigger language plpgsql as $$
  begin
    insert into dialogues (instance_id, appeal_id, created_at, closed_at, subject_id, operator_id, author_id, messages,
      own_messages, status, status_group, channel, operator_ids)
    select c.instance_id, c.id, c.created_at, c.closed_at, c.subject_id, c.operator_id, c.author_id, 0, 0, c.status,
      c.status_group, c.channel, c.operator_ids
    from changed c where c.kind = 'chat' and c.message_count = 0
    on conflict (instance_id, appeal_id) do nothing;
    return null;
  end $$`,
  // Each appeal is looked up by its key: a plan made while there were few read all of them.
  `create or replace function dialogue_messages_added() returns trigger language plpgsql as $$
  begin
    insert into dialogues (instance_id, appeal_id, created_at, closed_at, first_operator_at, subject_id, operator_id,
      author_id, messages, own_messages, status, status_group, channel, operator_ids)
    select a.instance_id, a.id, a.created_at, a.closed_at,
      min(c.occurred_at) filter (where c.author_type = 'operator'), a.subject_id, a.operator_id, a.author_id, count(*),
      count(*) filter (where c.author_type = 'operator' and c.author_id = a.operator_id), a.status, a.status_group,
      a.channel, a.operator_ids
    from (select distinct instance_id, appeal_id from changed) written cross join lateral (
        select found.instance_id, found.id, found.created_at, found.closed_at, found.subject_id, found.operator_id,
          found.author_id, found.status, found.status_group, found.channel, found.operator_ids from appeals found
        where found.instance_id = written.instance_id and found.id = written.appeal_id and found.kind = 'chat' limit 1) a
      join changed c on c.instance_id = a.instance_id and c.appeal_id = a.id
    group by a.instance_id, a.id, a.created_at, a.closed_at, a.subject_id, a.operator_id, a.author_id, a.status,
      a.status_group, a.channel, a.operator_ids
    on conflict (instance_id, appeal_id) do update set
      first_operator_at = least(dialogues.first_operator_at, excluded.first_operator_at),
      messages = dialogues.messages + excluded.messages,
      own_messages = dialogues.own_messages + excluded.own_messages;
    return null;
  end $$`,
  // In the order of the clients, so that two statements never wait for each other.
  `create or replace function appeals_owned() returns trigger language plpgsql as $$
  begin
    update clients c set has_appeals = true
      from (select distinct instance_id, client_id from changed order by instance_id, client_id) a
      where c.instance_id = a.instance_id and c.id = a.client_id and not c.has_appeals;
    return null;
  end $$`
]
