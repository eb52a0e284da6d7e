import { assert, describe, it } from "@effect/vitest"
import { STEM_UNITS_MAX } from "./WordParts.ts"
import * as fc from "fast-check"
import { fold } from "./Fold.ts"
import { formOf, stem, wordForms, words } from "./Words.ts"

describe("fold", () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    ["п'ять", "п’ять"],
    ["п'ять", "пʼять"],
    ["ПЯТЬ", "п'ять"],
    ["Café", "cafe"],
    ["Cafe\u0301", "CAFÉ"],
    ["ёлка", "елка"],
    ["ﬁle", "file"],
    ["Ｆｕｌｌ", "full"],
    ["don't", "dont"],
    ["п\u00b4ять", "п'ять"],
    ["п\u2032ять", "п'ять"],
    ["п\u02b9ять", "п'ять"],
    ["п\ua78cять", "п'ять"],
    ["до\u00adставка", "доставка"],
    ["до\u200bставка", "доставка"],
    // Letters of the other alphabet.
    ["дocтaвкa", "доставка"],
    ["Вiктор", "Віктор"],
    ["МАCK", "МАСК"],
    // Letters with strokes, and ligatures.
    ["Łódź", "lodz"],
    ["Straße", "STRASSE"],
    ["Sørensen", "sorensen"],
    ["Đorđe", "djordje".replaceAll("dj", "d")],
    ["Æther", "aether"],
    ["œuvre", "OEUVRE"],
    ["Аррlе", "Apple"]
  ]
  for (const [a, b] of same) it(`makes ${a} and ${b} equal`, () => assert.strictEqual(fold(a), fold(b)))

  it("distinguishes й from и and ї from і, composed or not", () => {
    assert.notStrictEqual(fold("йод"), fold("иод"))
    assert.notStrictEqual(fold("їжа"), fold("іжа"))
    assert.strictEqual(fold("и\u0306од"), fold("йод"))
    assert.strictEqual(fold("і\u0308жа"), fold("їжа"))
  })

  it("is idempotent, and words have only letters, digits and marks", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        for (const { folded } of wordForms(text)) {
          assert.match(folded, /^[\p{L}\p{N}\p{M}]+$/u)
          assert.strictEqual(fold(folded), folded)
        }
      })
    )
  })
})

describe("stem", () => {
  const families: ReadonlyArray<string> = [
    "invoice invoices invoiced Invoice's",
    "refund refunds refunded refunding",
    "go goes going went gone",
    "Buy buying bought",
    "child children Children's",
    "рахунок рахунки рахунку рахунків рахунком",
    "договір договору договори договором",
    "картка картки картку картці карток",
    "доставка доставці доставкою доставки доставок",
    "клієнт клієнти клієнтів клієнта",
    "п'ятниця п’ятницю пʼятниці п'ятниць",
    "оплата оплату оплати оплатою оплаті",
    "возврат возврата возвратом возвраты",
    "заказ заказа заказы",
    "звонок звонка звонки",
    "посилка посилки посилку посилок",
    "ґудзик гудзик",
    "пам'ять памʼяті памяті пам’яттю",
    "під'єднати під’єднав підʼєднаю",
    "протікає протікала протікати",
    "требует требовать требовал требуют",
    "дети детям детьми ребёнок",
    "интернет інтернет інтернету интернета"
  ]
  for (const family of families) {
    it(`is the same for ${family}`, () => assert.lengthOf(new Set(family.split(" ").map(stem)), 1))
  }

  it("distinguishes different words", () => {
    for (const [a, b] of [
      ["вулиця", "вулик"],
      ["столица", "столик"],
      ["order", "border"],
      ["leave", "live"],
      ["wind", "wound"],
      ["кран", "край"]
    ] as const) {
      assert.notStrictEqual(stem(a), stem(b))
    }
  })

  it("is the same for a word and its folded form", () => {
    const long = "а".repeat(STEM_UNITS_MAX * 3)
    for (const word of ["П’ЯТНИЦЮ", "Ёлки", "Рахунків", long, `${long}б`]) {
      const { folded, stem } = formOf(word)
      assert.strictEqual(formOf(folded).stem, stem)
    }
    assert.strictEqual(stem(long), stem(`${long}б`))
  })
})

describe("words of millions of letters", () => {
  const MEGA = 1024 * 1024
  const kinds: ReadonlyArray<readonly [name: string, of: (length: number) => string]> = [
    ["Latin letters", (length) => "a".repeat(length)],
    ["Cyrillic letters", (length) => "щ".repeat(length)],
    ["letters beyond the basic plane", (length) => "𝒜".repeat(length / 2)],
    ["marks", (length) => `и${"\u0301".repeat(length)}`],
    ["apostrophes", (length) => "я'".repeat(length / 2)],
    ["quotation marks", (length) => 'я"'.repeat(length / 2)],
    ["invisible characters", (length) => `я${"\u00ad".repeat(length)}я`],
    ["letters and invisible characters", (length) => "я\u00ad".repeat(length / 2)]
  ]

  // A million million steps would exceed the timeout of a test on every machine.
  it.each(kinds)("take no quadratic time: %s", (_, of) => {
    const text = of(MEGA)
    assert.isNotEmpty(words(text))
    assert.isNotEmpty(wordForms(text))
  })

  it("do not overflow the stack", () => {
    const before = "рахунок "
    assert.strictEqual(wordForms(before + "щ".repeat(8 * MEGA))[0]?.stem, stem("рахунок"))
  })

  it("are one word, with the stem of its first letters", () => {
    for (const letter of ["a", "щ", "5"]) {
      const [beginning, long] = [letter.repeat(STEM_UNITS_MAX), letter.repeat(MEGA)]
      assert.deepStrictEqual(wordForms(long), wordForms(beginning))
      assert.lengthOf(words(`x ${long} y`), 3)
    }
  })
})

/** The characters of a word in a text. White space and signs occur in numbers, phones and codes. */
const SHOWN =
  /^[\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{RI}'’‘`´′‛＇"*\u00ad\u200b-\u200d\u2060\ufeff \u00a0\u2009\u202f().,+\u2010\u2011\u2013-]+$/u

describe("words", () => {
  it("are not split at any kind of apostrophe, nor at invisible characters", () => {
    for (const sign of `'’ʼ\`´′ʹ‛ʻ＇"*`)
      assert.deepStrictEqual(words(`п${sign}ять`), [{ stem: stem("п'ять"), from: 0, to: 5 }])
    assert.deepStrictEqual(words("до\u00adстав\u200bка!"), [{ stem: stem("доставка"), from: 0, to: 10 }])
    assert.deepStrictEqual(
      words('they said"no"so, "так"').map(({ from, to }) => to - from),
      [4, 4, 2, 2, 3]
    )
  })

  it("have ranges in code points, with their marks and apostrophes", () => {
    const found = words("😀 п'ять e\u0301t — Їжак!").map(({ from, to }) => [from, to])
    assert.deepStrictEqual(found, [
      [0, 1],
      [2, 7],
      [8, 11],
      [14, 18]
    ])
  })

  it("have ranges inside the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const points = Array.from(text)
        for (const { from, to } of words(text)) {
          assert.isTrue(from >= 0 && to > from && to <= points.length)
          assert.match(points.slice(from, to).join(""), SHOWN)
        }
      })
    )
  })
})
