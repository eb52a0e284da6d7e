// E-mail addresses, time zones and languages (contract §1, "Values").
import { Schema } from "effect"
import { EMAIL_POINTS_MAX, LANGUAGE_POINTS_MAX, TIMEZONE_POINTS_MAX } from "../Limits.ts"
import { storedAs, textOf } from "./Checks.ts"
import { composedText } from "./NormalForm.ts"

/** One @ between non-empty parts. */
export const Email = textOf(1, EMAIL_POINTS_MAX)
  .check(Schema.isPattern(/^[^@\s]+@[^@\s]+$/u, { message: "must be an e-mail address" }))
  .annotate({ examples: ["olena@example.com"] })
  .pipe(storedAs(composedText))

/** Names of the IANA database without an area. */
const zonesWithoutArea = new Set(
  `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran
   Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore
   Turkey UCT UTC Universal W-SU WET Zulu`
    .split(/\s+/u)
    .map((name) => name.toLowerCase())
)

/** Whether the text is a time zone of the IANA database. The engine also accepts offsets and its own names. */
export const isTimeZone = (text: string): boolean => {
  const isNamed = /^(?!SystemV\/)[A-Z][A-Z_]*\/[A-Z0-9_+/-]+$/iu.test(text)
  if (!isNamed && !zonesWithoutArea.has(text.toLowerCase())) return false
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

export const TimeZone = textOf(1, TIMEZONE_POINTS_MAX)
  .check(
    Schema.makeFilter<string>(isTimeZone, {
      message: "must be a time zone of the IANA database, such as Europe/Kyiv",
      toJsonSchema: () => ({})
    })
  )
  .annotate({ description: "A name of the IANA database", examples: ["Europe/Kyiv"] })

/** RFC 5646: language, script, region, variants, extensions; or a private or grandfathered tag. */
const tag =
  /^(?:(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(?:-[0-9A-WYZa-wyz](?:-[A-Za-z0-9]{2,8})+)*(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?|[Xx](?:-[A-Za-z0-9]{1,8})+|[Ii]-[A-Za-z]{3,8})$/u

export const Language = textOf(1, LANGUAGE_POINTS_MAX)
  .check(Schema.isPattern(tag, { message: "must be a BCP 47 language tag, such as uk or en-GB" }))
  .annotate({ description: "A BCP 47 tag", examples: ["uk"] })
