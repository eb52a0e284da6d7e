// Files of messages: their rows. The bytes are in the storage of files.
export const files: ReadonlyArray<string> = [
  // bytes and sha256 are null until the storage has the bytes. expires_at is null while a message has the file; after it, a
  // sweep deletes the bytes and then the row. A message of a session names its files, so the file needs only its session.
  `create table files (
    instance_id int8 not null references instances,
    id uuid not null,
    name text not null,
    media_type text not null,
    bytes int8,
    sha256 text,
    uploader text not null,
    appeal_id int8,
    message_id int8,
    session_id uuid,
    expires_at timestamptz(3),
    primary key (instance_id, id),
    foreign key (instance_id, appeal_id) references appeals (instance_id, id),
    foreign key (instance_id, message_id) references appeal_messages (instance_id, id),
    foreign key (instance_id, session_id) references context_sessions (instance_id, id)
  )`,
  // The text of a message for search and packs: its text, and a mark for each file.
  `create function message_text(text text, attachments json) returns text language sql immutable parallel safe as $$
    select concat_ws(E'\\n', nullif(text, ''), string_agg('[file ' || (file->>'name') || ' ' || case
        when bytes < 1000 then bytes || ' B'
        when bytes < 1000000 then round(bytes / 1000.0) || ' kB'
        else round(bytes / 1000000.0, 1) || ' MB' end || ']', ' ' order by place))
      from json_array_elements(attachments) with ordinality files (file, place), lateral (
        select (file->>'bytes')::int8 as bytes) size
  $$`,
  `create index files_expiring on files (expires_at) where expires_at is not null`,
  `create index files_of_appeal on files (instance_id, appeal_id) where appeal_id is not null`,
  `create index files_of_message on files (instance_id, message_id) where message_id is not null`,
  `create index files_of_session on files (instance_id, session_id) where session_id is not null`
]
