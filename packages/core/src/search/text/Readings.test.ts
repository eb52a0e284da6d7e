// Corrections of words in a query. Words that people write are never corrected.
import { assert, describe, it } from "@effect/vitest"
import { chosenReadings, possibleReadings } from "./Readings.ts"
import { stem, wordForms } from "./Words.ts"

const readings = (query: string, text: string) => {
  const stems = new Set(wordForms(text).map((word) => word.stem))
  const occurs = (stem: string) => stems.has(stem)
  return chosenReadings(possibleReadings(query, occurs), (stem) => (occurs(stem) ? 1 : 0)).map(
    ({ readAs, word }) => `${word} > ${readAs}`
  )
}

describe("chosenReadings", () => {
  it("does not correct known words, nor a first letter", () => {
    const text = "писали, дать, следи, входе, перевод, картка, найшли, finds, wheel, дракони"
    for (const query of ["списали", "ждать", "среди", "вроде", "переход", "картки", "friends"])
      assert.deepStrictEqual(readings(query, text), [], query)
  })

  it("corrects a mistyped question word only to a question word", () => {
    const text = "зачем, почему, можно, which, зачёт, почта"
    for (const [query, wanted] of [
      ["Зачеем", "зачем"],
      ["почемму", "почему"],
      ["можнио", "можно"],
      ["whihc", "which"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
    for (const query of ["Кгода", "почму", "wheer", "скілки", "можнн"])
      assert.deepStrictEqual(readings(query, "года, пому, wheel, скелки, манна"), [], query)
  })

  it("corrects one letter that is wrong, missing, added or exchanged", () => {
    const text = "доставка, повернення, монетизация, студия, канал, рахунок, invoice, пароль, посол"
    for (const [query, wanted] of [
      ["доствака", "доставка"],
      ["повренення", "повернення"],
      ["монетизауию", "монетизацию"],
      ["ситудии", "студии"],
      ["кнал", "канал"],
      ["рахуннок", "рахунок"],
      ["invioce", "invoice"],
      ["пороль", "пароль"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
  })

  it("corrects one letter of the other alphabet inside a word", () => {
    for (const [query, wanted] of [
      ["smaзrt", "smart"],
      ["invйice", "invoice"],
      ["достgавка", "доставка"]
    ] as const)
      assert.deepStrictEqual(readings(query, "smart invoice доставка"), [`${query} > ${wanted}`])
  })

  it("corrects a short word only if it lacks a letter", () => {
    for (const [query, wanted] of [
      ["нати", "найти"],
      ["Заем", "зачем"]
    ] as const)
      assert.deepStrictEqual(readings(query, "найти, зачем, наши"), [`${query} > ${wanted}`])
    assert.deepStrictEqual(readings("мгда", "мода, мзда"), [])
  })

  it("corrects each of several words that are joined by signs", () => {
    assert.deepStrictEqual(readings("Сан-Мтркос?", "Сан-Маркос"), ["Мтркос > маркос"])
    assert.deepStrictEqual(readings("кислоорда-16", "кислорода 18"), ["кислоорда > кислорода"])
    assert.deepStrictEqual(readings("статус/доствака", "статус, доставка"), ["доствака > доставка"])
  })

  it("corrects a name with an impossible sequence of letters", () => {
    for (const [query, wanted] of [
      ["Шдэбалы", "шидэбалы"],
      ["Джэкксонвилл", "джэксонвилл"]
    ] as const)
      assert.deepStrictEqual(readings(query, "Шидэбалы, Джэксонвилл"), [`${query} > ${wanted}`])
  })

  it("corrects an impossible word with one letter written by ear and another mistyped", () => {
    const text = "восстановить, пароль, обложка, верифицировать"
    for (const [query, wanted] of [
      ["востановиь", "восстановить"],
      ["пордль", "пароль"],
      ["облшока", "обложка"],
      ["верефциировать", "верифицировать"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
    // Neither of two wrong letters is written by ear. Then a correction with one edit is preferred.
    assert.deepStrictEqual(readings("обнлока", text), [])
    assert.deepStrictEqual(readings("облшка", "облка, обложка"), ["облшка > облка"])
  })

  it("prefers corrections of frequent typing errors: a letter omitted, doubled or exchanged", () => {
    const text = "пароль, поля, донаты, даты, делать, дать, great, greater"
    for (const [query, wanted] of [
      ["паоля", "пароля"],
      ["днаты", "донаты"],
      ["длать", "делать"],
      ["greatr", "greater"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
  })

  it("prefers a known word to a question word only if a frequent typing error explains it", () => {
    assert.deepStrictEqual(readings("поика", "пока, поиска"), ["поика > поиска"])
    assert.deepStrictEqual(readings("поика", "пока, понка"), ["поика > пока"])
  })

  it("corrects an impossible word with two errors if the texts have no closer word", () => {
    const text = "монетизация, студия, недоступен, сообщения"
    for (const [query, wanted] of [
      ["моеитизации", "монетизации"],
      ["мноеитизации", "монетизации"],
      ["стдуя", "студия"],
      ["сособещний", "сообщений"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
    assert.deepStrictEqual(readings("стдуя", `${text}, стоят`), ["стдуя > студия"])
    assert.deepStrictEqual(readings("стдуя", `${text}, стадуя`), ["стдуя > стадуя"])
    // A possible word is not corrected with two edits.
    assert.deepStrictEqual(readings("монеитузации", text), [])
  })

  it("corrects impossible words first if a query has too many unknown words", () => {
    assert.deepStrictEqual(readings("бакачок лелевка смервека гвінчик доставкк", "доставка"), [
      "доставкк > доставка"
    ])
  })

  it("shows a form that people write, not the first with the stem", () => {
    assert.deepStrictEqual(readings("управлть", "управлять"), ["управлть > управлять"])
    assert.deepStrictEqual(readings("запусть", "запустили"), ["запусть > запусти"])
  })

  it("reads a known word as its cognate of the other language", () => {
    assert.notStrictEqual(stem("платежной"), stem("платіжної"))
    assert.deepStrictEqual(readings("целях", "в цілях безпеки"), ["целях > цілях"])
    assert.deepStrictEqual(readings("цілях", "в целях безопасности"), ["цілях > целях"])
  })
})
