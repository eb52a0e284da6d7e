// Custom data: models with their fields, records with their values as one JSON object, and `record_values`, which triggers maintain: a
// row for each value, with indexes for filters and orders (contract §9.2).
import { trigramIndex } from "./FoldedTexts.ts"
import { afterStatements } from "./StatementTriggers.ts"

/** The columns of a value: texts in normal form C and folded, everything else as a number. */
const rowsOfValues = `create function record_value_rows(stored jsonb, fields json)
  returns table (field_id int8, text text, folded text, number float8, unique_key bytea) language sql stable as $$
    select field_id, left(words, 255), fold_text(words), number,
      case when is_unique then sha256(convert_to(coalesce(words, number::text), 'UTF8')) end
    from (select (field->>'id')::int8 as field_id, (field->>'unique')::boolean as is_unique,
        case when field->>'type' in ('STRING', 'TEXT') then normalize(given.text, NFC) end as words,
        case field->>'type' when 'STRING' then null when 'TEXT' then null
          when 'BOOLEAN' then given.text::boolean::int4::float8
          when 'DATE' then (given.text::date - date '1970-01-01')::float8
          when 'DATETIME' then (extract(epoch from given.text::timestamptz) * 1000)::float8
          else given.text::float8 end as number
      from json_array_elements(fields) field, lateral (select stored->>(field->>'id') as text) given
      where given.text is not null offset 0) typed $$`

/** The name of the constraint contains the field whose value another record has. */
const refuseTaken = `if taken is not null then
        raise exception 'a unique value of custom data is in use'
          using errcode = 'unique_violation', constraint = 'record_values_unique_' || taken;
      end if;`

/** Inserts the unique values of all records of a statement in one order, so that writers of equal values do not deadlock. */
const addRows = `create function add_record_values() returns trigger language plpgsql as $$
    declare taken int8;
    begin
      with given as (select changed.instance_id, changed.model_id, changed.id as record_id, typed.*
        from changed join custom_models model on model.instance_id = changed.instance_id and model.id = changed.model_id
          cross join lateral record_value_rows(changed.values, model.fields) typed),
      entered as (insert into record_values select * from given order by field_id, unique_key
        on conflict do nothing returning record_id, field_id)
      select field_id into taken from (select record_id, field_id from given except select * from entered) missing
        order by field_id limit 1;
      ${refuseTaken}
      return null;
    end $$`

/** Replaces the values of one record that differ. */
const replaceRows = `create function replace_record_values() returns trigger language plpgsql as $$
    declare
      taken int8;
      changed jsonb;
    begin
      if tg_op = 'DELETE' then
        delete from record_values where instance_id = old.instance_id and record_id = old.id;
        return null;
      end if;
      delete from record_values kept where kept.instance_id = new.instance_id and kept.record_id = new.id
        and old.values->(kept.field_id::text) is distinct from new.values->(kept.field_id::text);
      select jsonb_object_agg(given.key, given.value) into changed from jsonb_each(new.values) given
        where old.values->given.key is distinct from given.value;
      with given as (select new.instance_id, new.model_id, new.id as record_id, typed.*
        from custom_models model cross join lateral record_value_rows(changed, model.fields) typed
        where model.instance_id = new.instance_id and model.id = new.model_id),
      entered as (insert into record_values select * from given order by field_id on conflict do nothing returning field_id)
      select field_id into taken from (select field_id from given except select * from entered) missing
        order by field_id limit 1;
      ${refuseTaken}
      return null;
    end $$`

export const customData: ReadonlyArray<string> = [
  `create sequence custom_field_ids`,
  `create table custom_models (
    instance_id int8 not null references instances (id),
    id int8 generated always as identity,
    name text not null,
    label text,
    fields json not null,
    version int8 not null default 1,
    primary key (instance_id, id),
    unique (instance_id, name)
  )`,
  // Values have the id of their field as name, which is unique in the service.
  `create table custom_records (
    instance_id int8 not null,
    model_id int8 not null,
    id int8 generated always as identity,
    values jsonb not null,
    version int8 not null default 1,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    primary key (instance_id, model_id, id),
    foreign key (instance_id, model_id) references custom_models (instance_id, id)
  )`,
  `create index custom_records_created on custom_records (instance_id, model_id, created_at, id)`,
  `create index custom_records_updated on custom_records (instance_id, model_id, updated_at, id)`,
  `create table record_values (
    instance_id int8 not null,
    model_id int8 not null,
    record_id int8 not null,
    field_id int8 not null,
    text text collate "uk-x-icu",
    folded text collate "C",
    number float8,
    unique_key bytea,
    primary key (instance_id, record_id, field_id)
  )`,
  rowsOfValues,
  `create unique index record_values_unique on record_values (instance_id, field_id, unique_key)
    where unique_key is not null`,
  `create index record_values_text on record_values (instance_id, field_id, text, record_id) where text is not null`,
  `create index record_values_number on record_values (instance_id, field_id, number, record_id) where number is not null`,
  trigramIndex("record_values_trigrams", "record_values", "folded"),
  // Without these statistics the planner would multiply the selectivities of instance, model and field.
  `create statistics record_values_fields (dependencies) on instance_id, model_id, field_id from record_values`,
  addRows,
  replaceRows,
  ...afterStatements("custom_records", ["insert"], "add_record_values"),
  `create trigger custom_records_values_replaced after update on custom_records
    for each row when (old.values is distinct from new.values) execute function replace_record_values()`,
  `create trigger custom_records_values_deleted after delete on custom_records
    for each row execute function replace_record_values()`
]
