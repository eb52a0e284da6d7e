// What the projections of the outbox need beside it: how far it was swept, and that quarantine is an obligation too.
export const projections: ReadonlyArray<string> = [
  // Each instance is read by itself: with one index in commit order alone, a quiet one would wade through the others.
  `alter table outbox drop constraint outbox_pkey`,
  `drop index outbox_instance`,
  `alter table outbox add primary key (instance_id, kind, xid, id)`,
  // Greatest place that was deleted: whoever stands before it missed something.
  `create table outbox_swept (
    single boolean primary key default true check (single),
    xid xid8 not null,
    id int8 not null
  )`,
  // Every process drops what is quarantined, and takes up again what is released.
  `create function quarantine_indexed() returns trigger language plpgsql as $$
  begin
    insert into outbox (instance_id, kind, key) select instance_id, kind, key from changed;
    return null;
  end $$`,
  `create trigger quarantine_inserted after insert on quarantine referencing new table as changed
    for each statement execute function quarantine_indexed()`,
  `create trigger quarantine_deleted after delete on quarantine referencing old table as changed
    for each statement execute function quarantine_indexed()`
]
