// JSON whose numbers requests accept: integers beyond ±(2^53−1) get an exponent, because integer literals beyond it are refused
// (contract §1, "Strictness").

export const sentBackJson = (value: unknown): string => sentBackText(JSON.stringify(value))

/** Digits of the shortest integer beyond ±(2^53−1). */
const DIGITS_MIN = 16
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/gsu

/** Adds the exponents to JSON text, such as a row rendered by PostgreSQL. */
export const sentBackText = (json: string): string =>
  hasLongNumber(json)
    ? json.replace(token, (found) => {
        const value = found.startsWith('"') ? 0 : Number(found)
        return Number.isSafeInteger(value) ? found : value.toExponential()
      })
    : json

/** Checks only every 16th character: a run of 16 digits covers one of them. */
const hasLongNumber = (json: string): boolean => {
  for (let at = DIGITS_MIN - 1; at < json.length; at += DIGITS_MIN) {
    if (!isDigit(json, at)) continue
    let begin = at
    let end = at + 1
    while (begin > 0 && isDigit(json, begin - 1)) begin--
    while (end < json.length && isDigit(json, end)) end++
    if (end - begin >= DIGITS_MIN) return true
  }
  return false
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}
