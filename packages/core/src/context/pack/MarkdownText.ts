// How stored text and times are written on a line of a Markdown pack: nothing in them can end the line or look like a part of the
// pack, and both can be read back exactly (docs/contract.md §3.5, "lines").

// Beside what JSON escapes: control characters, separators of lines, marks that turn or hide text, the brackets of a
// citation, code fences, what begins HTML or a special token, and what makes a link of brackets.
const escaped =
  // eslint-disable-next-line no-control-regex -- these are meant
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u3010\u3011`]|[\u{e0100}-\u{e01ef}]|[\u{e0000}-\u{e007f}]|<(?=[\p{L}/!?|])|(?<=\])\(/gu

/** A value as JSON on one line: `JSON.parse` gives it back. */
export const literal = (value: unknown): string => JSON.stringify(value).replace(escaped, unicodeEscapes)

const unicodeEscapes = (text: string): string => {
  let codes = ""
  for (let at = 0; at < text.length; at++) codes += `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`
  return codes
}

const plain = /^[\p{L}\p{N}](?:[\p{L}\p{N} _.-]{0,98}[\p{L}\p{N}])?$/u

/** Words as they are where they are nothing but words, else as JSON. */
export const phrase = (text: string): string => (plain.test(text) ? text : literal(text))

/** A citation, as it ends a line. */
export const cited = (id: string): string => `【${id}】`

/**
 * Times of one list: a date is written where it changes, `2026-10-05 10:00`, and the time alone after that; seconds and
 * milliseconds where they are not zero. UTC.
 */
export class Times {
  #date: string

  constructor(date = "") {
    this.#date = date
  }

  shown(iso: string): string {
    const [date, time] = [iso.slice(0, 10), timeOf(iso)]
    if (date === this.#date) return time
    this.#date = date
    return `${date} ${time}`
  }
}

const timeOf = (iso: string): string =>
  iso.endsWith(":00.000Z") ? iso.slice(11, 16) : iso.endsWith(".000Z") ? iso.slice(11, 19) : iso.slice(11, 23)
