import { assert, describe, it } from "@effect/vitest"
import type { Reading } from "./Readings.ts"
import { matchedWordsOf } from "./MatchedWords.ts"
import { correctedQuery, textQueryOf } from "./TextQuery.ts"

const matchesIn = (query: string, text: string, readings: ReadonlyArray<Reading> = []) =>
  matchedWordsOf(
    correctedQuery(textQueryOf(query), readings),
    readings
  )(text).map((one) => `${one.word} = ${one.matched}: ${one.by}`)

describe("matchedWordsOf", () => {
  it.each([
    ["рахунок", "Де мої рахунки?", ["рахунок = рахунки: stem"]],
    ["возврат денег", "Возврат денег", ["возврат = Возврат: exact", "денег = денег: exact"]],
    ["adoption", "adopting", ["adoption = adopting: family"]],
    ["+380671234567", "дзвоніть 067 123-45-67", ["+380671234567 = 067 123-45-67: phone"]],
    ["2500", "сплатила 2 500 грн", ["2500 = 2 500: number"]],
    ["RX5521", "роутер RX-5521", ["RX5521 = RX-5521: code"]],
    ["WiFi", "немає Wi-Fi", ["WiFi = Wi-Fi: compound"]],
    ["order 1048599", "order 1048576", ["order = order: exact"]],
    ["refund", "Invoice", []]
  ] as const)("lists the words of %j that match in %j", (query, text, expected) => {
    assert.deepStrictEqual(matchesIn(query, text), [...expected])
  })

  it("reports the reason of a correction", () => {
    const readings: ReadonlyArray<Reading> = [{ word: "hf[eyjr", readAs: "рахунок", why: "layout" }]
    assert.deepStrictEqual(matchesIn("hf[eyjr", "рахунки", readings), ["рахунок = рахунки: layout"])
  })
})
