// Files of messages: their rows. The bytes are in the storage of files.
export const files: ReadonlyArray<string> = [
  // bytes and sha256 are null until the storage has the bytes. expires_at is null while a message has the file; after it, a
  // sweep deletes the bytes and then the row.
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
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3),
    primary key (instance_id, id),
    foreign key (instance_id, appeal_id) references appeals (instance_id, id),
    foreign key (instance_id, message_id) references appeal_messages (instance_id, id)
  )`,
  `create index files_expiring on files (expires_at) where expires_at is not null`,
  `create index files_of_appeal on files (instance_id, appeal_id) where appeal_id is not null`,
  `create index files_of_message on files (instance_id, message_id) where message_id is not null`
]
