// Custom data: models with their fields, records with their values as one JSON object, and a narrow row for each value that is
// not empty, whose indexes serve every field of every model: no statement of a caller makes an index (docs/contract.md §9.2).
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
  // Values are named by the id of their field, which no other model has.
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
  // Texts by their beginning, of 255 characters at most; numbers, booleans, dates and times as a double.
  `create table custom_values (
    instance_id int8 not null,
    field_id int8 not null,
    model_id int8 not null,
    record_id int8 not null,
    txt text collate "uk-x-icu",
    num float8,
    uniq bytea,
    primary key (instance_id, model_id, record_id, field_id),
    foreign key (instance_id, model_id, record_id) references custom_records (instance_id, model_id, id)
      on delete cascade
  )`,
  `create index custom_values_text on custom_values (instance_id, field_id, txt, record_id) where txt is not null`,
  `create index custom_values_number on custom_values (instance_id, field_id, num, record_id) where num is not null`,
  `create unique index custom_values_unique on custom_values (instance_id, field_id, uniq) where uniq is not null`
]
