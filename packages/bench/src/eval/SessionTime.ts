// When a session began, in the ways that data sets write it: ISO 8601, or `1:56 pm on 8 May, 2023`.
import { millisOf } from "@rapport/contract/values/Time.ts"

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const inWords = /^(\d{1,2}):(\d\d)\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]{3,9}),?\s+(\d{4})$/iu
const withoutOffset = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?)?$/u

/** Epoch milliseconds, undefined where the text is no time. Without an offset it is UTC. */
export const sessionMillisOf = (text: string): number | undefined => {
  const trimmed = text.trim()
  const words = inWords.exec(trimmed)
  if (words !== null) {
    const [, hour = "", minute = "", half = "", day = "", month = "", year = ""] = words
    const at = months.indexOf(month.slice(0, 3).toLowerCase())
    if (at < 0 || Number(hour) < 1 || Number(hour) > 12) return undefined
    const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0)
    return millisOf(
      `${year}-${twoDigits(at + 1)}-${twoDigits(Number(day))}T${twoDigits(hours)}:${minute}:00Z`
    )
  }
  const plain = withoutOffset.exec(trimmed)
  if (plain !== null) {
    const [, date = "", minutes = "00:00", seconds = ":00"] = plain
    return millisOf(`${date}T${minutes}${seconds}Z`)
  }
  return millisOf(trimmed.replace(" ", "T"))
}

const twoDigits = (n: number): string => String(n).padStart(2, "0")
