// How stored text and times are written on a line of a Markdown pack: nothing in them can end the line or look like a part of the
// pack, and both can be read back exactly (contract §3.5, "lines").

// In addition to what JSON escapes: control characters, separators of lines, every character that is not shown or that turns
// text (Unicode's Default_Ignorable_Code_Point), notes between lines, the brackets of a citation, code fences, what begins
// HTML or a special token, and what makes a link of brackets.
const escaped =
  // eslint-disable-next-line no-control-regex -- these are meant
  /[\p{Default_Ignorable_Code_Point}\u007f-\u009f\u2028\u2029\ufff9-\ufffb\u3010\u3011`]|<(?=[\p{L}/!?|])|(?<=\])\(/gu

/** A value as JSON on one line: `JSON.parse` gives it back. */
export const literal = (value: unknown): string => JSON.stringify(value).replace(escaped, unicodeEscapes)

const unicodeEscapes = (text: string): string => {
  let codes = ""
  for (let at = 0; at < text.length; at++) codes += `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`
  return codes
}

// Letters that are not shown, such as the Hangul fillers, are no words. Names have apostrophes: О'Коннор, Мар’яна.
const plain =
  /^[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}](?:[[\p{L}\p{N} _.\-'’]--\p{Default_Ignorable_Code_Point}]{0,98}[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}])?$/v

/** Words as they are where they are nothing but words, else as JSON. */
export const phrase = (text: string): string => (plain.test(text) ? text : literal(text))

/** A citation, as it ends a line. */
export const cited = (id: string): string => `【${id}】`

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
