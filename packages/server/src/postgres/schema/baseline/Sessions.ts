// Context sessions and their messages.
export const sessions: ReadonlyArray<string> = [
  `create table context_sessions (
    instance_id int8 not null,
    id uuid not null,
    client_id int8 not null,
    status text not null check (status in ('open', 'closed')),
    external_session_id text,
    channel text,
    appeal_id int8,
    metadata json,
    message_count int4 not null default 0,
    working_context json,
    working_context_version int8 not null default 0,
    working_context_updated_at timestamptz(3),
    close_reason text,
    created_at timestamptz(3) not null default now(),
    closed_at timestamptz(3),
    primary key (instance_id, id),
    foreign key (instance_id, client_id) references clients (instance_id, id)
  )`,
  `create index context_sessions_client on context_sessions (instance_id, client_id, created_at desc, id desc)`,
  `create unique index context_sessions_external on context_sessions (instance_id, external_session_id)
    where status = 'open' and external_session_id is not null`,
  // client_id is a copy, for reading the latest messages of a client over all sessions.
  `create table session_messages (
    instance_id int8 not null,
    session_id uuid not null,
    sequence int4 not null,
    id uuid not null,
    client_id int8 not null,
    role text not null check (role in ('client', 'operator', 'assistant', 'system', 'tool')),
    content text not null,
    metadata json,
    occurred_at timestamptz(3) not null,
    recorded_at timestamptz(3) not null default now(),
    external_message_id text,
    -- Files of the message as an answer shows them; null without files.
    attachments json,
    primary key (instance_id, session_id, sequence),
    unique (instance_id, id),
    foreign key (instance_id, session_id) references context_sessions (instance_id, id)
  )`,
  `create index session_messages_client on session_messages (instance_id, client_id, occurred_at desc, id desc)`,
  `create unique index session_messages_external on session_messages (instance_id, session_id, external_message_id)
    where external_message_id is not null`,
  // For imports, which name the latest session by its external id, including closed ones.
  `create index context_sessions_named on context_sessions (instance_id, external_session_id, created_at desc)
    where external_session_id is not null`
]
