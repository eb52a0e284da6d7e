// Seeds of packs for property tests: texts in three languages, any JSON, and any characters.
import * as fc from "fast-check"
import type { DraftSeed } from "./PackFixtures.ts"

const words = [
  "Доброго дня рахунок за вересень не прийшов п’ять її ґанок підключення оплатила",
  "Здравствуйте счёт пришёл объявление съезд заказ доставка",
  "Hello invoice the router doesn't I've paid yesterday UA-4471/2 €12,50 №5 😀 —"
].flatMap((line) => line.split(" "))
const sentence = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(" ", ", ", ". ", "! ", "\n", " «", "» ")), {
    minLength: 1,
    maxLength: 60
  })
  .map((parts) => parts.map(([word, mark]) => word + mark).join(""))
const anyText = fc.oneof(
  { arbitrary: sentence, weight: 4 },
  { arbitrary: fc.string({ unit: "binary", maxLength: 80 }).map((s) => s.toWellFormed()), weight: 1 }
)
const anyObject = fc.oneof(
  {
    arbitrary: fc.dictionary(fc.string({ maxLength: 12 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 8 }),
    weight: 3
  },
  {
    arbitrary: fc.record({ note: fc.integer({ min: 0, max: 3_000 }).map((n) => "їжа ".repeat(n)) }),
    weight: 1
  }
)
const score = fc.option(fc.integer({ min: 0, max: 100 }).map((n) => n / 100))
export const seeds: fc.Arbitrary<DraftSeed> = fc.record({
  namespaces: fc.option(
    fc.array(fc.record({ name: fc.stringMatching(/^[a-z]{1,12}$/), state: anyObject }), { maxLength: 4 })
  ),
  actions: fc.option(
    fc.array(fc.record({ summary: fc.option(sentence), payload: anyObject }), { maxLength: 6 })
  ),
  properties: fc.option(
    fc.uniqueArray(
      fc.record({
        name: fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,12}$/),
        value: fc.oneof(anyText, fc.integer(), fc.boolean())
      }),
      {
        maxLength: 4,
        selector: ({ name }) => name
      }
    )
  ),
  appeals: fc.option(
    fc.array(
      fc
        .array(fc.record({ text: anyText, score }), { maxLength: 5 })
        .map((snippets) => snippets.toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1))),
      { maxLength: 8 }
    )
  ),
  labels: fc.record(
    {
      priority: fc.constantFrom("low", "high", "urgent"),
      tags: fc.array(anyText, { minLength: 1, maxLength: 3 }),
      customFields: anyObject,
      truncated: fc.constant<true>(true)
    },
    { requiredKeys: [] }
  ),
  operator: fc.option(anyText, { nil: null }),
  conversations: fc.array(fc.array(anyText, { maxLength: 4 }), { maxLength: 3 }),
  interactions: fc.array(anyText, { maxLength: 4 }),
  memories: fc.array(anyText, { maxLength: 4 }),
  readings: fc.array(
    fc.record({
      word: anyText,
      readAs: anyText,
      why: fc.constantFrom("layout", "transliteration", "spelling")
    }),
    { maxLength: 3 }
  )
})

export const emptySeed: DraftSeed = {
  namespaces: [],
  actions: [],
  properties: [],
  appeals: [],
  conversations: [],
  interactions: [],
  memories: []
}
