// Texts in normal form C, in time that grows with their length alone.

/**
 * Marks on one letter that are brought into the order of the normal form; no language has as many (UAX #15, stream-safe
 * text). `normalize` moves each mark past those before it: in a text of nothing but marks a megabyte took minutes.
 */
const MARKS_MAX = 30

const LONG_RUN = new RegExp(String.raw`(?<!\p{M})\p{M}{${MARKS_MAX + 1},}`, "gu")
const SHORT_RUN = new RegExp(String.raw`\p{M}{1,${MARKS_MAX}}`, "gu")

/**
 * The text in normal form C; of more than MARKS_MAX marks in a row, each MARKS_MAX are by themselves. Texts that differ in
 * more than their form never become equal.
 */
export const composedText = (text: string): string => {
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
