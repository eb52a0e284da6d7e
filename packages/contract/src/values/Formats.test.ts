// E-mail addresses, time zones and languages (contract §1, "Values").
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { Email, Language, TimeZone } from "./Formats.ts"

const accepts = (schema: Schema.Codec<string, string>) => (text: string) =>
  Option.isSome(Schema.decodeUnknownOption(schema)(text))

describe("an e-mail address", () => {
  it.each(["a@b", "olena@example.com", "o.l-e+na@пошта.укр", `${"a".repeat(252)}@b`])(
    "%s is accepted",
    (text) => assert.isTrue(accepts(Email)(text))
  )
  it.each(["", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n", `${"a".repeat(253)}@b`])(
    "%j is refused",
    (text) => assert.isFalse(accepts(Email)(text))
  )
})

describe("a time zone", () => {
  it.each([
    "Europe/Kyiv",
    "Europe/Kiev",
    "America/Argentina/Buenos_Aires",
    "America/Port-au-Prince",
    "Etc/GMT+3",
    "UTC",
    "GMT",
    "EST5EDT"
  ])("%s is accepted", (text) => assert.isTrue(accepts(TimeZone)(text)))
  it.each([
    "",
    "Kyiv",
    "Mars/Base",
    "+02:00",
    "GMT+5",
    "PST",
    "ACT",
    "SystemV/PST8",
    "Europe/",
    " UTC",
    "UTC "
  ])("%j is refused", (text) => assert.isFalse(accepts(TimeZone)(text)))
})

describe("a language", () => {
  it.each([
    "uk",
    "ru-RU",
    "en-GB",
    "zh-Hant-TW",
    "zh-cmn-Hans-CN",
    "de-CH-1996",
    "es-419",
    "de-DE-u-co-phonebk",
    "sl-rozaj-biske",
    "x-house",
    "i-klingon"
  ])("%s is accepted", (text) => assert.isTrue(accepts(Language)(text)))
  it.each(["", "u", "en_US", "uk-", "-uk", "ukrainian language", "укр", "123", "en--GB", "abcdefghi"])(
    "%j is refused",
    (text) => assert.isFalse(accepts(Language)(text))
  )
  // If the pattern backtracked through all combinations of 60 parts, this test would never end.
  it.each(["-a", "-aa", "-aaaaa", "-1aaa", "-a-aa"])(
    "60 times %s and an exclamation mark is refused",
    (part) => assert.isFalse(accepts(Language)(`en${part.repeat(60)}!`))
  )
})
