// Texts in normal form C, in time that is linear in their length.

/**
 * The most combining marks on one letter that are put into canonical order. No language has as many (UAX #15, stream-safe
 * text), and `normalize` takes quadratic time: a megabyte of marks took minutes.
 */
const MARKS_MAX = 30

const LONG_RUN = new RegExp(String.raw`(?<!\p{M})\p{M}{${MARKS_MAX + 1},}`, "gu")
const SHORT_RUN = new RegExp(String.raw`\p{M}{1,${MARKS_MAX}}`, "gu")
/** Below U+0300 every text is in normal form C. */
const MAY_COMPOSE = /[\u0300-\u{10ffff}]/u

/**
 * The text in normal form C. A run of more than MARKS_MAX marks is normalized in pieces of MARKS_MAX. Texts that are not
 * canonically equivalent never become equal.
 */
export const composedText = (text: string): string => {
  if (!MAY_COMPOSE.test(text)) return text
  if (text.length <= MARKS_MAX) return text.normalize("NFC")
  const pieces: Array<string> = []
  let begin = 0
  for (const { 0: run, index } of text.matchAll(LONG_RUN))
    for (const marks of run.matchAll(SHORT_RUN)) {
      const end = index + marks.index + marks[0].length
      pieces.push(text.slice(begin, end).normalize("NFC"))
      begin = end
    }
  pieces.push(text.slice(begin).normalize("NFC"))
  return pieces.join("")
}
