// Erasure of a client's personal data: one row for each client that is or was erased, with the place the work has reached.
export const clientErasure: ReadonlyArray<string> = [
  // The row stays, without a name, because appeals and statistics refer to it; no read or write finds it any more.
  `alter table clients add column erased_at timestamptz(3)`,
  // The client that an item named: what a failed item says of its data goes with the client.
  `alter table import_items add column client_id int8`,
  `create index import_items_failed on import_items (instance_id, client_id)
    where client_id is not null and message is not null`,
  // Messages go with an erasure: these indexes find what refers to one.
  `create index inbound_messages_message on inbound_messages (instance_id, message_id)`,
  `create table client_erasures (
    instance_id int8 not null references instances,
    client_id int8 not null,
    requested_at timestamptz(3) not null default now(),
    -- The part of the data that is being erased, and where in it the next slice begins.
    part text,
    place json,
    -- Rows erased so far, and those of the present pass over all parts: a pass that finds none ends the work.
    erased int8 not null default 0,
    pass_erased int8 not null default 0,
    finished_at timestamptz(3),
    primary key (instance_id, client_id),
    foreign key (instance_id, client_id) references clients (instance_id, id)
  )`,
  `create index client_erasures_unfinished on client_erasures (requested_at) where finished_at is null`
]
