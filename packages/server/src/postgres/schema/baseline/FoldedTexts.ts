// `fold_text`, for comparisons that ignore case. It must agree with `foldedText` (core/lists/FoldedText.ts).

/**
 * An expression that PostgreSQL inlines and can index. ICU uses the full case mapping of Unicode, as ECMAScript does.
 */
export const foldedTexts: ReadonlyArray<string> = [
  String.raw`create function fold_text(value text) returns text
    language sql immutable strict parallel safe
    return normalize(translate(lower(normalize(value, NFC) collate "und-x-icu"),
      U&'\2019\2018\201B\02BC\02BB\02B9\A78C\0060\00B4\2032\FF07\03C2',
      U&'\0027\0027\0027\0027\0027\0027\0027\0027\0027\0027\0027\03C3'), NFC)`
]
