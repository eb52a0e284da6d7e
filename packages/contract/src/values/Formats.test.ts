// Texts with a form of their own (contract §1, "Values").
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { Email, Language, TimeZone } from "./Formats.ts"

const takes = (schema: Schema.Codec<string, string>) => (text: string) =>
  Option.isSome(Schema.decodeUnknownOption(schema)(text))

describe("an e-mail address has one @ between parts that are not empty", () => {
  it.each(["a@b", "olena@example.com", "o.l-e+na@пошта.укр", `${"a".repeat(252)}@b`])("takes %s", (text) =>
    assert.isTrue(takes(Email)(text))
  )
  it.each(["", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n", `${"a".repeat(253)}@b`])(
    "refuses %j",
    (text) => assert.isFalse(takes(Email)(text))
  )
})

describe("a time zone is a name of the IANA database", () => {
  it.each([
    "Europe/Kyiv",
    "Europe/Kiev",
    "America/Argentina/Buenos_Aires",
    "America/Port-au-Prince",
    "Etc/GMT+3",
    "UTC",
    "GMT",
    "EST5EDT"
  ])("takes %s", (text) => assert.isTrue(takes(TimeZone)(text)))
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
  ])("refuses %j", (text) => assert.isFalse(takes(TimeZone)(text)))
})

describe("a language is a BCP 47 tag", () => {
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
  ])("takes %s", (text) => assert.isTrue(takes(Language)(text)))
  it.each(["", "u", "en_US", "uk-", "-uk", "ukrainian language", "укр", "123", "en--GB", "abcdefghi"])(
    "refuses %j",
    (text) => assert.isFalse(takes(Language)(text))
  )
  it("is judged in linear time", () => {
    const begun = performance.now()
    for (const part of ["-a", "-aa", "-aaaaa", "-1aaa", "-a-aa"]) takes(Language)(`en${part.repeat(60)}!`)
    assert.isBelow(performance.now() - begun, 1_000)
  })
})
