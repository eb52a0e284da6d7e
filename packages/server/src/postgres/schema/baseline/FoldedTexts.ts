// `fold_text`: how texts are compared where case is ignored. Same laws as `foldedText` (core/lists/FoldedText.ts).

/**
 * An expression that PostgreSQL inlines and that an index may be built on. ICU lowers by the full mapping of Unicode, as
 * ECMAScript does; the collation of the database may not.
 */
export const foldedTexts: ReadonlyArray<string> = [
  String.raw`create function fold_text(value text) returns text
    language sql immutable strict parallel safe
    return normalize(translate(lower(normalize(value, NFC) collate "und-x-icu"),
      U&'\2019\2018\201B\02BC\02BB\02B9\A78C\0060\00B4\2032\FF07\03C2',
      U&'\0027\0027\0027\0027\0027\0027\0027\0027\0027\0027\0027\03C3'), NFC)`
]
