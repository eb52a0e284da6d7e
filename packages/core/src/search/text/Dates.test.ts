import { assert, describe, it } from "@effect/vitest"
import { DATE_WEIGHT_MAX, datesOf, dateWeight } from "./Dates.ts"

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
