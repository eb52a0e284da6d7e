// Texts of custom data that a process of the version before 0097 writes while it runs beside newer ones: they get their small
// letters too, else no search would find them. And a search by trigrams is one process of PostgreSQL: it reads a few thousand
// rows at most, which is less work than starting others.
export const recordTextsBeside: ReadonlyArray<string> = [
  `create function custom_values_low() returns trigger language plpgsql as $$
    begin
      new.low := (select lower(record.values->>(new.field_id::text)) from custom_records record
        where record.instance_id = new.instance_id and record.model_id = new.model_id and record.id = new.record_id);
      return new;
    end $$`,
  `create trigger custom_values_low before insert on custom_values for each row
    when (new.txt is not null and new.low is null) execute function custom_values_low()`,
  `alter function custom_grams(int8, text) parallel unsafe`
]
