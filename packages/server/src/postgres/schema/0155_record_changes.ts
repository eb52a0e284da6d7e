// Which records of custom data each statement wrote, in which transaction: a process that holds the values of a model in memory
// learns from it what it has to read again. Triggers write it, whatever program writes records.
const written = (name: string, event: string, transition: string) =>
  `create trigger custom_records_${name} after ${event} on custom_records referencing ${transition} as written
    for each statement execute function custom_records_written()`

export const recordChanges: ReadonlyArray<string> = [
  `create table custom_changes (
    instance_id int8 not null,
    model_id int8 not null,
    transaction xid8 not null default pg_current_xact_id(),
    written_at timestamptz not null default clock_timestamp(),
    records int8[] not null
  )`,
  `create index custom_changes_since on custom_changes (instance_id, model_id, transaction)`,
  `create function custom_records_written() returns trigger language plpgsql as $$
    begin
      insert into custom_changes (instance_id, model_id, records)
        select written.instance_id, written.model_id, array_agg(written.id) from written group by 1, 2;
      return null;
    end $$`,
  written("inserted", "insert", "new table"),
  written("updated", "update", "new table"),
  written("deleted", "delete", "old table")
]
