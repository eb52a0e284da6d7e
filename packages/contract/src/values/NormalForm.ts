// Normalizes texts to NFC in linear time.

/**
 * The longest run of combining marks that is normalized as a whole (UAX #15, stream-safe text). `normalize` takes quadratic
 * time: a megabyte of marks takes minutes.
 */
const MARKS_MAX = 30

const LONG_RUN = new RegExp(String.raw`(?<!\p{M})\p{M}{${MARKS_MAX + 1},}`, "gu")
const SHORT_RUN = new RegExp(String.raw`\p{M}{1,${MARKS_MAX}}`, "gu")
/** Texts below U+0300 are in NFC. */
const MAY_COMPOSE = /[\u0300-\u{10ffff}]/u

/** The text in NFC. A longer run of marks is normalized in pieces; texts that are not equivalent never become equal. */
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
