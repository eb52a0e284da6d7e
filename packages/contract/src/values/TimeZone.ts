// Names of time zones: those of the IANA database, such as Europe/Kyiv; never an offset (docs/contract.md §9.3, §12).
import { Schema } from "effect"

const shape = /^[A-Za-z][A-Za-z0-9_+/-]{0,62}$/u

/** Whether the name is a zone of the IANA database; names are matched without regard to case, as the database is. */
export const isTimeZone = (name: string): boolean => {
  if (!shape.test(name)) return false
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

export const TimeZoneName = Schema.String.check(
  Schema.makeFilter<string>(isTimeZone, {
    message: "must be the name of an IANA time zone, such as Europe/Kyiv",
    toJsonSchema: () => ({ minLength: 1, maxLength: 63 })
  })
)
