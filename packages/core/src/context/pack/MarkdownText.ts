// Writes stored texts and times on a line of a Markdown pack. No text can end its line or look like a part of the pack, and
// each can be read back exactly (contract §3.5, "lines").

import { canonicalJson } from "../../json/CanonicalJson.ts"
import { sentBackText } from "../../json/SentBackJson.ts"

// Escaped in addition to JSON: control characters, line separators, invisible characters (Unicode's
// Default_Ignorable_Code_Point), the brackets of a citation, code fences, and the beginnings of HTML, special tokens and links.
const escaped =
  // eslint-disable-next-line no-control-regex -- control characters are escaped here
  /[\p{Default_Ignorable_Code_Point}\u007f-\u009f\u2028\u2029\ufff9-\ufffb\u3010\u3011`]|<(?=[\p{L}/!?|])|(?<=\])\(/gu

/** A value as JSON on one line: `JSON.parse` gives it back. */
export const literal = (value: unknown): string =>
  sentBackText(canonicalJson(value)).replace(escaped, unicodeEscapes)

const unicodeEscapes = (text: string): string => {
  let codes = ""
  for (let at = 0; at < text.length; at++) codes += `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`
  return codes
}

// Invisible letters, such as the Hangul fillers, are no words. Names have apostrophes: О'Коннор, Мар’яна.
const plain =
  /^[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}](?:[[\p{L}\p{N} _.\-'’]--\p{Default_Ignorable_Code_Point}]{0,98}[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}])?$/v

/** Plain words unchanged, any other text as JSON. */
export const phrase = (text: string): string => (plain.test(text) ? text : literal(text))

/** The citation at the end of a line. */
export const citationSuffix = (id: string): string => `【${id}】`

/** Times of one list, to the minute: a date is written where it changes, `2026-10-05 10:00`, and then only the time. UTC. */
export class Times {
  #date: string

  constructor(date = "") {
    this.#date = date
  }

  shown(iso: string): string {
    const [date, time] = [iso.slice(0, 10), iso.slice(11, 16)]
    if (date === this.#date) return time
    this.#date = date
    return `${date} ${time}`
  }
}

export const inSameMinute = (a: string, b: string): boolean => a.slice(0, 16) === b.slice(0, 16)
