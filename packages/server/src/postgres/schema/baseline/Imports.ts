// Import batches with the checkpoint that each item commits, and the lease of the importer.
export const imports: ReadonlyArray<string> = [
  `create table import_batches (
    instance_id int8 not null references instances,
    id uuid not null,
    principal text not null,
    key text not null,
    fingerprint text not null,
    status text not null check (status in ('running', 'completed', 'completed_with_errors')),
    next_index int4 not null default 0,
    total int4 not null,
    succeeded int4 not null default 0,
    failed int4 not null default 0,
    owner uuid,
    leased_until timestamptz(3),
    created_at timestamptz(3) not null,
    primary key (instance_id, id),
    unique (instance_id, principal, key)
  )`,
  `create index import_batches_age on import_batches (created_at)`,
  `create table import_items (
    instance_id int8 not null,
    batch_id uuid not null,
    index int4 not null,
    status text not null check (status in ('succeeded', 'failed', 'replayed')),
    code text,
    message text,
    -- The client that the item named: an erasure empties its message.
    client_id int8,
    primary key (instance_id, batch_id, index),
    foreign key (instance_id, batch_id) references import_batches (instance_id, id) on delete cascade
  )`,
  `create index import_items_failed on import_items (instance_id, client_id)
    where client_id is not null and message is not null`,
  // Source and external id identify a repeated state item with another key.
  `create table imported_states (
    instance_id int8 not null,
    client_id int8 not null,
    source text not null,
    external_id text not null,
    fingerprint text not null,
    -- The client that it was imported for before a merge; 0 for none.
    merged_from_id int8 not null default 0,
    primary key (instance_id, client_id, source, external_id, merged_from_id),
    foreign key (instance_id, client_id) references clients (instance_id, id)
  )`
]
