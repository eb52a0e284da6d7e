// JSON that may be sent back as it is: an integer literal beyond ±(2^53−1) is refused (contract §1, "Strictness"), but a
// double may be a whole number beyond it. Such a number is written with an exponent.

declare global {
  interface JSON {
    /** A value that `stringify` writes as this text; of ES2026, and not in TypeScript's library yet. */
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/** From here on `stringify` writes exponents itself. */
const EXPONENTS = 1e21

/** A number as it is written: with an exponent where it would be such a literal. Any other value unchanged. */
export const sentBack = (value: unknown): unknown =>
  typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < EXPONENTS
    ? JSON.rawJSON(value.toExponential())
    : value

/** Whether `sentBack` made it. */
export const isSentBack = (value: object): boolean => JSON.isRawJSON(value)

export const sentBackJson = (value: unknown): string => JSON.stringify(value, (_, member) => sentBack(member))

/** Digits of the shortest integer beyond ±(2^53−1). */
const DIGITS_MIN = 16
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/gsu

/** The same for a text that is JSON already, such as a row that PostgreSQL rendered. */
export const sentBackText = (json: string): string =>
  hasLongNumber(json)
    ? json.replace(token, (found) => {
        const value = found.startsWith('"') ? 0 : Number(found)
        return Number.isSafeInteger(value) ? found : value.toExponential()
      })
    : json

/** Looks at every 16th character only: a run of so many digits covers one of them. */
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
