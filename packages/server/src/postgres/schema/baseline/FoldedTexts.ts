// `fold_text`, for comparisons that ignore case, and what searches parts of texts. It must agree with `foldedText`
// (core/lists/FoldedText.ts).

/**
 * An expression that PostgreSQL inlines and can index. ICU uses the full case mapping of Unicode, as ECMAScript does.
 */
export const foldedTexts: ReadonlyArray<string> = [
  String.raw`create function fold_text(value text) returns text
    language sql immutable strict parallel safe
    return normalize(translate(lower(normalize(value, NFC) collate "und-x-icu"),
      U&'\2019\2018\201B\02BC\02BB\02B9\A78C\0060\00B4\2032\FF07\03C2',
      U&'\0027\0027\0027\0027\0027\0027\0027\0027\0027\0027\0027\03C3'), NFC)`,
  // The texts that `q` searches. array_to_string is not immutable for every type, but for text it is.
  `create function search_text(texts text[]) returns text
    language sql immutable strict parallel safe return fold_text(array_to_string(texts, chr(10)))`,
  // Equal for two names of the same words in any order.
  `create function name_words(name text) returns text language sql immutable strict parallel safe
    return (select string_agg(word, ' ' order by word collate "C") from regexp_split_to_table(fold_text(name), '\\s+') word
      where word <> '')`,
  `create extension if not exists pg_trgm`
]

/**
 * An index of parts of a text; a filter of fewer than three letters does not use it. It names the schema of the operator class,
 * because the extension may be in another schema than the tables.
 */
export const trigramIndex = (name: string, table: string, text: string): string => `do $$ begin
    execute format('create index ${name} on ${table} using gin (${text} %I.gin_trgm_ops)
        with (gin_pending_list_limit = 1024)',
      (select nspname from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm'));
  end $$`
