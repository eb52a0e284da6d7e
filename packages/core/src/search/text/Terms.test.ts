import { assert, describe, it } from "@effect/vitest"
import { datesOf, termCounter, termsOf } from "./Terms.ts"
import { fold } from "./Fold.ts"
import { stem } from "./Words.ts"

describe("termCounter", () => {
  it("finds every form of words whose forms begin with different letters", () => {
    const forms = [
      "годом лет",
      "дети ребенком",
      "их они",
      "идти шел пішов",
      "ґрунт грунту",
      "эхо ехо",
      "ііі иии",
      "ьх х",
      "goes went going",
      "eat ate eating",
      "гудзик ґудзик їжак їжаки year years",
      "люди людина йти йшов интернет інтернету Памʼяті память"
    ]
    for (const word of forms.flatMap((line) => line.split(" "))) {
      for (const other of forms.flatMap((line) => line.split(" "))) {
        if (stem(word) !== stem(other)) continue
        assert.strictEqual(termCounter(termsOf(word))(fold(other)).terms[1], 1, `${word} in ${other}`)
      }
    }
  })

  it("finds no related words of short words and of question words", () => {
    assert.deepStrictEqual(termCounter(termsOf("card"))("cards cardigan").terms, [0, 1, 0, 0])
    assert.deepStrictEqual(termCounter(termsOf("where is the refund"))("whereabouts").terms, [])
  })

  it("reports which adjacent words of the query are close in the text", () => {
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
    it(`finds the date in "${query}"`, () => assert.deepStrictEqual(datesOf(query), [{ year, month, day }]))
  }

  for (const query of ["may I march in", "order 12345", "2 parcels", "version 20.23", "2023-99-01", ""]) {
    it(`finds no date in "${query}"`, () => assert.deepStrictEqual(datesOf(query), []))
  }
})
