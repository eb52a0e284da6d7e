import { assert, describe, it } from "@effect/vitest"
import { DATE_WEIGHT_MAX, datesOf, dateWeight, termCounter, termsOf } from "./Terms.ts"
import { fold } from "./Fold.ts"
import { stem } from "./Words.ts"

const matching = (query: string) => {
  const terms = termsOf(query)
  return terms.stems.slice(0, terms.matching)
}

describe("termsOf", () => {
  const cases: ReadonlyArray<readonly [query: string, words: string]> = [
    ["When did the refund arrive?", "refund arrive"],
    ["Коли прийде мій рахунок", "прийде рахунок"],
    ["Где мой возврат денег", "возврат денег"],
    ["Протікає вода", "протікає вода"],
    ["Бій за подію", "бій подію"],
    ["Надеюсь, требует возврата", "надеюсь требует возврата"],
    ["what when", "what when"],
    ["the of", "the of"],
    ["what is the", "what is"],
    ["refund refunds Refunded", "refund"],
    ["?!", ""]
  ]
  for (const [query, words] of cases) {
    it(`looks for "${words}" when asked "${query}"`, () =>
      assert.deepStrictEqual(matching(query), words.split(" ").filter(Boolean).map(stem)))
  }
})

describe("termCounter", () => {
  it("counts the terms of a text, and how often they are spelled as in the query", () => {
    const terms = termsOf("refund for parcels")
    const { terms: counts } = termCounter(terms)("refund refunds parcel nothing refund")
    assert.deepStrictEqual(
      [terms.stems, counts],
      [
        ["refund", "parcel", "for"],
        [0, 3, 2, 0, 1, 1, 0, 0]
      ]
    )
  })

  const kin: ReadonlyArray<readonly [query: string, text: string]> = [
    ["adopt", "adoption"],
    ["counselor", "counseling"],
    ["доставити", "доставщик"],
    ["возвращение", "возвратили"]
  ]
  for (const [query, text] of kin) {
    it(`counts "${text}" beside "${query}" as of its family and not as the word`, () =>
      assert.deepStrictEqual(termCounter(termsOf(query))(text).terms, [0, 0, 0, 1]))
  }

  it("takes no other number, code or phone for the one that is asked for", () => {
    for (const [query, other] of [
      ["1048576", "1048599"],
      ["INV20261101", "inv20261199"],
      ["замовлення-48576", "48577"],
      ["380671234567", "380671239999"]
    ] as const) {
      assert.deepStrictEqual(termCounter(termsOf(query))(other).terms, [], `${query} in ${other}`)
    }
    assert.deepStrictEqual(termCounter(termsOf("INV20261101"))("inv20261101").terms, [0, 1, 1, 0])
  })

  it("finds every word that has the stem of a term, however it begins", () => {
    for (const [query, text] of [
      ["гудзик", "ґудзик"],
      ["ґрунт", "грунту"],
      ["їжак", "їжаки"],
      ["year", "years"],
      ["going", "went"],
      ["ate", "eating"],
      ["год", "лет"],
      ["люди", "людина"],
      ["йти", "йшов"],
      ["интернет", "інтернету"],
      ["Памʼяті", "память"]
    ] as const) {
      assert.strictEqual(termCounter(termsOf(query))(text).terms[1], 1)
    }
  })

  it("stems every word that may have the stem of a term: none is passed over for its first letter", () => {
    const forms = [
      "годом лет",
      "дети ребенком",
      "их они",
      "идти шел пішов",
      "ґрунт грунту",
      "эхо ехо",
      "ііі иии",
      "ьх х",
      "goes went",
      "eat ate"
    ]
    for (const word of forms.flatMap((line) => line.split(" "))) {
      for (const other of forms.flatMap((line) => line.split(" "))) {
        if (stem(word) !== stem(other)) continue
        assert.strictEqual(termCounter(termsOf(word))(fold(other)).terms[1], 1, `${word} in ${other}`)
      }
    }
  })

  it("takes no short word and no word that only asks for a family", () => {
    assert.deepStrictEqual(termCounter(termsOf("card"))("cards cardigan").terms, [0, 1, 0, 0])
    assert.deepStrictEqual(termCounter(termsOf("where is the refund"))("whereabouts").terms, [])
  })

  it("knows which words that follow each other in the query must be near each other", () => {
    const terms = termsOf("cancel the parcel refund")
    assert.deepStrictEqual(terms.pairs, [
      [0, 1],
      [1, 2]
    ])
    const count = termCounter(terms)
    assert.deepStrictEqual(count("parcel was to cancel it").pairs, [0])
    assert.deepStrictEqual(count("refund one two three four five six seven parcel").pairs, [1])
    assert.deepStrictEqual(count("refund one two three four five six seven eight parcel").pairs, [])
    assert.deepStrictEqual(count("refund cancel").pairs, [])
  })
})

describe("datesOf", () => {
  const cases: ReadonlyArray<
    readonly [query: string, year: number | null, month: number | null, day: number | null]
  > = [
    ["what did she say on 8 May 2023", 2023, 5, 8],
    ["May 8th, 2023", 2023, 5, 8],
    ["the 3rd of june", null, 6, 3],
    ["delivery in march", null, 3, null],
    ["рахунок за квітень 2026", 2026, 4, null],
    ["8 травня", null, 5, 8],
    ["заказ от 12 декабря 2025 года", 2025, 12, 12],
    ["2023-05-08", 2023, 5, 8],
    ["08.05.2023", 2023, 5, 8],
    ["report of 2024", 2024, null, null]
  ]
  for (const [query, year, month, day] of cases) {
    it(`reads "${query}"`, () => assert.deepStrictEqual(datesOf(query), [{ year, month, day }]))
  }

  for (const query of ["may I march in", "order 12345", "2 parcels", "version 20.23", "2023-99-01", ""]) {
    it(`sees no day in "${query}"`, () => assert.deepStrictEqual(datesOf(query), []))
  }
})

describe("dateWeight", () => {
  it("is greatest on the day itself and falls with the distance from it", () => {
    const dates = datesOf("on 8 May 2023")
    const days = [
      "2023-05-08T12:00Z",
      "2023-05-09T12:00Z",
      "2023-05-20T12:00Z",
      "2023-06-20T12:00Z",
      "2021-06-20T12:00Z"
    ]
    const weights = days.map((day) => dateWeight(dates, Date.parse(day)))
    assert.deepStrictEqual(
      weights,
      weights.toSorted((a, b) => b - a)
    )
    assert.strictEqual(new Set(weights).size, weights.length)
    assert.strictEqual(weights[0], DATE_WEIGHT_MAX)
  })
  it("takes a day without a year for that day of any year", () => {
    assert.strictEqual(
      dateWeight(datesOf("8 травня"), Date.parse("2020-05-08T00:00Z")),
      dateWeight(datesOf("8 мая"), Date.parse("2023-05-08T23:59Z"))
    )
  })
  it("is nothing where no date is named", () =>
    assert.strictEqual(dateWeight([], Date.parse("2023-05-08T12:00Z")), 0))
})
