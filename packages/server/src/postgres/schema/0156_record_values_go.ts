// The narrow rows of a record go with it by one statement of a trigger. A foreign key did so before, and looked for its record at
// each row that was written: eight times of a record with eight values, a fifth of what entering it took. They are only
// written in the transaction that wrote their record, or locked it.
export const recordValuesGo: ReadonlyArray<string> = [
  `create function custom_records_gone() returns trigger language plpgsql as $$
    begin
      delete from custom_values value using gone where value.instance_id = gone.instance_id
        and value.model_id = gone.model_id and value.record_id = gone.id;
      return null;
    end $$`,
  `create trigger custom_records_gone after delete on custom_records referencing old table as gone
    for each statement execute function custom_records_gone()`,
  `alter table custom_values drop constraint if exists custom_values_instance_id_model_id_record_id_fkey`
]
