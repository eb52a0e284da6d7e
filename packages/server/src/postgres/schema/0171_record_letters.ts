// The letters of a text by three passes of a regular expression, each of which gives every third of its trigrams: the statement
// of 0126 took 30 µs to begin for each text, and twice as long for a text of 75 letters. What it gives is the same, so the index
// stays as it is. Its list of new entries may be longer: who writes them does not wait for them to be entered
// in its place.

/** What the index is told once it is there; one that is built after the start is told then. */
const lettersListed = `alter index if exists custom_values_letters set (gin_pending_list_limit = 4096)`

export const recordLetters: ReadonlyArray<string> = [
  `create or replace function custom_letters(field int8, low text) returns tsvector language plpgsql immutable strict
    parallel unsafe cost 10000 as $$
    declare
      field_name constant text := field::text || ':';
      separator constant text := chr(1);
      next_one constant text := '\\&' || separator || field_name;
    begin
      if length(low) > 1000 then return array_to_tsvector(array[field::text || '*']); end if;
      if strpos(low, separator) > 0 then
        return array_to_tsvector((select array_agg(field_name || substr(low, place, 3))
          from generate_series(1, length(low)) place));
      end if;
      -- A pass that ends with a whole trigram leaves a name without letters behind.
      return array_to_tsvector(array_remove(string_to_array(
        field_name || regexp_replace(low, '...', next_one, 'g') || separator
          || field_name || regexp_replace(substr(low, 2), '...', next_one, 'g') || separator
          || field_name || regexp_replace(substr(low, 3), '...', next_one, 'g'), separator), field_name));
    end $$`,
  lettersListed
]
