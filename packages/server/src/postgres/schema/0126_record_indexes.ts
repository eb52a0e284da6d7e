// Indexes of custom data: words of one and two letters are found as well as longer ones, texts and numbers are read in the order
// of their records without their rows, and a write no longer pays for each trigram by itself. A table that holds records gets
// them after the start, without being locked.

/** An index of `custom_values`, as it is made: `create index <name> <on>`. */
interface RecordIndex {
  readonly name: string
  readonly on: string
}

const recordIndexes: ReadonlyArray<RecordIndex> = [
  {
    name: "custom_values_beginning",
    on: `on custom_values (instance_id, field_id, left(low, 255), record_id) where low is not null`
  },
  // What is written goes to a short list first, which every search reads, and from there into the index all at once: that
  // takes half of the time.
  {
    name: "custom_values_letters",
    on: `on custom_values using gin (custom_letters(field_id, low))
      with (fastupdate = on, gin_pending_list_limit = 256) where low is not null`
  },
  // An entry of a B-tree holds 2,704 bytes, and a character has at most 4.
  {
    name: "custom_values_short_texts",
    on: `on custom_values (instance_id, field_id, record_id) include (low)
      where low is not null and length(low) <= 600`
  },
  {
    name: "custom_values_long_texts",
    on: `on custom_values (instance_id, field_id, record_id) where low is not null and length(low) > 600`
  },
  {
    name: "custom_values_numbers",
    on: `on custom_values (instance_id, field_id, record_id) include (num) where num is not null`
  }
]

/** What they take the place of. */
const formerRecordIndexes: ReadonlyArray<string> = ["custom_values_grams"]

export const recordIndexing: ReadonlyArray<string> = [
  // Each three letters that follow one another, and at the end the last two and the last one: by its beginning any word of one
  // or two letters is found. A text of more than 1,000 characters has one entry for all: it is read whole.
  `create function custom_letters(field int8, low text) returns tsvector language sql immutable strict parallel unsafe cost 10000
    return case when length(low) > 1000 then array_to_tsvector(array[field::text || '*'])
      else coalesce(array_to_tsvector((select array_agg(field::text || ':' || substr(low, place, 3))
        from generate_series(1, length(low)) place)), ''::tsvector) end`,
  // What a text that holds these letters has: its last three, and of the others as many as are asked for.
  `create function custom_letters_asked(field int8, low text, asked int4) returns tsquery language sql immutable strict
    return ((select string_agg('''' || field::text || ':' || replace(replace(gram, '\\', '\\\\'), '''', '''''') || ''''
        || case when length(gram) < 3 then ':*' else '' end, ' & ')
      from (select substr(low, place, 3) as gram from (select greatest(length(low) - 2, 1) as place
        union all (select generate_series(1, length(low) - 2, 3) limit asked)) places) grams)
      || ' | ''' || field::text || '*''')::tsquery`,
  // Of an empty table they are made at once.
  `do $$ begin
    if not exists (select from custom_values) then
      ${formerRecordIndexes.map((name) => `drop index if exists ${name};`).join(" ")}
      ${recordIndexes.map(({ name, on }) => `create index if not exists ${name} ${on};`).join("\n      ")}
    end if;
  end $$`
]
