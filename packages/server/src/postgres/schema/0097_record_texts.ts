// Texts of custom data in small letters. Its indexes are those of 0126; a database that ran it before has an index of trigrams by
// `custom_grams`, which a program of that time asks.
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
  `analyze custom_values`
]
