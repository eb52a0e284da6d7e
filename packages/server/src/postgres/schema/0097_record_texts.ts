// Texts of custom data in small letters, and two indexes of them: by beginning, and by the trigrams that a text holds. A trigram
// is kept as its hash with the id of its field, so that a search reads no other field's and no other instance's entries, and no
// extension is needed. A text of more than 1,000 characters has one entry that stands for every trigram: it is read whole.
export const recordTexts: ReadonlyArray<string> = [
  `alter table custom_values add column low text collate "C"`,
  `update custom_values narrow set low = lower(record.values->>(narrow.field_id::text))
    from custom_records record where narrow.txt is not null and record.instance_id = narrow.instance_id
      and record.model_id = narrow.model_id and record.id = narrow.record_id`,
  // Its cost keeps the planner from asking it row by row.
  `create function custom_grams(field int8, low text) returns int8[] language sql immutable strict parallel safe cost 10000
    return case when length(low) > 1000 then array[hashtextextended('', field)]
      else coalesce((select array_agg(distinct hashtextextended(substr(low, place, 3), field))
        from generate_series(1, length(low) - 2) place), '{}'::int8[]) end`,
  `create index custom_values_beginning on custom_values (instance_id, field_id, left(low, 255), record_id)
    where low is not null`,
  // Without a list of pending entries: a write would now and then have to empty it, and every search reads it.
  `create index custom_values_grams on custom_values using gin (custom_grams(field_id, low)) with (fastupdate = off)
    where low is not null`,
  `analyze custom_values`
]
